"""Studies in R: streams, results, and everything that can happen to an R process."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from statsclaw.montecarlo.batch import Batch, Status, Task
from statsclaw.montecarlo.design import Program, Study, StudyRefused
from statsclaw.montecarlo.programs.r import r_states
from statsclaw.montecarlo.programs.runner import ProgramRunner
from statsclaw.montecarlo.programs.study_file import load_study_file
from statsclaw.montecarlo.streams import r_state, stream_key

pytestmark = pytest.mark.skipif(shutil.which("Rscript") is None, reason="Rscript is not installed")
OK, EXCEPTION, NOT_FINITE, NOT_CONVERGED, TIMEOUT, DIED, NO_DATA = (int(status) for status in Status)


def study(folder: Path, methods: str, dgp: str = "rnorm(5)", names: tuple[str, ...] = ("m",), **more: object) -> Study:
    file = folder / "study.R"
    file.write_text(f"dgp <- function(cell) {{ {dgp} }}\nmethods <- list({methods})\n", encoding="utf-8")
    settings = {"grid": {"n": [5]}, "truth": {"mu": 0.0}, "replications": 10, "seed": 3, **more}
    return Study(name="t", methods=names, program=Program("r", (str(file),), (file,)), **settings)  # type: ignore[arg-type]


def run(of: Study, first: int = 0, count: int = 6, cell: int = 0, size: int | None = None) -> list[Batch]:
    runner = ProgramRunner(of)
    size = size or count
    try:
        starts = range(first, first + count, size)
        return [runner.run(Task(cell, start, min(size, first + count - start)), lambda at: None) for start in starts]
    finally:
        runner.close()


def statuses(batches: list[Batch], method: str = "m") -> list[int]:
    return [int(status) for batch in batches for status in batch.methods[method].status]


def column(batches: list[Batch], name: str, method: str = "m") -> np.ndarray:
    return np.concatenate([batch.methods[method].columns[name] for batch in batches])


def by_hand(tmp_path: Path, expression: str, key: bytes, count: int) -> list[float]:
    """R alone, without the worker, from the states."""
    states = ";".join(f"s({i},c({','.join(f'{w}L' for w in r_state(key, i))}))" for i in range(count))
    script = f"s <- function(i, x) {{ .Random.seed <<- x; cat(sprintf('%.17g\\n', {expression})) }}; {states}"
    done = subprocess.run(["Rscript", "--vanilla", "-e", script], capture_output=True, text=True, check=True)
    return [float(line) for line in done.stdout.split()]


def test_the_stream_of_data_and_of_a_method_are_those_of_their_states(tmp_path: Path) -> None:
    of = study(tmp_path, "m = function(data, cell) list(d = data[2], u = runif(3)[3])")
    batches = run(of)
    cell = of.cells()[0]
    assert column(batches, "d").tolist() == by_hand(tmp_path, "rnorm(5)[2]", stream_key(3, cell, "data"), 6)
    assert column(batches, "u").tolist() == by_hand(tmp_path, "runif(3)[3]", stream_key(3, cell, "method:m"), 6)


def test_states_are_valid_and_can_be_split_further(tmp_path: Path) -> None:
    body = """{ kind <- RNGkind(); before <- .Random.seed
      list(kind = as.numeric(identical(kind, c("L'Ecuyer-CMRG", "Inversion", "Rejection"))),
           split = as.numeric(length(parallel::nextRNGStream(before)) == 7), u = runif(1)) }"""
    batches = run(study(tmp_path, f"m = function(data, cell) {body}"), count=50)
    assert column(batches, "kind").tolist() == column(batches, "split").tolist() == [1.0] * 50
    assert len(set(column(batches, "u").tolist())) == 50


def test_many_states_at_once_are_the_states_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    key = stream_key(1, {"n": 5}, "data")
    assert r_states(key, 7, 200).tolist() == [list(r_state(key, at)) for at in range(7, 207)]
    # a digest that is no valid state: all words above the moduli at the first attempt
    real, calls = __import__("hashlib").sha256, []

    class Invalid:
        def digest(self) -> bytes:
            return b"\xff" * 32

    def sha256(text: bytes) -> object:
        calls.append(text)
        return Invalid() if text.endswith(bytes(4)) else real(text)

    monkeypatch.setattr("hashlib.sha256", sha256)
    assert r_states(key, 0, 2).tolist() == [list(r_state(key, at)) for at in range(2)]
    assert any(not call.endswith(bytes(4)) for call in calls)


def test_results_are_the_same_however_the_tasks_are_cut(tmp_path: Path) -> None:
    methods = """m = function(data, cell) { set.seed(1); x <- rnorm(1); if (data[1] > 1) stop("a")
                   if (data[1] < -1) tools::pskill(Sys.getpid(), 9); list(mu = list(estimate = mean(data), se = x)) },
                 k = function(data, cell) list(mu = list(estimate = rnorm(1)))"""
    of = study(tmp_path, methods, names=("m", "k"))
    whole, single = run(of, count=12), run(of, count=12, size=1)
    uneven = run(of, count=7, size=5) + run(of, first=7, count=5)
    assert {OK, EXCEPTION, DIED} <= set(statuses(whole))
    for other in (single, uneven):
        assert statuses(other) == statuses(whole)
        for method, name in (("m", "mu.se"), ("k", "mu.estimate")):
            mine = np.concatenate([b.methods[method].columns.get(name, np.full(b.task.count, np.nan)) for b in other])
            np.testing.assert_array_equal(mine, column(whole, name, method))
    # the second method is not touched by the death of the first, nor by its set.seed
    assert statuses(whole, "k") == [OK] * 12
    assert len(set(column(whole, "mu.estimate", "k").tolist())) == 12


def test_what_a_method_returns_becomes_columns(tmp_path: Path) -> None:
    result = "list(mu = list(estimate = 0.1, se = 1/3, low = -1, high = 1, reject = TRUE), `accept rate` = 0.3)"
    rows = run(study(tmp_path, f"m = function(data, cell) {result}"), count=2)[0].methods["m"]
    assert {name: values.tolist() for name, values in rows.columns.items()} == {
        "mu.estimate": [0.1] * 2,
        "mu.se": [1 / 3] * 2,
        "mu.low": [-1.0] * 2,
        "mu.high": [1.0] * 2,
        "mu.reject": [1.0] * 2,
        "accept rate": [0.3] * 2,
    }
    assert (rows.seconds > 0).all() and not rows.problems


def test_draws_are_summarised(tmp_path: Path) -> None:
    methods = """m = function(data, cell) list(mu = list(draws = as.numeric(1:100)), x = 1),
                 k = function(data, cell) list(mu = list(draws = matrix(rnorm(400), 4), estimate = 9))"""
    batch = run(study(tmp_path, methods, names=("m", "k")), count=3)[0]
    one, four = batch.methods["m"].columns, batch.methods["k"].columns
    assert one["mu.estimate"].tolist() == [50.5] * 3 and one["x"].tolist() == [1.0] * 3
    np.testing.assert_allclose(one["mu.se"], np.std(np.arange(1, 101), ddof=1))
    # what the method says itself stands, and four chains of independent draws mix
    assert four["mu.estimate"].tolist() == [9.0] * 3 and (four["mu.rhat"] < 1.1).all()


CASES = {
    'stop("bad luck")': (EXCEPTION, "bad luck"),
    "list(mu = NaN)": (NOT_FINITE, "mu.estimate is nan"),
    "list(mu = NA)": (NOT_FINITE, "mu.estimate is nan"),
    "list(mu = list(estimate = 1, se = Inf))": (NOT_FINITE, "mu.se is inf"),
    "list(mu = 1, converged = FALSE)": (NOT_CONVERGED, "did not converge"),
    "list(mu = 1, converged = NA)": (NOT_CONVERGED, "did not converge"),
    "tools::pskill(Sys.getpid(), 9)": (DIED, "SIGKILL"),
    "q()": (DIED, "exit status 0"),
    "quit(status = 3)": (DIED, "exit status 3"),
    "list(mu = list(est = 1))": (EXCEPTION, "'mu' has a field 'est'"),
    "list(mu = c(1, 2))": (EXCEPTION, "'mu' has length 2"),
    'list(mu = "a")': (EXCEPTION, "'mu' is not a number"),
    "list(mu = 1i)": (EXCEPTION, "'mu' is not a number"),
    "list(1)": (EXCEPTION, "needs a name"),
    "list(a = 1, a = 2)": (EXCEPTION, "'a' is returned twice"),
    "NULL": (EXCEPTION, "a method returns a named list"),
    "list()": (EXCEPTION, "an empty list"),
    "list(mu = NULL)": (EXCEPTION, "only NULL"),
    "data.frame(mu = 1)": (EXCEPTION, "named list, not data.frame"),
    "list(mu = list(draws = numeric(0)))": (EXCEPTION, "is empty"),
    "{ f <- function() f(); f() }": (EXCEPTION, ""),
    "{ closeAllConnections(); list(mu = 1) }": (EXCEPTION, "connection"),
    "{ sink(tempfile()); stop('sunk') }": (EXCEPTION, "sunk"),
}


def test_every_failure_is_recorded_where_it_happened_and_nothing_else_is_touched(tmp_path: Path) -> None:
    body = "; ".join(f"if (k == {place}) return({expression})" for place, expression in enumerate(CASES))
    methods = (
        f"m = function(data, cell) {{ k <- data; {body}; list(mu = 1) }}, fine = function(data, cell) list(mu = 2)"
    )
    # the replication is known to the data by its stream only, so the first draws tell which it is
    of = study(tmp_path, methods, names=("m", "fine"))
    firsts = [str(r_state(stream_key(3, of.cells()[0], "data"), at)[1]) for at in range(len(CASES))]
    dgp = f"match(.Random.seed[2], c({', '.join(f'{first}L' for first in firsts)})) - 1"
    of = study(tmp_path, methods, dgp=dgp, names=("m", "fine"))
    batch = run(of, count=len(CASES))[0]
    rows = batch.methods["m"]
    for place, (expression, (status, text)) in enumerate(CASES.items()):
        assert (rows.status[place], text in rows.problems[place]) == (status, True), (expression, rows.problems[place])
    assert batch.methods["fine"].status.tolist() == [OK] * len(CASES)
    assert batch.methods["fine"].columns["mu.estimate"].tolist() == [2.0] * len(CASES)
    assert not batch.methods["fine"].problems


def test_an_error_comes_with_its_calls_and_warnings_are_counted(tmp_path: Path) -> None:
    inner = "inner = function(x) { warning('odd'); warning('odder'); stop('deep') }"
    batch = run(study(tmp_path, f"m = function(data, cell) {{ {inner.replace('=', '<-', 1)}; inner(1) }}"), count=2)[0]
    rows = batch.methods["m"]
    assert rows.warnings.tolist() == [2, 2]
    assert all(word in rows.problems[1] for word in ("deep", "inner(1)", "odd", "odder"))
    assert "worker" not in rows.problems[1] and "tryCatch" not in rows.problems[1]


def test_a_warning_of_a_success_is_kept(tmp_path: Path) -> None:
    rows = run(study(tmp_path, "m = function(data, cell) { as.numeric('x'); list(mu = 1) }"), count=2)[0].methods["m"]
    assert (
        rows.status.tolist() == [OK, OK] and rows.warnings.tolist() == [1, 1] and "NAs introduced" in rows.problems[0]
    )


def test_what_is_printed_is_kept_with_the_method_that_printed_it(tmp_path: Path) -> None:
    methods = """m = function(data, cell) { cat("to stdout\\n"); message("to stderr"); system("echo from a child")
                   list(mu = 1) },
                 big = function(data, cell) { for (i in 1:1000) cat(strrep("x", 10000)); cat("the end"); list(mu = 1) },
                 silent = function(data, cell) list(mu = 1)"""
    batch = run(study(tmp_path, methods, names=("m", "big", "silent")), count=2)[0]
    assert all(batch.methods[name].status.tolist() == [OK, OK] for name in batch.methods)
    assert all(word in batch.methods["m"].problems[1] for word in ("to stdout", "to stderr", "from a child"))
    assert "the end" in batch.methods["big"].problems[0] and len(batch.methods["big"].problems[0]) < 5000
    assert not batch.methods["silent"].problems


@pytest.mark.parametrize(
    ("body", "stops"),
    [
        ("repeat {}", True),
        # R 4.2 does not look at the time while it sleeps
        ("Sys.sleep(30)", False),
        ("tryCatch(repeat {}, error = function(e) repeat {})", False),
    ],
)
def test_a_method_that_takes_too_long_is_stopped_alone(
    tmp_path: Path, body: str, stops: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R stops it by itself; only a method that R cannot stop may cost the process."""
    if stops:
        monkeypatch.setattr("statsclaw.montecarlo.programs.runner.GRACE_S", 60.0)
    methods = f"""m = function(data, cell) {{ if (data[1] > 0.5) {body}; list(mu = 1) }},
                  k = function(data, cell) list(mu = 1, pid = Sys.getpid())"""
    batch = run(study(tmp_path, methods, names=("m", "k"), timeout=0.3), count=4)[0]
    firsts = by_hand(tmp_path, "rnorm(5)[1]", stream_key(3, {"n": 5}, "data"), 4)
    assert batch.methods["m"].status.tolist() == [TIMEOUT if first > 0.5 else OK for first in firsts]
    assert {TIMEOUT, OK} == set(batch.methods["m"].status.tolist())
    assert batch.methods["k"].status.tolist() == [OK] * 4
    if stops:
        assert len(set(batch.methods["k"].columns["pid"].tolist())) == 1


