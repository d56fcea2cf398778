"""Values go from Python to R and back, and from R to R, without a change."""

from __future__ import annotations

import math
import struct
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from tests.blind.r_side import INSIDE, Conversation, needs_r, r_program

pytestmark = needs_r

ECHO = """
wire <- new.env(parent = baseenv())
sys.source({source!r}, wire)
given <- commandArgs(TRUE)
input <- file(given[[1]], "rb", raw = TRUE)
output <- file(given[[2]], "wb", raw = TRUE)
while (!is.null(request <- wire$receive(input))) wire$send(output, list(value = if (request$made)
  wire$restored(request$value) else request$value))
"""


@pytest.fixture(scope="module")
def echo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Conversation]:
    folder = tmp_path_factory.mktemp("echo")
    program = folder / "echo.R"
    program.write_text(ECHO.format(source=str(INSIDE / "statsclaw_wire.R")), encoding="utf-8")
    with r_program(folder, program, LC_ALL="C") as found:
        yield found


def there_and_back(echo: Conversation, value: Any, made: bool = False) -> Any:
    wire.send(echo.requests, {"made": made, "value": value})
    return wire.receive(echo.answers)["value"]


def alike(left: Any, right: Any) -> bool:
    """Equal, and of the same type; numbers by their bits."""
    if isinstance(left, Extra) and isinstance(right, Extra):
        return left.kind == right.kind and alike(left.value, right.value)
    if type(left) is not type(right):
        return False
    if isinstance(left, float):
        return struct.pack("<d", left) == struct.pack("<d", right)
    if isinstance(left, np.ndarray):
        texts = left.dtype.kind in "UO"
        same = left.tolist() == right.tolist() if texts else left.tobytes() == right.tobytes()
        return left.shape == right.shape and left.dtype.kind == right.dtype.kind and same
    if isinstance(left, list):
        return len(left) == len(right) and all(map(alike, left, right))
    if isinstance(left, dict):
        return list(left) == list(right) and all(alike(left[key], right[key]) for key in left)
    return bool(left == right)


FEW = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
SINGLE = st.none() | st.booleans() | st.integers(1 - 2**31, 2**31 - 1) | st.floats() | TEXTS
# a list of numbers only is a vector in R
PLAIN = st.recursive(
    SINGLE,
    lambda inner: (
        st.lists(inner, max_size=4).filter(lambda rows: not rows or not all(type(row) is float for row in rows))
        | st.dictionaries(TEXTS.filter(len), inner, max_size=4)
    ),
    max_leaves=12,
)
SHAPES = arrays.array_shapes(min_dims=2, max_dims=4, min_side=0, max_side=4)
KINDS = st.sampled_from([np.dtype("<f8"), np.dtype("<i4"), np.dtype("<c16"), np.dtype("bool"), np.dtype("<U8")])


@FEW
@given(value=PLAIN)
def test_single_values_and_what_is_made_of_them(echo: Conversation, value: Any) -> None:
    assert alike(there_and_back(echo, value), value)


@FEW
@given(value=KINDS.flatmap(lambda kind: arrays.arrays(kind, SHAPES, elements=TEXTS if kind.kind == "U" else None)))
def test_arrays_with_dimensions(echo: Conversation, value: Any) -> None:
    assert alike(there_and_back(echo, np.ascontiguousarray(value)), value)


@pytest.mark.parametrize("value", [2**31, -(2**31), 2**53 - 1, -(2**40) - 1, -(2**53), 2**32 - 1, -(2**32)])
def test_whole_numbers_beyond_those_of_r_are_numbers(echo: Conversation, value: int) -> None:
    assert there_and_back(echo, value) == float(value)
    assert there_and_back(echo, np.array([value, 1])).tolist() == [float(value), 1.0]


@pytest.mark.parametrize(
    ("value", "back"),
    [
        (np.array([2.5, 1.0], dtype="f4"), np.array([2.5, 1.0])),
        (np.array([1, -2]), np.array([1, -2], dtype="i4")),
        (np.array(["a", None], dtype=object), np.array(["a", None], dtype=object)),
        (np.zeros(0), np.zeros(0)),
        (np.array(3.0), 3.0),
        (Extra("factor", {"levels": ["a", "b"], "codes": np.array([2, 0, 1], dtype="i4")}), None),
        (Extra("table", {"columns": {"x": np.array([1.0]), "y": np.array(["a"])}, "index": None}), None),
        (Extra("table", {"columns": {"x": np.array([1.0, 2.0])}, "index": ["r", "s"]}), None),
        (Extra("named", {"value": np.eye(2), "names": [["a", "b"], None]}), None),
        (Extra("formula", "y ~ x + log(z)"), None),
        (Extra("complex", [1.0, -2.0]), Extra("complex", np.array([1.0, -2.0]))),
        ((1, 2), np.array([1, 2], dtype="i4")),
        (frozenset({3}), 3),
        (10**20, 1e20),
        (-(10**20), -1e20),
        (b"\x00\xff", Extra("bytes", "00ff")),
        ({1: 2.0, 5: "a"}, {"1": 2.0, "5": "a"}),
        (np.ma.MaskedArray([1.0, 2.0], [False, True]), np.array([1.0, math.nan])),
    ],
)  # fmt: skip
def test_further_kinds_as_r_has_them(echo: Conversation, value: Any, back: Any) -> None:
    found = there_and_back(echo, value, made=True)
    back = value if back is None else back
    if isinstance(back, np.ndarray) and back.dtype.kind == "f" and np.isnan(back).any():
        assert np.array_equal(found, back, equal_nan=True)
    else:
        assert alike(found, back)


