"""Which lines of the changed sources the tester's questions execute, measured when they are asked once more."""

from __future__ import annotations

from dataclasses import replace

from statsclaw.engine.contracts import contract_of
from statsclaw.engine.gates import verified
from statsclaw.engine.plan import has_contract
from statsclaw.engine.questions import with_questions
from statsclaw.engine.run import Run
from statsclaw.engine.verifying import bench_for, lay_out
from statsclaw.profiles.profile import PathClass
from statsclaw.review.case import FileCoverage
from statsclaw.specs.contract import Contract
from statsclaw.verify.blind.validation import coverage_files
from statsclaw.verify.measure_coverage import measured, measured_by_covr, read_dumps
from statsclaw.verify.runner import go_on, verify_tree


def coverage_of(run: Run) -> tuple[FileCoverage, ...] | None:
    """Python: lines and branches, followed in the worker. Others: by the profile's tool. None: nothing measures it."""
    if not has_contract(run.plan) or not verified(run.view):
        return None
    contract = contract_of(run)
    return _in_worker(run, contract) if run.profile.id == "python" else _by_tool(run, contract)


def _in_worker(run: Run, contract: Contract) -> tuple[FileCoverage, ...] | None:
    bench = replace(with_questions(run, bench_for(run, contract), contract), coverage=True)
    phases = ("build", "validation")
    for _ in verify_tree(bench, lay_out(run, run.view.overlay), run.view.tree_sha256, "after", phases):
        pass
    return measured(read_dumps(coverage_files(bench)), changed_sources(run))


def _by_tool(run: Run, contract: Contract) -> tuple[FileCoverage, ...] | None:
    if not run.profile.coverage:
        return None
    bench, tree = bench_for(run, contract), run.view.tree_sha256
    for _ in verify_tree(bench, lay_out(run, run.view.overlay), tree, "after", ()):
        pass  # laid out only: the tool builds a package of its own
    if not all(done.passed for done in go_on(bench, "coverage", tree, "of the changed sources")):
        return None
    found = read_dumps(bench.place("reports").glob("coverage-*"))
    rows = found[0].get("lines") if found else None
    if not isinstance(rows, list):
        return None
    changed = changed_sources(run)
    return tuple(row for row in measured_by_covr([r for r in rows if isinstance(r, dict)]) if row.path in changed)


def changed_sources(run: Run) -> dict[str, str]:
    changed = {
        path: change
        for path, change in run.view.overlay.items()
        if change.sha256 and (run.profile.classify(path) is PathClass.SOURCE or path == "NAMESPACE")
    }
    return {path: run.store.get(str(c.sha256)).decode("utf-8", "replace") for path, c in changed.items()}