def test_a_process_stuck_in_compiled_code_is_killed(tmp_path: Path) -> None:
    # the child of system() holds the pipes open and R cannot be interrupted while it waits
    methods = "m = function(data, cell) { system(\"trap '' INT TERM; sleep 60\"); list(mu = 1) }"
    batch = run(study(tmp_path, methods, timeout=0.2), count=1)[0]
    assert batch.methods["m"].status.tolist() == [TIMEOUT]


def test_data_that_cannot_be_drawn(tmp_path: Path) -> None:
    dgp = 'x <- rnorm(1); if (x > 0.5) stop("no data today"); if (x < -0.5) tools::pskill(Sys.getpid(), 9); x'
    batches = run(
        study(tmp_path, "m = function(data, cell) list(mu = data), k = function(d) list(mu = d)", dgp, ("m", "k")),
        count=12,
    )
    first = by_hand(tmp_path, "rnorm(1)", stream_key(3, {"n": 5}, "data"), 12)
    wanted = [NO_DATA if x > 0.5 else DIED if x < -0.5 else OK for x in first]
    assert statuses(batches, "m") == statuses(batches, "k") == wanted and {NO_DATA, DIED, OK} == set(wanted)
    assert "no data today" in batches[0].methods["k"].problems[wanted.index(NO_DATA)]


