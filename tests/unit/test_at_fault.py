"""Who has to mend a criterion that failed, from what the judge itself says of it."""

from __future__ import annotations

from statsclaw.runlog.events import CaseOutcome, Finding, Judgement, Observation
from statsclaw.specs.contract import Contract
from statsclaw.states import VERDICTS
from statsclaw.verify.criteria.judge import at_fault, judge
from tests.unit.test_judge import CLOSE, COVERAGE, case, ran, seen, spec_of, study_of, verdict

BOTH = CLOSE | {"scenarios": ["S1", "S2"]}
FIRST = (case(), seen(observed=1.0, expected=1.0))


def blamed(*parts: CaseOutcome | Observation) -> tuple[str, Judgement]:
    found = verdict(BOTH, *parts)
    assert found.verdict == "FAIL"
    return at_fault(found), found


def test_nobody_asked_the_package() -> None:
    role, row = blamed(*FIRST)
    assert role == "tester" and row.note.startswith("no test decided it for S2; 1 observations")
    assert blamed(*FIRST, case("u", "skipped", ("S2",)))[0] == "tester"
    assert blamed()[0] == "tester"


def test_the_package_broke_the_test_that_asked() -> None:
    role, row = blamed(*FIRST, case("u", "failed", ("S2",), error="TypeError: level"))
    assert role == "builder" and "its test failed: u: TypeError: level" in row.note
    assert blamed(case("u", "error", ("S1",), error="KeyError"))[0] == "builder"


def test_the_package_answered_and_missed() -> None:
    assert blamed(case(scenarios=("S1", "S2")), seen(observed=9.0, expected=1.0))[0] == "builder"


def test_a_study_without_records_is_the_simulators() -> None:
    contract = Contract(tests=spec_of(CLOSE), study=study_of(COVERAGE))
    *_, row = judge(contract, [ran(*FIRST)], None, refused="fewer replications than planned")
    assert row.note == "the study has no records: fewer replications than planned" and at_fault(row) == "simulator"


def test_a_finding_without_a_key_gets_one_that_is_the_same_for_the_same_words() -> None:
    one, same, other = (Finding(check="lint", severity="error", message=text) for text in ("a", "a", "b"))
    assert one.keyed().key == same.keyed().key == "lint:ca978112"
    assert one.keyed().key != other.keyed().key
    named = Finding(check="lint", severity="error", message="a", key="mine")
    assert named.keyed() is named


def test_verdicts_stand_from_best_to_worst() -> None:
    assert VERDICTS == ("PASS", "PASS WITH NOTE", "STOP")
