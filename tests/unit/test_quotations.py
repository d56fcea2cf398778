"""Quantities that a source defines in words: the quotation is looked up, shown to the second reader, and compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from statsclaw.runlog import chain
from statsclaw.runlog import events as e
from statsclaw.runlog.events.finding import Finding
from statsclaw.runlog.store import ContentStore
from statsclaw.sources.extract import read_sources
from statsclaw.sources.index import Equation, Extracted, Index
from statsclaw.sources.quotation import words_in
from statsclaw.specs.blocks import check, read_yaml, the_block
from statsclaw.specs.comprehension import Comprehension
from statsclaw.specs.contract import Contract, read_contract
from statsclaw.specs.gate import comprehension_findings
from statsclaw.specs.lint.formulas import formula_findings
from statsclaw.specs.readings.compare import compare
from statsclaw.specs.readings.inputs import calls_for
from statsclaw.specs.readings.reading import questions_for
from statsclaw.specs.test_spec import TestSpec

HONEST = Path(__file__).parents[1] / "support" / "honest"
DEMOS = Path(__file__).parents[2] / "src" / "statsclaw" / "demo"
WORDS = "the range is the largest of the numbers minus the smallest one"
TEXT = (HONEST / "sources" / "notes.md").read_text(encoding="utf-8") + f"\nHere {WORDS}.\n"
X = {"name": "x", "dimension": ["n"]}


def index(text: str = TEXT) -> Index:
    return read_sources({"notes.md": text.encode()})


def read(*more: dict[str, Any]) -> Comprehension:
    text = (HONEST / "out" / "comprehension.md").read_text(encoding="utf-8")
    block = the_block("comprehension.md", text, "yaml", "comprehension")
    assert block is not None
    data = check(read_yaml(block), Comprehension).model_dump()
    return Comprehension.model_validate(data | {"definitions": [*data["definitions"], *more]})


def quoted(quote: str | None = WORDS, **changes: Any) -> dict[str, Any]:
    row = {"ref": "notes.md", "function": "spread", "quantity": "SECRET", "arguments": [X]}
    return row | ({"quote": quote} if quote is not None else {}) | changes


def found(*more: dict[str, Any], sources: Index | None = None) -> list[Finding]:
    rows = sources or index()
    return comprehension_findings(read(*more), rows, {"notes.md": read().sources[0].sha256})


def keys(rows: list[Finding], severity: str) -> list[str]:
    return [row.key for row in rows if row.severity == severity]


@pytest.mark.parametrize(
    ("quote", "text", "shown"),
    [
        ("the median of the residuals", "Here the\n  median of  the residuals.", "the median of the residuals"),
        ("the median of the errors", r"the \emph{median} of the $errors$", r"the \emph{median} of the $errors"),
        ("the **median** of it", "the median of _it_", "the median of _it"),
        ("lags 1 -- L of x", "lags 1–L of x", "lags 1–L of x"),
        (r"with $n - k$ degrees", "with n − k degrees", "with n − k degrees"),
        ("the absolute deviation of x", "the absolute devia-\ntion of x", "the absolute devia- tion of x"),
        ("as Newey-West weights do", "as Newey-\nWest weights do", "as Newey- West weights do"),
        (r"where \hat\beta is the slope", r"where $\hat{\beta}$ is the slope", r"where $\hat{\beta}$ is the slope"),
        ("“the usual” divisor n", 'the "usual" divisor n', 'the "usual" divisor n'),
        ("the size is at most ≤ 3", r"the size is at most $\leq$ 3", r"the size is at most $\leq$ 3"),
        ("divided by n and not more", "divided by n - 1 and not more", None),
        (r"the mean of \alpha itself", r"the mean of \beta itself", None),
        ("the median of the residuals", "", None),
    ],
)
def test_a_quotation_is_found_as_a_reader_would_and_given_in_the_words_of_the_source(quote, text, shown):
    assert words_in(quote, text) == shown


def test_a_quantity_in_words_is_accepted_where_its_words_stand_in_the_source():
    assert keys(found(quoted()), "error") == []


def test_a_quotation_that_is_not_in_the_source_is_an_error():
    rows = found(quoted("the range is the largest of the numbers and nothing else"))
    assert keys(rows, "error") == ["quote:spread"]
    assert "these words are not in notes.md" in rows[0].message


@pytest.mark.parametrize("quote", ["heteroskedasticity-consistent", "variance", "of  the", "$$$ --- $$$ {{}} ---"])
def test_a_quotation_of_one_word_defines_nothing(quote):
    with pytest.raises(ValueError, match="quote"):
        read(quoted(quote))


def test_words_without_spaces_between_them_are_words():
    assert read(quoted("样本极差是最大值减去最小值")).definitions[-1].quote


def test_a_source_named_without_a_quotation_is_told_what_is_missing():
    rows = found(quoted(None))
    assert keys(rows, "error") == ["reference:notes.md"]
    assert "quote the words that define it" in rows[0].message


def test_a_quotation_of_another_source_is_a_reference_into_no_source():
    assert "reference:other.md" in keys(found(quoted(ref="other.md")), "error")


def test_a_numbered_equation_is_named_by_its_number_and_not_quoted():
    rows = found(quoted(r"\bar x = \frac{1}{n} \sum_{i=1}^{n} x_i"))
    assert keys(rows, "error") == ["quote:spread"]
    assert "notes.md(1)" in rows[0].message


def test_in_a_pdf_that_no_program_could_read_in_full_a_quotation_is_doubted_only():
    rows = index().sources
    pdf = Extracted("p.pdf", "0" * 64, "pdf", "Something else.", not_extracted=("formulas of a PDF are not extracted",))
    row = quoted(ref="p.pdf")
    listed = comprehension_findings(read(row), Index((*rows, pdf)), {"notes.md": read().sources[0].sha256})
    assert keys(listed, "error") == []
    assert "quote:spread" in keys(listed, "warning")
    asked = questions_for(read(row), Index((*rows, pdf)))
    assert WORDS in asked and "no program found these words" in asked


def test_the_quotation_of_a_numbered_equation_is_not_needed_and_said_to_be():
    rows = found(quoted(ref="notes.md(1)"))
    assert keys(rows, "error") == [] and "quote:spread" in keys(rows, "warning")


def test_the_second_reader_is_shown_the_words_of_the_source_and_none_of_the_planners():
    asked = questions_for(read(quoted(WORDS.upper().replace(" ", "  "))), index())
    assert WORDS in asked and WORDS.upper() not in asked and "SECRET" not in asked
    assert "## notes.md (in words)" in asked and "`spread(x)` returns one number." in asked


def test_two_quantities_of_one_source_are_told_apart_when_readings_are_compared():
    other = "For numbers $x_1, \\ldots, x_n$ with $n \\ge 2$"
    rows = read(quoted(), quoted(other, function="other")).definitions[-2:]
    calls = calls_for(rows, 1)
    same = [{"value": 1.0, "nudged": 1.0}] * len(calls)
    first, second = compare(rows, calls, same, same)
    assert first.ref != second.ref and WORDS[:20] in first.ref and first.ref.startswith("notes.md")


def test_a_criterion_of_the_same_source_does_not_carry_every_quantity_in_words():
    tests = TestSpec.model_validate(
        {
            "scenarios": [{"id": "S1", "behaviour": "b", "exercises": ["f"], "inputs": "none"}],
            "criteria": [
                {
                    "id": "C1",
                    "quantity": "q",
                    "scenarios": ["S1"],
                    "rule": "at most",
                    "high": 9,
                    "source": "notes.md A",
                }
            ],
        }
    )
    only = read().model_copy(update={"definitions": read(quoted()).definitions[-1:]})
    assert list(formula_findings(Contract(comprehension=only, tests=tests), index())) == []


@pytest.mark.parametrize("demo", ["hac", "probit-python", "probit-r"])
def test_what_the_recorded_second_readers_were_asked_is_unchanged_to_the_byte(demo):
    folder = DEMOS / demo / "recording"
    store, sources, text = ContentStore(folder / "store"), Index(), ""
    compared = 0
    for record in chain.read(folder / "events.jsonl").records:
        match record.event:
            case e.RunCreated() as event:
                sources = read_sources({s.name: store.get(s.sha256) for s in event.sources})
            case e.DispatchFinished() as event if "comprehension.md" in event.artifacts:
                text = store.get_text(event.artifacts["comprehension.md"])
            case e.ArtifactWritten(name="questions.md") as event:
                comprehension = read_contract({"comprehension.md": text}).comprehension
                assert comprehension is not None
                assert questions_for(comprehension, sources) == store.get_text(event.sha256)
                compared += 1
            case _:
                pass
    assert compared


def test_an_equation_of_the_index_is_still_found_by_its_number():
    numbered = Equation("notes.md(1)", "notes.md", "x", True, 3, number="1")
    sources = Index((Extracted("notes.md", "0" * 64, "markdown", equations=(numbered,)),))
    assert "## notes.md(1) (line 3)" in questions_for(read(), sources)
