"""What an author wants to know of answers, calculated from them. All of it is data, none of it the author's code."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statsclaw.verify.blind.inside.statsclaw_wire import Extra

Array = NDArray[Any]

#: Less than what can be sent, because it is sent again as part of something.
_DEEPEST = 40
_MOST_NUMBERS = 100_000_000
TRANSPARENT = ("scalar", "tuple", "fortran", "readonly", "set", "frozenset", "logical")


class NoValue(Exception):
    """There is nothing to compare; the message says why, in words about the answer."""


@dataclass(frozen=True)
class Condition:
    """An error or a warning. `classes`: the most specific first."""

    classes: tuple[str, ...]
    message: str

    @property
    def name(self) -> str:
        return self.classes[0] if self.classes else "error"


@dataclass(frozen=True)
class Answered:
    """What the package answered to one call. Either `error`, or `value`. `visible`: R would print it at the prompt."""

    id: int
    value: Any = None
    error: Condition | None = None
    warnings: tuple[Condition, ...] = ()
    printed: str = ""
    seconds: float = 0.0
    peak: float = 0.0
    changed: tuple[str, ...] = ()
    died: bool = False
    visible: bool = False


@dataclass(frozen=True)
class Answers:
    """All answers by the number of their call. `again`: those that were asked once more, in a fresh process."""

    given: Mapping[int, Answered]
    again: Mapping[int, Answered] = field(default_factory=dict)

    def of(self, call: int) -> Answered:
        found = self.given.get(call)
        if found is None:
            raise NoValue("it was not asked")
        return found

    def all_of(self, call: int) -> list[Answered]:
        """What was answered to it, and what when it was asked again."""
        return [self.of(call), *([self.again[call]] if call in self.again else [])]

    def value(self, call: int) -> Any:
        found = self.of(call)
        if found.error is not None:
            raise NoValue(f"{found.error.name}: {found.error.message}"[:400])
        return found.value


def evaluate(node: Any, answers: Answers) -> Any:
    """The value of a node: numbers as arrays, text as text. Raises NoValue where the answers do not have it."""
    if isinstance(node, Extra):
        if node.kind == "answer":
            return part_of(answers.value(node.value["call"]), node.value["path"])
        if node.kind == "measured":
            return float(getattr(answers.of(node.value["call"]), str(node.value["what"])))
        if node.kind == "do":
            return _done(node.value, answers)
        if node.kind in TRANSPARENT:
            return evaluate(node.value, answers)
        return plain(node)
    if isinstance(node, list):
        return [evaluate(part, answers) for part in node]
    if isinstance(node, dict):
        return {name: evaluate(part, answers) for name, part in node.items()}
    return node


def leaves_in(node: Any) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The parts of answers that occur in a node: the number of the call, and the way to the part."""
    if isinstance(node, Extra):
        if node.kind == "answer":
            yield int(node.value["call"]), tuple(node.value["path"])
        elif node.kind != "measured":
            yield from leaves_in(node.value)
    elif isinstance(node, dict | list | tuple):
        for part in node.values() if isinstance(node, dict) else node:
            yield from leaves_in(part)


def part_of(value: Any, path: Sequence[str]) -> Any:
    while path:
        inner = fields_of(value)
        name, path = next_step(path, inner or {})
        if inner is None or name not in inner:
            raise NoValue(f"the answer has no {name}")
        value = inner[name]
    return plain(value)


def next_step(path: Sequence[str], known: Container[str]) -> tuple[str, Sequence[str]]:
    """The first name of a way and the rest of it. Names in R may hold dots, so several steps may be one name."""
    for count in range(1, len(path) + 1):
        if (joined := ".".join(path[:count])) in known:
            return joined, path[count:]
    return path[0], path[1:]


def fields_of(value: Any) -> Mapping[str, Any] | None:
    """The parts of a value by their names; None where its parts have none."""
    if isinstance(value, Extra) and value.kind in ("object", "table"):
        found = value.value["fields" if value.kind == "object" else "columns"]
        return found if isinstance(found, dict) else None
    if isinstance(value, Extra) and value.kind == "named":
        names, inner = value.value["names"], value.value["value"]
        flat = isinstance(inner, list) or (isinstance(inner, np.ndarray) and inner.ndim == 1)
        if flat and isinstance(names, list) and all(isinstance(name, str) for name in names):
            return dict(zip(names, inner, strict=False))
    return value if isinstance(value, dict) else None


