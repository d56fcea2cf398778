"""Documents of a planner that are not what they should be: always file, line and reason, or a contract; never a crash.

Whatever stands in a document, reading it ends within seconds, with a contract or with `Malformed`, whose faults name
a file that was handed in and a line that it has.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statsclaw.specs.blocks import Fault, Malformed, blocks_of, check, read_yaml, the_block
from statsclaw.specs.contract import Contract, definition_faults, read_contract
from statsclaw.specs.test_spec import Tolerance
from tests.support.runs import HONEST

DOCUMENTS = {path.name: path.read_text(encoding="utf-8") for path in sorted((HONEST / "out").glob("*.md"))}
BLOCKS = [
    ("comprehension.md", "yaml", "comprehension"),
    ("comprehension.md", "python", "definitions"),
    ("interface.md", "yaml", "interface"),
    ("spec.md", "yaml", "steps"),
    ("test-spec.md", "yaml", "scenarios"),
    ("test-spec.md", "yaml", "criteria"),
    ("sim-spec.md", "yaml", "study"),
]
YAML = [(file, name) for file, language, name in BLOCKS if language == "yaml"]
A_FEW_SECONDS = 5.0
FUZZ = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))


def outcome(documents: Mapping[str, str]) -> Contract | list[Fault]:
    """What reading gives. Anything but a contract or well-formed faults is an error here."""
    begun = time.process_time()
    try:
        found: Contract | list[Fault] = read_contract(documents)
    except Malformed as malformed:
        found = malformed.faults
        assert found, "malformed, and nobody says why"
        assert str(found[0]) in str(malformed)
        for fault in found:
            assert fault.file in documents
            assert 1 <= fault.line <= documents[fault.file].count("\n") + 1, fault
            assert fault.message.strip() and "\n" not in fault.message and len(fault.message) < 1000, fault
    assert time.process_time() - begun < A_FEW_SECONDS
    return found


def faults_of(file: str, text: str) -> list[Fault]:
    found = outcome(DOCUMENTS | {file: text})
    assert isinstance(found, list), "it was taken as a contract"
    assert {fault.file for fault in found} == {file}, "a fault is told of another document"
    return found


def inside(file: str, name: str, language: str = "yaml") -> tuple[str, str, str]:
    """A document in three parts: up to the block's content, the content, the rest."""
    block = the_block(file, DOCUMENTS[file], language, name)
    assert block is not None
    text = DOCUMENTS[file]
    return text[: block.start], block.text, text[block.start + len(block.text) :]


def with_block(file: str, name: str, content: str, language: str = "yaml") -> str:
    before, _, after = inside(file, name, language)
    return before + content + after


def test_the_honest_documents_are_a_contract():
    found = outcome(DOCUMENTS)
    assert isinstance(found, Contract)
    assert found.comprehension and found.interface and found.steps and found.tests and found.study and found.values


@pytest.mark.parametrize("without", [*DOCUMENTS, None])
def test_what_is_not_handed_in_is_not_asked_for(without: str | None):
    assert isinstance(outcome({name: text for name, text in DOCUMENTS.items() if name != without}), Contract)
    assert isinstance(outcome({without: DOCUMENTS[without]} if without else {}), Contract)


# --- blocks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("file", "language", "name"), BLOCKS)
def test_a_block_that_is_missing_doubled_empty_or_never_closed_is_named(file: str, language: str, name: str):
    text = DOCUMENTS[file]
    before, content, _ = inside(file, name, language)
    fence = f"```{language} {name}\n"
    line = before.count("\n")
    assert f"there is no block ```{language} {name}" in messages(faults_of(file, text.replace(fence, "```text\n")))
    doubled = faults_of(file, f"{text}\n{fence}{content}\n```\n")
    assert f"there are 2 blocks `{language} {name}`" in messages(doubled)
    assert max(fault.line for fault in doubled) > text.count("\n")
    opened = faults_of(file, before + content)
    assert any("never closed" in fault.message and fault.line == line for fault in opened)
    if language == "yaml":
        (empty,) = faults_of(file, with_block(file, name, ""))
        assert (empty.line, empty.message) == (line + 1, f"the block `{name}` is empty")
        assert f"the block `{name}` is empty" in messages(faults_of(file, with_block(file, name, "# nothing\n")))


