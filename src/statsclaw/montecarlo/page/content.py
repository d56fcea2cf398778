"""What the page of a study says, each part computed by the module that `statsclaw mc` shows it with."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, runtime_checkable

from markupsafe import Markup

from statsclaw.montecarlo.batch import Status
from statsclaw.montecarlo.design import Study, StudyRefused, cell_name
from statsclaw.montecarlo.figures import Theme, draw_figures
from statsclaw.montecarlo.figures.inlining import inline
from statsclaw.montecarlo.metrics.summary import short_of
from statsclaw.montecarlo.storage.mixing import note_of
from statsclaw.montecarlo.storage.results import Results
from statsclaw.montecarlo.storage.store import Problem, Store
from statsclaw.montecarlo.tables.content import PaperTable, paper_table
from statsclaw.montecarlo.verdicts.findings import findings_of
from statsclaw.montecarlo.verdicts.judge import CriterionVerdict, judge_study
from statsclaw.montecarlo.verdicts.plan import plan_study, render_plan
from statsclaw.montecarlo.verdicts.report import render_verdicts
from statsclaw.montecarlo.verdicts.sensitivity import render_sensitivity, sensitivity
from statsclaw.words import span

#: So many kinds of failures are shown, and so much of the text of each.
_MOST_KINDS, _LONGEST_TEXT = 60, 2000


@runtime_checkable
class WithProblems(Protocol):
    """Results that keep what methods said when they failed."""

    def problems(self, cell: int, method: str) -> list[Problem]: ...


@dataclass(frozen=True, slots=True)
class Picture:
    svg: Markup
    caption: str


@dataclass(frozen=True, slots=True)
class Failed:
    """Failures of one method that ended alike. `text`: what the first of them said."""

    method: str
    kind: str
    count: int
    places: str
    text: str


@dataclass(frozen=True, slots=True)
class StudyPage:
    study: Study
    axes: tuple[tuple[str, str], ...]
    truths: tuple[tuple[str, str], ...]
    replications: str
    verdicts: tuple[CriterionVerdict, ...]
    said: str
    wrong: str
    unseen: str
    plan: str
    table: PaperTable | None
    pictures: tuple[Picture, ...]
    failures: tuple[Failed, ...]
    failures_left_out: int
    environment: tuple[tuple[str, str], ...]
    code: tuple[tuple[str, str], ...]
    commands: tuple[str, ...]
    notes: tuple[str, ...]


def study_page(
    study: Study, results: Results, *, theme: Theme | None = None, note: Callable[[str], None] | None = None
) -> StudyPage:
    cells = study.cells()
    made = {results.completed(number) for number in range(len(cells))}
    if not any(made):
        raise StudyRefused("there are no replications to report on", todo=f"run the study: {_commands(study)[0]}")
    failures = _failures(study, results)
    described = results.description if isinstance(results, Store) else {}
    return StudyPage(
        study=study,
        axes=tuple((axis, ", ".join(map(str, levels))) for axis, levels in study.grid.items()),
        truths=tuple(_truths(study)),
        replications=span(made),
        verdicts=tuple(verdicts := judge_study(study, results)),
        said=render_verdicts(verdicts, every_cell=False) if verdicts else "",
        wrong=findings_of(study, results).render(),
        unseen=render_sensitivity(sensitivity(study, results)) if verdicts else "",
        plan=render_plan(plan_study(study, results)) if verdicts else "",
        table=_table(study, results),
        pictures=tuple(_pictures(study, results, theme, note)),
        failures=tuple(failures[:_MOST_KINDS]),
        failures_left_out=max(len(failures) - _MOST_KINDS, 0),
        environment=(*_loaded(described), *sorted(described.get("environment", {}).items())),
        code=tuple(sorted(described.get("code", {}).items())),
        commands=_commands(study),
        notes=(*short_of(study, results), *note_of(results), *getattr(results, "notes", ())),
    )


def _loaded(described: Mapping[str, Any]) -> list[tuple[str, str]]:
    """R, its packages, and whatever else the workers had loaded: version, and the start of the hash of its code."""
    found = []
    for name, entry in sorted(described.get("loaded", {}).items(), key=lambda each: (each[0] != "R", each[0])):
        code = f"code SHA-256 {entry['hash'][:12]}…" if entry["hash"] else ""
        found.append((name, ", ".join(filter(None, (entry["version"], code))) or "–"))
    return found


def _truths(study: Study) -> list[tuple[str, str]]:
    """Each parameter with its true value, or the values that it takes over the cells."""
    values: dict[str, list[str]] = {}
    for cell in study.cells():
        for name, value in study.truth_in(cell).items():
            values.setdefault(name, []).append(f"{value:g}")
    return [(name, ", ".join(dict.fromkeys(row))) for name, row in values.items()]


def _table(study: Study, results: Results) -> PaperTable | None:
    try:
        return paper_table(study, results)
    except StudyRefused:
        return None  # methods that record scalars only


def _pictures(study: Study, results: Results, theme: Theme | None, note: Callable[[str], None] | None) -> list[Picture]:
    with TemporaryDirectory() as folder:
        written = draw_figures(study, results, Path(folder), ("svg",), theme=theme, note=note)
        drawings = [path for path in written if path.suffix == ".svg"]
        captions = [path for path in written if path.name.endswith(".caption.md")]
        return [
            Picture(
                inline(drawing.read_text(encoding="utf-8"), f"f{at}-"),
                caption.read_text(encoding="utf-8").replace("**", "").strip(),
            )
            for at, (drawing, caption) in enumerate(zip(drawings, captions, strict=True))
        ]


def _failures(study: Study, results: Results) -> list[Failed]:
    """The most frequent first; what methods said is counted by its last line, which names the error."""
    if not isinstance(results, WithProblems):
        return []
    found: list[Failed] = []
    for method in study.method_names:
        counts: Counter[tuple[str, str]] = Counter()
        places: dict[tuple[str, str], Counter[str]] = {}
        texts: dict[tuple[str, str], str] = {}
        for number, cell in enumerate(study.cells()):
            for problem in results.problems(number, method):
                if problem.status == Status.OK:
                    continue
                text = problem.text.strip()
                key = (problem.status.name.lower().replace("_", " "), text.splitlines()[-1] if text else "")
                counts[key] += 1
                places.setdefault(key, Counter())[cell_name(cell).replace(",", ", ")] += 1
                texts.setdefault(key, text)
        found += [
            Failed(method, key[0], count, _places(places[key]), texts[key][-_LONGEST_TEXT:])
            for key, count in counts.items()
        ]
    return sorted(found, key=lambda row: -row.count)


def _places(counts: Counter[str]) -> str:
    return "; ".join(f"{place}: {count:,}" for place, count in counts.most_common(6)) + (
        f"; and in {len(counts) - 6} more cells" if len(counts) > 6 else ""
    )


def _commands(study: Study) -> tuple[str, ...]:
    """With the name of the study's file alone: the page says nothing of the machine that it was made on."""
    name = shlex.quote(study.origin.name) if study.origin is not None else "STUDY"
    first = shlex.quote(cell_name(study.cells()[0]))
    lines: Sequence[str] = (
        f"statsclaw mc run {name}",
        f"statsclaw mc verdict {name}",
        f"statsclaw mc replay {name} --cell {first} --rep 0",
    )
    return tuple(lines)
