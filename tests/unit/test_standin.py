from __future__ import annotations

import importlib
import inspect
import json
import multiprocessing
import os
import pickle
import random
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statsclaw.specs.blocks import check, read_yaml, the_block
from statsclaw.specs.interface import Interface
from statsclaw.verify.standin import WORKER, Unwritable, door_python, null_python, null_r
from statsclaw.verify.standin import null_r as null_r_function
from statsclaw.verify.standin.door import _statsclaw_plain as plain
from statsclaw.verify.standin.door import worker as worker_script
from statsclaw.verify.standin.null_r import default as r_default
from statsclaw.verify.standin.python_text import default as python_default

HONEST = Path(__file__).parents[1] / "support" / "honest"
Open = Callable[[Interface, Path], tuple[ModuleType, str]]


def interface_of(text: str) -> Interface:
    block = the_block("interface.md", f"```yaml interface\n{text}\n```\n", "yaml", "interface")
    assert block is not None
    return check(read_yaml(block), Interface)


def tinymean() -> Interface:
    text = (HONEST / "out" / "interface.md").read_text()
    block = the_block("interface.md", text, "yaml", "interface")
    assert block is not None
    return check(read_yaml(block), Interface)


def write(folder: Path, made: dict[str, str]) -> Path:
    for name, text in made.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def forget(package: str) -> None:
    for name in [name for name in sys.modules if name == package or name.startswith(package + ".")]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """Imports the door to a package, whose worker ends with the tests of this file."""
    patch, workers, packages = pytest.MonkeyPatch(), [], []

    def open_it(interface: Interface, site: Path) -> tuple[ModuleType, str]:
        folder = tmp_path_factory.mktemp("door") / ("long" * 30 if interface.package == "broken" else "d")
        folder.mkdir()  # an address of a socket has at most 107 bytes, a folder of the person may have more
        write(folder / "made", door_python(interface))
        argv = [sys.executable, "-I", "-B", str(WORKER), str(folder / "s"), str(site), interface.package]
        workers.append(subprocess.Popen(argv, cwd=folder))
        patch.syspath_prepend(folder / "made")
        forget(interface.package)
        packages.append(interface.package)
        return importlib.import_module(interface.package), str(folder / "s")

    yield open_it
    patch.undo()
    for name in packages:
        forget(name)
    for process in workers:
        process.kill()
        process.wait()


# --- meaningless values -----------------------------------------------------------------------------------------------

EVERYTHING = interface_of("""
package: shapes.inner
functions:
  - name: fit
    arguments:
      - {name: X}
      - {name: y}
      - {name: k, default: 2}
      - {name: bound, default: np.inf, keyword_only: true}
    returns:
      type: object
      fields:
        - {name: coef, type: array, shape: [cols(X) + 1]}
        - {name: cov, type: array, shape: [cols(X), k]}
        - {name: residuals, type: array, shape: [length(y)]}
        - {name: steps, type: integer}
        - {name: ok, type: boolean}
        - {name: note, type: text}
        - {name: unknown, type: array, shape: [cols(nothing)]}
        - {name: big, type: array, shape: [999999, 999999]}
        - {name: table, type: table, shape: [rows(X), 2]}
  - {name: number, arguments: [{name: x, default: "[1, 2]"}], returns: {type: number}}
classes:
  - name: Model
    arguments: [{name: k, default: 3}]
    fields: [{name: size, type: integer}]
    methods: [{name: predict, arguments: [{name: self}, {name: new}], returns: {type: array, shape: [rows(new), k]}}]
""")


@pytest.fixture
def shapes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(write(tmp_path, null_python(EVERYTHING)))
    yield importlib.import_module("shapes.inner")
    forget("shapes")


def test_null_package_has_types_and_shapes(shapes: ModuleType) -> None:
    found = shapes.fit(np.ones((7, 4)), [1.0] * 7)
    assert type(found).__name__ == "FitResult" and found["coef"] is found.coef
    assert found.coef.shape == (5,) and found.cov.shape == (4, 2) and found.residuals.shape == (7,)
    assert found.unknown.shape == (3,) and found.big.size <= 2_000_000
    assert (type(found.steps), type(found.ok), type(found.note)) == (int, bool, str)
    assert np.isfinite(found.coef).all() and len(found.table["V1"]) == 7
    assert shapes.Model(k=2).predict(np.ones((5, 1))).shape == (5, 2)
    assert isinstance(shapes.Model().size, int)
    assert str(inspect.signature(shapes.fit)) == "(X, y, k=2, *, bound=np.inf)"
    assert str(inspect.signature(shapes.number)) == "(x=[1, 2])"