def messages(found: list[Fault]) -> str:
    return "\n".join(fault.message for fault in found)


def test_every_fault_of_every_document_is_told_at_once():
    spoilt = {file: with_block(file, name, "[") for file, name in YAML}
    found = outcome(DOCUMENTS | spoilt)
    assert isinstance(found, list)
    assert {fault.file for fault in found} == set(DOCUMENTS)
    assert [(f.file, f.line) for f in found] == sorted((f.file, f.line) for f in found)


@pytest.mark.parametrize("fence", ["~~~", "````", "   ```"])
def test_fences_of_other_kinds_are_fences(fence: str):
    text = DOCUMENTS["spec.md"].replace("```", fence)
    assert isinstance(outcome(DOCUMENTS | {"spec.md": text}), Contract)


@pytest.mark.parametrize("quoted", ["````", "~~~"])
def test_a_block_that_is_only_quoted_is_no_block(quoted: str):
    """What stands inside of another fence is text about a block, not a block."""
    before, content, after = inside("spec.md", "steps")
    shown = f"{quoted}markdown\n```yaml steps\n- nonsense\n```\n{quoted}\n"
    assert isinstance(outcome(DOCUMENTS | {"spec.md": shown + before + content + after}), Contract)


# --- malformed in every way, with the line and the reason -------------------------------------------------------------

