"""A document is taken if it has what its kind must have; whatever else it is, checking it harms nobody."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statsclaw.artifacts.catalogue import ArtifactKind, catalogue, owed_by
from statsclaw.artifacts.check import faults, section, sections_of, verdicts
from statsclaw.roles.matrix import MATRIX
from tests.support.patience import within

KINDS = sorted(catalogue())
MERMAID = "```mermaid\ngraph TD; a-->b\n```\n"
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"


def complete(kind: ArtifactKind, *, without: str = "", empty: str = "") -> str:
    """The shortest document of its kind; less a section, or with nothing in it."""
    text = f"# {kind.name}\n\n" + TABLE * kind.tables + "\n"
    for title in kind.sections:
        if title != without:
            body = MERMAID if title in kind.mermaid else "Words.\n"
            text += f"## {title}\n\n{'' if title == empty else body}\n"
    if kind.name == "review.md":
        text = text.replace("# review.md\n", "# review.md\n\nVerdict: PASS\n")
    return text


@pytest.mark.parametrize("name", KINDS)
def test_a_complete_document_has_no_fault(name: str) -> None:
    assert faults(catalogue()[name], complete(catalogue()[name]).encode()) == []


@pytest.mark.parametrize("name", KINDS)
def test_every_missing_or_empty_section_is_named(name: str) -> None:
    kind = catalogue()[name]
    for title in kind.sections:
        assert faults(kind, complete(kind, without=title).encode()) == [f'{name} has no section "{title}"']
        assert faults(kind, complete(kind, empty=title).encode()) == [f'section "{title}" of {name} is empty']


@pytest.mark.parametrize("name", [name for name in KINDS if catalogue()[name].tables or catalogue()[name].mermaid])
def test_a_missing_table_or_diagram_is_named(name: str) -> None:
    kind = catalogue()[name]
    assert any("table" in fault for fault in faults(kind, complete(kind).replace("|---|---|\n", "").encode()))
    if kind.mermaid:
        found = faults(kind, complete(kind).replace("mermaid", "text").encode())
        assert [fault for fault in found if "Mermaid" in fault] and len(found) == len(kind.mermaid)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b" \n\t\n", "is empty"),
        (b"\xff\xfe# x", "is not UTF-8 text"),
        (b"# x\n\xc3\x28", "is not UTF-8 text"),
        (b"\x7fELF\x00\x00", "is not text"),
        (b"# x\n\x00", "is not text"),
    ],
)
def test_what_is_not_text_is_refused_in_one_line(name: str, data: bytes, said: str) -> None:
    assert faults(catalogue()[name], data) == [f"{name} {said}"]


@settings(deadline=None)
@given(st.binary(max_size=400), st.sampled_from(KINDS))
def test_any_bytes_are_judged_without_an_error(data: bytes, name: str) -> None:
    assert all(isinstance(fault, str) and fault.isprintable() for fault in faults(catalogue()[name], data))


def test_every_owed_document_of_every_role_has_a_kind() -> None:
    roles = list(MATRIX)
    assert all(owed_by(role, roles) for role in roles)


# --- headings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "heading", ["## Suite", "# suite", "###### SUITE", "## 1. Suite", "## 2.3) Suite ##", "##\tSuite", "## *Suite*"]
)
def test_a_heading_counts_however_it_is_written(heading: str) -> None:
    assert section(f"{heading}\n\nwords\n", "Suite") is not None


@pytest.mark.parametrize(
    "text",
    [
        "```\n## Suite\n\nwords\n```\n",
        "~~~text\n## Suite\nwords\n~~~\n",
        "````\n```\n## Suite\nwords\n```\n````\n",
        "```\n~~~\n## Suite\nwords\n",
        "##Suite\nwords\n",
        "####### Suite\nwords\n",
        "text ## Suite\nwords\n",
        "## Suite of tests\nwords\n",
    ],
)
def test_what_only_looks_like_a_heading_does_not_count(text: str) -> None:
    assert section(text, "Suite") is None


def test_a_section_ends_at_the_next_heading_of_its_level() -> None:
    text = "## A\none\n### inner\ntwo\n## B\nthree\n"
    assert sections_of(text) == [("A", "one\n### inner\ntwo"), ("inner", "two"), ("B", "three\n")]


# --- the verdict ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("Verdict: PASS", "PASS"),
        ("**Verdict:** STOP", "STOP"),
        ("- verdict — pass with note", "PASS WITH NOTE"),
        ("> Verdict - Pass.", "PASS"),
        ("Verdict: PASS WITH NOTES", "PASS WITH NOTES"),
        ("Verdict: MAYBE", "MAYBE"),
    ],
)
def test_a_verdict_is_read(line: str, verdict: str) -> None:
    assert verdicts(f"# Review\n\n{line}\n") == [verdict]


@pytest.mark.parametrize(
    "lines",
    [
        "", "Verdict: PASSED", "Verdict: MAYBE", "The verdict: PASS", "Verdict: PASS WITH NOTES", "Verdict: not PASS",
        "Verdict: PASS\n\nVerdict: STOP", "Verdict: PASS\nVerdict: PASS",
    ],
)  # fmt: skip
def test_a_review_without_exactly_one_verdict_is_refused(lines: str) -> None:
    kind = catalogue()["review.md"]
    text = complete(kind).replace("Verdict: PASS\n", lines + "\n")
    assert [fault for fault in faults(kind, text.encode()) if "exactly one line" in fault]


@pytest.mark.parametrize(
    "line", ["Verdict: PASS / PASS WITH NOTE / STOP", "Verdict: PASS | STOP", "Verdict: ~~PASS~~ STOP"]
)
def test_a_verdict_that_names_two_is_refused(line: str) -> None:
    kind = catalogue()["review.md"]
    assert faults(kind, complete(kind).replace("Verdict: PASS\n", f"{line}\n").encode()) != []


@pytest.mark.parametrize("line", ["Verdict and reasons follow.", "## Verdict in short", "verdict is explained below."])
def test_a_line_that_only_speaks_of_the_verdict_states_none(line: str) -> None:
    kind = catalogue()["review.md"]
    assert faults(kind, f"{complete(kind)}\n{line}\n\nWords.\n".encode()) == []


# --- the largest artifact takes a moment, whatever is in it ----------------------------------------------------------


LONG = {
    "words": ("docs.md", "word " * 400_000),
    "backticks": ("docs.md", "`" * 2_000_000),
    "a heading with 3,000 blanks": ("docs.md", "# a" + " " * 3_000 + "b\n"),
    "150,000 headings": ("docs.md", "# a\n" * 150_000),
    "a wide table": ("docs.md", "|\n|---" + " " * 50_000 + "x|\n"),
    "50,000 empty lines": ("review.md", "x" + "\n" * 50_000),
    "verdict and dashes": ("review.md", "verdict" + "-" * 30_000),
    "empty lines in a diagram": ("ARCHITECTURE.md", "# Data flow\nx" + "\n" * 50_000),
}


@pytest.mark.parametrize("kind", LONG)
def test_no_text_makes_checking_slow(kind: str) -> None:
    name, text = LONG[kind]
    with within(3):
        faults(catalogue()[name], text.encode())


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("# Interface\n\n## Interface\n\nwords\n", "\nwords\n"),
        ("# Interface\n\nwords\n\n## Interface\n\nmore\n", "\nwords\n\n## Interface\n\nmore\n"),
        ("# All\n\n## 1. Interface\nwords\n## Other\nmore\n", "words"),
    ],
)
def test_a_title_that_is_said_again_below_is_no_empty_section(text: str, body: str) -> None:
    assert section(text, "Interface") == body
