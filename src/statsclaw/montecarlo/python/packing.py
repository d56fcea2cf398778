"""What a method returned, as numbers in columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statsclaw.montecarlo.batch import Rows, Status
from statsclaw.montecarlo.design import Estimate, NoValue, StudyRefused
from statsclaw.montecarlo.table import Floats

Row = dict[str, float]
#: Summarises draws: (draws, truth or None, level) to estimate, se, low, high, rhat, …
Summarise = Callable[[Any, float | None, float], Mapping[str, float]]
MOST_COLUMNS = 1000
_RESERVED = frozenset({"status", "warnings", "problem", "replication"})
_PLAIN = frozenset({float, np.float64})


class NotUsable(Exception):
    """A method returned something that is no result; the message says what and what is expected."""


class NotConverged(Exception):
    """A method says that it did not converge."""


@lru_cache(maxsize=4096)
def _names(parameter: str) -> tuple[str, str, str, str, str]:
    return tuple(f"{parameter}.{part}" for part in ("estimate", "se", "low", "high", "reject"))  # type: ignore[return-value]


def flatten(result: Any, truth: Mapping[str, float], level: float, summarise: Summarise) -> Row:
    """Column name → number. `seconds`, where the method gives its own timing, is among them."""
    if not isinstance(result, dict):
        result = _as_mapping(result, truth)
    row: Row = {}
    for name, item in result.items():
        if isinstance(item, Estimate):
            _flatten_estimate(row, name, item, truth, level, summarise)
        elif name == "converged":
            if isinstance(item, str):
                raise NotUsable(f"{name} is {_short(item)}, neither true nor false")
            if not item or item != item:
                raise NotConverged
        elif name in truth:
            row[f"{name}.estimate"] = _number(item, name)
        else:
            if name in _RESERVED or not isinstance(name, str):
                raise NotUsable(f"a quantity cannot be called {name!r}")
            row[name] = _number(item, name)
    if len(row) > MOST_COLUMNS:
        raise NotUsable(f"it returned {len(row):,} quantities; at most {MOST_COLUMNS:,} are kept")
    return row


def about_truth(row: Row, truths: Mapping[str, float]) -> Row:
    """Where the truth depends on the data, every distance is measured from that of the replication."""
    for parameter, truth in truths.items():
        for part in ("estimate", "low", "high"):
            if (name := f"{parameter}.{part}") in row:
                row[name] -= truth
        row[f"{parameter}.truth"] = truth
    return row


def _as_mapping(result: Any, truth: Mapping[str, float]) -> Mapping[str, Any]:
    if isinstance(result, Mapping):
        return result
    if len(truth) == 1 and (isinstance(result, (Estimate, int, float, np.generic))):
        return {next(iter(truth)): result}
    kind = "nothing" if result is None else f"a {type(result).__name__}"
    raise NotUsable(f"it returned {kind}, not a mapping from parameter to Estimate or number")


def _flatten_estimate(
    row: Row, name: str, item: Estimate, truth: Mapping[str, float], level: float, summarise: Summarise
) -> None:
    estimate, se, low, high, reject = _names(name)
    if item.draws is not None:
        found = summarise(item.draws, truth.get(name), level)
        row.update({f"{name}.{part}": value for part, value in found.items() if _counts(part, value)})
    value = item.value
    has_other = not (item.draws is None and item.low is None and item.high is None and item.reject is None)
    if type(value) is not NoValue or not has_other:
        row[estimate] = value if type(value) in _PLAIN else _number(value, estimate)
    if item.se is not None:
        row[se] = item.se if type(item.se) in _PLAIN else _number(item.se, se)
    if item.low is not None:
        row[low] = item.low if type(item.low) in _PLAIN else _number(item.low, low)
    if item.high is not None:
        row[high] = item.high if type(item.high) in _PLAIN else _number(item.high, high)
    if item.reject is not None:
        row[reject] = _truth_value(item.reject, reject)


def _counts(part: str, value: float) -> bool:
    """A diagnostic that a few or constant draws do not have is left out; it makes no failure."""
    return part in ("estimate", "se", "low", "high") or math.isfinite(value)


def _truth_value(item: Any, name: str) -> float:
    """0, 1 or NaN."""
    if item is True or item is False:
        return float(item)
    try:
        value = _number(item, name)
    except NotUsable:
        value = math.inf
    if value not in (0.0, 1.0) and not math.isnan(value):
        raise NotUsable(f"{name} is {_short(item)}, neither true nor false")
    return value


def _number(item: Any, name: str) -> float:
    if isinstance(item, (str, bytes, complex, np.complexfloating)) or item is None:
        raise NotUsable(f"{name} is {_short(item)}, not a number")
    if isinstance(item, np.ndarray) and item.size != 1:
        raise NotUsable(f"{name} is an array of shape {item.shape}, not a number")
    try:
        return float(item.item() if isinstance(item, np.ndarray) else item)
    except (TypeError, ValueError, OverflowError):
        raise NotUsable(f"{name} is {_short(item)}, not a number") from None


def _short(item: Any) -> str:
    text = repr(item)
    return text if len(text) <= 60 else f"a {type(item).__name__}"


def pack(
    rows: Sequence[Row | None],
    status: NDArray[np.uint8],
    seconds: Floats,
    warnings: NDArray[np.uint16],
    problems: dict[int, str],
    *,
    method: str,
) -> Rows:
    """The rows of a task as columns; a value that is not finite, or limits the wrong way round, make a failure."""
    given = {name: None for row in rows if row is not None for name in row}
    if len(given) > MOST_COLUMNS:
        raise StudyRefused(f"method {method} gives its quantities ever new names, e.g. {', '.join(list(given)[:3])}")
    columns = {name: _column(rows, name) for name in given if name != "seconds"}
    if "seconds" in given:
        own = _column(rows, "seconds")
        seconds = np.where(np.isfinite(own), own, seconds)
    for name, column in columns.items():
        for place in np.flatnonzero(~np.isfinite(column)).tolist():
            row = rows[place]
            if row is not None and name in row and status[place] in (Status.OK, Status.NOT_FINITE):
                _not_finite(place, f"{name} is {row[name]}", status, problems)
    for name in [name for name in columns if name.endswith(".se")]:
        for place in np.flatnonzero(columns[name] < 0).tolist():
            if status[place] in (Status.OK, Status.NOT_FINITE):
                _not_finite(place, f"{name} is {columns[name][place]:g}, below zero", status, problems)
    for low, high in _limits(columns):
        for place in np.flatnonzero(columns[low] > columns[high]).tolist():
            if status[place] in (Status.OK, Status.NOT_FINITE):
                said = f"{low.removesuffix('.low')}: its lower limit is above its upper one"
                _not_finite(place, said, status, problems)
    failed = status != Status.OK
    if failed.any():
        for column in columns.values():
            column[failed] = np.nan
    return Rows(status, seconds, columns, warnings, problems)


def _not_finite(place: int, said: str, status: NDArray[np.uint8], problems: dict[int, str]) -> None:
    problems[place] = said if status[place] == Status.OK else f"{problems[place]}, {said}"
    status[place] = Status.NOT_FINITE


def _limits(columns: Collection[str]) -> list[tuple[str, str]]:
    both = [(name, f"{name.removesuffix('.low')}.high") for name in columns if name.endswith(".low")]
    return [(low, high) for low, high in both if high in columns]


def _column(rows: Sequence[Row | None], name: str) -> Floats:
    return np.array([None if row is None else row.get(name) for row in rows], dtype=np.float64)


def sometimes_missing(rows: Rows) -> Collection[str]:
    """Columns that some successful replications gave and others did not."""
    fine = rows.status == Status.OK
    return [name for name, column in rows.columns.items() if np.isnan(column[fine]).any()]
