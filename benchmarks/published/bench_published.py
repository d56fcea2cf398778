"""Three published simulation studies, done again from their description. `published.toml` holds what they published.

Run: python benchmarks/published/bench_published.py [NAME] [--replications N | --as-published] [--workers N]

Prints every published figure with ours, both Monte Carlo errors together, and how many of those the two are apart. All
three studies together, with at least the published replications, also write docs/explanation/published-studies.md.
"""

from __future__ import annotations

import argparse
import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import dag2018
import numpy as np
from exact import EXACT, Values
from jinja2 import Environment, StrictUndefined
from scipy.special import ndtri

from statsclaw.montecarlo import Store, Study, StudyRefused, cell_name, load_study, run
from statsclaw.montecarlo.metrics.measures import estimate_metric

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "explanation" / "published-studies.md"
#: A share of figures that differ by more than two standard errors by chance.
BY_CHANCE = 0.0455
#: The error rate of calling any figure of a study different, for all of them together (Bonferroni).
CERTAIN = 0.01


@dataclass(frozen=True)
class Figure:
    """One published number and ours. `row`: its place in the published table."""

    row: int
    cell: str
    method: str
    column: str
    label: str
    decimals: int
    published: float
    published_error: float
    here: float
    error: float
    exact: float | None

    @property
    def together(self) -> float:
        return math.hypot(self.error, self.published_error)

    @property
    def z(self) -> float:
        return (self.here - self.published) / self.together

    @property
    def z_here(self) -> float:
        """Ours from the exact value."""
        return math.nan if self.exact is None else (self.here - self.exact) / self.error

    @property
    def z_published(self) -> float:
        return math.nan if self.exact is None else (self.published - self.exact) / self.published_error


@dataclass(frozen=True)
class Reading:
    """The same published figures, beside ours as the description is read first, and as it could be read."""

    name: str
    first: tuple[Figure, ...]
    other: tuple[Figure, ...]


@dataclass(frozen=True)
class Done:
    """A study that has been run, and what was published of it."""

    name: str
    published: dict[str, Any]
    study: Study
    results: Store

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        return tuple(self.found({}))

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        return tuple(
            Reading(
                other["name"],
                tuple(one for one in self.figures if one.method in other["methods"]),
                tuple(self.found(other["methods"])),
            )
            for other in self.published["readings"]
        )

    @cached_property
    def exact(self) -> tuple[Values, ...]:
        """Of each cell."""
        return tuple(EXACT[self.name](cell) for cell in self.study.cells())

    @property
    def limit(self) -> float:
        """Beyond it a figure is called different."""
        return float(ndtri(1 - CERTAIN / 2 / len(self.figures)))

    @property
    def replications(self) -> int:
        return min(self.results.completed(cell) for cell in range(len(self.study.cells())))

    @property
    def failures(self) -> int:
        cells = range(len(self.study.cells()))
        statuses = (self.results.statuses(cell, method) for cell in cells for method in self.study.method_names)
        return sum(int(np.count_nonzero(one)) for one in statuses)

    def found(self, swap: Mapping[str, str]) -> Iterator[Figure]:
        """Every published figure; with `swap` those of its methods alone, beside the other method."""
        for number, row in enumerate(self.published["rows"]):
            for column, spec in self.published["columns"].items():
                method = spec.get("method") or row["method"]
                if column in row and (not swap or method in swap):
                    yield self.figure(number, column, swap.get(method, method))

    def figure(self, number: int, column: str, method: str) -> Figure:
        """The error of the published figure is ours at their number of replications, and that of rounding."""
        row, spec = self.published["rows"][number], self.published["columns"][column]
        cells = self.study.cells()
        place = cells.index({axis: row[axis] for axis in self.study.grid})
        parameter, decimals = spec.get("parameter"), spec["decimals"]
        truth = self.study.truth_in(cells[place]).get(parameter or "", math.nan)
        metric = estimate_metric(
            spec["metric"],
            self.results.table(place, method),
            parameter=parameter,
            truth=truth,
            of_field=spec.get("field"),
        )
        error = metric.error or math.nan
        share = (metric.replications - metric.failures) / self.published["replications"]
        return Figure(
            row=number,
            cell=cell_name(cells[place]),
            method=method,
            column=column,
            label=spec["label"],
            decimals=decimals,
            published=row[column],
            published_error=math.hypot(error * math.sqrt(share), 10.0**-decimals / math.sqrt(12)),
            here=metric.value,
            error=error,
            exact=self.exact[place].get((method, column)),
        )


def do(name: str, published: dict[str, Any], options: argparse.Namespace) -> Done:
    """Goes on where an earlier run stopped."""
    try:
        study = load_study(HERE / f"{name}.py")
        folder = options.results / f"{name}.results"
        count = published["replications"] if options.as_published else options.replications
        results = run(study, folder=folder, workers=options.workers, replications=count, careful=True)
    except StudyRefused as refused:
        raise SystemExit(f"error: {refused}") from None
    return Done(name, published, study, results)


def beyond(values: Iterable[float], limit: float = 2.0) -> int:
    return sum(abs(value) > limit for value in values)


def largest(values: Iterable[float]) -> float:
    return max((abs(value) for value in values if math.isfinite(value)), default=0.0)