def test_null_values_are_signed_and_new_at_every_call(shapes: ModuleType) -> None:
    values = [shapes.number(1) for _ in range(50)]
    assert len(set(values)) == 50 and min(values) < 0 < max(values)
    assert all(3 < abs(value) < 4000 for value in values)


def test_null_never_raises_for_bad_input(shapes: ModuleType) -> None:
    class Broken:
        shape = property(lambda self: 1 / 0)
        __len__ = None
        __qualname__ = "x"

    cycle: list[Any] = []
    cycle.append(cycle)
    for bad in (None, Broken(), cycle, float("nan"), "text", object(), {1: {2}}, np.array([None, 1]), -5, 10**9):
        assert shapes.fit(bad, bad, bad).coef is not None
        assert shapes.Model(bad).predict(bad) is not None


def test_null_values_repeat_in_a_fresh_process_and_follow_the_arguments(tmp_path: Path) -> None:
    write(tmp_path, null_python(tinymean()))
    code = "import tinymean, sys; x = eval(sys.argv[1]); print(tinymean.mean(x), tinymean.interval(x).se)"

    def said(argument: str, salt: str = "") -> bytes:
        env = {"PYTHONPATH": str(tmp_path), "STATSCLAW_STANDIN": salt}
        return subprocess.run([sys.executable, "-B", "-c", code, argument], env=env, capture_output=True).stdout

    assert said("[1.0, {'a'}]") == said("[1.0, {'a'}]") != b""
    assert said("[1.0]") != said("[2.0]")
    assert said("[1.0]") != said("[1.0]", "another")


@pytest.mark.parametrize(
    "text",
    [
        "np.inf",
        "__import__('os').system('x')",
        "[].append(1)",
        "'",
        "(" * 400,
        "1 if 1 else 2",
        "x" * 5000,
        "lambda: 0",
    ],
)
def test_python_default_that_is_no_literal_is_only_shown(text: str) -> None:
    written = python_default(text, "_null")
    assert written == f"_null.Default({text[:1000]!a})"


def test_python_literals_stay() -> None:
    for text in ("None", "-1", "1e-8", "'a\\nb'", "(1, [2, {'k': None}])", "b'x'"):
        assert eval(python_default(text, "_null")) == eval(text)
    assert python_default("1 # ): import os", "_null") == "1" and python_default("(1,\n2)", "_null") == "(1, 2)"


@pytest.mark.parametrize(
    ("package", "function", "argument"),
    [
        ("os", "f", "x"),
        ("numpy.fake", "f", "x"),
        ("a..b", "f", "x"),
        ("class", "f", "x"),
        ("ok", "a.b", "x"),
        ("ok", "f", "lambda"),
        ("ok", "f", "..."),
    ],
)
def test_names_that_python_cannot_have_are_refused(package: str, function: str, argument: str) -> None:
    hostile = interface_of(f"package: {package}\nfunctions: [{{name: {function}, arguments: [{{name: {argument}}}]}}]")
    for made in (null_python, door_python):
        with pytest.raises(Unwritable):
            made(hostile)


def test_signature_that_python_cannot_have_is_refused() -> None:
    rows = "[{name: a, default: 1}, {name: b}]"
    with pytest.raises(Unwritable, match="no default"):
        null_python(interface_of(f"package: ok\nfunctions: [{{name: f, arguments: {rows}}}]"))


# --- R ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["1", "-1.5e-3", "10L", "NULL", "NA_real_", "-Inf", '"a"', "'it\\'s'", "c(1, NA,'b')"])
def test_r_literals_stay(text: str) -> None:
    assert r_default(text) == text


@pytest.mark.parametrize(
    "text",
    [
        'system("x")',
        "c(1, system('x'))",
        '"a"; system("x")',
        '"a" + "b',
        "c(",
        "c(1,)",
        "c(1 2)",
        "1\nsystem('x')",
        "'\\",
        "function() 1",
        "{1}",
        "'" * 3,
        '"bell \a"',
        "c(" + "1," * 600 + "1)",
        "T",
    ],
)
def test_r_default_that_is_no_literal_becomes_null(text: str) -> None:
    assert r_default(text) == "NULL"


