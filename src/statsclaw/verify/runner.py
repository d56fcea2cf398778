"""Building, checking, testing and simulating a tree: the engine's own hands, no agent in reach."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from statsclaw.languages import Adapter, Unfit
from statsclaw.profiles.profile import Command, PathClass, Profile
from statsclaw.runlog.events import CommandExecuted, NetworkUse
from statsclaw.runlog.store import ContentStore
from statsclaw.sandbox.barrier import Barrier
from statsclaw.sandbox.confinement import Confinement
from statsclaw.sandbox.enclosure import Enclosure, Mount, nested
from statsclaw.sandbox.landlock import Landlock
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.network import with_network
from statsclaw.sandbox.process import end_all, end_leftover
from statsclaw.sandbox.room import remove_tree
from statsclaw.sandbox.toolchain import find_program
from statsclaw.states import PHASES
from statsclaw.templates import without_control
from statsclaw.verify.interpreter import InterpreterMissing, find_interpreter
from statsclaw.verify.parsers import PARSERS, Parsed
from statsclaw.verify.progress import Progress
from statsclaw.verify.shadows import why_unfit
from statsclaw.verify.study_report import packed
from statsclaw.verify.telling import first_error

#: Evidence that is there only where something had to be downloaded.
ENVIRONMENT = "environment"

_LOOK_EVERY_S = 0.2
#: Address space that the shadow of the address sanitizer takes; what of it is used counts as memory.
SHADOW_BYTES = 2**46

_PLACES = ("tree", "site", "scratch", "home", "reports")
#: Only while it is built: what asks is seen by no check and no unit test.
_EARLIER = {"build": ("adapter",)}

#: What only the phases that judge can see: a build that reads the tests could build their answers in.
_LATER = {"validation": ("validation",), "study": ("simulation",)}
#: What is judged and what judges it cannot be changed by the code that runs.
_FIXED = ("site", "validation", "simulation")
#: What R keeps of the sources when a package is installed to be measured: covr counts by their lines.
_R_SOURCES = {"R_KEEP_PKG_SOURCE": "yes", "R_KEEP_PKG_PARSE_DATA": "yes"}
_HELD_BACK = frozenset({PathClass.VALIDATION, PathClass.SIMULATION})

#: Lays the files of some classes out in a folder; the caller knows where they come from.
LayOut = Callable[[Path, frozenset[PathClass]], None]


@dataclass(frozen=True)
class Bench:
    """Where and with what a tree is verified."""

    folder: Path
    desk: Path
    cache: Path
    profile: Profile
    store: ContentStore
    barrier: Barrier
    tools: Callable[[str], Enclosure]
    limits: Limits
    scrub: Callable[[str], str]
    python: str | None = None
    seed: int = 0
    registries: tuple[str, ...] = ()
    registry_env: Mapping[str, str] = field(default_factory=dict)
    #: What is under way, for whoever looks.
    progress: Progress = field(default_factory=Progress)
    #: Of what can be done side by side, so much at once: replications, dialogues, functions that see answers.
    workers: int = 2
    #: Have the worker write which lines of the package were executed.
    coverage: bool = False
    #: What is made of the built tree before it can be asked. Raises Unfit.
    adapt: Callable[[Path], Adapter] | None = None
    #: Of a study: the first replication and how many.
    replications: tuple[int, int] | None = None
    #: How questions are asked, answered and compared, where there is a contract: (bench, subject, tree).
    validate: Callable[[Bench, str, str], Iterator[CommandExecuted]] | None = None
    #: How a study is drawn, answered and recorded, likewise.
    simulate: Callable[[Bench, str, str], Iterator[CommandExecuted]] | None = None

    def place(self, name: str) -> Path:
        return self.folder / name

    def beside(self, name: str) -> Bench | None:
        """One more within the folder of this one, for something at the same time.

        None behind Landlock: a program there has a user of its own, who cannot pass a folder around its own.
        """
        if self.barrier.kind == Landlock.kind:
            return None
        return replace(self, folder=self.folder / "beside" / name, desk=self.desk / "beside" / name)

    def confinement(self, phase: str, cwd: str, timeout_s: float, reserved_bytes: int = 0) -> Confinement:
        """No agent, no network. What is judged cannot change once it is built; each phase sees what it needs."""
        tools = self.tools(self.python or "")
        places = (*_PLACES, *_EARLIER.get(phase, ()), *_LATER.get(phase, ()))
        own = [
            Mount(
                inside=f"/verify/{name}",
                host=str(self.place(name)),
                purpose="verification",
                writable=name not in _FIXED or (name, phase) == ("site", "build"),
            )
            for name in places
        ]
        tmp = Mount(inside="/tmp", host=str(self.place("tmp")), purpose="temporary", writable=True)
        enclosure = replace(tools, mounts=nested((*tools.mounts, *own, tmp)), cwd=f"/verify/{cwd}")
        limits = self.limits.model_copy(update={"timeout_s": timeout_s, "reserved_bytes": reserved_bytes})
        return Confinement(self.barrier, enclosure, limits, self.desk)


def verify_tree(
    bench: Bench, lay_out: LayOut, tree_sha256: str, subject: str, phases: tuple[str, ...] = PHASES
) -> Iterator[CommandExecuted]:
    """Run the profile's phases on a tree and yield the evidence of each command. After a failed build, nothing."""
    for pid in (bench.desk / "pid", *bench.desk.glob("blind/*/pid"), *bench.desk.glob("beside/*/pid")):
        end_leftover(pid)
    remove_tree(bench.folder)
    _furnish(bench, lay_out)
    lay_out(bench.place("validation"), frozenset({PathClass.VALIDATION}))
    lay_out(bench.place("simulation"), frozenset({PathClass.SIMULATION}))
    try:
        used: list[NetworkUse] = []
        install = partial(_install, bench, used) if bench.registries else None
        python = bench.python or find_interpreter(bench.place("tree"), bench.cache, bench.profile.id, install)
    except InterpreterMissing as missing:
        yield evidence(bench, ENVIRONMENT, "build", subject, tree_sha256, ("pip", "install"), 1, missing.output, 0.0)
        return
    bench = replace(bench, python=python)
    if used:
        made = Parsed(True, f"dependencies installed from {', '.join(bench.registries)}")
        argv = ("pip", "install")
        done = evidence(bench, ENVIRONMENT, "build", subject, tree_sha256, argv, 0, "", 0.0, made)
        yield done.model_copy(update={"network": used[0]})
    present = {cls for cls in ("validation", "simulation", "unit_tests") if _has_files(bench, cls)}
    commands = {
        phase: [row for row in getattr(bench.profile, phase) if row.on == "always" or row.on in present]
        for phase in phases
    }
    with _Beside() as beside:
        for phase, command in [(phase, row) for phase, rows in commands.items() for row in rows if row.beside]:
            if other := bench.beside(command.name):
                _furnish(other, lay_out)
                beside.start(partial(_execute, other, command, phase, subject, tree_sha256))
                commands[phase].remove(command)
        for phase in phases:
            if phase == "study":
                yield from beside.finished()  # the times of a study are results
            if phase == "validation" and bench.validate is not None:
                yield from bench.validate(bench, subject, tree_sha256)
                continue
            if phase == "study" and bench.simulate is not None:
                yield from bench.simulate(bench, subject, tree_sha256)
                continue
            if phase in _LATER:
                _empty(bench, "scratch")
                try:
                    lay_out(bench.place("tree"), _HELD_BACK)
                except OSError as error:
                    yield from beside.finished()
                    text = f"the tests cannot be laid out: the build put something in the way ({error.strerror})"
                    yield evidence(bench, "lay-out", phase, subject, tree_sha256, ("lay-out",), 1, text, 0.0)
                    return
            for command in commands[phase]:
                done = _execute(bench, command, phase, subject, tree_sha256)
                yield done
                if phase == "build" and not done.passed:
                    return
            if phase == "build" and bench.adapt is not None:
                for done in _adapted(bench, bench.adapt, subject, tree_sha256):
                    yield done
                    if not done.passed:
                        return
        yield from beside.finished()


