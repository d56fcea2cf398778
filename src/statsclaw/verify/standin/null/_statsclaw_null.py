"""Values without meaning: finite, signed, irregular, of the declared type and shape, another at every call.

They depend on the arguments, on the number of the call in this process and on STATSCLAW_STANDIN, and on nothing else.
In a study (STATSCLAW_REPLICATIONS) not on the number of the call: which of its processes makes which is chance.
"""

from __future__ import annotations

import importlib
import math
import os
import random
import re
import zlib
from itertools import count
from typing import Any, ClassVar

try:
    _numpy: Any = importlib.import_module("numpy")
except ImportError:
    _numpy = None

_CALLS = count(1)
_SALT = os.environ.get("STATSCLAW_STANDIN", "")
_IN_A_STUDY = "STATSCLAW_REPLICATIONS" in os.environ
_UNKNOWN = 3
_MOST_VALUES = 2_000_000
_DEEPEST = 20
_DIMENSION = re.compile(r"(?:(rows|cols|length)\(([\w.]{1,90})\)|([\w.]{1,90}?))(?: ?([+-]) ?(\d{1,6}))?")


class Default:
    """A default that is no literal: it shows its text and is nothing else."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


class Result:
    """What a function returns: its fields are attributes, and are reached by ["field"] as well."""

    _parts: ClassVar[tuple[tuple[str, str, tuple[str, ...]], ...]] = ()
    _classes: ClassVar[dict[str, type[Result]]] = {}
    _arguments: dict[str, Any] = {}

    def __init_subclass__(cls) -> None:
        Result._classes[cls.__name__] = cls

    def __getitem__(self, key: str) -> Any:
        if any(key == part[0] for part in self._parts):
            return getattr(self, key)
        raise KeyError(key)


def fill(result: Result, label: str, arguments: dict[str, Any]) -> None:
    """Gives an object its fields."""
    result._arguments = arguments
    draw = _source(label, arguments)
    for name, kind, shape in result._parts:
        setattr(result, name, _value(kind, shape, arguments, draw))


def returned(
    label: str,
    kind: str,
    shape: tuple[str, ...],
    result: str | None,
    arguments: dict[str, Any],
    owner: Result | None = None,
) -> Any:
    """What the function `label` returns. `owner`: the object whose method it is."""
    known = {**(owner._arguments if owner is not None else {}), **arguments}
    if result is not None:
        cls = Result._classes[result]
        made = cls.__new__(cls)
        fill(made, label, known)
        return made
    return _value(kind, shape, known, _source(label, known))


def _source(label: str, arguments: dict[str, Any]) -> random.Random:
    try:
        checksum = _checksum(arguments, zlib.crc32(f"{label} {_SALT}".encode()), 0)
    except Exception:
        checksum = 0
    return random.Random((checksum << 32) + (0 if _IN_A_STUDY else next(_CALLS)))


def _checksum(value: Any, start: int, depth: int) -> int:
    if depth > _DEEPEST:
        return start
    start = zlib.crc32(type(value).__name__.encode(), start)
    if value is None or isinstance(value, (bool, int, float, complex, str)):
        return zlib.crc32(repr(value).encode("utf-8", "replace"), start)
    if isinstance(value, (bytes, bytearray)):
        return zlib.crc32(value, start)
    if isinstance(value, dict):
        value = [part for pair in value.items() for part in pair]
    elif isinstance(value, (set, frozenset)):
        value = sorted(value, key=repr)
    elif hasattr(value, "to_numpy"):
        value = value.to_numpy()
    if _numpy is not None and isinstance(value, (_numpy.ndarray, _numpy.generic)):
        told = value.tolist() if value.dtype == object else value.shape
        return zlib.crc32(value.tobytes() if value.dtype != object else b"", zlib.crc32(repr(told).encode(), start))
    if isinstance(value, (list, tuple, range)):
        for part in value:
            start = _checksum(part, start, depth + 1)
        return start
    if isinstance(value, Result):
        return _checksum(vars(value), start, depth + 1)
    return zlib.crc32(str(getattr(value, "__qualname__", "")).encode(), start)


def _value(kind: str, shape: tuple[str, ...], arguments: dict[str, Any], draw: random.Random) -> Any:
    if kind == "none":
        return None
    if kind == "object":
        return Result()
    sizes = _sizes(shape, arguments)
    if kind == "table":
        rows, columns = (sizes + [_UNKNOWN, _UNKNOWN][len(sizes) :])[:2]
        return _table({f"V{column + 1}": [_number(draw) for _ in range(rows)] for column in range(columns)})
    if kind == "list":
        return [_number(draw) for _ in range(sizes[0] if sizes else _UNKNOWN)]
    if kind == "array" and not sizes:
        sizes = [_UNKNOWN]
    return _array(kind, sizes, draw) if sizes else _scalar(kind, draw)


def _number(draw: random.Random) -> float:
    return draw.choice((-1.0, 1.0)) * float(10.0 ** draw.uniform(0.5, 3.5))


def _scalar(kind: str, draw: random.Random) -> Any:
    if kind == "integer":
        return draw.choice((-1, 1)) * draw.randint(3, 3000)
    if kind == "boolean":
        return draw.random() < 0.5
    if kind == "text":
        return f"standin-{draw.getrandbits(40):010x}"
    return _number(draw)


def _array(kind: str, sizes: list[int], draw: random.Random) -> Any:
    flat: Any = [_scalar(kind, draw) for _ in range(math.prod(sizes))]
    if _numpy is not None:
        types = {"integer": int, "boolean": bool, "text": str}
        return _numpy.array(flat, dtype=types.get(kind, float)).reshape(sizes)
    for size in reversed(sizes[1:]):
        flat = [flat[first : first + size] for first in range(0, len(flat), size)] if size else []
    return flat


def _table(columns: dict[str, list[float]]) -> Any:
    try:
        return importlib.import_module("pandas").DataFrame(columns)
    except Exception:
        return columns


def _sizes(shape: tuple[str, ...], arguments: dict[str, Any]) -> list[int]:
    sizes = [_size(text, arguments) for text in shape[:32]]
    return sizes if math.prod(sizes) <= _MOST_VALUES else [min(size, _UNKNOWN) for size in sizes]


def _size(text: str, arguments: dict[str, Any]) -> int:
    """A dimension as a number; 3 where the arguments do not tell."""
    found = _DIMENSION.fullmatch(text)
    if found is None:
        return _UNKNOWN
    measure, of, word, sign, offset = found.groups()
    try:
        base = int(word) if word and word.isdigit() else _measured(measure, arguments[of or word])
    except Exception:
        return _UNKNOWN
    return max(0, base + (int(f"{sign}{offset}") if sign else 0))


def _measured(measure: str | None, value: Any) -> int:
    if measure is None:
        if isinstance(value, bool) or int(value) != value:
            raise ValueError("not a whole number")
        return int(value)
    shape = getattr(value, "shape", None)
    if measure == "length":
        return int(value.size) if shape is not None else len(value)
    if measure == "rows":
        return int(shape[0]) if shape is not None else len(value)
    if shape is not None:
        return int(shape[1]) if len(shape) > 1 else 1
    return len(value[0]) if isinstance(value[0], (list, tuple)) else 1