@pytest.mark.parametrize(("dgp", "noticed"), [("1:100", True), ("set.seed(1); rnorm(5)", True), ("rnorm(5)", False)])
def test_data_that_ignore_their_stream_are_noticed(tmp_path: Path, dgp: str, noticed: bool) -> None:
    batch = run(study(tmp_path, "m = function(data, cell) list(mu = 1)", dgp), count=3)[0]
    assert any("does not use its stream" in remark for remark in batch.remarks) == noticed


def test_a_method_that_changes_its_data_changes_its_own(tmp_path: Path) -> None:
    methods = "m = function(data, cell) { data[] <- 99; list(mu = 1) }, k = function(data, cell) list(mu = mean(data))"
    batch = run(study(tmp_path, methods, names=("m", "k")), count=3)[0]
    assert (np.abs(batch.methods["k"].columns["mu.estimate"]) < 10).all()


def test_levels_and_names_arrive_as_they_are(tmp_path: Path) -> None:
    text = "zwei Wörter \"'\\ €"
    grid = {"größe x": [3, 0.1], "how": [text], "flag": [True]}
    methods = """`größte Mühe` = function(data, cell) { stopifnot(identical(names(cell), c("größe x", "how", "flag")),
        isTRUE(cell$flag), is.double(cell[["größe x"]]))
        list(mu = cell[["größe x"]], `n Zeichen` = nchar(cell$how)) }"""
    of = study(tmp_path, methods, names=("größte Mühe",), grid=grid)
    batch = run(of, cell=1, count=2)[0]
    rows = batch.methods["größte Mühe"]
    assert rows.status.tolist() == [OK, OK], rows.problems
    assert rows.columns["mu.estimate"].tolist() == [0.1, 0.1] and rows.columns["n Zeichen"].tolist() == [len(text)] * 2


