from __future__ import annotations

import importlib
import inspect
import json
import multiprocessing
import os
import random
import struct
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
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
Open = Callable[[Interface, Path], ModuleType]


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

    def open_it(interface: Interface, site: Path) -> ModuleType:
        folder = tmp_path_factory.mktemp("door")
        write(folder / "made", door_python(interface))
        argv = [sys.executable, "-I", "-B", str(WORKER), str(folder / "s"), str(site), interface.package]
        workers.append(subprocess.Popen(argv, cwd=folder))
        patch.syspath_prepend(folder / "made")
        patch.setenv("STATSCLAW_DOOR", str(folder / "s"))
        forget(interface.package)
        packages.append(interface.package)
        module = importlib.import_module(interface.package)
        module._statsclaw_door._connection_for(())  # now: the variable changes with the next door
        return module

    yield open_it
    patch.undo()
    for name in packages:
        forget(name)
    for process in workers:
        process.kill()
        process.wait()


# --- meaningless values ------------------------------------------------------------------------------------------------

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
    ["np.inf", "__import__('os').system('x')", "[].append(1)", "'", "(" * 400, "1 if 1 else 2", "x" * 5000, "lambda: 0"],
)
def test_python_default_that_is_no_literal_is_only_shown(text: str) -> None:
    written = python_default(text, "_null")
    assert written == f"_null.Default({ascii(text[:1000])})"


def test_python_literals_stay() -> None:
    for text in ("None", "-1", "1e-8", "'a\\nb'", "(1, [2, {'k': None}])", "b'x'"):
        assert eval(python_default(text, "_null")) == eval(text)


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


# --- R -----------------------------------------------------------------------------------------------------------------


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
standr::list()
cat(format(standr::paste(1), digits = 15), format(standr::paste(2), digits = 15))
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
        subprocess.run(["Rscript", "-e", R_CALLS], capture_output=True, text=True, env=env, cwd=tmp_path)
        for _ in range(2)
    ]
    assert runs[0].returncode == 0, runs[0].stderr
    assert runs[0].stdout == runs[1].stdout and len(set(runs[0].stdout.split())) == 2
    assert not list(tmp_path.rglob("hacked"))
