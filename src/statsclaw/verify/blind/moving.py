"""How stored answers are moved: up, down, towards their centre, along a ramp, each its own way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from statsclaw.specs.test_spec import Criterion
from statsclaw.verify.blind.expressions import TRANSPARENT, Answers, Array, NoValue, next_step, plain
from statsclaw.verify.blind.inside.statsclaw_wire import Extra

#: A call, and the way to a part of its answer.
Leaf = tuple[int, tuple[str, ...]]
Move = Callable[[Array, Criterion, float], Array]


def unit_of(values: Array, criterion: Criterion) -> Array:
    """One tolerance at each number, in the size of the number itself where that is beyond the stated scale."""
    size = np.abs(values)
    tolerance = criterion.tolerance
    if tolerance is None:
        spread = float(np.std(values)) if values.size > 1 else 0.0
        return np.asarray(np.full(values.shape, spread if spread > 0 else max(float(np.max(size, initial=0.0)), 1.0)))
    if tolerance.lre is not None:
        return np.asarray(10.0**-tolerance.lre * np.where(size > 0, size, criterion.scale or 1.0))
    share = np.maximum(size / criterion.scale, 1.0) if criterion.scale else 1.0
    return np.asarray(tolerance.absolute * share + tolerance.relative * np.maximum(size, 1e-300))


def _shifted(sign: float) -> Move:
    return lambda values, criterion, size: values + sign * size * unit_of(values, criterion)


def _scaled(sign: float) -> Move:
    def move(values: Array, criterion: Criterion, size: float) -> Array:
        typical = max(float(np.max(np.abs(values), initial=0.0)), 1e-300)
        share = float(np.max(unit_of(values, criterion), initial=0.0)) / (criterion.scale or typical)
        centre = np.mean(values, axis=0) if values.ndim and len(values) else 0.0
        return np.asarray(centre + (values - centre) * (1 + sign * size * share))

    return move


def _drifting(values: Array, criterion: Criterion, size: float) -> Array:
    if values.ndim == 0 or len(values) < 2:
        return values + size * unit_of(values, criterion)
    ramp = np.linspace(-1.0, 1.0, len(values)).reshape((-1,) + (1,) * (values.ndim - 1))
    return np.asarray(values + size * unit_of(values, criterion) * ramp)


def _scattered(values: Array, criterion: Criterion, size: float) -> Array:
    signs = np.random.default_rng(values.size).choice([-1.0, 1.0], values.shape)
    return np.asarray(values + size * unit_of(values, criterion) * signs)


def spoilt(values: Array, criterion: Criterion, size: float) -> Array:
    """No numbers at all; only of what has no tolerance, where that may be all that is claimed."""
    return np.full(values.shape, np.nan) if criterion.rule == "holds" else values


#: Ways to move an answer, each with the opposite way.
MOVES: tuple[tuple[Move, Move | None], ...] = (
    (_shifted(1.0), _shifted(-1.0)), (_scaled(1.0), _scaled(-1.0)), (_drifting, None), (_scattered, None),
    (spoilt, None),
)  # fmt: skip


def with_moved(answers: Answers, leaf: Leaf, move: Callable[[Array], Array]) -> Answers:
    call, path = leaf
    answer = answers.of(call)
    if answer.error is not None:
        raise NoValue("there is no answer to move")
    moved = replace(answer, value=_moved(answer.value, path, move))
    return Answers({**answers.given, call: moved}, answers.again)


def _moved(value: Any, path: Sequence[str], move: Callable[[Array], Array]) -> Any:
    """The value with the numbers below the path moved; of an object without a path, all of them."""
    if isinstance(value, Extra) and value.kind in ("object", "table"):
        key = "fields" if value.kind == "object" else "columns"
        return Extra(value.kind, {**value.value, key: _moved_parts(value.value[key], path, move)})
    if isinstance(value, dict):
        return _moved_parts(value, path, move)
    return _moved_value(value, move)


def _moved_parts(parts: Mapping[str, Any], path: Sequence[str], move: Callable[[Array], Array]) -> dict[str, Any]:
    if not path:
        return {name: _moved_softly(part, (), move) for name, part in parts.items()}
    chosen, rest = next_step(path, parts)
    return {name: _moved_softly(part, rest, move) if name == chosen else part for name, part in parts.items()}


def _moved_softly(value: Any, path: Sequence[str], move: Callable[[Array], Array]) -> Any:
    try:
        return _moved(value, path, move)
    except NoValue:
        return value


def _moved_value(value: Any, move: Callable[[Array], Array]) -> Any:
    """Moved, and of the same type as before: whoever sees it cannot tell by that."""
    if isinstance(value, Extra) and value.kind in ("named", "series"):
        key = "value" if value.kind == "named" else "values"
        return Extra(value.kind, {**value.value, key: _moved_value(value.value[key], move)})
    if isinstance(value, Extra) and value.kind in TRANSPARENT:
        return Extra(value.kind, _moved_value(value.value, move))
    found = plain(value)
    if isinstance(found, bool):
        return not found
    if isinstance(found, str):
        return f"…{found[1:-1][::-1]}…"
    if isinstance(found, list) and any(isinstance(plain(part), str) for part in found):
        return [f"…{part[1:-1][::-1]}…" if isinstance(part, str) else part for part in found]
    if isinstance(found, list) and any(isinstance(plain(part), list | np.ndarray | dict) for part in found):
        return [_moved_softly(part, (), move) for part in found]
    values = np.asarray([plain(part) for part in found] if isinstance(found, list) else found)
    if values.dtype.kind == "b":
        return ~values
    if values.dtype.kind not in "iufc":
        raise NoValue("there is no number to move")
    moved = _moved_numbers(values, move)
    if isinstance(found, list):
        return [_dressed(old, new) for old, new in zip(found, moved, strict=True)]
    return _dressed(found, moved)


def _moved_numbers(values: Array, move: Callable[[Array], Array]) -> Array:
    finite = np.isfinite(values)
    numbers = np.where(finite, values.real, 0.0).astype(float)
    moved = np.where(finite, move(numbers), 0.0)  # what is no finite number becomes one
    if values.dtype.kind in "iu":  # by whole steps
        far = np.sign(moved - numbers) * np.maximum(np.abs(moved - numbers), 1.0)
        far = np.nan_to_num(far, nan=1.0)  # there is no whole number that is none
        return np.asarray(np.rint(np.clip(numbers + far, -(2.0**62), 2.0**62)).astype(np.int64))
    return np.asarray(moved + 1j * values.imag if values.dtype.kind == "c" else moved)


def _dressed(old: Any, new: Any) -> Any:
    if isinstance(old, Extra):
        inner = old.value if old.kind in TRANSPARENT else None
        return Extra(old.kind, _dressed(inner, new)) if inner is not None else _dressed(plain(old), new)
    if isinstance(old, np.ndarray):
        return np.asarray(new) if old.dtype.kind in "iuc" else np.asarray(new, dtype=float)
    if isinstance(old, complex):
        return complex(new)
    return int(new) if isinstance(old, int) else float(new)


def moved_by_own_size(value: Any, shift: float, stretch: float) -> Any:
    """Every number of an answer moved: by `shift` of its spread, and away from its centre by `stretch`."""

    def move(values: Array) -> Array:
        spread = float(np.std(values)) if values.size > 1 else float(np.max(np.abs(values), initial=0.0))
        centre = np.mean(values, axis=0) if values.ndim and len(values) else 0.0
        return np.asarray(centre + (values - centre) * (1.0 + stretch) + shift * (spread or 1.0))

    try:
        return _moved(value, (), move)
    except NoValue:
        return value
