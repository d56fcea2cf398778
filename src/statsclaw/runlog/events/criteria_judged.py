from __future__ import annotations

from typing import Literal

from pydantic import Field

from statsclaw.runlog.events.base import Event, Fact

Verdict = Literal["PASS", "FAIL", "UNDECIDED"]


class Judgement(Fact):
    """The answer to one frozen criterion, computed from recorded evidence.

    `observed`: the value that decides, the worst of all where there are several; `margin`: how far it is from the
    bound, negative when it is beyond; `literal`: the verdict of the bare comparison, whatever its Monte Carlo error.
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
    where: str = ""
    evidence: tuple[str, ...] = ()
    note: str = Field("", max_length=2000)


class CriteriaJudged(Event):
    """Every frozen criterion, each once, on one package. `in_doubt`: one that fails while all exact checks pass."""

    kind: Literal["criteria_judged"] = "criteria_judged"
    tree_sha256: str
    subject: Literal["after", "before", "null", "disturbed"] = "after"
    judgements: tuple[Judgement, ...]
    in_doubt: str = ""
