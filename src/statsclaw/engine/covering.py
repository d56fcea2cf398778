"""Which lines of the changed sources the tester's questions execute, measured when they are asked once more."""

from __future__ import annotations

from dataclasses import replace

from statsclaw.engine.contracts import contract_of
from statsclaw.engine.gates import verified
from statsclaw.engine.plan import has_contract
from statsclaw.engine.questions import with_questions
from statsclaw.engine.run import Run
from statsclaw.engine.verifying import bench_for, lay_out
from statsclaw.languages import spoken
from statsclaw.profiles.profile import PathClass
from statsclaw.review.case import FileCoverage
from statsclaw.verify.blind.validation import coverage_files
from statsclaw.verify.measure_coverage import measured, read_dumps, why_not_measured
from statsclaw.verify.runner import verify_tree


def coverage_of(run: Run) -> tuple[tuple[FileCoverage, ...] | None, str]:
    """Followed in the worker. None, and why as far as it is known, where nothing measures it."""
    if not has_contract(run.plan) or not verified(run.view):
        return None, ""
    if not spoken(run.profile.id).traces:
        return None, f"nothing measures it for {run.profile.name}"
    contract = contract_of(run)
    bench = replace(with_questions(run, bench_for(run, contract), contract), coverage=True)
    phases = ("build", "validation")
    for _ in verify_tree(bench, lay_out(run, run.view.overlay), run.view.tree_sha256, "after", phases):
        pass
    dumps = read_dumps(coverage_files(bench))
    if not dumps and spoken(run.profile.id).counting:
        return None, "the package cannot be built with counters, or no worker that has them ended in order"
    if why := why_not_measured(dumps):
        return None, why
    return measured(dumps, changed_sources(run)), ""


def changed_sources(run: Run) -> dict[str, str]:
    changed = {
        path: change
        for path, change in run.view.overlay.items()
        if change.sha256 and (run.profile.classify(path) is PathClass.SOURCE or path == "NAMESPACE")
    }
    return {path: run.store.get(str(c.sha256)).decode("utf-8", "replace") for path, c in changed.items()}