@pytest.mark.parametrize("name", ["if", ".standin", ".standin.x", "..1", ".2x", "TRUE"])
def test_names_that_r_cannot_have_are_refused(name: str) -> None:
    for text in (f"{{name: {name!r}}}", f"{{name: f, arguments: [{{name: {name!r}}}]}}"):
        with pytest.raises(Unwritable):
            null_r(interface_of(f"package: ok\nfunctions: [{text}]"))
    with pytest.raises(Unwritable):
        null_r_function(interface_of("package: not_r\nfunctions: [{name: f}]"))


R_INTERFACE = interface_of("""
package: standr
functions:
  - name: list
    arguments: [{name: X}, {name: y, default: "c(1, 2)"}, {name: c, default: 'system("touch hacked")'}, {name: "..."}]
    returns:
      type: object
      class_name: lm
      fields:
        - {name: coef, type: array, shape: [cols(X)]}
        - {name: cov, type: array, shape: [cols(X), 2]}
        - {name: nothing, type: none}
        - {name: table, type: table, shape: [rows(X), 2]}
        - {name: words, type: text}
        - {name: steps, type: integer, shape: [length(y) - 1]}
  - {name: paste, arguments: [{name: x}], returns: {type: number}}
classes:
  - name: Model
    arguments: [{name: k, default: 3}]
    fields: [{name: size, type: integer}]
    methods: [{name: predict, arguments: [{name: new}], returns: {type: array, shape: [rows(new)]}}]
""")

R_CALLS = """
found <- standr::list(matrix(1, 4, 3), c(1, 2, 3))
stopifnot(inherits(found, "lm"), length(found$coef) == 3, all(dim(found$cov) == c(3, 2)), is.data.frame(found$table))
stopifnot(nrow(found$table) == 4, is.character(found$words), is.integer(found$steps), length(found$steps) == 2)
stopifnot("nothing" %in% names(found), all(is.finite(found$coef)), is.null(formals(standr::list)$c))
x <- vapply(1:40, function(i) standr::paste(1), 0)
stopifnot(length(unique(x)) == 40, min(x) < 0, max(x) > 0, !exists(".Random.seed"))
stopifnot(length(standr::Model()$predict(matrix(0, 5, 1))) == 5, inherits(standr::Model(), "Model"))
for (bad in base::list(NULL, NA, "a", mean, quote(x), new.env())) standr::list(bad, bad, bad)
invisible(standr::list())
cat(format(standr::paste(as.numeric(commandArgs(TRUE))), digits = 15))
"""


