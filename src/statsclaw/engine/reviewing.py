"""Gathering what a review looks at, and keeping what its seven checks found."""

from __future__ import annotations

from dataclasses import replace

from statsclaw.artifacts.mark import unmarked
from statsclaw.engine.attestation import dispatches_of
from statsclaw.engine.contracts import contract_of
from statsclaw.engine.gates import verified
from statsclaw.engine.judges import has_door, with_door
from statsclaw.engine.plan import has_contract
from statsclaw.engine.run import Run
from statsclaw.engine.verifying import bench_for, lay_out
from statsclaw.profiles.profile import PathClass
from statsclaw.review.case import Agreement, Amended, Approval, Case, FileCoverage, Overridden
from statsclaw.review.render import render_review
from statsclaw.review.review import Reviewed, review
from statsclaw.roles.matrix import Role
from statsclaw.runlog.events import Covered, Finding, Judgement, ReviewComputed, Trace
from statsclaw.runlog.store import sha256
from statsclaw.sandbox.barrier import NoBarrier
from statsclaw.specs.contract import COMPREHENSION
from statsclaw.verify.criteria.claims import contradicted_claims
from statsclaw.verify.measure_coverage import measured, read_dumps
from statsclaw.verify.runner import verify_tree

_ENGINE_WRITTEN = ("audit.md", "checks.md", "contract.md", "oracles.md", "questions.md", "references.md")


def compute_review(run: Run) -> ReviewComputed:
    measured = _coverage(run)
    found = _reviewed(run, measured)
    return ReviewComputed(
        of=run.view.review_basis,
        verdict=found.verdict,
        route_to=found.routed_to,
        findings=tuple(f.model_copy(update={"message": run.scrub(f.message)[:4000]}) for f in found.findings),
        coverage=tuple(
            Covered(
                path=row.path,
                lines=row.lines,
                lines_hit=row.lines_hit,
                branches=row.branches,
                branches_hit=row.branches_hit,
                missed=row.missed[:200],
            )
            for row in measured or ()
        )
        if measured is not None
        else None,
    )


def _coverage(run: Run) -> tuple[FileCoverage, ...] | None:
    """Lines and branches of the changed sources that the tester's suite executes, in a run of its own."""
    if run.profile.id != "python" or not has_contract(run.plan) or not verified(run.view):
        return None
    contract = contract_of(run)
    bench = replace(with_door(run, bench_for(run, contract), contract), coverage=True)
    if not bench.package:
        return None
    phases = ("build", "validation")
    for _ in verify_tree(bench, lay_out(run, run.view.overlay), run.view.tree_sha256, "after", phases):
        pass
    return measured(read_dumps(bench.place("coverage").glob("*.json")), _changed_sources(run))


def review_document(run: Run) -> str:
    assert run.view.reviewed is not None
    kept = run.view.reviewed
    found = Reviewed(kept.findings, kept.verdict, kept.route_to)
    rows = None
    if kept.coverage is not None:
        rows = tuple(
            FileCoverage(c.path, c.lines, c.lines_hit, c.branches, c.branches_hit, c.missed) for c in kept.coverage
        )
    return render_review(found, case_of(run, rows))


def _reviewed(run: Run, coverage: tuple[FileCoverage, ...] | None) -> Reviewed:
    case = case_of(run, coverage)
    prose = {name: text for name, text in case.documents.items() if name not in _ENGINE_WRITTEN}
    claims = contradicted_claims(prose, case.judgements, case.after)
    found = review(case, claims)
    kept = tuple(f if f.key else f.model_copy(update={"key": _key(f)}) for f in found.findings)
    standing = tuple(f for f in kept if f.severity != "error" or not run.view.stands(f))
    if len(standing) == len(kept):
        return Reviewed(kept, found.verdict, found.routed_to)
    verdict = "STOP" if any(f.severity == "error" for f in standing) else "PASS WITH NOTE"
    return Reviewed(standing, verdict, found.routed_to if verdict == "STOP" else "")


def _key(finding: Finding) -> str:
    return f"{finding.check}:{sha256(finding.message.encode())[:8]}"


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
        agreements=tuple(
            Agreement(row.ref, row.function, row.agrees, row.tried, row.largest_difference, row.note, _settled(run))
            for row in (view.readings.rows if view.readings else ())
        ),
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
        unattended=tuple(
            q.asked.cause.rpartition("/")[2]
            for q in view.questions.values()
            if q.asked.topic == "choice" and q.answer and q.answer.by == "default"
        ),
        apart=has_door(run) or contract is None,
        coverage=coverage,
        documents={n: unmarked(run.store.get(a.sha256)).decode("utf-8") for n, a in view.artifacts.items()},
        changed_sources=_changed_sources(run),
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
        if q.answer is not None and q.answer.choice == 0
    ]


def _approval(run: Run) -> Approval | None:
    document = run.view.artifact(COMPREHENSION)
    asked = [q for q in run.view.questions.values() if q.asked.topic == "comprehension" and q.answer]
    given = [q for q in asked if q.answer and q.answer.choice == 0]
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


def _changed_sources(run: Run) -> dict[str, str]:
    changed = {
        path: change
        for path, change in run.view.overlay.items()
        if change.sha256 and (run.profile.classify(path) is PathClass.SOURCE or path == "NAMESPACE")
    }
    return {path: run.store.get(str(c.sha256)).decode("utf-8", "replace") for path, c in changed.items()}