#: (what is wrong, document, old text, new text, words): told of the block that the old text stands in.
WRONG = [
    ("unknown key", "test-spec.md", "{relative: 1e-10}", "{relative: 1e-10, abs: 1}", "abs: Extra inputs"),
    ("misspelt key", "interface.md", "package: tinymean", "pakage: tinymean", "pakage: Extra inputs"),
    (
        "key twice",
        "test-spec.md",
        "  scale: 1.0\n  standard_error",
        "  scale: 1.0\n  scale: 2.0\n  standard_error",
        "twice",
    ),
    ("key twice in a flow", "sim-spec.md", "{name: mu, truth: 1.0}", "{name: mu, truth: 1.0, truth: 2.0}", "twice"),
    ("id twice", "test-spec.md", "- id: C3", "- id: C2", "the id 'C2' stands here twice"),
    ("scenario and criterion of one id", "test-spec.md", "- id: C3", "- id: S3", "the id 'S3' stands here twice"),
    ("choice twice", "comprehension.md", "choices:\n", "choices:\n  - *x\n", "aliases are not allowed"),
    ("NaN", "test-spec.md", "{relative: 1e-10}", "{relative: .nan}", ".nan is not a number"),
    ("NaN as a word", "test-spec.md", "{relative: 1e-10}", "{relative: nan}", "nan is not a number"),
    ("infinity", "sim-spec.md", "    high: 1.1", "    high: .inf", ".inf is not a number"),
    ("minus infinity", "sim-spec.md", "    low: 0.9\n", "    low: -.INF\n", "-.INF is not a number"),
    ("infinity as a word", "sim-spec.md", "    high: 1.1", "    high: Infinity", "Infinity is not a number"),
    ("beyond floating point", "sim-spec.md", "    high: 1.1", "    high: 1e999", "beyond any number"),
    ("absurdly large", "sim-spec.md", "    high: 1.1", "    high: 1e200", "less than or equal to"),
    (
        "absurdly many digits",
        "sim-spec.md",
        "seed: 20260101",
        f"seed: {'9' * 400}",
        "seed: Input should be a valid integer",
    ),
    (
        "a seed below zero",
        "sim-spec.md",
        "seed: 20260101",
        "seed: -1",
        "seed: Input should be greater than or equal to 0",
    ),
    ("a seed beyond 64 bits", "sim-spec.md", "seed: 20260101", "seed: 9223372036854775808", "seed"),
    ("a negative tolerance", "test-spec.md", "{relative: 1e-10}", "{relative: -1e-10}", "greater than or equal to 0"),
    (
        "tolerance in two ways",
        "test-spec.md",
        "{relative: 1e-10}",
        "{relative: 1e-10, lre: 8}",
        "either lre, or absolute",
    ),
    ("no replications", "sim-spec.md", "replications: 1000", "replications: 0", "greater than or equal to 1"),
    ("half a replication", "sim-spec.md", "replications: 1000", "replications: 1000.5", "valid integer"),
    ("replications as text", "sim-spec.md", "replications: 1000", 'replications: "1000"', "valid integer"),
    ("a number as text", "sim-spec.md", "    high: 1.1", '    high: "1.1"', "valid number"),
    ("yes is no truth value", "comprehension.md", "stated: false", "stated: nope", "valid boolean"),
    ("a list for a word", "spec.md", "id: B2", "id: [B2]", "valid string"),
    ("a word for a list", "spec.md", "  yields: [interval.se]", "  yields: interval.se", "valid tuple"),
    ("null for a word", "interface.md", "package: tinymean", "package: ~", "valid string"),
    ("nothing for a word", "interface.md", "package: tinymean", "package:", "valid string"),
    ("a number for a word", "interface.md", "package: tinymean", "package: 7", "valid string"),
    ("a name with spaces", "interface.md", "package: tinymean", "package: tiny mean", "match pattern"),
    (
        "a rule that there is not",
        "test-spec.md",
        "rule: raises, error: ValueError, message: two",
        "rule: looks good, error: ValueError, message: two",
        "Input should be 'close'",
    ),
    (
        "a rule without its bound",
        "test-spec.md",
        "  tolerance: {relative: 1e-9}\n",
        "",
        'the rule "close" needs tolerance',
    ),
    (
        "a bound without its rule",
        "test-spec.md",
        "  tolerance: {relative: 1e-9}\n",
        "  tolerance: {relative: 1e-9}\n  high: 3\n",
        'the rule "close" has no use for high',
    ),
    (
        "a band upside down",
        "sim-spec.md",
        "    low: 0.92\n    high: 0.98",
        "    low: 0.98\n    high: 0.92",
        "low is not below high",
    ),
    ("a cap below the plan", "sim-spec.md", "cap: 4000", "cap: 999", "the cap is below the planned replications"),
    (
        "a parameter that there is not",
        "sim-spec.md",
        "    metric: se_ratio\n    parameter: mu",
        "    metric: se_ratio\n    parameter: nu",
        "there is no parameter 'nu'",
    ),
    (
        "truth for other cells",
        "sim-spec.md",
        "truth: 1.0}",
        "truth: {n=41: 1.0}}",
        "the truth of mu is not given for every cell",
    ),
    (
        "a decision of nobody",
        "comprehension.md",
        "decided_by: person",
        "decided_by: nobody",
        "a decision has somebody who made it",
    ),
    ("an option that there is not", "comprehension.md", "    decision: 0", "    decision: 2", "counted from 0"),
    (
        "one option is no choice",
        "comprehension.md",
        "      - {label: return NaN, consequence: callers must look}\n",
        "",
        "at least 2 items",
    ),
    (
        "partial without questions",
        "comprehension.md",
        "verdict: understood with assumptions",
        "verdict: partial",
        "partial understanding needs questions",
    ),
    ("a hash that is none", "comprehension.md", "sha256: 9aaf13", "sha256: XYZ", "match pattern"),
    ("an alias", "test-spec.md", "scenarios: [S3]", "scenarios: *all", "aliases are not allowed"),
    ("an anchor and its alias", "test-spec.md", "scenarios: [S3]", "scenarios: [&a S3, *a]", "aliases are not allowed"),
    ("a tag of its own", "spec.md", "id: B2", "id: !mine B2", "tags are not allowed"),
    ("a tag that makes objects", "spec.md", "id: B2", "id: !!python/name:os.system B2", "tag"),
    ("a tag on a list", "spec.md", "yields: [interval.se]", "yields: !!python/tuple [interval.se]", "tag"),
    ("a tag on a mapping", "test-spec.md", "{relative: 1e-10}", "!!python/object:os.x {relative: 1e-10}", "tag"),
    ("a key that is a list", "test-spec.md", "{relative: 1e-10}", "{[relative]: 1e-10}", "a key must be a word"),
    ("a merge key", "test-spec.md", "{relative: 1e-10}", "{<<: {relative: 1e-10}}", "Extra inputs"),
    ("a tab", "spec.md", "  does: sum of squared", "\tdoes: sum of squared", "not YAML"),
    ("indented wrongly", "spec.md", "  does: sum of squared", " does: sum of squared", "not YAML"),
    ("an open bracket", "spec.md", "yields: [interval.se]", "yields: [interval.se", "not YAML"),
    ("an open quote", "interface.md", "package: tinymean", 'package: "tinymean', "not YAML"),
    ("a second document", "spec.md", "- id: B2", "---\n- id: B2", "not YAML"),
    ("a control character", "spec.md", "id: B2", "id: B2\x07", "not YAML"),
    ("binary", "spec.md", "id: B2", "id: \x00\x01\x02", "not YAML"),
    ("a lone surrogate", "spec.md", "id: B2", "id: \ud800", "not YAML"),
    ("words without end", "spec.md", "does: sum of squared", f"does: {'x' * 5000}", "at most 4000 characters"),
    ("not Python", "comprehension.md", "    return (s2 / n) ** 0.5", "    return (s2 / n ** 0.5", "not Python"),
    (
        "a definition twice",
        "comprehension.md",
        "def limits(",
        "def variance(x):\n    return 0\n\n\ndef limits(",
        "variance() stands here 2 times",
    ),
    ("a definition renamed", "comprehension.md", "def variance(x)", "def varianz(x)", "variance() stands here 0 times"),
    (
        "a definition inside of another",
        "comprehension.md",
        "def limits(m, se, level):\n",
        "def other():\n    def limits(m, se, level):\n        return m\n\n\nif True:\n",
        "limits() stands here 0 times",
    ),
]