def test_a_study_that_masks_the_functions_of_r_disturbs_only_itself(tmp_path: Path) -> None:
    masks = "c <- names <- writeBin <- unlist <- function(...) stop('masked'); m <- "
    of = study(tmp_path, "m = m")
    file = tmp_path / "study.R"
    file.write_text(f"{masks} function(data, cell) list(mu = 1)\n{file.read_text()}")
    assert statuses(run(of, count=2)) == [OK, OK]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dgp <- function(cell) {\n  1 +* 2\n}", "2:6"),
        ("methods <- list(m = identity)", "no function dgp"),
        ("dgp <- function(cell) 1", "no methods"),
        ("dgp <- function(cell) 1; methods <- list(a = identity)", "defines the methods a; the study names m"),
        ("dgp <- function(cell) 1; methods <- list(m = 3)", "methods$m is not a function"),
        ("library(nosuchpackage)", "nosuchpackage"),
        ("q(status = 7)", "exit status 7"),
        ("\0\x01\x02", ""),
    ],
)
def test_a_file_that_is_no_study_is_refused_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    of = study(tmp_path, "m = identity")
    (tmp_path / "study.R").write_text(text)
    with pytest.raises(StudyRefused) as refused:
        ProgramRunner(of)
    assert said in str(refused.value) and "\n" not in str(refused.value) and "study.R" in str(refused.value)


