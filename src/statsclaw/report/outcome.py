"""The first lines of a report: how the run ended, what it cost, and whether its log can be believed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from statsclaw.errors import StatsClawError
from statsclaw.report.ledger import Ledger
from statsclaw.report.wording import count, duration, moment, one_line
from statsclaw.runlog import chain
from statsclaw.runlog import log as runlog
from statsclaw.runlog.fold import RunView


@dataclass(frozen=True, slots=True)
class Outcome:
    run_id: str
    target: str
    ended: Literal["good", "bad", "open"]
    sentence: str
    review: str
    when_begun: str
    when: str
    lasted: str
    cost: str
    commit: str
    lines: int
    last_hash: str
    intact: bool
    verified: str
    warnings: tuple[str, ...]
    remarks: tuple[str, ...]


def outcome_of(ledger: Ledger) -> Outcome:
    view = ledger.view
    intact, verified = _verified(ledger)
    lasted = (view.last_at - view.created_at).total_seconds() if view.last_at and view.created_at else 0.0
    return Outcome(
        run_id=view.head.run_id,
        target=view.head.target,
        ended=_ended(view),
        sentence=_sentence(view),
        review=_review(view),
        when_begun=f"{view.created_at:%-d %B %Y}" if view.created_at else "",
        when=moment(view.created_at),
        lasted=duration(lasted),
        cost=_cost(ledger),
        commit=view.commit.commit if view.commit else "",
        lines=len(ledger.records),
        last_hash=ledger.records[-1].hash if ledger.records else chain.GENESIS,
        intact=intact,
        verified=verified,
        warnings=tuple(_warnings(view)),
        remarks=tuple(_remarks(view)),
    )


def _ended(view: RunView) -> Literal["good", "bad", "open"]:
    if view.finished is None:
        return "open"
    return "bad" if view.finished.outcome == "stopped" or view.finished.reason else "good"


def _sentence(view: RunView) -> str:
    if view.finished is None:
        return f"Not finished: {_waits_for(view)}."
    reason = f": {one_line(view.finished.reason)}" if view.finished.reason else ""
    if view.finished.outcome == "shipped" and view.pushed:
        pushed = view.pushed
        return f"Shipped{reason}. The result is on branch {pushed.branch} of {pushed.remote}."
    if view.finished.outcome == "stopped":
        return f"Stopped, not shipped{reason}."
    kept = f" The result is kept on branch {view.commit.branch} of the run's own clone." if view.commit else ""
    return f"Done, not shipped{reason}.{kept}"


def _waits_for(view: RunView) -> str:
    if view.open_questions:
        return f"waits for an answer to {count(len(view.open_questions), 'question')}"
    if view.running:
        return f"the {', '.join(dispatch.role for dispatch in view.running)} had begun and not handed in"
    missing = f"; missing: {one_line('; '.join(view.missing))}" if view.missing else ""
    return f"in state {view.state or 'before the first'}{missing}"


def _review(view: RunView) -> str:
    if view.verdict:
        return f"The verdict of the review is {view.verdict}."
    if view.reviewed:
        return f"The computed checks say {view.reviewed.verdict}; no reviewer has handed in."
    return "It was not reviewed."


def _cost(ledger: Ledger) -> str:
    usage = ledger.view.usage
    figures = f"{usage.tokens:,} tokens, ${usage.cost_usd:.2f}"
    if ledger.recorded:
        return f"Roles are recorded, so no model was paid for this run ({figures})."
    return f"{figures}."


def _verified(ledger: Ledger) -> tuple[bool, str]:
    """What `log verify` would say: the chain of hashes, and every stored document, file and output."""
    try:
        lines = runlog.verify(ledger.folder.path)
        for digest in sorted(ledger.view.named):
            ledger.store.get(digest)
    except StatsClawError as damage:
        return False, f"does not hold: {one_line(damage.happened)}"
    stored = f"{count(len(ledger.view.named), 'stored document')}, files and outputs are intact"
    cut = "" if chain.read_head(ledger.folder.path / runlog.HEAD) else "; the head file is missing"
    return True, f"holds: {count(lines, 'line')} verified, {stored}{cut}"


def _warnings(view: RunView) -> list[str]:
    found = []
    if view.head.barrier == "none":
        found.append("This run was made without a sandbox: nothing kept the roles apart.")
    if view.breaches:
        found.append(f"Isolation was breached: {count(len(view.breaches), 'time')}.")
    if view.revealed:
        found.append("A person let a role see tests and values in full (--reveal).")
    return found


def _remarks(view: RunView) -> list[str]:
    """What is no fault, and should be known before anything else is read."""
    if view.replications is None:
        return []
    return [f"A person wanted only {view.replications:,} replications in each cell of the study."]