@pytest.mark.parametrize(("what", "file", "old", "new", "words"), WRONG, ids=[row[0] for row in WRONG])
def test_what_is_wrong_is_said_with_its_place(what: str, file: str, old: str, new: str, words: str):
    text = DOCUMENTS[file]
    assert text.count(old) == 1, f"the honest document holds {old!r} {text.count(old)} times"
    found = faults_of(file, text.replace(old, new))
    told = [fault for fault in found if words in fault.message]
    assert told, found
    first = text[: text.index(old)].count("\n") + 1
    start, end = around(text, first)
    assert all(start <= fault.line <= end + new.count("\n") for fault in told), (told, first)


def around(text: str, line: int) -> tuple[int, int]:
    """The first and last line of the block that a line stands in."""
    fences = [n for n, row in enumerate(text.split("\n"), start=1) if row.startswith("```")]
    blocks = zip(fences[::2], fences[1::2], strict=True)
    return next((start, end) for start, end in blocks if start <= line <= end)


@pytest.mark.parametrize("file", DOCUMENTS)
def test_the_line_is_the_line(file: str):
    """Whichever number or word of a block is made NaN: the fault is told of its very line."""
    lines = DOCUMENTS[file].split("\n")
    tried = 0
    for number, line in enumerate(lines, start=1):
        for found in re.finditer(r"(?<=: )[\w.-]+(?=$|[,}])", line):
            spoilt = [*lines[: number - 1], f"{line[: found.start()]}.nan{line[found.end() :]}", *lines[number:]]
            told = faults_of(file, "\n".join(spoilt))
            assert number in [fault.line for fault in told if ".nan" in fault.message], (line, told)
            tried += 1
    assert tried >= 3


# --- bytes and line ends ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", DOCUMENTS)
@pytest.mark.parametrize("mark", ["\ufeff", "\n\n\n", "\u2028", "\x0c", "<!-- -->\n"])
def test_what_stands_before_a_document_does_not_matter(file: str, mark: str):
    assert isinstance(outcome(DOCUMENTS | {file: mark + DOCUMENTS[file]}), Contract)


@pytest.mark.parametrize("end", ["\r\n", "\r", "\x85", "\u2028"])
def test_other_line_ends_give_a_contract_or_faults(end: str):
    outcome({name: text.replace("\n", end) for name, text in DOCUMENTS.items()})


def test_a_document_with_the_line_ends_of_windows_is_a_document():
    assert isinstance(outcome({name: text.replace("\n", "\r\n") for name, text in DOCUMENTS.items()}), Contract)


# --- size and depth ---------------------------------------------------------------------------------------------------

