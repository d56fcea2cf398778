"""Making targets and runs for tests: real git, real processes, scripted roles."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from statsclaw.engine.documents import keep_copies
from statsclaw.engine.loop import drive
from statsclaw.engine.people import Person, Unattended
from statsclaw.engine.run import LocalFacts, Run, read_local
from statsclaw.engine.start import Order, start_run
from statsclaw.git import git, git_text, own_environment
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.log import Observer, RunLog, read_view
from statsclaw.sandbox.choose import make_barrier
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.network import hosts_of
from statsclaw.ui.settings import endpoints
from statsclaw.workspace.layout import RunFolder, Workspace
from statsclaw.workspace.scrub import Scrubber

HERE = Path(__file__).parent
HONEST = HERE / "honest"
AGENT = f"command:{sys.executable} {HERE / 'agent.py'} {HONEST}"
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
DIRECTIVE = "Build the mean estimator of these notes, with a simulation study. Ship it."


def noon() -> datetime:
    return NOON


def make_target(folder: Path, *, fast: bool = True, remote: bool = True) -> Path:
    """The tiny package in a repository of its own, with a bare repository as origin."""
    target = folder / "tinymean"
    shutil.copytree(HERE / "target", target)
    if fast:
        shutil.copy(HERE / "fast_settings.toml", target / "statsclaw.toml")
    env = own_environment() | {"GIT_AUTHOR_DATE": NOON.isoformat(), "GIT_COMMITTER_DATE": NOON.isoformat()}
    git("init", "--quiet", "--initial-branch=main", cwd=target, env=env)
    git("add", "--all", cwd=target, env=env)
    git("commit", "--quiet", "-m", "base", cwd=target, env=env)
    if remote:
        git("init", "--quiet", "--bare", "--initial-branch=main", str(folder / "tinymean.git"), env=env)
        git("remote", "add", "origin", str(folder / "tinymean.git"), cwd=target, env=env)
        git("push", "--quiet", "origin", "main", cwd=target, env=env)
    return target


def order_for(target: Path, backend: str = AGENT, **changes: object) -> Order:
    sources = (HONEST / "sources" / "notes.md",)
    order = Order(directive=DIRECTIVE, target=str(target), sources=sources, workflow="full", backends={"*": backend})
    order = replace(order, **changes)  # type: ignore[arg-type]
    return replace(order, network=order.network or hosts_of(endpoints(order.endpoints)))


@dataclass
class Bench:
    """A workspace for one test."""

    folder: Path
    barrier: str = "bubblewrap"
    limits: Limits = field(default_factory=Limits)

    @property
    def workspace(self) -> Workspace:
        return Workspace(self.folder / "workspace")

    def start(self, order: Order, *, person: Person | None = None, observers: tuple[Observer, ...] = ()) -> RunView:
        """Start a run and drive it as far as it goes."""
        order = replace(order, barrier=self.barrier)
        folder, log, local = start_run(self.workspace, order, Scrubber(), noon)
        with log:
            run = self.assemble(folder, log, local, person)
            log.observers.extend(observers)
            return drive(run)

    def resume(self, run_id: str, *, person: Person | None = None, observers: tuple[Observer, ...] = ()) -> RunView:
        folder = self.workspace.find(run_id)
        with RunLog.open(folder.path, clock=noon) as log:
            run = self.assemble(folder, log, read_local(folder), person)
            run.resumed = True
            log.observers.extend(observers)
            return drive(run)

    def view(self, run_id: str) -> RunView:
        return read_view(self.workspace.find(run_id).path)

    def assemble(self, folder: RunFolder, log: RunLog, local: LocalFacts, person: Person | None = None) -> Run:
        scrub = Scrubber()
        run = Run(
            workspace=self.workspace,
            folder=folder,
            log=log,
            local=local,
            person=person or Unattended(yes=True),
            barrier=make_barrier(local.barrier),
            endpoints=endpoints(local.endpoints),
            limits=self.limits,
            cache=self.folder / "cache",
            scrub=scrub,
            finds_secret=scrub.finds_secret,
        )
        keep_copies(run)
        return run


def branches(remote: Path) -> dict[str, str]:
    rows = git_text("for-each-ref", "--format=%(refname:short) %(objectname)", git_dir=remote).splitlines()
    return dict(row.split(" ") for row in rows)  # type: ignore[misc]


def commits_on(remote: Path, branch: str) -> list[str]:
    return git_text("rev-list", branch, git_dir=remote).splitlines()