def _adapted(
    bench: Bench, adapt: Callable[[Path], Adapter], subject: str, tree_sha256: str
) -> Iterator[CommandExecuted]:
    """What the language needs beside the package itself, written and built; nothing where it needs nothing."""
    _empty(bench, "adapter")
    try:
        made = adapt(bench.place("tree"))
    except Unfit as unfit:
        yield evidence(bench, "worker", "build", subject, tree_sha256, ("worker",), 1, str(unfit), 0.0)
        return
    for path, text in made.files.items():
        place = bench.place("adapter") / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    for command in (*made.build, *(made.counted if bench.coverage else ())):
        yield _execute(bench, command, "build", subject, tree_sha256)


class _Beside:
    """What runs while the phases do. Whatever ends these, a failed build among it, ends it too."""

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor()
        self.started: list[Future[CommandExecuted]] = []

    def start(self, job: Callable[[], CommandExecuted]) -> None:
        self.started.append(self.pool.submit(job))

    def finished(self) -> Iterator[CommandExecuted]:
        for future in self.started:
            yield future.result()
        self.started.clear()

    def __enter__(self) -> _Beside:
        return self

    def __exit__(self, *_: object) -> None:
        end_programs_of(self.started)
        self.pool.shutdown()


def end_programs_of(jobs: Iterable[Future[Any]]) -> None:
    """Programs that jobs have begun are ended, also those that begin only now; however often the person interrupts."""
    waiting = set(jobs)
    while waiting:
        with suppress(KeyboardInterrupt):
            waiting = wait(waiting, timeout=_LOOK_EVERY_S).not_done
            if waiting:
                end_all()


