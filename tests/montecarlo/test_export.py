"""What is exported is what the engine computes from, to the last bit, in every format."""

from __future__ import annotations

import csv
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from statsclaw.montecarlo import load_study, run
from statsclaw.montecarlo.exporting import rows
from statsclaw.montecarlo.exporting.files import export
from statsclaw.montecarlo.exporting.rows import Replications
from statsclaw.montecarlo.metrics.summary import summarise
from statsclaw.montecarlo.storage.store import Store
from statsclaw.montecarlo.streams import DATA, stream_key
from tests.montecarlo.test_mc_commands import Said, mc

STUDY = """
import warnings
import numpy as np
from statsclaw.montecarlo import Estimate, Study

def dgp(cell, rng):
    return rng.normal(1.0, 2.0, size=int(cell["n"]))

def both(data, cell):
    if data[0] > 3:
        raise ValueError('too "large",\\nsaid 日本')
    if data[0] < -1:
        warnings.warn("rather small")
    m, s = data.mean(), data.std(ddof=1)
    e = s / np.sqrt(len(data))
    return {"mu": Estimate(m, e, low=m - 2 * e, high=m + 2 * e, reject=m > 2), "sigma": s, "cell": m**9}

def third(data, cell):
    return {"mu": data[0] / 3e300}

study = Study(name="x", dgp=dgp, grid={"n": [5, 9], "se": ["a", "b"], "far": [True, False]},
    methods={"both": both, "third": third}, truth={"mu": 1.0, "sigma": 2.0}, replications=60, seed=11)
"""


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Store]:
    file = tmp_path_factory.mktemp("export") / "study.py"
    file.write_text(STUDY, encoding="utf-8")
    return file, run(load_study(file), workers=0)


def _table(file: Path, store: Store, **options: bool) -> Replications:
    return Replications(load_study(file), store, **options)


def test_csv_gives_every_double_again_and_has_a_row_for_each_parameter(
    done: tuple[Path, Store], tmp_path: Path
) -> None:
    file, store = done
    table = _table(file, store)
    export(table, tmp_path / "all.csv", "csv")
    found = list(csv.DictReader((tmp_path / "all.csv").open(newline="", encoding="utf-8")))
    assert len(found) == table.rows == 8 * 60 * (2 + 1)
    at = 0
    for cell in range(8):
        for method, parameters in (("both", ("mu", "sigma")), ("third", ("mu",))):
            kept, statuses = store.table(cell, method), store.statuses(cell, method)
            for replication in range(60):
                for parameter in parameters:
                    row, at = found[at], at + 1
                    place = (row["cell"], row["method"], row["replication"], row["parameter"])
                    assert place == (str(cell), method, str(replication), parameter)
                    said = float(row["estimate"] or "nan")
                    assert np.float64(said).tobytes() == kept.columns[f"{parameter}.estimate"][replication].tobytes()
                    assert (row["status"] == "ok") == (statuses[replication] == 0)
    failed = [row for row in found if row["status"] == "exception"]
    assert failed and all('too "large",\nsaid 日本' in row["problem"] and not row["estimate"] for row in failed)
    assert {row["axis_se"] for row in found} == {"a", "b"} and {row["far"] for row in found} == {"true", "false"}
    assert {row["field_cell"] for row in found if row["method"] == "third"} == {""}
    assert any(row["warnings"] == "1" and "rather small" in row["problem"] for row in found)


def test_blocks_are_small_and_give_the_same_rows(done: tuple[Path, Store], monkeypatch: pytest.MonkeyPatch) -> None:
    file, store = done
    whole = list(_table(file, store).blocks())
    monkeypatch.setattr(rows, "BLOCK", 7)
    pieces = list(_table(file, store).blocks())
    place = [column.name for column in _table(file, store).columns].index("estimate")
    assert len(whole) == 16 and len(pieces) == 16 * 9
    one, other = (np.concatenate([values[place] for values in found]) for found in (whole, pieces))
    assert one.tobytes() == other.tobytes()