@pytest.mark.slow
def test_r_package_installs_and_answers(tmp_path: Path) -> None:
    write(tmp_path / "standr", null_r(R_INTERFACE))
    (tmp_path / "lib").mkdir()
    install = ["R", "CMD", "INSTALL", "--no-docs", f"--library={tmp_path / 'lib'}", str(tmp_path / "standr")]
    made = subprocess.run(install, capture_output=True, text=True, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    env = os.environ | {"R_LIBS": str(tmp_path / "lib")}
    runs = [
        subprocess.run(["Rscript", "-e", R_CALLS, x], capture_output=True, text=True, env=env, cwd=tmp_path)
        for x in ("1", "1", "2")
    ]
    assert runs[0].returncode == 0, runs[0].stderr
    assert runs[0].stdout == runs[1].stdout != runs[2].stdout and float(runs[0].stdout)
    assert not list(tmp_path.rglob("hacked"))


# --- the door ---------------------------------------------------------------------------------------------------------

SMITH = interface_of("""
package: smith
functions:
  - {name: echo, arguments: [{name: x}], returns: {type: any}}
  - {name: made, arguments: [{name: what}], returns: {type: any}}
  - {name: change, arguments: [{name: x}, {name: y, default: None}], returns: {type: none}}
  - {name: draw, arguments: [{name: rng}], returns: {type: number}}
  - {name: apply, arguments: [{name: f}, {name: x}], returns: {type: number}}
  - name: fail
    arguments: [{name: what}]
    raises: [{when: always, error: SmithError}, {when: seldom, error: ValueError}]
    warns: [{when: sometimes, error: SmithWarning}]
  - name: fit
    arguments: [{name: x}]
    returns:
      type: object
      class_name: Fit
      fields: [{name: coef, type: array, shape: [3]}, {name: absent, type: number}]
  - {name: unnamed, arguments: [], returns: {type: object, fields: [{name: a, type: number}]}}
  - {name: predict, arguments: [{name: fit}], returns: {type: number}}
  - {name: defaulted, arguments: [{name: a, default: 1}], returns: {type: number}}
  - {name: pid, returns: {type: integer}}
  - {name: live, returns: {type: integer}}
classes:
  - name: Counter
    arguments: [{name: start, default: 0}]
    fields: [{name: total, type: number}]
    methods:
      - {name: add, arguments: [{name: by}], returns: {type: any}}
      - {name: same, arguments: [{name: other}], returns: {type: boolean}}
""")

SMITH_SOURCE = """
import gc, os, warnings
from collections import namedtuple
import numpy as np

class SmithError(KeyError): pass
class SmithWarning(FutureWarning): pass

class Fit:
    def __init__(self, x):
        self.coef, self.secret, self.hidden = np.asarray(x, dtype=float) * 2, sum(x), "not declared"
    def __str__(self): return f"a fit to {self.secret}"

class Counter:
    def __init__(self, start=0): self.total = start
    def add(self, by):
        self.total += by
        return self
    def same(self, other): return self is other

def echo(x): return x
def made(what):
    big = np.arange(12.0).reshape(3, 4)
    return {
        "fortran": np.asfortranarray(big), "strided": big[::2, ::-1], "zero": np.array(3.5), "empty": np.ones((0, 4)),
        "text": np.array(["a", "bcd"]), "object": np.array([object()]), "swapped": big.astype(">f4"),
        "bool": np.array([True, False]), "scalar": np.float32(0.1), "lambda": lambda: 0, "str": np.str_(""),
        "deep": deep(100), "pair": namedtuple("Pair", "a b")(1, 2), "masked": np.ma.array([1, 2], mask=[0, 1]),
        "keys": {np.int64(3): 1, np.str_("a"): 2}, "key": {(1, 2): 3}, "complex": np.array([1 + 2j]),
    }[what]
def deep(n): return [deep(n - 1)] if n else []
def change(x, y=None):
    for part in (x, y):
        if isinstance(part, np.ndarray): part[0] = 99
        elif isinstance(part, list): part[-1:] = [7, 8]
        elif isinstance(part, dict): part["inner"][0] = 5; part["new"] = 1.0
        elif isinstance(part, bytearray): part[0] = 65
def draw(rng): return rng.normal() if hasattr(rng, "normal") else rng.random()
def apply(f, x): return f(x) + 1
def fail(what):
    if what == "own": raise SmithError("gone")
    if what == "key": raise KeyError("k")
    if what == "linalg": np.linalg.inv(np.zeros((2, 2)))
    if what == "long": raise ValueError("x" * 10**6)
    if what == "unicode": b"\\xff".decode("utf-8")
    if what == "warn": warnings.warn("careful", SmithWarning); warnings.warn("soon", DeprecationWarning)
    if what == "numpy warn": np.log(np.array([0.0]))
def fit(x): return Fit(x)
def unnamed(): return type("Anything", (), {"a": 1.5})()
def predict(fit): return fit.secret
def defaulted(a=2): return a
def pid(): return os.getpid()
def live(): gc.collect(); return sum(isinstance(o, (Fit, Counter)) for o in gc.get_objects())
"""


@pytest.fixture(scope="module")
def smiths_door(opened: Open, tmp_path_factory: pytest.TempPathFactory) -> tuple[ModuleType, str]:
    return opened(SMITH, write(tmp_path_factory.mktemp("site"), {"smith.py": SMITH_SOURCE}))


@pytest.fixture
def smith(smiths_door: tuple[ModuleType, str], monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setenv("STATSCLAW_DOOR", smiths_door[1])
    return smiths_door[0]


def test_honest_package_through_the_door(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    module, address = opened(tinymean(), HONEST / "src")
    monkeypatch.setenv("STATSCLAW_DOOR", address)
    x = [1.0, 2.0, 4.0]
    found = module.interval(x, level=0.9)
    assert (
        module.mean(x) == sum(x) / 3 and isinstance(found, module.Interval) and found.low < found["mean"] < found.high
    )
    with pytest.raises(ValueError, match="two numbers") as caught:
        module.interval([1.0])
    assert "__init__.py" in caught.value.__notes__[0] and x == [1.0, 2.0, 4.0]
    assert str(inspect.signature(module.interval)) == "(x, level=0.95)"
    with pytest.raises(TypeError):
        module.interval(x, 0.9, 3)
    with pytest.raises(TypeError, match="no way to make one"):
        module.Interval(1, 2, 3, 4)
    assert [name for name in dir(module) if not name.startswith("_")] == ["Interval", "interval", "mean"]


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, 3, -(10**300), 0.1, -0.0, 5e-324, float("inf"), 1 - 2j, "é\ud800\0", b"\0\xff", bytearray(b"a")),
        *([], [1, [2.0, "x"]], (1, (2,)), {"a": 1, 2: [None]}, {1, "a"}, frozenset({2.5}), [0.1] * 100, [True] * 40),
    ],
)
def test_values_arrive_as_they_are(smith: ModuleType, value: Any) -> None:
    found = smith.echo(value)
    assert type(found) is type(value) and found == value and repr(found) == repr(value)