def plain(value: Any) -> Any:
    """A value without what is only its dress."""
    while isinstance(value, Extra):
        if value.kind in TRANSPARENT:
            value = value.value
        elif value.kind in ("named", "series"):
            value = value.value["value" if value.kind == "named" else "values"]
        elif value.kind == "masked":
            value = _unmasked(*map(np.asarray, value.value))
        elif value.kind == "complex":
            value = complex(*value.value)
        elif value.kind == "factor":
            levels, codes = value.value["levels"], value.value["codes"]
            value = [levels[int(code) - 1] if int(code) > 0 else None for code in np.atleast_1d(codes)]
        elif value.kind == "integer":
            value = int(value.value, 16)
        else:
            return value
    return value


def _unmasked(data: Array, mask: Array) -> Array:
    if data.shape != mask.shape:  # two short sides could stand for more than any memory holds
        raise ValueError("data and mask of different shapes")
    return np.where(mask, np.nan, data)


def is_sound(value: Any, depth: int = 0) -> bool:
    """Whether all of a value can be taken apart: who wrote it may have written anything."""
    if depth > _DEEPEST:
        return False
    if isinstance(value, dict):
        return all(is_sound(part, depth + 1) for part in value.values())
    if isinstance(value, list):
        return all(is_sound(part, depth + 1) for part in value)
    if not isinstance(value, Extra):
        return True
    try:
        plain(value)
        if value.kind in ("object", "table", "named"):
            fields_of(value)
        held = value.kind != "object" or isinstance(value.value["fields"], dict)
    except Exception:  # whatever it is that cannot be read
        return False
    return held and is_sound(value.value, depth + 1)


def numbers(value: Any) -> Array:
    """As an array of numbers; NoValue where it is something else: a text that looks like one is none."""
    value = plain(value)
    if isinstance(value, Extra):
        what = {"object": "an object", "table": "a table", "method": "a method"}.get(value.kind, "no number")
        raise NoValue(f"{what} where numbers are expected")
    if isinstance(value, dict):
        raise NoValue("names and values where numbers are expected")
    if value is None:
        raise NoValue("nothing where numbers are expected")
    if isinstance(value, list):
        if not value:
            return np.empty(0)
        parts = [numbers(part) for part in value]
        if len({part.shape for part in parts}) > 1:
            raise NoValue("a ragged list where numbers are expected")
        return np.stack(parts)
    found = np.asarray(value)
    if found.dtype.kind not in "biufc":
        raise NoValue("text where numbers are expected")
    return found if found.dtype.kind == "c" else found.astype(float)


# --- what can be calculated ------------------------------------------------------------------------------------------


def is_calculation(value: Any) -> bool:
    """Whether a node is one that `evaluate` and the runners of shipped suites understand alike."""
    if not isinstance(value, dict) or not isinstance(value.get("of"), list):
        return False
    operands, allowed = OPERATIONS.get(str(value.get("name")), (0, ()))
    settings = value.get("with") or {}
    known = isinstance(settings, dict) and set(settings) <= set(allowed)
    return len(value["of"]) == operands > 0 and known and all(_SETTINGS[name](part) for name, part in settings.items())


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_probability(value: Any) -> bool:
    try:
        return bool(numbers(value).size)
    except (NoValue, ValueError, TypeError, LookupError):
        return False


def _is_place(value: Any) -> bool:
    if isinstance(value, dict):
        ends = value.get("slice")
        return isinstance(ends, list) and len(ends) == 3 and all(end is None or _is_whole(end) for end in ends)
    several = value if isinstance(value, list) else [value]
    return value is None or isinstance(value, str) or all(isinstance(one, int) for one in several)