def test_wide_parquet_has_one_row_for_each_method_and_replication(done: tuple[Path, Store], tmp_path: Path) -> None:
    file, store = done
    export(_table(file, store, wide=True, streams=True), tmp_path / "w.parquet", "parquet")
    found = pq.read_table(tmp_path / "w.parquet")
    assert found.num_rows == 8 * 60 * 2 and {"mu.estimate", "sigma.truth", "mu.reject"} <= set(found.column_names)
    first = found.slice(0, 60).to_pydict()
    key = np.frombuffer(bytes.fromhex(first["data_stream"][7])[:16], "<u8")
    assert first["data_stream"][7] == stream_key(11, {"n": 5, "se": "a", "far": True}, DATA).hex()
    data = np.random.Generator(np.random.Philox(key=key, counter=[0, 0, 0, 7])).normal(1.0, 2.0, size=5)
    assert first["status"][7] == "ok" and data.mean() == first["mu.estimate"][7]


R_CHECK = """
d <- readRDS(commandArgs(TRUE)[1])
ok <- subset(d, parameter == "mu" & status == "ok" & method == "both")
covered <- ok$low <= ok$truth & ok$truth <= ok$high
cat(sprintf("%a %a\\n", tapply(ok$estimate, ok$cell, mean) - 1, tapply(covered, ok$cell, mean)), sep = "")
e <- subset(d, method == "third")$estimate
cat(is.data.frame(d), nrow(d), is.logical(d$far), is.logical(d$reject), sum(is.na(d$reject)), Encoding(grep("large",
  d$problem, value = TRUE)[1]), identical(d, unserialize(serialize(d, NULL))), sprintf("%a", e[5]), "\\n")
"""


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs R")
def test_r_recomputes_bias_and_coverage_from_the_rds(done: tuple[Path, Store], tmp_path: Path) -> None:
    file, store = done
    table = _table(file, store)
    export(table, tmp_path / "all.rds", "rds")
    (tmp_path / "check.R").write_text(R_CHECK)
    command = ["Rscript", "--vanilla", str(tmp_path / "check.R"), str(tmp_path / "all.rds")]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    summary = summarise(load_study(file), store)
    for cell in range(8):
        bias, coverage = (float.fromhex(word) for word in lines[cell].split())
        known = [summary.find(metric, cell=cell, method="both", parameter="mu") for metric in ("bias", "coverage")]
        assert (bias, coverage) == pytest.approx([row.value for row in known if row], rel=1e-12)
    missing = 8 * 60 * 2 + sum(int(store.table(cell, "both").failed.sum()) for cell in range(8))
    value = store.table(0, "third").columns["mu.estimate"][4]
    assert lines[8].split() == [
        "TRUE", str(table.rows), "TRUE", "TRUE", str(missing), "UTF-8", "TRUE", lines[8].split()[-1],
    ]  # fmt: skip
    assert float.fromhex(lines[8].split()[-1]) == value


def test_the_command_writes_beside_the_results_and_refuses_in_one_line(done: tuple[Path, Store]) -> None:
    folder = done[0].parent
    said = mc(folder, "export", "study.py", "--rds", "--wide")
    assert said.returncode == 0 and "study.results/replications.rds: 960 rows" in said.stdout, said
    assert mc(folder, "export", "study.py", "--to", "b.parquet").returncode == 0
    assert pq.read_metadata(folder / "b.parquet").num_rows == 1440
    printed = mc(folder, "export", "study.py", "--to", "-").stdout.splitlines()
    assert printed[0].startswith('"cell","cell_name","n","axis_se"') and "wrote" not in printed[-1]
    for arguments, told in (
        (["--csv", "--rds"], "one format at a time"),
        (["--to", "-", "--rds"], "only CSV"),
        (["--to", "study.py/x.csv"], "there is no folder study.py"),
        (["--to", "study.results"], "cannot be written"),
        (["--out", "nowhere"], "there are no results"),
    ):
        refused: Said = mc(folder, "export", "study.py", *arguments)
        assert refused.returncode == 4 and told in refused.stderr and len(refused.stderr.splitlines()) == 1, refused
    assert not list(folder.rglob("*.partial"))
