"""Study files: what they become, and what is refused, in one line that says where."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from statsclaw.montecarlo.design import Criterion, Study, StudyRefused
from statsclaw.montecarlo.programs.study_file import load_study_file

TOML = """\
name = "coverage"
replications = 200
seed = 7
methods = ["ols", "hac"]
timeout = 2.5

[program]
r = "study.R"
files = ["more/data.csv"]

[grid]
n = [50, 200]
rho = [0.0, 0.5]
how = ["AR(1), strong", "weiß nicht"]

[truth]
mu = 0

[[criterion]]
id = "C1"
metric = "coverage"
method = "ols"
parameter = "mu"
low = 0.9
high = 0.99
cells = { n = 50, rho = [0.0, 0.5] }

[[criterion]]
id = "C2"
metric = "rate"
method = "hac"
parameter = "mu"
axis = "n"
low = -0.6
high = -0.4
"""
YAML = """\
name: coverage
replications: 200
seed: 7
methods: [ols, hac]
program: {command: [./simulate, --batch, plain]}
grid:
  n: [50, 200]
truth:
  - {n: 50, mu: 1.0, tau: 2}
  - {n: 200, mu: 3.0, tau: 4}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "study.R").write_text("")
    (tmp_path / "simulate").write_text("")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "data.csv").write_text("")
    return tmp_path


def load(folder: Path, text: str | bytes, suffix: str = ".toml") -> Study:
    file = folder / f"study{suffix}"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_study_file(file)


def refusal(folder: Path, text: str | bytes, suffix: str = ".toml") -> str:
    with pytest.raises(StudyRefused) as refused:
        load(folder, text, suffix)
    said = str(refused.value)
    assert "\n" not in said and said.startswith(f"study{suffix}") and len(said) < 1100, said
    return said


def test_a_toml_file_becomes_a_study(folder: Path) -> None:
    study = load(folder, TOML)
    assert (study.name, study.replications, study.seed, study.timeout) == ("coverage", 200, 7, 2.5)
    assert study.method_names == ("ols", "hac") and len(study.cells()) == 8 and study.level == 0.95
    assert study.program is not None and study.program.language == "r"
    assert study.program.argv == (str(folder / "study.R"),)
    assert study.program.files == (folder / "study.R", folder / "more" / "data.csv")
    assert study.criteria[0] == Criterion(
        "C1", "coverage", "ols", "mu", 0.9, 0.99, {"n": [50], "rho": [0.0, 0.5]}, faults=[]
    )
    assert study.selected(study.criteria[0]) == [0, 1, 2, 3] and study.origin == folder / "study.toml"


def test_a_yaml_file_becomes_a_study_with_truth_by_cell(folder: Path) -> None:
    study = load(folder, YAML, ".yaml")
    assert [study.truth_in(cell) for cell in study.cells()] == [{"mu": 1, "tau": 2}, {"mu": 3, "tau": 4}]
    assert study.program is not None and study.program.argv == (str(folder / "simulate"), "--batch", "plain")
    assert study.program.files == (folder / "simulate",)
    assert pickle.loads(pickle.dumps(study)).design_sha256 == study.design_sha256


def test_truth_from_a_csv_file_and_by_some_axes(folder: Path) -> None:
    (folder / "truth.csv").write_text(
        '\ufeffhow,n,mu\n"a, b",50,0.5\nc,50.0,1e-3\n"a, b",200,2\nc,200,3\n', encoding="utf-8"
    )
    grid = '[grid]\nn = [50, 200]\nhow = ["a, b", "c"]\nflag = [true, false]\n'
    text = 'name = "x"\nreplications = 1\nseed = 0\nmethods = ["m"]\ntruth = "truth.csv"\n'
    text += f'{grid}[program]\nr = "study.R"\n'
    study = load(folder, text)
    assert [study.truth_in(cell)["mu"] for cell in study.cells()] == [0.5, 0.5, 0.001, 0.001, 2, 2, 3, 3]
    for broken in ("how,n,mu\nc,50\n", "how,n,mu\nc,50,x\n", "", "how,n,mu\nc,50,1\n", "n,mu\n50,nan\n200,1\n", 'a\n"'):
        (folder / "truth.csv").write_text(broken)
        refusal(folder, text)


def test_a_level_that_is_true_is_not_one(folder: Path) -> None:
    text = TOML.replace("[50, 200]", "[1, 2]").replace("n = 50", "n = 1").replace("[truth]\nmu = 0\n", "")
    rows = "[[truth]]\nn = true\nmu = 1\n[[truth]]\nn = 2\nmu = 1\n"
    assert "n=1" in refusal(folder, text + rows)