def test_arrays_arrive_as_they_are(smith: ModuleType) -> None:
    big = np.arange(12.0).reshape(3, 4)
    expected = {"fortran": np.asfortranarray(big), "strided": big[::2, ::-1], "zero": np.array(3.5)}
    expected |= {"empty": np.ones((0, 4)), "text": np.array(["a", "bcd"]), "swapped": big.astype(">f4")}
    expected |= {"bool": np.array([True, False]), "complex": np.array([1 + 2j])}
    for name, value in expected.items():
        found = smith.made(name)
        assert type(found) is np.ndarray and found.dtype == value.dtype and found.shape == value.shape, name
        assert np.array_equal(found, value) and found.flags.writeable and found.flags.aligned, name
    assert smith.made("fortran").flags.f_contiguous
    assert type(smith.made("scalar")) is np.float32 and smith.made("scalar") == np.float32(0.1)
    assert np.isnan(smith.echo(float("nan"))) and np.isnan(smith.echo(np.array([np.nan]))).all()
    assert smith.made("str") == "" and smith.made("pair") == (1, 2) and smith.made("keys") == {3: 1, "a": 2}


def test_what_the_interface_does_not_describe_is_refused(smith: ModuleType) -> None:
    for name, said in {
        "object": "object",
        "lambda": "function",
        "deep": "deeply",
        "masked": "Masked",
        "key": "tuple",
    }.items():
        with pytest.raises(TypeError, match=said):
            smith.made(name)
    assert smith.echo(1) == 1


def test_arguments_changed_in_place(smith: ModuleType) -> None:
    array, words = np.zeros((2, 3), order="F"), [1, 2]
    smith.change(array, y=words)
    assert array[0].tolist() == [99.0] * 3 and array[1].tolist() == [0.0] * 3 and words == [1, 7, 8]
    inner = [1, 2]
    table, raw = {"inner": inner}, bytearray(b"zz")
    smith.change(table, raw)
    assert table == {"inner": [5, 2], "new": 1.0} and table["inner"] is inner and raw == b"Az"
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        smith.change(frozen)
    assert frozen.tolist() == [0, 0, 0]


def test_generators_of_random_numbers_go_on(smith: ModuleType) -> None:
    for mine, theirs in ((np.random.default_rng(3), np.random.default_rng(3)), (random.Random(3), random.Random(3))):
        assert [smith.draw(mine) for _ in range(3)] == [
            theirs.normal() if isinstance(theirs, np.random.Generator) else theirs.random() for _ in range(3)
        ]


def test_functions_of_the_judge_are_called_here(smith: ModuleType) -> None:
    here = []
    assert smith.apply(lambda x: here.append(x) or x * 2, 4) == 9 and here == [4]
    assert smith.apply(np.mean, [1.0, 3.0]) == 3
    assert smith.apply(lambda x: smith.apply(lambda y: y, x), 1) == 3  # a call within a call
    with pytest.raises(ZeroDivisionError):
        smith.apply(lambda x: x / 0, 4)
    assert smith.echo(1) == 1


def test_errors_and_warnings_keep_their_class(smith: ModuleType) -> None:
    with pytest.raises(smith.SmithError) as caught:
        smith.fail("own")
    assert type(caught.value) is smith.SmithError is not KeyError and isinstance(caught.value, KeyError)
    assert str(caught.value) == "'gone'"
    with pytest.raises(KeyError) as plain_key:
        smith.fail("key")
    assert plain_key.value.args == ("k",)
    with pytest.raises(np.linalg.LinAlgError):
        smith.fail("linalg")
    with pytest.raises(ValueError) as long:
        smith.fail("long")
    assert len(str(long.value)) <= 10_000
    with pytest.raises(UnicodeDecodeError):
        smith.fail("unicode")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        smith.fail("warn")
        smith.fail("numpy warn")
    assert [row.category for row in said] == [smith.SmithWarning, DeprecationWarning, RuntimeWarning]
    assert [str(row.message) for row in said][:2] == ["careful", "soon"] and issubclass(
        smith.SmithWarning, FutureWarning
    )
    assert {row.filename for row in said} == {__file__}
    with warnings.catch_warnings(), pytest.raises(DeprecationWarning):
        warnings.simplefilter("ignore", FutureWarning)
        warnings.simplefilter("error", DeprecationWarning)
        smith.fail("warn")
    with pytest.raises(AttributeError):
        _ = smith.OtherError


