"""Two runs on one contract, criterion by criterion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from statsclaw.runlog.events import Judgement
from statsclaw.runlog.fold import RunView
from statsclaw.verify.blind.questionnaire import Misread, read_questionnaire
from statsclaw.verify.blind.result import kept, read_result


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


@dataclass(frozen=True)
class Times:
    """Of a function, how long it took for each call that was answered: medians, in seconds; None where none is kept."""

    function: str
    calls: int
    first: float | None
    second: float


def times_of(first: tuple[Path, RunView], second: tuple[Path, RunView]) -> list[Times]:
    """Of calls that both answered, the slowest function first. A run that was recorded keeps no answers."""
    try:
        one, other = _seconds(*first), _seconds(*second)
    except Misread:
        return []
    calls: dict[str, list[tuple[int, str]]] = {}
    for call in (one.keys() & other.keys()) if one else other:
        calls.setdefault(call[1], []).append(call)
    found = [
        Times(
            function,
            len(same),
            median(one[call] for call in same) if one else None,
            median(other[call] for call in same),
        )
        for function, same in calls.items()
    ]
    return sorted(found, key=lambda row: (-(row.first or row.second), row.function))


def _seconds(folder: Path, view: RunView) -> dict[tuple[int, str], float]:
    """Of each call that was answered, by its number and what was called."""
    kept_of = {row.name: row.kept_sha256 for row in view.evidence.values() if row.subject == "after"}
    questions, answers = (kept(folder, kept_of.get(name)) for name in ("ask", "validation"))
    if questions is None or answers is None:
        return {}
    given = read_result(answers)[0].given
    return {
        (call.id, call.element): given[call.id].seconds
        for call in read_questionnaire(questions).calls
        if call.what == "call" and call.id in given and given[call.id].error is None
    }


def markdown(
    rows: list[Row],
    names: tuple[str, str],
    seconds: tuple[float, float],
    times: Sequence[Times] = (),
    notes: Sequence[str] = (),
) -> str:
    """Verdicts, and what decided them (of a comparison, the largest difference from what was expected); then times.

    `notes`: what is decided otherwise than in the first run.
    """
    return "\n".join([*_lines(rows, names, seconds, notes), *_of_functions(times, names)]) + "\n"


def _of_functions(times: Sequence[Times], names: tuple[str, str]) -> Iterator[str]:
    if not times:
        return
    yield ""
    yield f"| function | calls | {names[0]}, median in ms | {names[1]}, median in ms |"
    yield "|---|---|---|---|"
    for row in times:
        first = "not kept" if row.first is None else f"{1000 * row.first:.3g}"
        yield f"| `{row.function}` | {row.calls} | {first} | {1000 * row.second:.3g} |"


def _lines(
    rows: list[Row], names: tuple[str, str], seconds: tuple[float, float], notes: Sequence[str]
) -> Iterator[str]:
    yield f"# {names[0]} and {names[1]}, judged by one contract"
    yield ""
    yield f"| criterion | quantity | {names[0]} | observed | {names[1]} | observed |"
    yield "|---|---|---|---|---|---|"
    for row in rows:
        quantity = row.quantity.replace("|", "\\|")
        yield f"| {row.id} | {quantity} | {_cells(row.first)} | {_cells(row.second)} |"
    yield ""
    for note in notes:
        yield f"- {note}."
    if notes:
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