def test_a_table_of_pandas_has_texts_and_missing_ones(echo: Conversation) -> None:
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame({"n": [1, 2], "t": ["a", None], "b": [True, False]}, index=["r", "s"])
    found = there_and_back(echo, data, made=True)
    assert found.kind == "table" and found.value["index"] == ["r", "s"]
    columns = {name: column.tolist() for name, column in found.value["columns"].items()}
    assert columns == {"n": [1, 2], "t": ["a", None], "b": [True, False]}


def test_a_million_numbers_take_no_time(echo: Conversation) -> None:
    there_and_back(echo, 1.0)
    numbers = np.random.default_rng(1).normal(size=(1000, 1000))
    begun = time.perf_counter()
    found = there_and_back(echo, numbers)
    assert time.perf_counter() - begun < 2
    assert np.array_equal(found, numbers)


VALUES = r"""
NULL; NA; NA_integer_; NA_real_; NA_character_; NaN; -0; Inf; -Inf; 1L; -1L; 5; TRUE; FALSE; ""; "\u00fc\U1F600"; 1+2i
c(NA, TRUE); c(NA, 1L); c(NA, NaN, 1, -0, 5e-324); c(NA, "NA", "", "\u00e9"); c(1i, NA)
numeric(); integer(); character(); logical(); complex(); list(); raw(); as.raw(0:255)
matrix(0, 0, 3); matrix(0, 3, 0); matrix("", 0, 0); matrix(1:6, 2); array(1:24 / 3, 2:4); matrix(c(TRUE, NA), 1)
matrix(1, 1, 1); matrix(letters[1:4], 2)
c(a = 1); c(a = 1L, b = NA); c(a = "x", 2); matrix(1:4, 2, dimnames = list(c("a", "b"), c("c", "d")))
matrix(1:4, 2, dimnames = list(NULL, c("c", "d"))); matrix(1:4, 2, dimnames = list(u = c("a", "b"), v = c("c", "d")))
array(1:8, c(2, 2, 2), dimnames = list(NULL, c("a", "b"), NULL))
factor(c("b", NA, "a")); factor(c("lo", "hi"), c("lo", "hi"), ordered = TRUE); factor(character(), "a")
data.frame(x = c(1.5, NA), n = 1:2, t = c("a", NA), f = factor(c("u", "v")), l = c(TRUE, NA))
data.frame(x = 1); data.frame(x = 1:2, row.names = c("a", "b")); data.frame(x = numeric()); data.frame()
data.frame(a = 1:3)[c(1, 3), , drop = FALSE]; data.frame(a = 1:3)[0, , drop = FALSE]
list(a = 1, b = list(c = NULL, d = "x", e = list(list(TRUE, "x"), 2:3))); list(1, "a", NULL); list(a = 1, 2)
list(1, 2); list("a"); list(list(1, 2), list()); list(a = list(1L))
structure(list(), names = character()); list(a = NULL); list(a = 1, a = 2); list(a = list(), b = numeric())
"""
ROUND_TRIPS = """
wire <- new.env(parent = baseenv())
sys.source({source!r}, wire)
same <- function(x, y) identical(x, y, num.eq = FALSE, single.NA = FALSE, attrib.as.set = TRUE)
count <- 0
for (part in parse({values!r}, encoding = "UTF-8")) {{
  x <- eval(part)
  y <- wire$restored(wire$decode(wire$encode(wire$staying_lists(x))))
  if (!same(x, y)) {{ cat("changed:", deparse(part), "became", deparse(y), "\\n") }}
  count <- count + 1
}}
f <- wire$restored(wire$decode(wire$encode(y ~ x + I(z^2))))
stopifnot(f == (y ~ x + I(z^2)), identical(parent.env(environment(f)), globalenv()), !length(ls(environment(f))))
for (bad in list(function() 1, new.env(), quote(a + b), Sys.Date(), matrix(list(1, 2), 1)))
  stopifnot(inherits(try(wire$encode(bad), TRUE), "try-error"))
cat(count)
"""


def test_every_value_of_r_arrives_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "values.R").write_text(VALUES, encoding="utf-8")
    script = tmp_path / "trips.R"
    found = ROUND_TRIPS.format(source=str(INSIDE / "statsclaw_wire.R"), values=str(tmp_path / "values.R"))
    script.write_text(found, encoding="utf-8")
    done = subprocess.run(["Rscript", "--vanilla", str(script)], capture_output=True, text=True, check=False)
    expected = sum(len(line.split(";")) for line in VALUES.strip().splitlines())
    assert (done.stdout, done.stderr, done.returncode) == (str(expected), "", 0)


def test_missing_and_not_a_number_are_two_things(echo: Conversation) -> None:
    missing = struct.unpack("<d", struct.pack("<q", 0x7FF00000000007A2))[0]
    quiet = there_and_back(echo, [missing, math.nan, 1.0])
    assert quiet[:2].view("<u8").tolist()[0] & 0xFFFFFFFF == 1954
    assert quiet[:2].view("<u8").tolist()[1] & 0xFFFFFFFF == 0


@pytest.mark.parametrize(
    ("sent", "found"),
    [
        (Extra("named", {"value": [1.0, 2.0], "names": ["a", "b"]}), [1.0, 2.0]),
        (Extra("named", {"value": Extra("tuple", [1, 2]), "names": None}), (1, 2)),
        (Extra("factor", {"levels": ["lo", "hi"], "codes": np.array([2, 0, 1], dtype="i4")}), ["hi", None, "lo"]),
        (Extra("formula", "y ~ x"), "y ~ x"),
    ],
)
def test_what_only_r_has_arrives_in_python(sent: Extra, found: Any) -> None:
    assert wire.restored(sent) == found
