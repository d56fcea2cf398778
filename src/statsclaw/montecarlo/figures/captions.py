"""What is said below a figure: design, replications, seed, level, failures, and what the bars mean."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from statsclaw.montecarlo.design import Criterion, Level, cell_name
from statsclaw.montecarlo.figures.fonts import shortened
from statsclaw.montecarlo.figures.reading import Measures, Point, varying
from statsclaw.montecarlo.figures.scales import level_text
from statsclaw.montecarlo.figures.themes import character
from statsclaw.montecarlo.storage.mixing import note_of
from statsclaw.montecarlo.verdicts.wording import band_of
from statsclaw.words import span

_MOST_LISTED = 12


def sentence(name: str, **values: str) -> str:
    """A sentence of captions.toml."""
    return _sentences()["text"][name].format(**values)


def meanings(measures: Measures, metrics: Sequence[str]) -> str:
    """What each of the metrics is, and which value is ideal."""
    level = f"{100 * measures.study.level:g}"
    return " ".join(_sentences()["meaning"][metric].format(level=level) for metric in metrics)


def how_drawn(measures: Measures, points: Sequence[Point | None], cells: Sequence[int]) -> list[str]:
    """What points and whiskers are, and what only some of them have."""
    said = [sentence("bars")]
    if any(point is not None and point.is_open for point in points):
        said.append(sentence("arrows"))
    if any(measures.failures[cell, method] for cell in cells for method in measures.methods):
        said.append(sentence("hollow"))
    return said


@cache
def _sentences() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = tomllib.loads(
        files(__package__).joinpath("captions.toml").read_text(encoding="utf-8")
    )
    return found


def caption(
    measures: Measures,
    what: str,
    cells: Sequence[int],
    fixed: Mapping[str, Level],
    details: Sequence[str],
    *,
    methods: Sequence[str] | None = None,
    judged: Sequence[Criterion] = (),
) -> str:
    study = measures.study
    lines = [f"**{study.name}.** {what}"]
    if fixed:
        lines[0] += f" Here {', '.join(f'{axis} = {level}' for axis, level in fixed.items())}."
    if study.description:
        lines += ["", study.description.strip()]
    if judged:
        named = "; ".join(f"{each.id}: {each.metric} of {each.method} {band_of(each)}" for each in judged)
        details = [*details, sentence("shaded", criteria=named)]
    made = f"{span(measures.replications[cell] for cell in cells) if cells else 0} replications in each cell. "
    details = [*details, made + failures_note(measures, cells, methods or measures.methods)]
    details += [f"{text[0].upper()}{text[1:]}." for text in note_of(measures.results)]
    lines += ["", " ".join(details)]
    lines += [
        "",
        f"- Design: {_design(measures)}; methods {', '.join(measures.methods)}.",
        f"- Seed: {study.seed}. Level of intervals: {study.level:g}.",
        f"- Design SHA-256: {study.design_sha256}.",
    ]
    return "\n".join(lines) + "\n"


def cell_title(measures: Measures, cell: int, inches: float) -> str:
    """The levels of the axes that vary, with the names of these where there is room."""
    levels = {axis: measures.cells[cell][axis] for axis in varying(measures.study)}
    longest = int(inches / character())
    named = cell_name(levels).replace(",", ", ") if levels else ""
    if len(named) <= longest:
        return named
    return shortened(", ".join(level_text(level) for level in levels.values()), longest)


def _design(measures: Measures) -> str:
    grid = measures.study.grid
    axes = [f"{axis} ∈ {{{', '.join(str(level) for level in levels)}}}" for axis, levels in grid.items()]
    return f"{len(measures.cells)} cells, {' × '.join(axes)}" if axes else "one cell"


def failures_note(measures: Measures, cells: Sequence[int], methods: Sequence[str]) -> str:
    """How many replications failed, and where; they are left out of every metric and not drawn again."""
    shown = list(dict.fromkeys(cells))
    failed = [
        (measures.failures[cell, method], cell, method)
        for cell in shown
        for method in methods
        if measures.failures[cell, method]
    ]
    total = sum(measures.replications[cell] for cell in shown) * len(methods)
    if not failed:
        return f"Failures: none of {total}."
    listed = "; ".join(
        f"{method} at {cell_name(measures.cells[cell])}: {count} of {measures.replications[cell]}"
        for count, cell, method in sorted(failed, key=lambda entry: -entry[0])[:_MOST_LISTED]
    )
    more = f"; and in {len(failed) - _MOST_LISTED} more" if len(failed) > _MOST_LISTED else ""
    count = sum(entry[0] for entry in failed)
    return f"Failures: {count} of {total}, left out of every metric and not drawn again ({listed}{more})."