_SETTINGS: Mapping[str, Callable[[Any], bool]] = {
    "axis": lambda value: value is None or _is_whole(value),
    "divisor": lambda value: isinstance(value, float) or _is_whole(value),
    "probability": _is_probability,
    "at": lambda value: isinstance(value, list) and len(value) > 0 and all(map(_is_place, value)),
}
#: What can be calculated: of how many operands, and with which settings.
COMPARISONS = ("below", "at most", "equal", "different")
OPERATIONS: Mapping[str, tuple[int, tuple[str, ...]]] = {
    "part": (1, ("at",)),
    "quantile": (1, ("axis", "probability")),
    **dict.fromkeys(("sd", "var"), (1, ("axis", "divisor"))),
    **dict.fromkeys(("mean", "median", "total", "smallest", "largest"), (1, ("axis",))),
    **dict.fromkeys(
        ("cov", "cor", "sorted", "transposed", "diag", "abs", "sqrt", "exp", "log", "eigenvalues"), (1, ())
    ),
    **dict.fromkeys(("names", "length", "shape"), (1, ())),
    **dict.fromkeys(("plus", "minus", "times", "over", "power", "matmul", "solve"), (2, ())),
    **dict.fromkeys(COMPARISONS, (2, ())),
}


def _done(what: Mapping[str, Any], answers: Answers) -> Any:
    name, settings = what.get("name"), what.get("with") or {}
    operands = [evaluate(part, answers) for part in what.get("of") or []]
    if name in ("names", "length", "shape"):
        return _DESCRIBED[name](what["of"][0], operands[0], answers)
    work = _KNOWN.get(str(name))
    if work is None:
        raise NoValue(f"nobody can calculate {str(name)[:40]!r}")
    try:
        with np.errstate(all="ignore"):
            return work(*operands, **settings)
    except NoValue:
        raise
    except (ValueError, TypeError, IndexError, MemoryError, OverflowError, np.linalg.LinAlgError) as error:
        raise NoValue(f"{name} cannot be calculated from it: {error}"[:300]) from None


def _reduced(function: Callable[..., Any]) -> Callable[..., Any]:
    def work(of: Any, axis: Any = None, **settings: Any) -> Any:
        values = numbers(of)
        if values.size == 0:
            raise NoValue("there are no numbers to reduce")
        return function(values, axis=axis, **settings)

    return work


def _pairwise(function: Callable[..., Any]) -> Callable[..., Any]:
    def work(left: Any, right: Any) -> Any:
        one, other = numbers(left), numbers(right)
        if function is np.matmul:
            _bounded(*one.shape[:-1], *other.shape[-1:])
        else:
            _bounded(*np.broadcast_shapes(one.shape, other.shape))
        return function(one, other)

    return work


def spread(*parts: Array) -> tuple[Array, ...]:
    """The parts, where each can be set against the others; NoValue otherwise."""
    try:
        _bounded(*np.broadcast_shapes(*(part.shape for part in parts)))
    except ValueError:
        raise NoValue(f"its shapes {', '.join(str(part.shape) for part in parts)} do not fit together") from None
    return parts


def _bounded(*shape: int) -> None:
    """A few numbers can ask for more than any memory holds."""
    if math.prod(shape) > _MOST_NUMBERS:
        raise NoValue(f"it would have more than {_MOST_NUMBERS:,} numbers")


def _squared(function: Callable[..., Any]) -> Callable[..., Any]:
    """Of a function whose result is as wide as high."""

    def work(of: Any) -> Any:
        values = numbers(of)
        _bounded(*values.shape[-1:], *values.shape[-1:])
        return function(values)

    return work


def reals(value: Any) -> Array:
    """Numbers that have an order; NoValue of others."""
    found = numbers(value)
    if found.dtype.kind == "c":
        raise NoValue("complex numbers where real ones are expected")
    return found


def _part(of: Any, at: list[Any]) -> Any:
    values = plain(of)
    if len(at) == 1 and isinstance(at[0], str):
        return part_of(values, [at[0]])
    if isinstance(values, list) and len(at) == 1:
        place = _place(at[0])
        if not isinstance(place, int | slice):
            raise NoValue("a list is taken apart by a number or a range")
        return values[place]
    if not isinstance(values, np.ndarray):
        values = numbers(values)
    if sum(part is not None for part in at) > values.ndim:  # None: a dimension of length one
        raise NoValue(f"{len(at)} places in something of {values.ndim} dimensions")
    places = [_place(part) for part in at]
    _bounded(*(place.size for place in places if isinstance(place, np.ndarray)))
    return values[tuple(places)]