def test_result_objects(smith: ModuleType) -> None:
    found = smith.fit([1, 2, 3])
    assert type(found) is smith.Fit and found.coef.tolist() == [2, 4, 6] and vars(found).keys() == {"coef"}
    for missing in ("absent", "hidden"):
        with pytest.raises(AttributeError):
            getattr(found, missing)
    assert smith.predict(found) == 6  # the package gets its own object back
    assert str(found) == f"{found}" == "a fit to 6", "as the package shows it"
    assert str(pickle.loads(pickle.dumps(found))).startswith("Fit(coef="), "a copy has nobody to ask"
    assert smith.unnamed().a == 1.5 and type(smith.unnamed()).__name__ == "UnnamedResult"
    assert smith.defaulted() == 2  # the package's own default counts, not the declared one


def test_objects_that_stay_in_the_worker(smith: ModuleType) -> None:
    counter = smith.Counter(start=5)
    assert (
        counter.add(2) is counter and counter.total == 7 and counter.same(counter) and not counter.same(smith.Counter())
    )
    with pytest.raises(AttributeError):
        _ = counter.other
    with pytest.raises(AttributeError, match="cannot be set"):
        counter.total = 1
    del counter
    smith.echo(1)
    before = smith.live()
    for _ in range(50):
        smith.fit([1.0])
        smith.Counter().add(1)
    smith.echo(1)
    assert smith.live() <= before + 2  # what nobody holds here is forgotten there


def test_one_connection_for_each_thread_and_process(smith: ModuleType) -> None:
    found, errors = {smith.pid()}, []

    def work(number: int) -> None:
        try:
            found.add(smith.pid())
            errors.extend(i for i in range(50) if smith.echo([number, i]) != [number, i])
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and len(found) == 5
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(smith.echo, range(20)) == list(range(20))
        assert not set(pool.map(_pid_of, ["smith"] * 2)) & found
    assert smith.echo(3) == 3


def _pid_of(package: str) -> int:
    return int(sys.modules[package].pid())


