"""What the run will be judged by: documents, their checks, what was frozen, what a person changed of it."""

from __future__ import annotations

from typing import assert_never

from statsclaw.runlog import events as e
from statsclaw.runlog.fold.run_rows import Artifact
from statsclaw.runlog.fold.state import RunState

SpecificationEvent = (
    e.ArtifactWritten
    | e.ComprehensionChecked
    | e.ReadingsCompared
    | e.ContractChecked
    | e.FindingOverridden
    | e.SpecFrozen
    | e.SpecAmended
    | e.StudyShortened
)


def fold_specification(run: RunState, event: SpecificationEvent) -> None:
    match event:
        case e.ArtifactWritten():
            run.artifacts[event.name] = Artifact(event.name, event.sha256, "engine", run.seq)
        case e.ComprehensionChecked():
            run.understood = event
        case e.ReadingsCompared():
            run.readings = event
        case e.ContractChecked():
            run.checked = event
        case e.FindingOverridden():
            run.overrides[event.key, event.message] = event
        case e.SpecFrozen():
            run.frozen = dict(event.specs)
        case e.SpecAmended():
            _amend(run, event)
        case e.StudyShortened():
            run.replications = event.replications
        case _:
            assert_never(event)


def _amend(run: RunState, event: e.SpecAmended) -> None:
    """The document under its name is another one from now on, and so is what was frozen of it."""
    old = run.artifacts[event.document]
    run.artifacts[event.document] = Artifact(event.document, event.after_sha256, old.producer, run.seq)
    if event.document in run.frozen:
        run.frozen[event.document] = event.after_sha256
    if run.checked is not None:  # with errors it is looked at again; else what was found before stands
        errors = [f for f in run.checked.findings if f.severity == "error" and not run.stands(f)]
        run.checked = None if errors else run.checked.model_copy(update={"specs": dict(run.frozen)})
    run.amendments.append((event, run.seq))