def _furnish(bench: Bench, lay_out: LayOut) -> None:
    for name in ("site", "scratch", "adapter", "home", "tmp", "reports"):
        bench.place(name).mkdir(parents=True, exist_ok=True)
    bench.desk.mkdir(parents=True, exist_ok=True)
    bench.folder.chmod(0o700)
    lay_out(bench.place("tree"), frozenset(PathClass) - _HELD_BACK)


def fresh_places(bench: Bench) -> None:
    """Before each command: what an earlier one left in its home, say, neither configures nor reports anything."""
    _empty(bench, "home", "tmp", "reports")


def _empty(bench: Bench, *names: str) -> None:
    for name in names:
        remove_tree(bench.place(name))
        bench.place(name).mkdir()


def go_on(bench: Bench, phase: str, tree_sha256: str, name: str) -> Iterator[CommandExecuted]:
    """One phase again on what is laid out and built already, under another name."""
    tree = bench.place("tree")
    bench = replace(bench, python=bench.python or find_interpreter(tree, bench.cache, bench.profile.id, None))
    if phase == "study" and bench.simulate is not None:
        for done in bench.simulate(bench, "after", tree_sha256):
            yield done.model_copy(update={"name": f"{done.name}, {name}"})
        return
    if phase in _LATER:
        _empty(bench, "scratch")
    for command in getattr(bench.profile, phase):
        done = _execute(bench, command, phase, "after", tree_sha256)
        yield done.model_copy(update={"name": f"{command.name}, {name}"})


def _has_files(bench: Bench, cls: str) -> bool:
    for name in ("tree", "validation", "simulation"):
        folder = bench.place(name)
        paths = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
        if any(bench.profile.classify(path) == cls for path in paths):
            return True
    return False


def _execute(bench: Bench, command: Command, phase: str, subject: str, tree_sha256: str) -> CommandExecuted:
    reserved = SHADOW_BYTES if command.reserves else 0
    confinement = bench.confinement(phase, command.cwd, float(command.timeout_s), reserved)
    fresh_places(bench)
    report = bench.place("reports") / f"{phase}-{re.sub(r'[^A-Za-z0-9]+', '-', command.name)}"
    places = {name: confinement.path(bench.place(name)) for name in ("tree", "site", "scratch", "validation")}
    places |= {"adapter": confinement.path(bench.place("adapter"))} if phase == "build" else {}
    study = confinement.path(bench.place("simulation") / Path(bench.profile.study_entry).parent)
    values = places | {"python": bench.python or "python3", "report": confinement.path(report), "simulation": study}
    argv, extra = command.fill(values)
    needed = bench.profile.always_needed(command)
    missing = [program for program in needed if not find_program(program, confinement.enclosure)]
    if missing:
        text = f"{', '.join(missing)} not found. {bench.profile.missing_tool}"
        return evidence(bench, command.name, phase, subject, tree_sha256, argv, 127, text, 0.0)
    registries = bench.registries if command.registry else ()
    with with_network(confinement, (), registries) as (connected, bridge):
        reach = dict(bench.registry_env) if bridge else {}
        with bench.progress.step(command.name):
            done = connected.run(argv, environment(bench, confinement) | reach | extra)
    output = done.output.decode("utf-8", "replace")
    if done.ended_by:
        output += f"\nended by the engine: {done.ended_by}\n"
    parsed = PARSERS[command.parser](report, done.exit_code)
    if phase == "build" and parsed.passed and (why := why_unfit(bench.place("site"))):
        parsed = Parsed(False, why)
    return evidence(
        bench, command.name, phase, subject, tree_sha256, argv, done.exit_code, output, done.elapsed_s, parsed
    ).model_copy(update={"network": bridge.use if bridge else None})


def _install(bench: Bench, used: list[NetworkUse], folder: Path, wanted: list[str]) -> tuple[int, str]:
    """pip behind the barrier: it can write the environment and reach the registry, and nothing else."""
    confinement = bench.confinement("build", "scratch", 1800.0)
    shown = confinement.enclosure
    made = Mount(inside=str(folder), host=str(folder), purpose="verification", writable=True)
    mounts = [mount for mount in shown.mounts if mount.inside not in ("/verify/tree", "/verify/site")]
    confinement = replace(confinement, enclosure=replace(shown, mounts=nested((*mounts, made))))
    argv = [str(folder / "bin" / "python"), "-I", "-m", "pip", "install", "--quiet", "--no-input", "--no-cache-dir"]
    with with_network(confinement, (), bench.registries) as (connected, bridge):
        env = environment(bench, confinement) | dict(bench.registry_env) | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        done = connected.run([*argv, "--", *wanted], env)
    used += [bridge.use] if bridge else []
    return done.exit_code, done.output.decode("utf-8", "replace")


