"""What the separation of roles buys on the flagship, and what it does not: a detection matrix.

Three kinds of package are put before the same judges, as the engine runs them behind the barrier:

    clean        the recorded package, over several seeds: false alarms
    slip         the recorded package with one fault (slips.toml)
    misreading   written from a misread specification by an author who saw nothing else (misreadings.toml)

Judges: the builder's own unit tests; the tester's questions, answered by the package and compared by the engine; the
study with Monte Carlo error, and by the bare comparison with its bounds ("literal"); for misreadings also the
comparison of the two readings. The study runs at a part of its sample sizes and replications, or with --replications 0
not at all. R CMD check is left out.

What was tried is kept in results.jsonl, row by row. Of the same package with the same seed, a judge judges again only
where the judge is another one, or the study has another number of replications.

Run: python benchmarks/probit_faults/bench_faults.py [--replications 40] [--seeds 10] [--only ID] [--at-once 2]
Page, from what was tried: the same with --page docs/explanation/what-separation-buys.md, and --replications 0 where the
study was not run.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from scipy.stats import binomtest
from trial import Outcome, as_row, from_row, shortened, tried
from variants import HERE, Variant, recorded, variants

SIZES = (200, 500, 1000)
RESULTS = HERE / "results.jsonl"
Says = Callable[[Outcome], Sequence[str]]
JUDGES: dict[str, Says] = {
    "own tests": lambda row: row.own_tests,
    "questions": lambda row: row.questions,
    "study": lambda row: row.study or (),
    "literal": lambda row: row.study_literal or (),
    "everything": lambda row: row.everything,
}
_OF_STUDY = ("study", "literal")


def main() -> None:
    parser = argparse.ArgumentParser(description="Detection of slips and misreadings.")
    parser.add_argument("--replications", type=int, default=40, help="of the study in each cell; 0: no study")
    parser.add_argument("--seeds", type=int, default=10, help="over how many seeds false alarms are counted")
    parser.add_argument("--only", default="", help="try one variant")
    parser.add_argument("--at-once", type=int, default=max(1, (os.cpu_count() or 2) // 2), help="packages at a time")
    parser.add_argument("--page", type=Path, help="write the matrix as Markdown, from what was tried before")
    asked = parser.parse_args()
    if asked.page is None:
        found = run_all(asked.replications, asked.seeds, asked.only, asked.at_once)
    else:
        found = [row for row in kept().values() if not row.lacks(asked.replications)]
    show(found, asked.replications)
    if asked.page is not None:
        asked.page.write_text(page(found, asked.replications), encoding="utf-8")


def run_all(replications: int, seeds: int, only: str, at_once: int) -> list[Outcome]:
    known = kept()
    wanted = [(v, seed) for v in variants() for seed in range(1, (seeds if v.kind == "clean" else 1) + 1)]
    wanted = [(v, seed) for v, seed in wanted if only in ("", v.id)]
    before = {(v.id, v.digest, seed): known.get((v.id, v.digest, seed)) for v, seed in wanted}
    wanted = sorted(wanted, key=lambda job: job[0].kind == "clean")
    missing = [(v, s) for v, s in wanted if (row := before[v.id, v.digest, s]) is None or row.lacks(replications)]
    writing = threading.Lock()

    def one(job: tuple[Variant, int]) -> Outcome:
        variant, seed = job
        with tempfile.TemporaryDirectory() as folder:
            known_row = before[variant.id, variant.digest, seed]
            outcome = shortened(tried(variant, seed, replications, SIZES, Path(folder), known_row))
        with writing, RESULTS.open("a", encoding="utf-8") as file:
            file.write(as_row(outcome) + "\n")
        print(f"tried {variant.kind} {variant.id}, seed {seed}: {_said(outcome)}", file=sys.stderr, flush=True)
        return outcome

    with ThreadPoolExecutor(at_once) as pool:
        for outcome in pool.map(one, missing):
            known[outcome.variant, outcome.digest, outcome.seed] = outcome
    return [known[v.id, v.digest, seed] for v, seed in wanted]


def kept() -> dict[tuple[str, str, int], Outcome]:
    """What was last found of each package that is still there, with each seed; in the order of the packages."""
    rows = [from_row(row) for row in RESULTS.read_text(encoding="utf-8").splitlines()] if RESULTS.is_file() else []
    places = {variant.digest: place for place, variant in enumerate(variants())}
    found = sorted((row for row in rows if row.digest in places), key=lambda row: (places[row.digest], row.seed))
    return {(row.variant, row.digest, row.seed): row for row in found}


def judges(replications: int) -> dict[str, Says]:
    """Those that judged; where no study was asked for, there is no column for it."""
    if replications:
        return JUDGES
    told = {name: says for name, says in JUDGES.items() if name not in _OF_STUDY}
    return told | {"everything": lambda row: (*row.own_tests, *row.questions)}


def show(found: Sequence[Outcome], replications: int) -> None:
    columns, width = judges(replications), max((len(row.variant) for row in found), default=0)
    print(f"{'':{width}}  " + "  ".join(f"{name:>10}" for name in (*columns, "readings")))
    for row in found:
        cells = ["found" if judge(row) else "—" for judge in columns.values()]
        cells.append("" if row.readings is None else "found" if row.readings else "—")
        print(f"{row.variant:{width}}  " + "  ".join(f"{cell:>10}" for cell in cells))
    for kind, name in (("slip", "slips_found"), ("misreading", "misreadings_found"), ("clean", "false_alarms")):
        rows = [row for row in found if row.kind == kind]
        for judge, says in columns.items():
            if rows:
                count, (low, high) = sum(bool(says(row)) for row in rows), interval(rows, says)
                print(f"{name}_by_{judge.replace(' ', '_')}: {count}/{len(rows)} [{low:.2f}, {high:.2f}]")
    rows = [row for row in found if row.readings is not None]
    if rows:
        count = sum(bool(row.readings) for row in rows)
        print(f"misreadings_found_by_readings: {count}/{len(rows)} that a definition names")
    for phase in ("build", "unit_tests", "validation", *(["study"] if replications else [])):
        if took := [row.seconds[phase] for row in found if phase in row.seconds]:
            print(f"median_seconds_of_{phase}: {median(took):.0f}")


def interval(rows: Sequence[Outcome], says: Says) -> tuple[float, float]:
    """Exact (Clopper–Pearson), 95 per cent."""
    found = binomtest(sum(bool(says(row)) for row in rows), len(rows)).proportion_ci(0.95)
    return float(found.low), float(found.high)


def page(found: Sequence[Outcome], replications: int) -> str:
    columns = judges(replications)
    text = (HERE / "page.md").read_text(encoding="utf-8")
    about = (HERE / ("study.md" if replications else "no-study.md")).read_text(encoding="utf-8").strip()
    lines = [filled(text.replace("{{ study }}", about), replications).rstrip(), ""]
    titles = {"slip": "Slips", "misreading": "Misreadings", "clean": "False alarms on the package as it was built"}
    for kind, title in titles.items():
        rows = [row for row in found if row.kind == kind]
        if not rows:
            continue
        lines += [f"## {title}", "", f"| | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]
        for row in rows:
            name = f"seed {row.seed}" if kind == "clean" else f"`{row.variant}`: {row.what}"
            lines.append(f"| {name} | {' | '.join(_cell(judge(row)) for judge in columns.values())} |")
        counts = []
        for says in columns.values():
            low, high = interval(rows, says)
            counts.append(f"{sum(bool(says(row)) for row in rows)} of {len(rows)} ({low:.0%}–{high:.0%})")
        lines += [
            f"| **found** | {' | '.join(counts)} |" if kind != "clean" else f"| **alarms** | {' | '.join(counts)} |",
            "",
        ]
    lines += [(HERE / "named.md").read_text(encoding="utf-8")]
    tests = recorded()[1].tests
    quantities = {row.id: row.quantity for row in tests.criteria} if tests else {}
    for row in found:
        if row.kind == "misreading":
            named = "; ".join(quantities.get(name, name) for name in row.questions[:3])
            lines.append(f"- `{row.variant}`: {named or '—'}{'; …' if len(row.questions) > 3 else ''}")
    lines.append("")
    told = [row for row in found if row.readings is not None]
    if told:
        names = "; ".join(
            f"`{row.variant}`: {', '.join(f'`{n}`' for n in row.readings or ()) or 'nothing'}" for row in told
        )
        lines += [
            "## The two readings",
            "",
            f"Definitions on which the readings differ when the planner misreads: {names}.",
            "",
        ]
    doubts = [variant for variant in variants() if variant.doubted]
    if doubts:
        lines += [(HERE / "doubts.md").read_text(encoding="utf-8")]
        lines += [f"- `{variant.id}`: “{variant.doubted}”" for variant in doubts]
    return "\n".join(lines).rstrip() + "\n"


def filled(text: str, replications: int) -> str:
    planned = recorded()[1].study
    assert planned is not None
    values = {
        "replications": replications, "planned": planned.replications,
        "sizes": _listed(SIZES), "planned sizes": _listed(planned.grid["n"]),
    }  # fmt: skip
    for name, value in values.items():
        text = text.replace(f"{{{{ {name} }}}}", str(value))
    return text


def _listed(numbers: Sequence[object]) -> str:
    *first, last = map(str, numbers)
    return f"{', '.join(first)} and {last}"


def _cell(named: Sequence[str]) -> str:
    return "—" if not named else f"{len(named)}"


def _said(outcome: Outcome) -> str:
    said = [name for name, judge in JUDGES.items() if judge(outcome)]
    return f"{', '.join(said) or 'nothing'} ({sum(outcome.seconds.values()):.0f} s)"


if __name__ == "__main__":
    main()