WRONG = {
    ("replications = 200", "replications = nan"): "line 2: replications",
    ("replications = 200", "replications = 200.0"): "line 2: replications",
    ("replications = 200", 'replications = "200"'): "line 2: replications",
    ("replications = 200", "replications = true"): "line 2: replications",
    ("replications = 200", "replications = 0"): "replications",
    ("replications = 200", "replicatons = 200"): "line 2: the key 'replicatons' is not known",
    ("replications = 200", ""): "'replications' is missing",
    ("replications = 200", "replications = 200\nreplications = 300"): "line 3",
    ("seed = 7", "seed = -1"): "seed",
    ("seed = 7", f"seed = {2**64}"): "seed",
    ("timeout = 2.5", "timeout = nan"): "timeout",
    ("timeout = 2.5", "timeout = -1"): "timeout",
    ("timeout = 2.5", "level = 95"): "level",
    ("timeout = 2.5", "cap = 3"): "cap",
    ('["ols", "hac"]', "[]"): "no methods",
    ('["ols", "hac"]', '["ols", "ols"]'): "same name",
    ('["ols", "hac"]', '"ols"'): "line 4: methods",
    ('["ols", "hac"]', '["ols", 3]'): "line 4: methods.1",
    ('["ols", "hac"]', r'["ols", "h\nac"]'): "method",
    ('["ols", "hac"]', r'["ols", "h/ac"]'): "method",
    ("[50, 200]", "[50, nan]"): "line 12: grid.n.1",
    ("[50, 200]", "[50, inf]"): "line 12: grid.n.1",
    ("[50, 200]", "[50, [200]]"): "line 12: grid.n.1",
    ("[50, 200]", "[50, 1979-05-27]"): "line 12: grid.n.1",
    ("[50, 200]", f"[50, 1{'0' * 400}]"): "line 12: grid.n.1",
    ("[50, 200]", "[50, 50]"): "twice",
    ("[50, 200]", "[]"): "no levels",
    ("[50, 200]", "50"): "line 12: grid.n",
    ("rho =", r'"r,ho\n=" ='): "axis",
    ("mu = 0", "mu = nan"): "line 17: truth.mu",
    ("mu = 0", "mu = true"): "line 17: truth.mu",
    ("mu = 0", 'mu = "0"'): "line 17: truth.mu",
    ("[truth]\nmu = 0", "[truth]"): "parameter",
    ('r = "study.R"', 'r = "nosuch.R"'): "nosuch.R",
    ('r = "study.R"', 'r = ""'): "line 7: program",
    ('r = "study.R"', 'command = ["a"]\nr = "study.R"'): "line 7: program",
    ('r = "study.R"', ""): "line 7: program",
    ('r = "study.R"', 'r = "study\\u0000.R"'): "no file",
    ('r = "study.R"', 'r = "more"'): "no file",
    ('files = ["more/data.csv"]', 'files = ["/nosuch"]'): "nosuch",
    ('id = "C2"', 'id = "C1"'): "C1",
    ('id = "C2"', ""): "line 28: the key 'criterion.1.id' is missing",
    ('axis = "n"', 'axes = "n"'): "line 33: the key 'criterion.1.axes'",
    ('axis = "n"', 'axis = "m"'): "axis",
    ("low = -0.6", "low = 3"): "C2",
    ("low = -0.6", "low = nan"): "C2",
    ("n = 50, rho", "m = 50, rho"): "axis",
    ("n = 50, rho", "n = 51, rho"): "51",
    ('method = "hac"', 'method = "gmm"'): "gmm",
    ("[grid]", "[grid"): "line 11",
    ('name = "coverage"', 'name = ""'): "name",
    ('name = "coverage"', r'name = "a\u001b[31m"'): "name",
}


@pytest.mark.parametrize("change", WRONG)
def test_what_is_wrong_is_said_in_one_line(folder: Path, change: tuple[str, str]) -> None:
    assert change[0] in TOML
    assert WRONG[change] in refusal(folder, TOML.replace(*change))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\x00n\x00",
        b"\0" * 1000,
        b"\x89PNG\r\n",
        b"a = [" + b"[" * 100_000,
        b"x" * (11 << 20),
        b"a.b.c = 1",
    ],
)
@pytest.mark.parametrize("suffix", [".toml", ".yaml"])
def test_no_study_at_all(folder: Path, content: bytes, suffix: str) -> None:
    refusal(folder, content, suffix)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("seed: 7", "seed: 7\nseed: 8"), "line 4: the key 'seed' is given twice"),
        (("seed: 7", "seed: [1"), "line"),
        (("seed: 7", "seed: !!python/object/apply:os.getcwd []"), "line 3"),
        (("n: [50, 200]", "n: &a [50, *a]"), "line 7"),
        (("n: [50, 200]", "n: [50, .nan]"), "line 7: grid.n.1"),
        (("methods: [ols, hac]", "methods: [ols, no]"), "line 4: methods.1"),
        (("n: 200, mu: 3.0", "n: 201, mu: 3.0"), "n=200"),
        (("n: 200, mu: 3.0", "n: 50, mu: 3.0"), "n=50"),
        (("n: 200, mu: 3.0", "n: 200, mu: x"), "mu"),
        (("[./simulate, --batch, plain]", "['']"), "line 5: program"),
        (("[./simulate, --batch, plain]", "[]"), "line 5: program"),
    ],
)
def test_what_is_wrong_with_yaml(folder: Path, change: tuple[str, str], said: str) -> None:
    assert change[0] in YAML
    assert said in refusal(folder, YAML.replace(*change), ".yaml")


def test_a_bomb_of_references_is_refused_at_once(folder: Path) -> None:
    levels = "\n".join(f"  a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9) or '1'}]" for i in range(1, 12))
    refusal(folder, f"grid:\n  a0: &a0 [x]\n{levels}\n", ".yaml")


def test_files_that_are_not_there(folder: Path) -> None:
    for name in ("nosuch.toml", "more.toml", "study.R"):
        if name == "more.toml":
            (folder / name).mkdir()
        with pytest.raises(StudyRefused) as refused:
            load_study_file(folder / name)
        assert "\n" not in str(refused.value)