def summary(done: Done) -> dict[str, str]:
    """What is printed last, by name."""
    apart = [one.z for one in done.figures]
    known = [one for one in done.figures if one.exact is not None]
    lines = {
        "replications": f"{done.replications}",
        "failures": f"{done.failures}",
        "figures": f"{len(apart)}",
        "beyond_two_errors": f"{beyond(apart)}",
        "expected_by_chance": f"{BY_CHANCE * len(apart):.1f}",
        "largest_z": f"{largest(apart):.1f}",
        "certainly_different": f"{beyond(apart, done.limit)}",
    }
    for who, values in (("ours", [one.z_here for one in known]), ("published", [one.z_published for one in known])):
        lines["exact.figures"] = f"{len(known)}"
        lines[f"exact.{who}_beyond_two_errors"] = f"{beyond(values)}"
        lines[f"exact.{who}_largest_z"] = f"{largest(values):.1f}"
    for reading in done.readings:
        lines[f"reading.{reading.name}.figures"] = f"{len(reading.other)}"
        for which, ones in (("first", reading.first), ("this", reading.other)):
            values = [one.z for one in ones]
            lines[f"reading.{reading.name}.{which}_beyond_two_errors"] = f"{beyond(values)}"
            lines[f"reading.{reading.name}.{which}_largest_z"] = f"{largest(values):.1f}"
    return lines


def worked_example(published: dict[str, Any]) -> dict[str, str]:
    """The tests of dag2018 on the article's own data."""
    example = published["worked_example"]
    groups = [np.array(group, dtype=float) for group in example["groups"]]
    same = sum(
        f"{dag2018.TESTS[name](groups)[0]:.7g}" == f"{value:.7g}" for name, value in example["statistics"].items()
    )
    degrees, _, weights = dag2018.weighted_t(groups)
    limits = dag2018.james_limits(degrees, weights)
    return {
        "example.statistics_as_printed": f"{same} of {len(example['statistics'])}",
        "example.james_limit_published": f"{example['james_limit']:.6f}",
        **{f"example.james_limit_{reading}": f"{limit:.6f}" for reading, limit in limits.items()},
    }


def line(one: Figure) -> str:
    exact = "" if one.exact is None else f"  exact {one.exact:.5f}"
    return (
        f"{one.cell:38} {one.method:18} {one.label:24} published {one.published:8.{one.decimals}f}  "
        f"here {one.here:9.5f} ± {one.error:.5f}  together {one.together:.5f}  z {one.z:+6.1f}{exact}"
    )


def cell_of(one: Figure, limit: float) -> str:
    """published / here (/ exact); † beyond two errors, bold where certainly different."""
    digits = one.decimals + 1
    text = f"{one.published:.{one.decimals}f} / {one.here:.{digits}f}"
    if one.exact is not None:
        text += f" / {one.exact:.{digits}f}"
    if abs(one.z) > limit:
        return f"**{text}** †"
    return f"{text} †" if abs(one.z) > 2 else text


def tables(done: Done, figures: Sequence[Figure]) -> str:
    """In Markdown, laid out as published; rows that have other columns make another table."""
    by_method = any("method" in spec for spec in done.published["columns"].values())
    rows: dict[int, list[Figure]] = {}
    for one in figures:
        rows.setdefault(one.row, []).append(one)
    layouts: dict[tuple[str, ...], list[list[str]]] = {}
    for ones in rows.values():
        heads = [*ones[0].cell.split(","), *([] if by_method else [f"`{ones[0].method}`"])]
        cells = [cell_of(one, done.limit) for one in ones]
        layouts.setdefault(tuple(one.label for one in ones), []).append([*heads, *cells])
    texts = []
    for labels, body in layouts.items():
        width = len(body[0]) - len(labels)
        lines = [[""] * width + list(labels), ["---"] * len(body[0]), *body]
        texts.append("\n".join("| " + " | ".join(row) + " |" for row in lines))
    return "\n\n".join(texts)


def said_of(done: Done) -> dict[str, str]:
    return summary(done) | (worked_example(done.published) if done.name == "dag2018" else {})


def write_page(all_done: Sequence[Done], said: Mapping[str, Mapping[str, str]], page: Path = PAGE) -> None:
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)
    studies = {
        done.name: {
            "published": done.published,
            "said": {key.replace(".", "_"): value for key, value in said[done.name].items()},
            "limit": f"{done.limit:.1f}",
            "tables": tables(done, done.figures),
            "readings": {reading.name: tables(done, reading.other) for reading in done.readings},
        }
        for done in all_done
    }
    template = environment.from_string((HERE / "page.md").read_text(encoding="utf-8"))
    page.write_text(template.render(studies=studies, **studies), encoding="utf-8")


def main() -> None:
    published = tomllib.loads((HERE / "published.toml").read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", choices=list(published), help="default: all three, and the page")
    parser.add_argument("--replications", type=int, help="of each cell; default: those of the study")
    parser.add_argument("--as-published", action="store_true", help="as many as the publication states")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--results", type=Path, default=HERE, help="where the folders of results are")
    options = parser.parse_args()
    all_done: list[Done] = []
    said: dict[str, dict[str, str]] = {}
    for name in [options.name] if options.name else published:
        done = do(name, published[name], options)
        all_done.append(done)
        said[name] = said_of(done)
        print(f"# {published[name]['title']}")
        for one in done.figures:
            print(line(one))
        for reading in done.readings:
            print(f"# read otherwise: {reading.name}")
            for one in reading.other:
                print(line(one))
    for name, lines in said.items():
        for key, value in lines.items():
            print(f"{name}.{key}: {value}")
    if options.name or any(done.replications < done.published["replications"] for done in all_done):
        print("page: not written, it needs all three studies with at least the published replications")
    else:
        write_page(all_done, said)
        print(f"page: {PAGE.relative_to(HERE.parents[1])}")


if __name__ == "__main__":
    main()
