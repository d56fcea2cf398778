from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from statsclaw.runlog.events.base import Event, Fact

Verdict = Literal["PASS", "FAIL", "UNDECIDED"]


class Reason(StrEnum):
    """Why a criterion has no answer, where it has none: by it is decided who mends it, never by the note."""

    NO_TEST = "no-test"
    ANOTHER_QUESTION = "another-question"
    TEST_BROKE = "test-broke"
    NO_RECORDS = "no-records"


class Judgement(Fact):
    """The answer to one frozen criterion, computed from recorded evidence.

    `observed`: the value that decides, the worst of all where there are several; `margin`: how far it is from the
    bound, negative when it is beyond; `literal`: the verdict of the bare comparison, whatever its Monte Carlo error;
    `planned`: how many replications there were to be, where the person wanted fewer; `reason`: why nothing answered it.
    """

    id: str
    quantity: str
    rule: str
    verdict: Verdict
    literal: Literal["PASS", "FAIL"]
    observed: float | None = None
    expected: float | None = None
    margin: float | None = None
    mcse: float | None = None
    replications: int | None = None
    planned: int | None = None
    where: str = ""
    evidence: tuple[str, ...] = ()
    note: str = Field("", max_length=2000)
    reason: Reason | None = None

    @property
    def counts_as(self) -> Literal["PASS", "FAIL", "OPEN"]:
        """What the run goes by. Undecided is taken literally, unless the person wanted too few replications for it."""
        if self.verdict != "UNDECIDED":
            return self.verdict
        return self.literal if self.planned is None else "OPEN"


class Stated(Fact):
    """A criterion that a source states, and the frozen criteria that carry it. `source`: a file, or "request"."""

    source: str
    name: str
    text: str
    carried_by: tuple[str, ...] = ()


class CriteriaJudged(Event):
    """Every frozen criterion, each once, on one package. `in_doubt`: one that fails while all exact checks pass.
    `stated`: what the sources demand, with the criteria that carry it; of the result only."""

    kind: Literal["criteria_judged"] = "criteria_judged"
    tree_sha256: str
    subject: Literal["after", "before", "null", "disturbed"] = "after"
    judgements: tuple[Judgement, ...]
    in_doubt: str = ""
    stated: tuple[Stated, ...] = ()