def test_methods_left_out_of_a_task_are_not_run(tmp_path: Path) -> None:
    methods = "m = function(data, cell) tools::pskill(Sys.getpid(), 9), k = function(data, cell) list(mu = runif(1))"
    of = study(tmp_path, methods, names=("m", "k"))
    runner, started = ProgramRunner(of), []
    try:
        batch = runner.run(Task(0, 4, 2, without=("m",)), started.append)
        assert list(batch.methods) == ["k"] and batch.methods["k"].status.tolist() == [OK, OK] and started == [4, 5]
        whole = runner.run(Task(0, 4, 2), lambda at: None)
        np.testing.assert_array_equal(
            whole.methods["k"].columns["mu.estimate"], batch.methods["k"].columns["mu.estimate"]
        )
    finally:
        runner.close()


def test_r_missing_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(StudyRefused, match="Rscript cannot be started"):
        ProgramRunner(study(tmp_path, "m = identity"))


def test_the_documented_study_runs(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "how-to" / "study-in-r.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(\w+)\n(.*?)```", text, flags=re.DOTALL)
    (tmp_path / "study.R").write_text(next(block for kind, block in blocks if kind == "r"))
    (tmp_path / "study.toml").write_text(next(block for kind, block in blocks if kind == "toml"))
    of = load_study_file(tmp_path / "study.toml")
    batches = run(of, cell=2, count=300)
    assert statuses(batches, "ols") == statuses(batches, "hac") == [OK] * 300
    inside = (column(batches, "mu.low", "ols") < 0) & (column(batches, "mu.high", "ols") > 0)
    # n = 200, rho = 0: nominal coverage
    assert abs(inside.mean() - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 300)
    rows = text.split("## Truth that depends")[1].split("```toml")[1].split("```")[0]
    study_file = (tmp_path / "study.toml").read_text().replace("[truth]\nmu = 0.0\n", rows)
    (tmp_path / "study.toml").write_text(study_file)
    truths = load_study_file(tmp_path / "study.toml")
    assert [truths.truth_in(cell)["mu"] for cell in truths.cells()] == [0.0, 0.1, 0.0, 0.1]


def test_closed_connections_cost_only_the_methods_that_close_them(tmp_path: Path) -> None:
    methods = "m = function(data, cell) { if (data[1] > 0) closeAllConnections(); list(mu = 4) }"
    batches = run(study(tmp_path, methods), count=12)
    firsts = by_hand(tmp_path, "rnorm(5)[1]", stream_key(3, {"n": 5}, "data"), 12)
    closing = next(at for at, first in enumerate(firsts) if first > 0)
    later = run(study(tmp_path, methods), first=closing, count=12 - closing)
    assert statuses(batches) == [EXCEPTION if first > 0 else OK for first in firsts]
    # the same where the very first answer of a process is the one that gets lost
    assert statuses(later) == statuses(batches)[closing:]
    np.testing.assert_array_equal(column(later, "mu.estimate"), column(batches, "mu.estimate")[closing:])


def test_r_runs_in_the_folder_of_the_study_file(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    of = study(tmp_path / "code", "m = function(data, cell) list(mu = as.numeric(readLines('here.txt')))")
    (tmp_path / "here.txt").write_text("42\n")
    batches = run(replace(of, origin=tmp_path / "study.toml"), count=1)
    assert column(batches, "mu.estimate").tolist() == [42.0]