HUGE = {
    "ten megabytes of prose": "x" * 10_000_000,
    "ten megabytes of backticks": "`" * 10_000_000,
    "nearly two megabytes of backticks": "`" * 1_999_000,
    "many fences": "```\n" * 300_000,
    "many named fences": "```yaml x\n```\n" * 100_000,
    "long info strings": ("```" + " " * 150 + "a\n") * 12_000,
    "one line": "```yaml scenarios " * 100_000,
}


@pytest.mark.parametrize("what", HUGE)
@pytest.mark.parametrize("file", ["comprehension.md", "test-spec.md"])
def test_a_huge_document_is_refused_in_time(what: str, file: str):
    assert faults_of(file, HUGE[what])


CONTENT = {
    "ten megabytes": "- x\n" * 2_500_000,
    "as many values as fit": "- x\n" * 480_000,
    "as many keys as fit": "{" + ", ".join(f"a{n}: 1" for n in range(150_000)) + "}",
    "one long word": f"- {'x' * 1_900_000}",
    "one long number": f"- {'9' * 1_900_000}",
    "a quote that is never closed": f'- "{"x" * 1_900_000}',
    "lists in lists": "[" * 5_000 + "]" * 5_000,
    "lists that are never closed": "[" * 100_000,
    "mappings in mappings": "{a: " * 5_000 + "}" * 5_000,
    "dashes in dashes": "- " * 50_000 + "x",
    "deeper and deeper": "\n".join(" " * depth + "-" for depth in range(1_500)),
    "questions": "? " * 50_000,
    "a little too deep": "[" * 40 + "]" * 40,
    "aliases of aliases": "- &a [x, x]\n" + "".join(f"- &a{n} [*a, *a]\n" for n in range(1000)),
    "anchors": "".join(f"- &a{n} x\n" for n in range(20_000)),
    "comments": "# x\n" * 400_000,
    "empty lines": "\n" * 1_900_000,
}


@pytest.mark.parametrize("what", CONTENT)
@pytest.mark.parametrize(("file", "name"), [("test-spec.md", "scenarios"), ("comprehension.md", "comprehension")])
def test_a_huge_or_deep_block_is_refused_in_time(what: str, file: str, name: str):
    assert faults_of(file, with_block(file, name, CONTENT[what]))


PYTHON = {
    "parentheses": "(" * 10_000 + ")" * 10_000,
    "signs": f"x = {'-' * 100_000}1",
    "sums": f"x = {' + '.join('1' * 100_000)}",
    "calls": f"f{'()' * 100_000}",
    "attributes": f"f{'.a' * 100_000}",
    "a long number": f"x = {'9' * 100_000}",
    "conditions": "if a: pass\n" + "elif a: pass\n" * 30_000,
    "indentation": "\n".join(" " * depth + "if 1:" for depth in range(200)),
    "binary": "\x00",
    "surrogate": "x = '\ud800'",
    "tabs and spaces": "if 1:\n\tx = 1\n        y = 2",
    "a wrong escape": "x = '\\N{no such letter}'",
    "null": "",
}


@pytest.mark.parametrize("what", PYTHON)
def test_definitions_that_no_parser_likes_are_refused_in_time(what: str):
    told = faults_of("comprehension.md", with_block("comprehension.md", "definitions", PYTHON[what] + "\n", "python"))
    assert "not Python" in messages(told) or "stands here 0 times" in messages(told)


#: Small texts that stand for very much.
_LEVELS = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"
EXPANDING = {
    "a grid of ten million cells": ", ".join(f"a{n}: {_LEVELS}" for n in range(7)),
    "a grid without end": ", ".join(f"a{n}: {_LEVELS}" for n in range(60)),
}


@pytest.mark.parametrize("what", EXPANDING)
def test_a_few_words_do_not_fill_the_machine(what: str, tmp_path: Path):
    """In a process of its own that may not have much memory or time, so that the machine survives a failure."""
    text = DOCUMENTS["sim-spec.md"].replace("grid: {n: [40]}", f"grid: {{{EXPANDING[what]}}}")
    (tmp_path / "sim-spec.md").write_text(text)
    program = (
        "import sys, pathlib\n"
        "from statsclaw.specs.blocks import Malformed\n"
        "from statsclaw.specs.contract import read_contract\n"
        "try: read_contract({'sim-spec.md': pathlib.Path(sys.argv[1]).read_text()})\n"
        "except Malformed as malformed: print(malformed)\n"
    )

    def little() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30))
        resource.setrlimit(resource.RLIMIT_CPU, (10, 10))

    argv = [sys.executable, "-c", program, str(tmp_path / "sim-spec.md")]
    begun = time.monotonic()
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, preexec_fn=little)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"sim-spec\.md:\d+: more than 2,000 cells", done.stdout), done.stdout
    assert time.monotonic() - begun < 2 * A_FEW_SECONDS


