"""Two runs on one contract, criterion by criterion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from statsclaw.runlog.events import Judgement
from statsclaw.runlog.fold import RunView


@dataclass(frozen=True)
class Row:
    """Of one criterion, what both packages gave; None where a run does not judge it."""

    id: str
    quantity: str
    first: Judgement | None
    second: Judgement | None


def side_by_side(first: RunView, second: RunView) -> list[Row]:
    one, other = _judged(first), _judged(second)
    return [
        Row(id, (one.get(id) or other[id]).quantity, one.get(id), other.get(id)) for id in dict.fromkeys([*one, *other])
    ]


def _judged(view: RunView) -> dict[str, Judgement]:
    rows = [judged for (_, subject), judged in view.judged.items() if subject == "after"]
    return {row.id: row for row in rows[-1].judgements} if rows else {}


def markdown(rows: list[Row], names: tuple[str, str], seconds: tuple[float, float]) -> str:
    """One table: verdicts, and what decided them (of a comparison, the largest difference from what was expected)."""
    return "\n".join(_lines(rows, names, seconds)) + "\n"


def _lines(rows: list[Row], names: tuple[str, str], seconds: tuple[float, float]) -> Iterator[str]:
    yield f"# {names[0]} and {names[1]}, judged by one contract"
    yield ""
    yield f"| criterion | quantity | {names[0]} | observed | {names[1]} | observed |"
    yield "|---|---|---|---|---|---|"
    for row in rows:
        quantity = row.quantity.replace("|", "\\|")
        yield f"| {row.id} | {quantity} | {_cells(row.first)} | {_cells(row.second)} |"
    yield ""
    yield f"Answering all questions took {seconds[0]:.1f} s and {seconds[1]:.1f} s."


def _cells(found: Judgement | None) -> str:
    if found is None:
        return "not judged | "
    return f"{found.verdict} | {'' if found.observed is None else f'{found.observed:.3g}'}"


def seconds_of(view: RunView) -> float:
    """What asking, answering and comparing took, where it was done."""
    rows = [row.elapsed_s for row in view.evidence.values() if row.name == "validation" and row.subject == "after"]
    return max(rows, default=0.0)  # a verification that carries answers over takes no time
