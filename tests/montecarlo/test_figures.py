"""Figures: what is drawn is what the metrics say, files are the same each time, odd studies do not break them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

from statsclaw.montecarlo.chains.uniformity import ecdf_band
from statsclaw.montecarlo.design import Criterion, Level, Study, StudyRefused
from statsclaw.montecarlo.figures import (
    FORMATS,
    KINDS,
    draw_figures,
    lolly,
    nested,
    paired,
    panel,
    ranks,
    rate,
    rejection,
    theme,
    zips,
)
from statsclaw.montecarlo.figures.reading import as_point, measure
from statsclaw.montecarlo.figures.style import Drawing, journal_style, method_styles, write
from statsclaw.montecarlo.metrics.differences import metric_difference
from statsclaw.montecarlo.metrics.intervals import interval
from statsclaw.montecarlo.metrics.measures import estimate_metric
from statsclaw.montecarlo.storage.results import MemoryResults
from statsclaw.montecarlo.table import Table

Change = Callable[[int, str, dict[str, np.ndarray], np.ndarray], None]


def made(
    grid: Mapping[str, Sequence[Level]],
    methods: Sequence[str] = ("mle", "gibbs"),
    parameters: Sequence[str] = ("mu",),
    replications: int = 120,
    criteria: Sequence[Criterion] = (),
    change: Change | None = None,
    rank: bool = False,
) -> tuple[Study, MemoryResults]:
    """A study whose estimates have standard deviation 1/√N; `change` edits columns and failures."""
    truth = {name: float(at) for at, name in enumerate(parameters)}
    study = Study("probit", grid, list(methods), truth, replications, 20260101, criteria=criteria)
    tables = {}
    for number, cell in enumerate(study.cells()):
        for at, method in enumerate(methods):
            rng = np.random.default_rng([number, at])
            sd = 1 / math.sqrt(float(cell.get("N", 100)))
            columns = {"seconds": rng.gamma(5.0, 1e-3, replications)}
            for name, value in truth.items():
                estimate = value + sd * rng.standard_normal(replications)
                se = sd * (1 - 0.1 * at) * np.ones(replications)
                columns |= {f"{name}.estimate": estimate, f"{name}.se": se}
                columns |= {f"{name}.low": estimate - 1.96 * se, f"{name}.high": estimate + 1.96 * se}
                if rank:
                    columns[f"{name}.rank"] = rng.integers(0, 100, replications).astype(float)
            failed = np.zeros(replications, dtype=bool)
            if change is not None:
                change(number, method, columns, failed)
            for values in columns.values():
                values[failed] = np.nan
            tables[number, method] = Table(failed, columns)
    return study, MemoryResults(tables)


def drawn(module, study: Study, results: MemoryResults) -> list[Drawing]:
    with journal_style():
        return list(module.draw(measure(study, results)))


def marked(axes, label: str) -> list[tuple[float, float]]:
    """The points of a method from left to right, as they stand in the axes."""
    lines = [line for line in axes.lines if line.get_gid() == f"points:{label}"]
    return sorted((float(x), float(y)) for line in lines for x, y in zip(*line.get_data(), strict=True))


def bars(axes, label: str) -> list[tuple[float, float]]:
    (found,) = (one for one in axes.collections if one.get_gid() == f"bars:{label}")
    return [(float(low[1]), float(high[1])) for low, high in found.get_segments()]


GRID = {"N": [200, 500, 1000, 5000]}


def test_every_figure_is_written_in_every_format_with_a_caption(tmp_path: Path) -> None:
    study, results = made({"N": [200, 500]}, replications=40, rank=True)
    written = draw_figures(study, results, tmp_path / "figures")
    names = {path.name for path in written}
    assert all(path.stat().st_size > 0 for path in written)
    for figure in ("panel", "lolly-mu", "paired", "zip-mu", "rate", "ranks-mle", "ranks-gibbs"):
        assert {f"{figure}.{kind}" for kind in ("svg", "pdf", "png", "caption.md")} <= names
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == sorted(names)


def test_the_panel_draws_what_the_metrics_say() -> None:
    study, results = made(GRID, parameters=("a", "b", "c"))
    (drawing,) = drawn(panel, study, results)
    axes = np.array(drawing.figure.axes).reshape(4, 3)
    for row, metric in enumerate(("bias", "rmse", "coverage", "se_ratio")):
        for column, parameter in enumerate("abc"):
            for method in study.method_names:
                expected = [
                    estimate_metric(metric, results.table(cell, method), parameter=parameter, truth=float(column))
                    for cell in range(4)
                ]
                found = marked(axes[row, column], method)
                assert [y for _, y in found] == [one.value for one in expected]
                for (low, high), one in zip(bars(axes[row, column], method), expected, strict=True):
                    if not one.open_below and not one.open_above:
                        assert (low, high) == pytest.approx(interval(one, 0.05), rel=1e-12)
    assert [axes[row, 0].get_ylabel() for row in range(4)] == ["Bias", "RMSE", "Coverage", "Mean SE / EmpSE"]
    assert [axes[0, column].get_title() for column in range(3)] == ["a", "b", "c"]
    assert axes[0, 0].get_xscale() == "log"
    assert drawing.figure.get_figwidth() == 7.0


def test_methods_stand_side_by_side_in_order_and_near_their_level() -> None:
    study, results = made(GRID, methods=("a", "b", "c"))
    axes = drawn(panel, study, results)[0].figure.axes[0]
    places = np.array([[x for x, _ in marked(axes, method)] for method in "abc"])
    assert np.all(np.diff(places, axis=0) > 0)
    assert np.allclose(places[1], GRID["N"])
    assert np.all(places[2, :-1] < places[0, 1:])


def test_the_axis_is_logarithmic_only_over_a_decade() -> None:
    study, results = made({"N": [100, 200, 400]})
    assert drawn(panel, study, results)[0].figure.axes[0].get_xscale() == "linear"


def test_columns_are_the_levels_of_a_second_axis_and_pages_those_of_a_third() -> None:
    study, results = made({"dist": ["t", "normal"], "N": [50, 100], "rho": [0.1, 0.2, 0.3]}, replications=20)
    pages = drawn(panel, study, results)
    assert [page.name for page in pages] == ["panel-01", "panel-02", "panel-03"]
    assert [axes.get_title() for axes in pages[0].figure.axes[:2]] == ["dist = t", "dist = normal"]
    assert "Here rho = 0.1." in pages[0].caption and "Here rho = 0.3." in pages[2].caption


def test_bounds_of_criteria_are_shaded_where_they_apply() -> None:
    criteria = [
        Criterion("c1", "coverage", "mle", parameter="mu", low=0.9, high=0.99),
        Criterion("c2", "bias", "mle", low=-0.2, high=0.2, unit="empse"),
        Criterion("c3", "bias", "gibbs", low=-0.1, high=0.1, unit="empse"),
        Criterion("c4", "se_ratio", "mle", low=0.9, high=1.1, cells={"N": [1000, 5000]}),
    ]
    study, results = made(GRID, criteria=criteria)
    (drawing,) = drawn(panel, study, results)
    bias, _, coverage, ratio = drawing.figure.axes

    def shaded(axes, metric: str):
        return [one for one in axes.patches if one.get_gid() == f"band:{metric}"]

    assert len(shaded(coverage, "coverage")) == 4
    assert {(one.get_y(), round(one.get_y() + one.get_height(), 9)) for one in shaded(coverage, "coverage")} == {
        (0.9, 0.99)
    }
    assert len(shaded(ratio, "se_ratio")) == 2
    spread = estimate_metric("empse", results.table(0, "mle"), parameter="mu", truth=0.0).value
    strips = shaded(bias, "bias")
    assert len(strips) == 8
    assert strips[0].get_y() == pytest.approx(-0.2 * spread) and strips[0].get_height() == pytest.approx(0.4 * spread)
    (place, _), *_ = marked(bias, "mle")
    assert strips[0].get_x() < place < strips[0].get_x() + strips[0].get_width()
    assert "c1: coverage of mle between 0.9 and 0.99; c2: bias of mle" in drawing.caption
    labels = [text.get_text() for text in drawing.figure.legends[0].get_texts()]
    assert labels == ["mle", "gibbs", "value within bounds", "value outside bounds"]


def test_of_several_bands_the_missed_one_is_in_front_else_the_tightest() -> None:
    wide, tight = (
        Criterion(name, "bias", "mle", low=-size, high=size) for name, size in (("wide", 0.03), ("tight", 0.02))
    )
    never = Criterion("never", "bias", "mle", low=0.02, high=0.04, cells={"N": [200]})
    of_difference = Criterion("pair", "bias", "mle", minus="gibbs", low=-0.001, high=0.001)
    study, results = made(GRID, criteria=[wide, tight, never, of_difference])
    axes = drawn(panel, study, results)[0].figure.axes[0]
    front = [one for one in axes.patches if one.get_gid() == "band:bias"]
    behind = [one for one in axes.patches if one.get_gid() == "other band:bias"]
    assert len(front) == 4 and len(behind) == 5
    assert sorted((one.get_y(), one.get_facecolor()) for one in front)[-1] == (0.02, mpl.colors.to_rgba("#F8DCCB"))
    assert sum((one.get_y(), one.get_height()) == (-0.02, 0.04) for one in front) == 3
    assert min(one.get_zorder() for one in front) > max(one.get_zorder() for one in behind)


def rejects(cell, method, columns, failed) -> None:
    columns["mu.reject"] = (np.arange(len(failed)) < 6 * (cell + 1)).astype(float)


def test_the_rejection_figure_has_exact_whiskers_and_the_nominal_level() -> None:
    study, results = made(GRID, change=rejects)
    (drawing,) = drawn(rejection, study, results)
    (axes,) = drawing.figure.axes
    assert [y for _, y in marked(axes, "mle")] == [0.05, 0.1, 0.15, 0.2]
    expected = [interval(estimate_metric("rejection", results.table(at, "mle"), parameter="mu"), 0.05)
                for at in range(4)]  # fmt: skip
    assert bars(axes, "mle") == expected
    (nominal,) = [one for one in axes.lines if one.get_gid() == "nominal"]
    assert nominal.get_ydata()[0] == pytest.approx(0.05)
    assert drawn(rejection, *made(GRID)) == []


def test_lolly_plots_have_every_cell_and_method_once() -> None:
    study, results = made({"N": [50, 100], "rho": [0.1, 0.9]})
    (drawing,) = drawn(lolly, study, results)
    for axes, metric in zip(drawing.figure.axes, ("bias", "rmse", "coverage", "se_ratio"), strict=True):
        for method in study.method_names:
            found = sorted(
                (float(line.get_ydata()[0]), float(line.get_xdata()[0]))
                for line in axes.lines
                if line.get_gid() == f"points:{method}"
            )
            expected = [
                estimate_metric(metric, results.table(cell, method), parameter="mu", truth=0.0).value
                for cell in range(4)
            ]
            assert [value for _, value in found] == expected


def test_the_paired_figure_shows_differences_with_the_error_of_the_pairs() -> None:
    study, results = made(GRID)
    (drawing,) = drawn(paired, study, results)
    assert drawing.figure.axes[1].get_ylabel() == "Δ RMSE"
    expected = [
        metric_difference("rmse", results.table(cell, "gibbs"), results.table(cell, "mle"), parameter="mu", truth=0.0)
        for cell in range(4)
    ]
    assert [y for _, y in marked(drawing.figure.axes[1], "gibbs")] == [one.value for one in expected]
    assert bars(drawing.figure.axes[1], "gibbs") == [(as_point(one).low, as_point(one).high) for one in expected]
    assert "minus that of mle" in drawing.caption
    assert drawn(paired, *made(GRID, methods=("mle",))) == []


@pytest.mark.filterwarnings("error")
def test_what_no_font_has_is_written_as_an_escape_and_told_once(tmp_path: Path) -> None:
    study, results = made({"Ωμέγα": [50, 100]}, methods=("МНК", "\U00012000\nx"), replications=20)
    notes: list[str] = []
    written = draw_figures(study, results, tmp_path, ("svg",), note=notes.append)
    text = next(path for path in written if path.name == "panel.svg").read_text()
    text = "\n".join(re.findall(r"<text[^>]*>([^<]*)<", text))
    assert "МНК" in text and "Ωμέγα" in text
    assert r"\U00012000\nx" in text and "\U00012000" not in text
    assert len(notes) == 1 and "\n" not in notes[0] and "fonts-noto-core" in notes[0]


def test_a_theme_sets_width_and_font_and_holds_inside_only() -> None:
    study, results = made(GRID, parameters=("a", "b", "c"))
    with journal_style(theme("journal", width_mm=84, font="dejavu serif")):
        pages = list(panel.draw(measure(study, results)))
        assert mpl.rcParams["font.family"] == ["DejaVu Serif"]
    assert [len(page.figure.axes) // 4 for page in pages] == [2, 1]
    assert all(page.figure.get_figwidth() == pytest.approx(84 / 25.4, abs=1e-5) for page in pages)
    assert drawn(panel, study, results)[0].figure.get_figwidth() == 7.0
    with journal_style(theme("slides")):
        assert mpl.rcParams["font.size"] == 15


@pytest.mark.parametrize(
    ("asked", "said"),
    [({"name": "pink"}, "journal, grey, slides"), ({"width_mm": 1}, "40 to 1000 mm"), ({"font": "no such"}, "give")],
)
def test_what_is_no_theme_is_refused(asked, said: str) -> None:
    with pytest.raises(StudyRefused) as refused:
        theme(**asked)
    assert said in refused.value.line()


def fail_some(cell: int, method: str, columns, failed) -> None:
    if method == "mle" and cell == 0:
        failed[:7] = True
    if method == "gibbs" and cell == 1:
        failed[:] = True


def test_failures_are_seen_in_the_figure_and_counted_in_the_caption() -> None:
    study, results = made(GRID, change=fail_some)
    (drawing,) = drawn(panel, study, results)
    axes = drawing.figure.axes[0]
    hollow = [line for line in axes.lines if line.get_gid() == "points:mle" and line.get_markerfacecolor() == "white"]
    assert [line.get_xdata().tolist() for line in hollow] == [[marked(axes, "mle")[0][0]]]
    assert len(marked(axes, "gibbs")) == 3
    assert sum(line.get_gid() == "empty:gibbs" for line in axes.lines) == 1
    assert "Failures: 127 of 960" in drawing.caption
    assert "gibbs at N=500: 120 of 120; mle at N=200: 7 of 120" in drawing.caption
    labels = [text.get_text() for text in drawing.figure.legends[0].get_texts()]
    assert labels[-2:] == ["some failed", "no value"]


def test_captions_say_design_replications_seed_level_and_what_bars_mean() -> None:
    study, results = made(GRID)
    text = drawn(panel, study, results)[0].caption
    for part in (
        "**probit.** Bias, RMSE, Coverage, Mean SE / EmpSE by N.",
        "N ∈ {200, 500, 1000, 5000}",
        "methods mle, gibbs",
        "Bias: mean of the estimates minus the true value",
        "Whiskers are 95 % intervals",
        "120 replications in each cell",
        "Seed: 20260101. Level of intervals: 0.95",
        "Failures: none of 960",
        study.design_sha256,
    ):
        assert part in text


@pytest.mark.slow
def test_files_are_the_same_byte_for_byte_and_hold_text_as_text(tmp_path: Path) -> None:
    study, results = made({"N": [50, 500], "rho": [0.1, 0.5, 0.7, 0.9, 0.95]}, ["mle"], change=fail_some, rank=True)
    written: list[list[Path]] = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        with journal_style():
            firsts = [next(module.draw(measure(study, results))) for module in (panel, zips, nested, rate, ranks)]
            written.append([path for drawing in firsts for path in write(drawing, folder, FORMATS)])
        mpl.rcParams["lines.linewidth"] = 7.0  # of a user, and not of a figure
    mpl.rcdefaults()
    for one, other in zip(*written, strict=True):
        assert one.name == other.name and one.read_bytes() == other.read_bytes()
    svg = (tmp_path / "a" / "panel-01.svg").read_text()
    assert re.search(r"<text[^>]*>Coverage</text>", svg) and ">mle<" in svg and "<dc:date>" not in svg
    pdf = (tmp_path / "a" / "panel-01.pdf").read_bytes()
    assert b"/CreationDate" not in pdf and b"/FontFile2" in pdf
    with Image.open(tmp_path / "a" / "panel-01.png") as image:
        assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)


def test_settings_of_matplotlib_are_left_as_they_were(tmp_path: Path) -> None:
    before = dict(mpl.rcParams)
    study, results = made({"N": [50]}, replications=10)
    draw_figures(study, results, tmp_path, formats=("svg",))
    assert dict(mpl.rcParams) == before


def test_pyplot_is_not_used() -> None:
    import subprocess
    import sys

    code = "import sys, statsclaw.montecarlo.figures; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_zip_plots_put_the_intervals_that_miss_on_top() -> None:
    study, results = made({"N": [100]}, methods=("mle",), replications=200)
    (drawing,) = drawn(zips, study, results)
    (axes,) = drawing.figure.axes
    table = results.table(0, "mle")
    covered = (table.columns["mu.low"] <= 0) & (table.columns["mu.high"] >= 0)
    lines = {one.get_gid(): one.get_segments() for one in axes.collections}
    assert len(lines["covers"]) == covered.sum() and len(lines["misses"]) == (~covered).sum()
    assert max(one[0][1] for one in lines["covers"]) < min(one[0][1] for one in lines["misses"])
    order = np.argsort(np.abs(table.columns["mu.estimate"]) / table.columns["mu.se"], kind="stable")
    heights = [one[0][1] for one in [*lines["covers"], *lines["misses"]]]
    assert heights == pytest.approx(100 * (np.arange(200) + 0.5) / 200)
    assert [one[0][0] for one in [*lines["covers"], *lines["misses"]]] == pytest.approx(table.columns["mu.low"][order])
    limits = sorted(line.get_ydata()[0] / 100 for line in axes.lines if line.get_gid() == "coverage")
    expected = interval(estimate_metric("coverage", table, parameter="mu", truth=0.0), 0.05)
    assert limits == pytest.approx(expected)


def test_intervals_that_are_not_symmetric_are_ordered_by_the_side_of_the_truth() -> None:
    table = Table(
        np.zeros(3, dtype=bool),
        {
            "mu.estimate": np.array([1.0, 1.0, -1.0]),
            "mu.low": np.array([-0.5, 0.5, -9.0]),
            "mu.high": np.array([1.1, 9.0, 3.0]),
        },
    )
    low, _, centiles, misses = zips.zipped(table, "mu", 0.0)
    assert low.tolist() == [-9.0, -0.5, 0.5] and misses.tolist() == [False, False, True]
    assert centiles == pytest.approx([100 / 6, 50, 500 / 6])


def test_only_some_of_very_many_intervals_are_drawn_and_the_caption_says_so() -> None:
    study, results = made({"N": [100]}, methods=("mle",), replications=5000)
    (drawing,) = drawn(zips, study, results)
    assert sum(len(one.get_segments()) for one in drawing.figure.axes[0].collections) == 500
    assert "At most 500 intervals" in drawing.caption


def test_the_rate_plot_shows_the_slope_of_the_metrics() -> None:
    study, results = made(GRID, methods=("mle",), replications=400)
    (drawing,) = drawn(rate, study, results)
    (axes,) = drawing.figure.axes
    values = [estimate_metric("rmse", results.table(cell, "mle"), parameter="mu", truth=0.0).value for cell in range(4)]
    assert [y for _, y in marked(axes, "mle")] == values and axes.get_yscale() == "log"
    expected = np.polyfit(np.log(GRID["N"]), np.log(values), 1)[0]
    (note,) = [text.get_text() for text in axes.texts if text.get_gid() == "slope"]
    assert note.startswith(f"{expected:.2f}".replace("-", "−") + " ± 0.0")
    (line,) = [one for one in axes.lines if one.get_gid() == "reference"]
    (x0, x1), (y0, y1) = line.get_xdata(), line.get_ydata()
    assert math.log(y1 / y0) / math.log(x1 / x0) == pytest.approx(-0.5)


@pytest.mark.parametrize("levels", [[0.1, 0.5, 0.9], ["a", "b"], [-100, 100], [100, 101]])
def test_what_is_no_sample_size_has_no_rate(levels) -> None:
    study, results = made({"rho": levels}, replications=10)
    assert drawn(rate, study, results) == []


def test_the_nested_loop_plot_has_every_cell_in_order() -> None:
    grid = {"N": [200, 50], "rho": [0.0, 0.5], "dist": ["t", "normal"]}
    study, results = made(grid, replications=30)
    (drawing,) = drawn(nested, study, results)
    order, levels = nested.nested_order(study, list(grid))
    assert levels["N"] == [50] * 4 + [200] * 4 and levels["dist"] == ["t", "normal"] * 4
    assert [study.cells()[cell]["N"] for cell in order] == levels["N"]
    (line,) = [one for one in drawing.figure.axes[0].lines if one.get_gid() == "steps:mle"]
    expected = [estimate_metric("bias", results.table(cell, "mle"), parameter="mu", truth=0.0).value for cell in order]
    assert list(line.get_ydata())[:-1] == expected
    assert [text.get_text() for text in drawing.figure.axes[-1].get_yticklabels()] == ["N", "rho", "dist"]
    assert "ordered by N, within it by rho, within it by dist" in drawing.caption


def test_a_small_grid_needs_no_nested_loops() -> None:
    study, results = made({"N": [50, 100], "rho": [0.1, 0.2]}, replications=10)
    assert drawn(nested, study, results) == []


def test_rank_plots_show_counts_and_the_band() -> None:
    study, results = made({}, methods=("gibbs",), replications=300, rank=True)
    (drawing,) = drawn(ranks, study, results)
    above, below = drawing.figure.axes
    values = results.table(0, "gibbs").columns["mu.rank"]
    assert [one.get_height() for one in above.patches if one.get_gid() != "band"] == np.histogram(
        values, bins=np.arange(0, 101, 5)
    )[0].tolist()
    (line,) = [one for one in below.lines if one.get_gid() == "ecdf"]
    expected = [np.mean(values <= k) - (k + 1) / 100 for k in range(99)]
    assert line.get_ydata() == pytest.approx(expected)
    low, high = ecdf_band(300, 99, 0.05)
    (band,) = [one for one in below.collections if one.get_gid() == "band"]
    heights = band.get_paths()[0].vertices[:, 1]
    assert heights.min() == pytest.approx(np.min(low / 300 - np.arange(1, 100) / 100))
    assert heights.max() == pytest.approx(np.max(high / 300 - np.arange(1, 100) / 100))
    assert "With a fixed truth" in drawing.caption


def test_methods_without_draws_have_no_rank_plot() -> None:
    study, results = made({})
    assert drawn(ranks, study, results) == []


def test_a_method_without_standard_errors_shows_time_instead() -> None:
    def only_estimates(cell, method, columns, failed) -> None:
        for part in ("se", "low", "high"):
            del columns[f"mu.{part}"]

    study, results = made(GRID, change=only_estimates)
    (drawing,) = drawn(panel, study, results)
    assert [axes.get_ylabel() for axes in drawing.figure.axes] == ["Bias", "RMSE", "Time (s)"]
    assert drawn(zips, study, results) == []


def all_failed(cell, method, columns, failed) -> None:
    failed[:] = True


def never_covers(cell, method, columns, failed) -> None:
    columns["mu.low"][:], columns["mu.high"][:] = (5.0, 5.0) if method == "mle" else (-np.inf, np.inf)


def no_spread(cell, method, columns, failed) -> None:
    columns["mu.estimate"][:] = columns["mu.low"][:] = columns["mu.high"][:] = 0.0
    columns["mu.se"][:] = 0.0


def huge(cell, method, columns, failed) -> None:
    for name in columns:
        columns[name] *= 10.0 ** (4 * cell)


LONG = "a doubly robust estimator with a name that does not end where it should, $x_1$ & <b>"
ODD = {
    "one cell, one method": {"grid": {}, "methods": ("mle",), "replications": 20},
    "one replication": {"grid": {"N": [50, 100]}, "replications": 1},
    "no replication": {"grid": {"N": [50, 100]}, "replications": 0},
    "all failed": {"grid": {"N": [50, 100]}, "change": all_failed, "rank": True},
    "coverage 0 and 1": {"grid": {"N": [50, 100]}, "change": never_covers},
    "no spread": {"grid": {"N": [50, 100]}, "change": no_spread},
    "decades": {"grid": {"N": [10, 100, 1000, 10000]}, "change": huge},
    "words as levels": {"grid": {"dist": ["normal", "a distribution with a very long name"]}, "replications": 20},
    "flags as levels": {"grid": {"robust": [True, False]}, "replications": 20},
    "long names": {"grid": {LONG: [1, 2]}, "methods": (LONG, "mle"), "replications": 20, "rank": True},
    "twelve levels, six methods": {
        "grid": {"N": list(range(10, 130, 10))},
        "methods": tuple("abcdef"),
        "replications": 10,
    },
    "ten methods": {"grid": {"N": [50, 100]}, "methods": tuple("abcdefghij"), "replications": 10},
}


@pytest.mark.parametrize("case", ODD, ids=list(ODD))
@pytest.mark.filterwarnings("error")
def test_odd_studies_have_figures_too(case: str) -> None:
    study, results = made(**ODD[case])  # type: ignore[arg-type]
    with journal_style():
        drawings = [one for module in KINDS for one in module.draw(measure(study, results))]
        for drawing in drawings:
            drawing.figure.draw_without_rendering()
    assert drawings[0].name.startswith("panel")


def test_names_that_are_alike_on_disk_do_not_overwrite_one_another(tmp_path: Path) -> None:
    study, results = made({}, methods=("mle",), parameters=("a b", "a_b", "A_b"), replications=10)
    names = [path.name for path in draw_figures(study, results, tmp_path, formats=("svg",))]
    assert [name for name in names if name.startswith("zip") and name.endswith("svg")] == [
        "zip-a_b.svg",
        "zip-a_b~2.svg",
        "zip-A_b~3.svg",
    ]


def test_methods_differ_in_more_than_colour() -> None:
    styles = method_styles([str(number) for number in range(40)])
    assert len({(one.colour, one.marker, str(one.line)) for one in styles.values()}) == 40
    first = list(styles.values())[:7]
    assert len({one.marker for one in first}) == 7 and len({one.colour for one in first}) == 7


def test_an_unknown_format_is_refused_in_one_line(tmp_path: Path) -> None:
    study, results = made({})
    with pytest.raises(StudyRefused, match="svg, pdf, png; gif is not among them"):
        draw_figures(study, results, tmp_path / "none", formats=("gif",))
    assert not (tmp_path / "none").exists()
