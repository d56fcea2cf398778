"""What the worker does to one element of the package before the judge sees it: a look at whether the judge looks.

Loaded by the worker, in whose process the package runs; the suite has no sign of it but the values themselves.
"""

from __future__ import annotations

import json
import math
import random
import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_DEEPEST = 20
_EVERYTHING = "*"
_MODES = ("misbehaving", "failing", "noting", "drifting")
_STEPS = ("relative", "absolute", "at_zero")
_MOST_NUMBERS = 10_000
NOTES = Path(__file__).parent / "noted.jsonl"


class Disturbance:
    """`values`: numbers of the elements are moved beyond every tolerance, each call by another amount.

    `drifting`: they are moved far, in one direction in all calls, and the later ones in an array the farther: what
    averages over many numbers or calls, or compares early with late ones, hardly notices that each goes its own way.
    `misbehaving`: arguments are changed in place, a warning is given, values are far off and of another shape, and
    what the package refuses, it refuses with another error. `failing`: every third call fails, the first of them.
    `noting`: nothing is changed; the sizes of what is given and the numbers that are returned are written down.
    """

    def __init__(self, order: Mapping[str, Any]) -> None:
        self.elements = frozenset(order["elements"])
        self.misbehaving, self.failing, self.noting, self.drifting = (bool(order.get(key)) for key in _MODES)
        self.relative, self.absolute, self.at_zero = (float(order.get(key, 0)) for key in _STEPS)
        self.random = random.Random(order.get("seed", 0))
        self.direction = self.random.choice((-1, 1))
        self.calls = 0

    def called(self) -> None:
        self.calls += 1
        if self.failing and self.calls % 3 == 1:
            raise RuntimeError("the package was made to fail here")

    def note(self, value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        if self.noting:
            row = {"sizes": sorted(set(_sizes((*args, *kwargs.values())))), "numbers": list(_numbers(value))}
            with NOTES.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")

    def whole(self, origin: frozenset[str]) -> bool:
        """What was asked for is disturbed as a whole: a function, a method, a field, or anything of its class."""
        wanted = origin | {name.partition(".")[0] for name in origin if "." in name}
        return _EVERYTHING in self.elements or bool(wanted & self.elements)

    def field(self, origin: frozenset[str], name: str) -> bool:
        return self.whole(origin) or any(f"{one}.{name}" in self.elements for one in origin)

    def returned(self, value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """In place of what the package returned."""
        if self.misbehaving:
            for given in (*args, *kwargs.values()):
                _spoil(given)
            warnings.warn("something is not as it should be", RuntimeWarning, stacklevel=2)
        return self.moved(value)

    def refused(self, error: Exception) -> Exception:
        return RuntimeError("something else") if self.misbehaving else error

    def moved(self, value: Any, depth: int = 0) -> Any:
        if depth > _DEEPEST:
            return value
        if isinstance(value, dict):
            return {key: self.moved(part, depth + 1) for key, part in value.items()}
        if isinstance(value, list | tuple):
            found = [self.moved(part, depth + 1) for part in value]
            found += found[-1:] if self.misbehaving else []
            return type(value)(found) if type(value) in (list, tuple) else tuple(found)
        if type(value) is bool:
            return not value
        if type(value) is int:
            return value + 1
        if isinstance(value, str):
            return value + "~"
        if hasattr(value, "dtype"):  # numbers of numpy are also floats
            return self.array(value)
        if isinstance(value, float):
            return self.number(float(value))
        if isinstance(value, complex):
            return complex(self.number(value.real), value.imag)
        return self.array(value)

    def array(self, value: Any) -> Any:
        numpy: Any = sys.modules.get("numpy")
        pandas: Any = sys.modules.get("pandas")
        if pandas is not None and isinstance(value, pandas.Series | pandas.DataFrame):
            return value.map(self.moved)
        if numpy is None or not isinstance(value, numpy.ndarray | numpy.generic) or value.dtype.kind not in "biufc":
            return value
        if value.ndim == 0:
            return value.dtype.type(self.moved(value.item()))
        if value.dtype.kind == "f":
            found = (self.drifted if self.drifting else self.numbers)(value.astype(float), numpy).astype(value.dtype)
            return numpy.concatenate([found, found[:1]]) if self.misbehaving else found
        found = numpy.array([self.moved(part) for part in value.ravel().tolist()], value.dtype).reshape(value.shape)
        return numpy.concatenate([found, found[:1]]) if self.misbehaving else found

    def numbers(self, values: Any, numpy: Any) -> Any:
        """As `number`, of many at once."""
        finite = numpy.where(numpy.isfinite(values), values, 0.0)
        if self.misbehaving:
            moved = -1000.0 * (numpy.abs(finite) + 1.0)
        else:
            draw = numpy.random.default_rng(self.random.getrandbits(60))
            steps = self.relative * numpy.abs(finite) + self.absolute
            steps[steps == 0] = self.at_zero
            moved = values + draw.choice([-1.0, 1.0], values.shape) * draw.uniform(1, 2, values.shape) * steps
        return numpy.where(numpy.isfinite(values), moved, 0.25)

    def drifted(self, values: Any, numpy: Any) -> Any:
        finite = numpy.where(numpy.isfinite(values), values, 0.25)
        size = max(numpy.abs(finite).max(initial=0.0), self.at_zero)
        far = self.direction * self.random.uniform(5, 10) * size
        length = values.shape[0]
        later = (numpy.arange(length) + 1.0) / max(length, 1)
        return finite + far * later.reshape((length,) + (1,) * (values.ndim - 1))

    def number(self, value: float) -> float:
        if not math.isfinite(value):
            return 0.25
        if self.misbehaving:
            return -1000.0 * (abs(value) + 1.0)
        step = (self.relative * abs(value) + self.absolute) or self.at_zero
        return value + self.random.choice((-1, 1)) * self.random.uniform(1, 2) * step


def origins(kind: str, target: str, args: tuple[Any, ...]) -> frozenset[str]:
    """How the interface calls what was asked for: `interval`, `Fit.predict`, `Fit.coef`."""
    if kind not in ("method", "field"):
        return frozenset({target})
    return frozenset(f"{cls.__name__}.{target}" for cls in type(args[0]).__mro__)


def _sizes(values: Any, depth: int = 0) -> Iterator[int]:
    for value in values if depth < _DEEPEST else ():
        if hasattr(value, "shape"):
            yield from (int(size) for size in value.shape)
        elif isinstance(value, list | tuple | dict):
            yield len(value)
            yield from _sizes(value.values() if isinstance(value, dict) else value[:3], depth + 1)


def _numbers(value: Any, depth: int = 0) -> Iterator[float]:
    """Every number in what was returned, as far as it can be seen from outside."""
    if isinstance(value, int | float):
        yield float(value)
    elif hasattr(value, "tolist") and hasattr(value, "dtype") and value.dtype.kind in "biuf" and depth < _DEEPEST:
        flat = value.ravel()[:_MOST_NUMBERS].tolist() if hasattr(value, "ravel") else [value.tolist()]
        yield from map(float, flat)
    elif isinstance(value, list | tuple | dict) and depth < _DEEPEST:
        for part in list(value.values() if isinstance(value, dict) else value)[:_MOST_NUMBERS]:
            yield from _numbers(part, depth + 1)
    elif depth < _DEEPEST and hasattr(value, "__dict__"):
        yield from _numbers(vars(value), depth + 1)
    elif depth < _DEEPEST and hasattr(type(value), "__slots__"):
        yield from _numbers([getattr(value, name, None) for name in type(value).__slots__], depth + 1)


def _spoil(value: Any) -> None:
    numpy: Any = sys.modules.get("numpy")
    if type(value) is list and value:
        value.append(value[0])
        value.reverse()
    elif type(value) is dict:
        value["something else"] = 1
    elif numpy is not None and type(value) is numpy.ndarray and value.size and value.flags.writeable:
        value[...] = ~value if value.dtype.kind == "b" else value + 1 if value.dtype.kind in "iufc" else value


def disturbed(session: Any, order: Mapping[str, Any]) -> Any:
    """The worker's `session` class, made to hand out what is disturbed."""
    disturbance = Disturbance(order)

    class Disturbed(session):  # type: ignore[misc]
        origin: frozenset[str] = frozenset()

        def perform(self, kind: str, target: str, args: Any, kwargs: Any) -> Any:
            origin = frozenset() if kind in ("new", "ancestors") else origins(kind, target, args)
            whole = bool(origin) and disturbance.whole(origin)
            if origin:
                disturbance.called()
            try:
                value = super().perform(kind, target, args, kwargs)
            except Exception as error:
                raise disturbance.refused(error) if whole else error from None
            self.origin = origin
            disturbance.note(value, args, kwargs)
            return disturbance.returned(value, args, kwargs) if whole else value

        def shown(self, name: str, value: Any) -> Any:
            wanted = bool(self.origin) and disturbance.field(self.origin, name)
            return disturbance.moved(value) if wanted else value

    return Disturbed
