"""Tables for papers and the page of a study: numbers of the metrics, hostile names as text, nothing of the machine."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from statsclaw.montecarlo.design import Criterion, Estimate, Study, StudyRefused
from statsclaw.montecarlo.metrics.measures import estimate_metric
from statsclaw.montecarlo.page import render_study_page
from statsclaw.montecarlo.running import run
from statsclaw.montecarlo.tables import paper_table, write_table
from tests.montecarlo.test_figures import fail_some, made

HOSTILE = "a_b & 50% $x$ #~^\\ {y} <script>alert(1)</script>\n| *z*"


def test_a_column_is_rounded_to_two_digits_of_its_usual_error() -> None:
    study, results = made({"N": [50, 100]})
    text = write_table(paper_table(study, results, ["bias"]), "csv")
    header, *rows = csv.reader(io.StringIO(text))
    assert header == ["N", "Bias mle", "Bias mle MCSE", "Bias gibbs", "Bias gibbs MCSE"]
    digits, errors = len(rows[0][1].split(".")[1]), []
    for cell, row in enumerate(rows):
        for method, at in (("mle", 1), ("gibbs", 3)):
            found = estimate_metric("bias", results.table(cell, method), parameter="mu", truth=0.0)
            errors.append(found.mcse)
            assert row[at : at + 2] == [f"{found.value:.{digits}f}", f"{found.mcse:.{digits}f}"]
    assert 10 <= sorted(errors)[2] * 10**digits < 100


def test_many_columns_put_methods_below_one_another_and_failures_into_a_note() -> None:
    study, results = made({"N": [200, 500]}, methods=("mle", "gibbs"), change=fail_some)
    table = paper_table(study, results)
    assert table.stub == ("N", "Method") and not table.spans
    assert [entry.failed for entry in table.lines[0].entries] == [True] * len(table.heads)
    assert "† Failed replications of mle are left out (N=200: 7 of 120)." in table.notes


def test_a_metric_that_is_not_there_is_refused_in_one_line() -> None:
    with pytest.raises(StudyRefused, match="no rejection"):
        paper_table(*made({}), ["rejection"])


def test_hostile_names_are_text_in_every_format() -> None:
    table = paper_table(*made({HOSTILE: [1, 2]}, methods=("mle", HOSTILE), replications=20))
    latex = write_table(table, "latex")
    assert r"a\_b \& 50\% \$x\$ \#\textasciitilde{}\textasciicircum{}\textbackslash{} \{y\}" in latex
    assert "<script>" not in write_table(table, "html")
    lines = [line for line in write_table(table, "markdown").splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1 and r"\<script\>" in lines[0]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs LaTeX")
def test_the_latex_compiles(tmp_path: Path) -> None:
    study, results = made({HOSTILE: [1, 2]}, methods=("mle", HOSTILE), replications=20, change=fail_some)
    tables = "".join(write_table(paper_table(study, results, metrics), "latex") for metrics in (None, ["rmse"]))
    head = "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs}\\begin{document}"
    (tmp_path / "t.tex").write_text(f"{head}\n{tables}\\end{{document}}\n")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def _dgp(cell, rng):
    return rng.normal(size=cell["n"])


def _mean(data, cell):
    se = data.std(ddof=1) / np.sqrt(len(data))
    if data[0] > 2:
        raise ValueError("<img src=x onerror=alert(1)>")
    return {"mu": Estimate(data.mean(), se, data.mean() - 2 * se, data.mean() + 2 * se)}


def test_the_page_says_everything_runs_nothing_and_names_no_machine(tmp_path: Path) -> None:
    study = Study(
        name="</title><script>alert(1)</script>", grid={"n": [10, 40]}, methods={"<b>mean": _mean},
        truth={"mu": 0.0}, replications=60, seed=3, dgp=_dgp,
        criteria=[Criterion("c1", "coverage", "<b>mean", "mu", low=0.5, high=1.0)],
    )  # fmt: skip
    store = run(study, folder=tmp_path / "results", workers=1)
    page = render_study_page(study, store)
    tags = Tags()
    tags.feed(page)
    names = {tag for tag, _ in tags.found}
    assert not names & {"script", "img", "iframe", "object", "link", "b"} and {"svg", "table", "figure"} <= names
    for _, attributes in tags.found:
        assert not any(name.startswith("on") for name in attributes)
        assert all((value or "").startswith("#") for name, value in attributes.items() if name in ("href", "src"))
    assert str(tmp_path) not in page and "&lt;img src=x onerror" in page
    for part in (
        "Seed",
        "c1",
        "PASS",
        "would not notice",
        study.design_sha256,
        "numpy",
        "statsclaw mc run",
        "Figure 1",
    ):
        assert part in page
    assert page == render_study_page(study, store)