def _place(part: Any) -> Any:
    if isinstance(part, dict) and "slice" in part:
        return slice(*part["slice"])
    if isinstance(part, list):
        return np.asarray(part, dtype=bool if all(isinstance(x, bool) for x in part) else int)
    return plain(part)


def _var(values: Array, axis: Any = None, divisor: int = 1) -> Any:
    return np.var(values, axis=axis, ddof=divisor)


def _sd(values: Array, axis: Any = None, divisor: int = 1) -> Any:
    return np.std(values, axis=axis, ddof=divisor)


def _quantile(values: Array, axis: Any = None, probability: Any = 0.5) -> Any:
    _bounded(numbers(probability).size, *(() if axis is None else values.shape))
    return np.quantile(values, numbers(probability), axis=axis)


def _equal(left: Any, right: Any) -> Any:
    if isinstance(plain(left), str) or isinstance(plain(right), str):
        return plain(left) == plain(right)
    return numbers(left) == numbers(right)


def is_names(node: Any) -> bool:
    """Whether it asks for names."""
    return isinstance(node, Extra) and node.kind == "do" and node.value.get("name") == "names"


def _names(node: Any, value: Any, answers: Answers) -> Any:
    """Names are dress, so they are looked for below what `evaluate` gives."""
    raw: Any = value
    if isinstance(node, Extra) and node.kind == "answer":
        raw = answers.value(node.value["call"])
        for name in node.value["path"]:
            inner = fields_of(raw)
            raw = inner[name] if inner and name in inner else None
    while isinstance(raw, Extra) and raw.kind in TRANSPARENT:
        raw = raw.value
    if isinstance(raw, Extra) and raw.kind == "named":
        return raw.value["names"]
    if isinstance(raw, Extra) and raw.kind == "series":
        return raw.value["index"]
    fields = fields_of(raw)
    return list(fields) if fields is not None else None


def _length(_: Any, value: Any, answers: Answers) -> int:
    found = plain(value)
    if isinstance(found, list | str | dict):
        return len(found)
    values = np.asarray(found)
    return int(values.shape[0]) if values.ndim else 1


def _shape(_: Any, value: Any, answers: Answers) -> list[int]:
    found = plain(value)
    return list(np.asarray(found).shape if isinstance(found, np.ndarray) else numbers(found).shape)


_DESCRIBED: Mapping[str, Callable[..., Any]] = {"names": _names, "length": _length, "shape": _shape}
_KNOWN: Mapping[str, Callable[..., Any]] = {
    "part": _part,
    "mean": _reduced(np.mean),
    "sd": _reduced(_sd),
    "var": _reduced(_var),
    "median": _reduced(np.median),
    "quantile": _reduced(_quantile),
    "total": _reduced(np.sum),
    "smallest": _reduced(np.min),
    "largest": _reduced(np.max),
    "cov": _squared(lambda values: np.cov(values, rowvar=False)),
    "cor": _squared(lambda values: np.corrcoef(values, rowvar=False)),
    "sorted": lambda of: np.sort(numbers(of), axis=None),
    "transposed": lambda of: numbers(of).T,
    "diag": _squared(np.diag),
    "abs": lambda of: np.abs(numbers(of)),
    "sqrt": lambda of: np.sqrt(numbers(of)),
    "exp": lambda of: np.exp(numbers(of)),
    "log": lambda of: np.log(numbers(of)),
    "eigenvalues": lambda of: np.linalg.eigvalsh(numbers(of)),
    "solve": _pairwise(np.linalg.solve),
    "plus": _pairwise(np.add),
    "minus": _pairwise(np.subtract),
    "times": _pairwise(np.multiply),
    "over": _pairwise(np.divide),
    "power": _pairwise(np.power),
    "matmul": _pairwise(np.matmul),
    "below": _pairwise(np.less),
    "at most": _pairwise(np.less_equal),
    "equal": _equal,
    "different": lambda left, right: np.logical_not(_equal(left, right)),
}
