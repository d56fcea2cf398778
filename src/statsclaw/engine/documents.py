"""The documents that the engine writes itself, and the readable copies of all."""

from __future__ import annotations

from collections import Counter

from statsclaw.artifacts.catalogue import catalogue
from statsclaw.artifacts.check import faults
from statsclaw.artifacts.mark import marked
from statsclaw.engine.contracts import contract_of
from statsclaw.engine.plan import has_contract, wants_ship
from statsclaw.engine.reviewing import review_document
from statsclaw.engine.run import Run
from statsclaw.engine.understanding import decisions_for_readers
from statsclaw.errors import GateClosed
from statsclaw.intake.documents import risks_of
from statsclaw.montecarlo.verdicts.wording import policy_of
from statsclaw.profiles.profile import PathClass
from statsclaw.roles.matrix import MATRIX
from statsclaw.roles.view import criteria_in
from statsclaw.runlog.chain import Record
from statsclaw.runlog.events import ArtifactWritten, Judgement
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.status import render_status
from statsclaw.runlog.store import write_durably
from statsclaw.sandbox.barrier import NoBarrier
from statsclaw.sandbox.tree import paths_in, read_text
from statsclaw.sources.listing import render_index
from statsclaw.specs.lint.power import power_table
from statsclaw.specs.lint.smallest_fault import smallest_faults
from statsclaw.specs.readings.reading import questions_for
from statsclaw.states import Signal
from statsclaw.templates import fenced, render
from statsclaw.verify.audit import render_audit
from statsclaw.verify.criteria.moved import Moved, moved
from statsclaw.verify.criteria.stated import StatedRow, stated_rows

_INTAKE = "statsclaw.intake.documents"


def write_document(run: Run, name: str) -> None:
    """Render, check like any other document, keep, record."""
    writers = {
        "credentials.md": _credentials,
        "request.md": _request,
        "impact.md": _impact,
        "references.md": _references,
        "questions.md": _questions,
        "contract.md": _contract,
        "oracles.md": _oracles,
        "checks.md": _checks,
        "audit.md": _audit,
        "shipper.md": _shipper,
    }
    data = run.scrub(writers[name](run)).encode("utf-8", "replace")
    data = marked(data) if run.barrier.kind == NoBarrier.kind else data
    if problems := faults(catalogue()[name], data):
        raise GateClosed(name, tuple(problems))
    run.log.append(ArtifactWritten(name=name, sha256=run.store.put(data)))


def _credentials(run: Run) -> str:
    return render(_INTAKE, "credentials.md", credentials=run.view.head.credentials)


def _request(run: Run) -> str:
    head = run.view.head
    handoff = run.store.get_text(head.previous_handoff_sha256) if head.previous_handoff_sha256 else ""
    return render(
        _INTAKE,
        "request.md",
        run=head,
        workflow=run.view.workflow,
        roles=run.plan.roles,
        profile=run.view.profile,
        criteria=criteria_in(head.directive),
        ships=wants_ship(run.view, run.plan),
        handoff="\n".join(f"> {line}" for line in handoff.splitlines()),
    )


def _impact(run: Run) -> str:
    profile = run.profile
    paths = paths_in(run.target, run.view.overlay)
    count = Counter(profile.classify(path) for path in paths)
    roles = run.plan.roles
    classes = [
        {
            "name": cls.value.replace("_", " "),
            "count": count[cls],
            "writers": ", ".join(role for role in roles if cls in MATRIX[role].writes),
        }
        for cls in PathClass
    ]
    return render(_INTAKE, "impact.md", classes=classes, risks=risks_of(profile, paths), roles=roles)


def _references(run: Run) -> str:
    return render_index(run.index)


def _questions(run: Run) -> str:
    comprehension = contract_of(run).comprehension
    assert comprehension is not None
    return questions_for(comprehension, run.index, decisions_for_readers(run))


