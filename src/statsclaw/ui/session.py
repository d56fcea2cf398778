"""Opening a run for work: the same for a new one, a resumed one and a replayed one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from statsclaw.backends.replay import Recording
from statsclaw.backends.twin import Finished, carried_from
from statsclaw.engine.documents import keep_copies
from statsclaw.engine.loop import drive
from statsclaw.engine.people import Person, Unattended, read_answers
from statsclaw.engine.perform import open_channel
from statsclaw.engine.run import LocalFacts, Run, read_local
from statsclaw.engine.start import Order, check_backends, start_run
from statsclaw.report.twins import markdown, seconds_of, side_by_side, times_of
from statsclaw.runlog import chain
from statsclaw.runlog.events import BudgetSet, StudyShortened
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.log import EVENTS, Observer, RunLog
from statsclaw.runlog.store import write_durably
from statsclaw.sandbox.barrier import Barrier, NoBarrier
from statsclaw.sandbox.choose import make_barrier
from statsclaw.ui import settings
from statsclaw.ui.line import Line, plain
from statsclaw.ui.person import AtTerminal
from statsclaw.ui.screen import Screen
from statsclaw.workspace.layout import RunFolder, Workspace


def start(
    workspace: Workspace,
    order: Order,
    screen: Screen,
    *,
    yes: bool = False,
    answers: Path | None = None,
    watching: Observer | None = None,
) -> tuple[RunFolder, RunView]:
    """Start a run and take it as far as it goes. `watching` is told of everything after it was shown."""
    given = read_answers(answers) if answers else {}
    folder, log, local = start_run(workspace, order, settings.scrubber(workspace))
    with log:
        first = log.view
        run = _assemble(workspace, folder, log, local, screen, yes, given)
        with screen.showing() as observe:
            for record in chain.read(folder.path / EVENTS).records:
                observe(record, first)
            _show_handoff(run, screen)
            log.observers += [observe, watching] if watching else [observe]
            return folder, _drive(run, screen)


def _drive(run: Run, screen: Screen) -> RunView:
    was_finished, screen.live, screen.steps = run.view.finished is not None, run.meters.live, run.progress.now
    try:
        view = drive(run)
    except KeyboardInterrupt:
        screen.say(Line("stopped", f"continue with: statsclaw resume {run.folder.id}", "bold yellow"))
        raise
    if finished := carried_from(run.local.backends):
        _compare_twins(run, finished, screen)
    if view.finished is not None and not was_finished:
        _write_report(run, screen)
    return view


def _compare_twins(run: Run, finished: Path, screen: Screen) -> None:
    """Both packages side by side, kept with the run as soon as the second was judged."""
    carried = Finished(finished)
    first = carried.view
    rows = side_by_side(first, run.view)
    if not any(row.second for row in rows):
        return
    place = run.folder.path / "twin.md"
    names, seconds = (finished.name, run.folder.id), (seconds_of(first), seconds_of(run.view))
    times = times_of((finished, first), (run.folder.path, run.view))
    notes = [str(row) for row in carried.replaced(run.profile)]
    place.write_text(markdown(rows, names, seconds, times, notes), encoding="utf-8")
    same = sum(1 for row in rows if row.first and row.second and row.first.verdict == row.second.verdict)
    screen.say(Line("twin", f"{same} of {len(rows)} criteria have the same verdict; {place}"))


def _write_report(run: Run, screen: Screen) -> None:
    """The run has ended, whatever becomes of its report."""
    try:
        from statsclaw.report import REPORT, write_report  # what it draws and computes with takes seconds to import

        write_report(run, run.folder.path / REPORT)
    except Exception as error:
        text = f"could not be written: {type(error).__name__}: {error}. Try: statsclaw report {run.folder.id}"
        screen.say(Line("report", plain(text), "yellow"))


def _show_handoff(run: Run, screen: Screen) -> None:
    """A run starts from where the last one on this repository left off, and says so."""
    digest = run.view.head.previous_handoff_sha256
    if digest is not None:
        last = [line for line in run.store.get_text(digest).splitlines() if line.startswith("Last run:")]
        screen.say(Line("hand-off", plain(last[0] if last else "HANDOFF.md of the last run is part of the request")))


def resume(
    workspace: Workspace,
    folder: RunFolder,
    screen: Screen,
    *,
    yes: bool = False,
    answers: Path | None = None,
    backends: Mapping[str, str] | None = None,
    reveal: bool = False,
    replications: int | None = None,
    workers: int | None = None,
    budgets: Sequence[BudgetSet] = (),
) -> RunView:
    """`replications`: of the study in each cell from now on; 0: as many as were planned. `budgets`: the new ones."""
    given = read_answers(answers) if answers else {}
    local = read_local(folder)
    check_backends(backends or {})
    with RunLog.open(folder.path) as log:
        if backends or reveal or workers:
            changed = {"backends": {**local.backends, **(backends or {})}, "reveal": reveal or local.reveal}
            local = local.model_copy(update=changed | {"workers": workers or local.workers})
            write_durably(folder.local, local.model_dump_json().encode())
        run = _assemble(workspace, folder, log, local, screen, yes, given)
        run.resumed = True
        if reveal and run.view.finished is None:
            open_channel(run)
        with screen.showing() as observe:
            log.observers.append(observe)
            for budget in () if run.view.finished else budgets:
                log.append(budget)
            if replications is not None and run.view.finished is None:
                log.append(StudyShortened(replications=replications or None))
            return _drive(run, screen)


def quiet_run(workspace: Workspace, folder: RunFolder, log: RunLog) -> Run:
    """A run opened to take something in, without a screen."""
    run = _bare(workspace, folder, log, read_local(folder), Unattended(), NoBarrier())
    keep_copies(run)
    return run


def assemble_to_look(workspace: Workspace, folder: RunFolder, log: RunLog) -> Run:
    """A run for somebody who only looks: nothing is written and nobody is asked."""
    return _bare(workspace, folder, log, read_local(folder), Unattended(), NoBarrier())


def assemble_to_check(workspace: Workspace, folder: RunFolder, log: RunLog) -> Run:
    """A run for somebody who checks work before it is handed in: its code runs behind the barrier of the run."""
    local = read_local(folder)
    return _bare(workspace, folder, log, local, Unattended(), make_barrier(local.barrier))


def _assemble(
    workspace: Workspace,
    folder: RunFolder,
    log: RunLog,
    local: LocalFacts,
    screen: Screen,
    yes: bool,
    answers: dict[str, str],
) -> Run:
    recorded = Recording(Path(local.recording)).answer_to if local.recording else (lambda _: None)
    unattended = Unattended(yes=yes, answers=answers, recorded=recorded)
    attended = screen.kind == "live" and settings.can_ask()
    person: Person = AtTerminal(unattended, screen, folder.inbox) if attended else unattended
    run = _bare(workspace, folder, log, local, person, make_barrier(local.barrier))
    keep_copies(run)
    return run


def _bare(
    workspace: Workspace, folder: RunFolder, log: RunLog, local: LocalFacts, person: Person, barrier: Barrier
) -> Run:
    scrub = settings.scrubber(workspace)
    return Run(
        workspace=workspace,
        folder=folder,
        log=log,
        local=local,
        person=person,
        barrier=barrier,
        registry_env=settings.registry_env(),
        endpoints=settings.endpoints(local.endpoints) if barrier.kind == local.barrier else (),
        cache=settings.cache_folder(),
        scrub=scrub,
        finds_secret=scrub.finds_secret,
    )