# --- anything at all --------------------------------------------------------------------------------------------------

PIECES = st.sampled_from([
    "- ", "{", "}", "[", "]", ":", ": ", ",", "\n", "\n  ", "\n    ", "\t", "#", "&a ", "*a", "!t ", "!!str ", "|\n",
    ">\n", '"', "'", "?", "%", "@", "`", "```", "~~~", "---", "...", "<<", "~", "null", "true", ".nan", ".inf", "1e-8",
    "0x1f", "0o7", "1_000", "12:30", "2020-01-01", "-", "id", "rule", "close", "low", "é", "\u2028", "\ufeff", "\x85",
    "\\", "\x00",
])  # fmt: skip
TEXT = st.lists(PIECES | st.text(max_size=5), max_size=60).map("".join)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.binary(max_size=4)
DATA = st.recursive(SCALARS, lambda part: st.lists(part, max_size=4) | st.dictionaries(SCALARS, part, max_size=4))


@FUZZ
@given(where=st.sampled_from(BLOCKS), content=TEXT)
def test_any_text_in_a_block(where: tuple[str, str, str], content: str):
    file, language, name = where
    outcome(DOCUMENTS | {file: with_block(file, name, content, language)})


@FUZZ
@given(where=st.sampled_from(YAML), data=DATA)
def test_any_data_in_a_block(where: tuple[str, str], data: object):
    file, name = where
    outcome(DOCUMENTS | {file: with_block(file, name, yaml.dump(data, allow_unicode=True))})


@FUZZ
@given(texts=st.dictionaries(st.sampled_from(sorted(DOCUMENTS)), TEXT | st.text()))
def test_any_documents(texts: dict[str, str]):
    outcome(texts)


@FUZZ
@given(data=st.binary(max_size=400))
def test_any_bytes(data: bytes):
    outcome(dict.fromkeys(DOCUMENTS, data.decode("utf-8", "replace")))
    outcome(dict.fromkeys(DOCUMENTS, data.decode("latin-1")))


@FUZZ
@given(file=st.sampled_from(sorted(DOCUMENTS)), data=st.data())
def test_an_honest_document_with_pieces_cut_out_doubled_and_put_in(file: str, data: st.DataObject):
    text = DOCUMENTS[file]
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 80)))
        kind = data.draw(st.sampled_from(["cut", "double", "replace", "insert"]))
        new = {"cut": "", "double": text[start:end] * 2}.get(kind) if kind in ("cut", "double") else data.draw(TEXT)
        text = text[:start] + str(new) + text[start if kind == "insert" else end :]
    outcome(DOCUMENTS | {file: text})


@FUZZ
@given(file=st.sampled_from(sorted(DOCUMENTS)), data=st.data())
def test_an_honest_document_with_lines_in_another_order(file: str, data: st.DataObject):
    lines = DOCUMENTS[file].split("\n")
    order = data.draw(st.lists(st.integers(0, len(lines) - 1), min_size=1, max_size=len(lines) + 5))
    outcome(DOCUMENTS | {file: "\n".join(lines[n] for n in order)})


# --- values of the wrong kind, everywhere -----------------------------------------------------------------------------

NASTY: list[Any] = [
    None, True, "", " ", "x" * 5000, "\ud7ff\x1f", [], {}, [[]], [None], {"a": 1}, {"": ""}, 0, -1, 2**63, 10**400,
    -0.0, 1e-320, 1e308, -1e308, 0.5, "nan", "1e-8", "../../x", "$(x)", {"id": "C1"}, ["a"] * 3000,
]  # fmt: skip