def _contract(run: Run) -> str:
    view, contract = run.view, contract_of(run)
    return render(
        "statsclaw.specs",
        "contract.md",
        specs=sorted(view.checked.specs.items()) if view.checked else [],
        findings=view.checked.findings if view.checked else (),
        let_stand={key: event.why for key, event in view.overrides.items()},
        power=power_table(contract.study) if contract.study else [],
        smallest=smallest_faults(contract.study) if contract.study else [],
        comprehension=view.understood,
        readings=view.readings.rows if view.readings else (),
        second_reading=view.head.second_reading,
    )


def _oracles(run: Run) -> str:
    code = contract_of(run).definitions.strip() or "# the sources define nothing that could be computed"
    return f"# Oracles\n\n## Definitions\n\n{fenced(code, 'python')}\n"


def _checks(run: Run) -> str:
    return review_document(run)


def _audit(run: Run) -> str:
    view, tree = run.view, run.view.tree_sha256
    notes = view.artifact("audit-notes.md")
    study = contract_of(run).study if has_contract(run.plan) else None
    return render_audit(
        view.evidence_for(tree, "after"),
        view.evidence_for(tree, "before"),
        run.store,
        run.store.get_text(notes.sha256) if notes else "",
        view.verified[tree].failed,
        _seeds(run),
        _judgements(run, "after"),
        _moved(run),
        policy_of(study.failures_allowed) if study else "",
        _stated(run),
    )


def _judgements(run: Run, subject: str) -> tuple[Judgement, ...]:
    judged = run.view.judged.get((run.view.tree_sha256, subject))
    return judged.judgements if judged else ()


def _stated(run: Run) -> tuple[StatedRow, ...]:
    judged = run.view.judged.get((run.view.tree_sha256, "after"))
    return stated_rows(judged.stated, judged.judgements) if judged else ()


def _moved(run: Run) -> list[Moved]:
    tree = run.view.tree_sha256
    before, after = run.view.evidence_for(tree, "before"), run.view.evidence_for(tree, "after")
    return moved(before, after, _judgements(run, "before"), _judgements(run, "after")) if before else []


def _seeds(run: Run) -> dict[str, str]:
    """Whether a verdict after a BLOCK was taken on numbers that no report has described, as far as can be seen."""
    blocks = sum(signal.signal is Signal.BLOCK for signal, _ in run.view.signals)
    fresh = f"from the engine, new after {blocks} BLOCK{'s' if blocks > 1 else ''}" if blocks else "from the engine"
    own = "fixed by the author, the same after every BLOCK" if blocks else "fixed by the author"
    found = {}
    for what, cls in (("validation", PathClass.VALIDATION), ("study", PathClass.SIMULATION)):
        paths = [path for path in paths_in(run.target, run.view.overlay) if run.profile.classify(path) is cls]
        if paths:
            texts = (read_text(run.target, run.view.overlay, run.store, path) for path in paths)
            given = has_contract(run.plan) or any("STATSCLAW_SEED" in text for text in texts)
            found[what] = fresh if given else own
    return found


def _shipper(run: Run) -> str:
    view = run.view
    return render("statsclaw.workspace", "shipper.md", commit=view.commit, pushed=view.pushed)


def keep_copies(run: Run) -> None:
    """From now on, every document of the log also stands in the run's folder under its name."""

    def copy(record: Record, view: RunView) -> None:
        for artifact in view.artifacts.values():
            if artifact.seq == record.seq:
                write_durably(run.folder.path / artifact.name, run.store.get(artifact.sha256))
        write_durably(run.folder.path / "status.md", render_status(view, run.folder.id).encode("utf-8", "replace"))

    for artifact in run.view.artifacts.values():
        place = run.folder.path / artifact.name
        data = run.store.get(artifact.sha256)
        if not place.is_file() or place.read_bytes() != data:
            write_durably(place, data)
    run.log.observers.append(copy)