def test_package_that_cannot_be_imported(opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = write(tmp_path, {"broken.py": "1 / 0"})
    module, address = opened(interface_of("package: broken\nfunctions: [{name: f}]"), site)
    monkeypatch.setenv("STATSCLAW_DOOR", address)
    with pytest.raises(ZeroDivisionError):
        module.f()


# --- a hostile package ------------------------------------------------------------------------------------------------

DEEDS = """leaves exits interrupts crashes skips hangs_up pickles huge header forges chatters wrong_number later fine
gives_changed evil_float evil_array evil_object evil_text evil_list evil_error"""
VILLAIN = Interface.model_validate(
    {
        "package": "villain",
        "functions": [
            *({"name": name, "arguments": [{"name": "x", "default": "None"}]} for name in DEEDS.split()),
            {
                "name": "result",
                "returns": {"type": "object", "class_name": "Fit", "fields": [{"name": "a", "type": "number"}]},
            },
        ],
    }
)
VILLAIN_SOURCE = """
import json, os, pickle, signal, socket, struct, sys, threading, time
import numpy as np, numpy.testing
numpy.testing.assert_allclose = lambda *a, **k: None

class Evil:
    def __reduce__(self): return os.system, ("touch hacked",)
    __class__ = property(lambda self: float)
class EvilFloat(float):
    def __eq__(self, other): return True
    __hash__ = None
    def __sub__(self, other): return 0.0
    __rsub__ = __float__ = __sub__
class EvilText(str):
    def __eq__(self, other): return True
    __hash__ = str.__hash__
class EvilList(list):
    def __eq__(self, other): return True
class EvilArray(np.ndarray):
    def __array_ufunc__(self, *a, **k): return True
    def __eq__(self, other): return True
class Skipped(BaseException): pass
class Fit:
    a = property(lambda self: EvilFloat(1.5))
    __getitem__ = __eq__ = lambda self, other: True
    _connection = __class__ = property(lambda self: 1 / 0)

def wires():
    for fd in range(3, 60):
        try: yield socket.socket(fileno=os.dup(fd))
        except OSError: pass
def say(data):
    for wire in wires():
        try: wire.sendall(data)
        except OSError: pass
def frame(answer):
    text = json.dumps(answer).encode()
    return struct.pack(">4sIQ", b"SCD1", len(text), 0) + text
def number(): return sys._getframe(2).f_locals["self"].current

def fine(x=None): return 1
def leaves(x=None): os._exit(0)
def exits(x=None): raise SystemExit(0)
def interrupts(x=None): raise KeyboardInterrupt
def crashes(x=None): os.kill(os.getpid(), signal.SIGSEGV)
def skips(x=None): raise Skipped("please")
def hangs_up(x=None):
    for wire in wires(): wire.shutdown(socket.SHUT_RDWR)
def pickles(x=None): say(pickle.dumps(Evil()))
def huge(x=None): say(struct.pack(">4sIQ", b"SCD1", 10, 2**62))
def header(x=None): say(struct.pack(">4sIQ", b"SCD1", 2**32 - 1, 0))
def forges(x=None): say(frame({"number": number(), "value": 5, "buffers": []})); return 6
def wrong_number(x=None): say(frame({"number": 12345, "value": 5, "buffers": []})); return 6
def chatters(x=None):
    threading.Timer(0.05, say, (b"SCD1" * 10,)).start()
    return 1
def gives_changed(x=None):
    changed = [[0, ["list", [["remote", "Fit", {}, 1]]]]]
    say(frame({"number": number(), "value": None, "changed": changed, "buffers": []}))
def evil_float(x=None): return EvilFloat(0.25)
def evil_text(x=None): return {EvilText("a"): EvilText("b")}
def evil_list(x=None): return EvilList([EvilFloat(1.0)])
def evil_array(x=None): return np.ones(3).view(EvilArray)
def evil_object(x=None): return Evil()
def evil_error(x=None):
    error = type("ValueError", (Exception,), {"__str__": lambda self: 1 / 0, "__reduce__": Evil.__reduce__})
    raise error(Evil())
def result(): return Fit()
kept = np.zeros(300_000)
def later(x=None):
    threading.Timer(0.02, kept.fill, (9,)).start()
    return kept
"""


@pytest.fixture(scope="module")
def villains_door(opened: Open, tmp_path_factory: pytest.TempPathFactory) -> tuple[ModuleType, str]:
    return opened(VILLAIN, write(tmp_path_factory.mktemp("villain"), {"villain.py": VILLAIN_SOURCE}))


@pytest.fixture
def villain(villains_door: tuple[ModuleType, str], monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setenv("STATSCLAW_DOOR", villains_door[1])
    return villains_door[0]


@pytest.mark.parametrize("deed", ["leaves", "exits", "interrupts", "crashes", "hangs_up"])
def test_package_that_ends_its_process(villain: ModuleType, deed: str) -> None:
    with pytest.raises(RuntimeError, match="the package ended its process"):
        getattr(villain, deed)()
    assert villain.fine() == 1


@pytest.mark.parametrize("deed", ["pickles", "huge", "header", "wrong_number", "gives_changed"])
def test_what_is_no_answer(villain: ModuleType, deed: str) -> None:
    mine = [1]
    with pytest.raises(RuntimeError, match="no answer"):
        getattr(villain, deed)(*([mine] if deed == "gives_changed" else []))
    assert villain.fine() == 1 and mine == [1]


@pytest.mark.parametrize("deed", ["forges", "chatters"])
def test_package_that_speaks_on_its_own(villain: ModuleType, deed: str) -> None:
    assert getattr(villain, deed)() in (1, 5)
    threading.Event().wait(0.15)
    with pytest.raises(RuntimeError, match="without being asked"):
        villain.fine()
    assert villain.fine() == 1


def test_evil_values_arrive_plain(villain: ModuleType, tmp_path: Path) -> None:
    it = villain
    assert type(it.evil_float()) is float and it.evil_float() == 0.25 != it.evil_float() + 1
    assert {type(part) for part in it.evil_text() for part in (part, it.evil_text()["a"])} == {str}
    assert type(it.evil_list()) is list and type(it.evil_list()[0]) is float
    assert type(it.evil_array()) is np.ndarray and not (it.evil_array() == 2).any()
    assert type(it.result()) is it.Fit and it.result().a == 1.5 and it.result() != 1
    with pytest.raises(TypeError, match="does not describe"):
        it.evil_object()
    with pytest.raises(Exception) as caught:
        it.evil_error()
    assert type(caught.value).__module__ in ("builtins", "villain")
    with pytest.raises(RuntimeError):
        it.skips()
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(1.0, 2.0)
    first = it.later()
    threading.Event().wait(0.05)
    assert not first.any()
    assert not list(Path.cwd().glob("hacked")) and it.fine() == 1


# --- the codec --------------------------------------------------------------------------------------------------------

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.complex_numbers() | st.binary()
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=20,
)


def _no_object(*_: object) -> None:
    raise KeyError


@settings(max_examples=150, deadline=None)
@given(VALUES)
def test_codec_gives_back_what_it_got(value: Any) -> None:
    encoder = worker_script.Encoder(worker_script.Session(None, None, None))
    node = json.loads(json.dumps(encoder.node(value)))
    found = plain.Decoder([memoryview(part) for part in encoder.buffers], _no_object).value(node)
    assert repr(found) == repr(value)


TAGS = st.sampled_from(sorted(plain._READERS))
WORDS = st.sampled_from(["<f8", "|b1", "C"])
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 99) | st.floats() | st.text(max_size=3) | WORDS,
    lambda inner: (
        st.lists(inner, max_size=5) | st.builds(lambda tag, rest: [tag, *rest], TAGS, st.lists(inner, max_size=4))
    ),
    max_leaves=15,
)


