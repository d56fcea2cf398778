"""Gathering what a review looks at, and keeping what its seven checks found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from statsclaw.artifacts.mark import unmarked
from statsclaw.engine.attestation import dispatches_of
from statsclaw.engine.contracts import contract_of
from statsclaw.engine.covering import changed_sources, coverage_of
from statsclaw.engine.gates import verified
from statsclaw.engine.plan import has_contract
from statsclaw.engine.questions import tried
from statsclaw.engine.run import Run
from statsclaw.engine.shipped import changed_docs, docs_before
from statsclaw.engine.verifying import bench_for, lay_out
from statsclaw.review.case import Amended, Approval, Case, FileCoverage, Overridden
from statsclaw.review.render import render_review
from statsclaw.review.review import Reviewed, review
from statsclaw.roles.matrix import Role
from statsclaw.runlog.events import Covered, CriteriaJudged, Finding, Judgement, ReviewComputed, Trace
from statsclaw.runlog.replies import Reply
from statsclaw.sandbox.barrier import NoBarrier
from statsclaw.sandbox.tree import paths_in, read_text
from statsclaw.specs.contract import COMPREHENSION
from statsclaw.specs.readings.agreement import Agreement
from statsclaw.verify.criteria.claims import contradicted_claims

_ENGINE_WRITTEN = ("audit.md", "checks.md", "contract.md", "oracles.md", "questions.md", "references.md")
_MOST_MISSED = 200


def compute_review(run: Run) -> ReviewComputed:
    measured, why_not = coverage_of(run)
    looks: list[Finding] = []
    if has_contract(run.plan) and verified(run.view):
        judged, deaf = tried(run, bench_for(run, contract_of(run)), lay_out(run, run.view.overlay))
        run.log.append(CriteriaJudged(tree_sha256=run.view.tree_sha256, subject="disturbed", judgements=judged))
        looks += deaf
    found = _reviewed(run, replace(case_of(run, measured), why_not_measured=why_not), looks)
    return ReviewComputed(
        of=run.view.review_basis,
        verdict=found.verdict,
        route_to=found.routed_to,
        findings=tuple(f.model_copy(update={"message": run.scrub(f.message)[:4000]}) for f in found.findings),
        coverage=tuple(Covered(**asdict(replace(row, missed=row.missed[:_MOST_MISSED]))) for row in measured)
        if measured is not None
        else None,
    )


def review_document(run: Run) -> str:
    assert run.view.reviewed is not None
    kept = run.view.reviewed
    found = Reviewed(kept.findings, kept.verdict, kept.route_to)
    rows = tuple(FileCoverage(**c.model_dump()) for c in kept.coverage) if kept.coverage is not None else None
    return render_review(found, case_of(run, rows))


def _reviewed(run: Run, case: Case, looks: Sequence[Finding]) -> Reviewed:
    prose = {name: text for name, text in case.documents.items() if name not in _ENGINE_WRITTEN}
    claims = contradicted_claims(
        prose, case.judgements, case.after, shipped=case.changed_docs, earlier=docs_before(run)
    )
    found = review(case, [*claims, *looks])
    kept = tuple(f.keyed() for f in found.findings)
    standing = tuple(f for f in kept if f.severity != "error" or not run.view.stands(f))
    if len(standing) == len(kept):
        return Reviewed(kept, found.verdict, found.routed_to)
    verdict = "STOP" if any(f.severity == "error" for f in standing) else "PASS WITH NOTE"
    return Reviewed(standing, verdict, found.routed_to if verdict == "STOP" else "")


def case_of(run: Run, coverage: tuple[FileCoverage, ...] | None = None) -> Case:
    """The run as the checks see it: plain data, read from the log and the store."""
    view, tree = run.view, run.view.tree_sha256
    contract = contract_of(run) if view.artifact(COMPREHENSION) else None
    planner = {n: a.sha256 for n, a in view.artifacts.items() if a.producer == Role.PLANNER}
    return Case(
        roles=tuple(run.plan.roles),
        contract=contract,
        index=run.index,
        approval=_approval(run),
        agreements=tuple(Agreement(**row.model_dump()) for row in view.readings.rows) if view.readings else (),
        readings_settled=_settled(run),
        second_reading=Role.READER in run.plan.roles,
        barrier=run.barrier.kind,
        attestation_faults=_attested(run),
        breaches=_standing_breaches(run),
        suspicions=tuple(t for d in view.dispatches.values() if d.closed for t in d.closed.suspicions),
        revealed=tuple(event.role for event in view.revealed),
        frozen=dict(view.frozen) if has_contract(run.plan) else {},
        current=planner if has_contract(run.plan) else {},
        amendments=(*(Amended(e.what, e.before, e.after, e.why) for e, _ in view.amendments), *_frozen_anew(run)),
        overrides=tuple(Overridden(e.key, e.message, e.why) for e in view.overrides.values()),
        contract_findings=view.checked.findings if view.checked else (),
        suite_findings=view.suite.findings if view.suite else (),
        after=tuple(view.evidence_for(tree, "after")),
        before=tuple(view.evidence_for(tree, "before")),
        judgements=_judged(run, "after"),
        null_judgements=_last_on_null(run),
        disturbed=_judged(run, "disturbed"),
        unattended=tuple(name for name, q in view.answered_choices if q.answer and q.answer.by == "default"),
        coverage=coverage,
        documents={n: unmarked(run.store.get(a.sha256)).decode("utf-8") for n, a in view.artifacts.items()},
        changed_sources=changed_sources(run),
        sources_before={path: read_text(run.target, {}, run.store, path) for path in changed_sources(run)},
        changed_docs=changed_docs(run),
        package_files=frozenset(paths_in(run.target, view.overlay)),
    )


def _attested(run: Run) -> tuple[str, ...]:
    """What is wrong with the record of what roles were shown. That there was no sandbox is said on its own."""
    rows = [(seen.dispatch, fault) for seen in dispatches_of(run.folder) for fault in seen.faults]
    known = "without a sandbox" if run.barrier.kind == NoBarrier.kind else "\0"
    return tuple(f"{dispatch}: {fault}" for dispatch, fault in rows if known not in fault)


def _settled(run: Run) -> bool:
    compared = run.view.readings
    pair = (compared.comprehension_sha256, compared.reading_sha256) if compared else None
    return pair in run.view.readings_settled


def _frozen_anew(run: Run) -> list[Amended]:
    """What a person agreed to judge by instead of what was frozen first."""
    agreed = [q for q in run.view.questions.values() if q.asked.topic == "refreeze" and q.answer]
    return [
        Amended(
            "what is judged", "as it was frozen", q.asked.text.partition("\n")[2], q.answer.text or "a person agreed"
        )
        for q in agreed
        if q.answer is not None and q.reply is Reply.AGREE
    ]


def _approval(run: Run) -> Approval | None:
    document = run.view.artifact(COMPREHENSION)
    asked = [q for q in run.view.questions.values() if q.asked.topic == "comprehension" and q.answer]
    given = [q for q in asked if q.reply is Reply.APPROVE]
    if document is None or not given:
        return None
    answer = given[-1].answer
    assert answer is not None
    return Approval(by=answer.by, matches=given[-1].asked.cause == document.sha256)


def _standing_breaches(run: Run) -> tuple[Trace, ...]:
    """Of what a breach handed in, nothing was taken: it concerns the review only if its role never handed in again."""
    taken = {d.role for d in run.view.dispatches.values() if d.status == "finished"}
    return tuple(trace for breach in run.view.breaches if breach.role not in taken for trace in breach.traces)


def _judged(run: Run, subject: str) -> tuple[Judgement, ...]:
    judged = run.view.judged.get((run.view.tree_sha256, subject))
    return judged.judgements if judged else ()


def _last_on_null(run: Run) -> tuple[Judgement, ...]:
    found = [judged for (_, subject), judged in run.view.judged.items() if subject == "null"]
    return found[-1].judgements if found else ()