def environment(bench: Bench, confinement: Confinement) -> dict[str, str]:
    """Nothing of the person's environment. Suites without a contract take their randomness from STATSCLAW_SEED."""
    site = confinement.path(bench.place("site"))
    return {
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "USER": "role",
        "HOME": confinement.path(bench.place("home")),
        "TMPDIR": confinement.path(bench.place("tmp")),
        "STATSCLAW_SEED": str(bench.seed),
        "PYTHONPATH": site,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONNOUSERSITE": "1",
        "R_LIBS": site,
        "R_PROFILE_USER": "/dev/null",
        "R_ENVIRON_USER": "/dev/null",
        "SOURCE_DATE_EPOCH": "946684800",
        **(_R_SOURCES if bench.coverage else {}),
    }


def evidence(
    bench: Bench,
    name: str,
    phase: str,
    subject: str,
    tree_sha256: str,
    argv: tuple[str, ...],
    exit_code: int,
    output: str,
    elapsed_s: float,
    parsed: Parsed | None = None,
) -> CommandExecuted:
    result = parsed or Parsed(False, output.strip().splitlines()[-1][:200] if output.strip() else "failed")
    clean = normalise(bench, output)
    said = [line.strip() for line in clean.splitlines() if line.strip() not in ("", "Execution halted")]
    summary = normalise(bench, result.summary)
    shown = _said(bench, result, clean)
    closing = shown[0].strip() if shown and phase not in _LATER else said[-1] if said else ""
    if "exit status" in summary and closing[:160] not in summary:
        summary += f": {closing[:160]}"
    tests = tuple(
        test.model_copy(
            update={part: normalise(bench, getattr(test, part)) for part in ("name", "error", "own_message")}
        )
        for test in result.tests
    )
    return CommandExecuted(
        name=name,
        phase=phase,
        subject=subject,
        tree_sha256=tree_sha256,
        argv=tuple(normalise(bench, part) for part in argv),
        exit_code=exit_code,
        elapsed_s=round(elapsed_s, 3),
        output_sha256=bench.store.put_text(clean),
        passed=result.passed,
        summary=summary,
        tests=tests,
        criteria=result.criteria,
        observations=tuple(row.model_copy(update={"said": normalise(bench, row.said)}) for row in result.observations),
        records_sha256=bench.store.put(packed(result.records)) if result.records else None,
        fault_of=None if result.passed else fault_of(phase, result, clean),
        seed=bench.seed if phase in _LATER else None,
        barrier=f"{bench.barrier.kind} {bench.barrier.version}".strip(),
        said=shown,
    )


def _said(bench: Bench, result: Parsed, output: str) -> tuple[str, ...]:
    """What to read first. Tests that failed say it themselves."""
    if result.said:
        return tuple(normalise(bench, line) for line in result.said)
    return () if result.passed or result.tests else first_error(output)


def normalise(bench: Bench, text: str) -> str:
    """The same run on another machine or another day should read the same: no folders, no durations."""
    text = without_control(text.replace("\r\n", "\n")).replace(str(bench.folder), "/verify")
    if bench.python:
        text = text.replace(bench.python, "python").replace(
            str(Path(bench.python).parent.parent) + "/", "/environment/"
        )
    text = bench.scrub(text)
    text = re.sub(r"\bin \d+(\.\d+)?s\b( \(\d+:\d\d:\d\d\))?", "in …s", text)
    return re.sub(r"\[\d+s(/\d+s)?\]", "[…s]", text)


#: A failure with one of these marks lies in the test suite itself, not in what it tests.
_SUITE_AT_FAULT = re.compile(r"SyntaxError|IndentationError|fixture '[^']*' not found|no tests ran|no test report")


def fault_of(phase: str, result: Parsed, output: str) -> str:
    """Which role a failure goes back to."""
    if phase == "validation":
        executed = [test for test in result.tests if test.outcome in ("passed", "failed")]
        errors = " ".join(test.error for test in result.tests) + (output if not executed else "")
        return "tester" if not executed and _SUITE_AT_FAULT.search(errors) else "builder"
    if phase == "study" and not result.criteria:
        last_frames = re.findall(r'File "([^"]+)", line \d+', output)
        own = last_frames and "/verify/site/" not in last_frames[-1]
        return "simulator" if own or not last_frames else "builder"
    return "builder"