@settings(max_examples=300, deadline=None)
@given(JUNK)
def test_junk_is_a_plain_value_or_malformed(node: Any) -> None:
    try:
        found = plain.Decoder([memoryview(bytearray(b"\2" * 16))], _no_object).value(node)
    except plain.Malformed:
        return
    assert type(found).__module__.split(".")[0] in ("builtins", "numpy", "pandas")


@pytest.mark.parametrize(
    "node",
    [
        ["array", "O8", [2], "C", 0],
        ["array", "<f8", [3], "C", 0],
        ["array", "<U0", [10**12], "C", 0],
        ["array", "<f8", [-1], "C", 0],
        ["array", "f8,i4", [1], "C", 0],
        ["array", "<U4", [1], "C", 0],
        ["array", "<f8", [True, 2], "C", 0],
        ["int", "0x" + "z"],
        ["dict", [[["list", []], 1]]],
        ["set", [["list", []]]],
        ["floats", 7],
        ["result", "Fit", {}, 1],
        ["complex", "x", 1],
        {"a": 1},
    ],
)
def test_arrays_that_lie_are_malformed(node: Any) -> None:
    with pytest.raises(plain.Malformed):
        plain.Decoder([memoryview(bytearray(b"\xff" * 16))], _no_object).value(node)


def test_array_of_nothing_cannot_claim_to_be_large() -> None:
    for kind in ("<U0", "|S0"):
        with pytest.raises(plain.Malformed):
            plain.Decoder([memoryview(b"")], _no_object).value(["array", kind, [10**12], "C", 0])


def test_truth_values_of_an_array_are_true_or_false() -> None:
    found = plain.Decoder([memoryview(bytearray(b"\2\0"))], _no_object).value(["array", "|b1", [2], "C", 0])
    assert found.tobytes() == b"\1\0"


def test_heads_that_lie_are_malformed() -> None:
    for sizes, body in (([17], b"x" * 16), ([-1], b""), ([True], b"x" * 16), ("x", b""), ([], b"x" * 16)):
        with pytest.raises(plain.Malformed):
            plain._cut(sizes, memoryview(body))
    text = b'{"number": 1, "buffers": []}'
    for magic, fine in ((b"SCD1", True), (b"SCD2", False)):
        here, there = socket.socketpair()
        there.sendall(plain.HEAD.pack(magic, len(text), 0) + text)
        with nullcontext() if fine else pytest.raises(plain.Malformed):
            assert plain.receive(here)[0]["number"] == 1
        here.close()
        there.close()


def test_in_a_study_the_stand_in_does_not_count_its_calls(tmp_path: Path) -> None:
    """Which process of a study makes which call is left to chance: the same call must give the same there."""
    write(tmp_path, null_python(tinymean()))
    program = "import tinymean; x = [1.0, 2.0, 4.0]; tinymean.mean([9.0]); print([tinymean.mean(x) for _ in range(3)])"

    def said(**more: str) -> list[float]:
        env = {"PYTHONPATH": str(tmp_path), "PATH": "/usr/bin:/bin", **more}
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env, check=True)
        return list(json.loads(done.stdout))

    assert len(set(said())) == 3
    assert len(set(said(STATSCLAW_REPLICATIONS="2"))) == 1
