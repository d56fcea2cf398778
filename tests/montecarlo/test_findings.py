"""What is said to be wrong: each fault put in by hand, and silence where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from statsclaw.montecarlo.design import Study
from statsclaw.montecarlo.storage.results import MemoryResults
from statsclaw.montecarlo.table import Floats, Table
from statsclaw.montecarlo.verdicts import findings
from statsclaw.montecarlo.verdicts.findings import Findings, findings_of

N = 2000


def table_of(x: Floats, factor: float = 1.0, failed: Any = None, size: float = 1.0) -> Table:
    rng = np.random.default_rng(3)
    se = factor * size * np.sqrt(rng.chisquare(2000, len(x)) / 2000)
    flags = np.zeros(len(x), dtype=bool) if failed is None else failed
    columns = {"mu.estimate": x, "mu.se": se, "mu.low": x - 1.96 * se, "mu.high": x + 1.96 * se}
    return Table(flags, {name: np.where(flags, np.nan, values) for name, values in columns.items()})


def found_in(*tables: Table) -> Findings:
    study = Study("s", {"n": [50 * 2**at for at in range(len(tables))]}, ["hl"], {"mu": 0.0}, N, 1)
    return findings_of(study, MemoryResults({(at, "hl"): table for at, table in enumerate(tables)}))


def normal(seed: int) -> Floats:
    """Exactly normal, in random order."""
    return np.random.default_rng(seed).permutation(stats.norm.ppf((np.arange(N) + 0.5) / N))


def test_a_correct_method_is_met_with_silence() -> None:
    found = found_in(*(table_of(normal(at)) for at in range(3)))
    assert found.rows == () and found.render().startswith("Nothing is significantly wrong, at an error rate of 1 %")
    assert found.tests == 3 * 8 + 7  # tails are not looked at together


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (table_of(normal(1) + 0.15), "estimates of mu by hl are 0.150 EmpSE (±0.022) too large"),
        (table_of(normal(1), 0.9), "standard errors of mu by hl are 10.0 % (±1.4) too small"),
        (table_of(normal(1), 1.2), "standard errors of mu by hl are 20.1 % (±1.9) too large"),
        (table_of(normal(1), 0.8), "95 % intervals of mu by hl cover 88.3"),
        (table_of(normal(1), failed=np.arange(N) % 20 == 0), "hl failed in 5.00 % (±0.49) of replications, more"),
        (table_of(np.random.default_rng(2).lognormal(0, 0.5, N) - np.exp(0.125)), "mu by hl are skewed to the right"),
        (table_of(stats.t(2).ppf((np.arange(N) + 0.5) / N)), "estimates of mu by hl have heavy tails: index"),
    ],
)  # fmt: skip
def test_each_fault_is_said_with_its_size(table: Table, said: str) -> None:
    assert said in found_in(table).render()


def test_what_is_the_same_in_all_cells_is_said_once_and_more_sharply() -> None:
    """4 % in each of six cells is seen in none alone: the error of one is 1.6 %, of six 0.6 %."""
    assert not any(row.kind == "se" for row in found_in(table_of(normal(1), 0.96)).rows)
    rows = [row for row in found_in(*(table_of(normal(at), 0.96) for at in range(6))).rows if row.kind == "se"]
    assert len(rows) == 1 and rows[0].text.endswith("too small, in all 6 cells") and len(rows[0].cells) == 6
    assert rows[0].error == pytest.approx(np.sqrt(0.5 / N) / np.sqrt(6), rel=0.1)


def test_what_is_wrong_in_one_cell_is_said_of_that_one() -> None:
    tables = [table_of(normal(at), 0.8 if at == 2 else 1.0) for at in range(4)]
    texts = [row.text for row in found_in(*tables).rows]
    assert any("standard errors of mu by hl are 20.0 %" in text and text.endswith(", in n=200") for text in texts)
    assert not any("all 4 cells" in text for text in texts)


def test_misses_on_one_side_are_said_where_coverage_is_right() -> None:
    """2.5 % miss in all, all of them below the truth."""
    x = normal(1)
    table = table_of(x)
    columns = {**table.columns, "mu.low": np.where(x > 1.5, -1.0, x - 1.6449), "mu.high": x + 1.6449}
    texts = [row.text for row in found_in(Table(table.failed, columns)).rows]
    assert "95 % intervals of mu by hl miss unevenly: 5.0 % lie below the truth, 0.0 % above" in texts


def test_the_formulas_agree_with_scipy() -> None:
    x = np.random.default_rng(4).gamma(5, 1, 900)
    assert findings._skewness(x)[0] == pytest.approx(stats.skew(x))
    assert findings._of_binomial(700, 1000, 0.75) == pytest.approx(2 * stats.binom.cdf(700, 1000, 0.75))
    assert findings._at_least(30, 1000, 0.02) == pytest.approx(stats.binom.sf(29, 1000, 0.02))
    heavy = stats.t(3).ppf((np.arange(200_000) + 0.5) / 200_000)
    assert findings._tails(heavy)[1] == pytest.approx(3, rel=0.1)


def test_hundred_replications_say_nothing_less() -> None:
    assert found_in(table_of(normal(1)[:99] + 5)).tests == 0
    assert "100 replications" in found_in(table_of(normal(1)[:99])).render()