def places(data: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    parts = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, part in parts:
        yield from places(part, (*path, key))


def replaced(data: Any, path: tuple[str | int, ...], value: object) -> Any:
    if not path:
        return value
    copy = dict(data) if isinstance(data, dict) else list(data)
    copy[path[0]] = replaced(data[path[0]], path[1:], value)  # type: ignore[index, call-overload]
    return copy


@pytest.mark.parametrize(("file", "name"), YAML)
def test_no_value_of_the_wrong_kind_anywhere_is_more_than_a_fault(file: str, name: str):
    """Each place of each block with two of the values in turn, so that all of them are tried in many places."""
    block = the_block(file, DOCUMENTS[file], "yaml", name)
    assert block is not None
    data = read_yaml(block).data
    turn = 0
    for path in places(data):
        for _ in range(2):
            turn += 1
            value = NASTY[turn % len(NASTY)]
            text = with_block(file, name, json.dumps(replaced(data, path, value)))
            outcome({file: text})


@FUZZ
@given(where=st.sampled_from(YAML), data=st.data())
def test_no_two_values_of_any_kind_anywhere_are_more_than_a_fault(where: tuple[str, str], data: st.DataObject):
    file, name = where
    block = the_block(file, DOCUMENTS[file], "yaml", name)
    assert block is not None
    made = read_yaml(block).data
    for _ in range(2):
        path = data.draw(st.sampled_from(list(places(made))))
        made = replaced(made, path, data.draw(st.sampled_from(NASTY) | DATA))
    try:
        text = yaml.dump(made, allow_unicode=True)
    except (yaml.YAMLError, TypeError, ValueError):
        return
    outcome(DOCUMENTS | {file: with_block(file, name, text)})


# --- the parts by themselves ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1e-8", 1e-8), ("1E-8", 1e-8), (".5", 0.5), ("5.", 5.0), ("-3", -3), ("+3", 3), ("007", 7), ("no", "no"),
        ("on", "on"), ("yes", "yes"), ("0x10", "0x10"), ("0o17", "0o17"), ("1_000", "1_000"), ("12:30:45", "12:30:45"),
        ("2020-01-01", "2020-01-01"), ('"5"', "5"), ("'5'", "5"), ("~", None), ("null", None), ("true", True),
        ("True", True), ("TRUE", "TRUE"), ("=", "="), ("<<", "<<"),
    ],
)  # fmt: skip
def test_a_scalar_means_what_people_read(written: str, meant: object):
    (block,) = blocks_of("x.md", f"```yaml x\n- {written}\n```\n")
    found = read_yaml(block).data
    assert found == [meant] and isinstance(found, list) and type(found[0]) is type(meant)


def test_faults_read_as_file_line_and_reason():
    (block,) = blocks_of("x.md", "\n\n```yaml x\nabsolute: 1\nnonsense: 2\n```\n")
    with pytest.raises(Malformed) as caught:
        check(read_yaml(block), Tolerance)
    assert str(caught.value) == "x.md:5: nonsense: Extra inputs are not permitted"


@FUZZ
@given(code=TEXT, functions=st.lists(st.sampled_from(["mean", "variance", ""]), max_size=3))
def test_any_code_is_parsed_or_refused(code: str, functions: list[str]):
    try:
        found = blocks_of("x.md", f"```python definitions\n{code}\n```\n")
    except Malformed:
        return
    for block in found:
        for fault in definition_faults(block, functions):
            assert fault.file == "x.md" and fault.line >= 1 and fault.message


def test_positions_of_a_contract_lie_in_their_documents():
    contract = read_contract(DOCUMENTS)
    for (file, _), value in (contract.values or {}).items():
        text = DOCUMENTS[file]
        for path, (start, end) in value.spans.items():
            assert 0 <= start <= end <= len(text)
            first = text[:start].count("\n") + 1
            assert value.line_of(path) == first, (file, path)
    for file, name in YAML:
        assert contract.line_of(file, name, "no", "such", 7) >= 1
    assert contract.line_of("nothing.md", "nothing") == 1


@pytest.mark.parametrize("word", ["NaN", "infinity", "-Inf"])
def test_an_option_may_be_called_like_a_number_that_is_none(word: str) -> None:
    texts = dict(DOCUMENTS)
    old = "{label: return NaN,"
    assert old in texts["comprehension.md"]
    texts["comprehension.md"] = texts["comprehension.md"].replace(old, f"{{label: {word},")
    found = read_contract(texts).comprehension
    assert found is not None and found.choices[0].options[1].label == word
