"""Building, checking, testing and simulating a tree: the engine's own hands, no agent in reach."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from statsclaw.profiles.profile import Command, PathClass, Profile
from statsclaw.runlog.events import CommandExecuted
from statsclaw.runlog.store import ContentStore
from statsclaw.sandbox.barrier import Barrier
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.process import end_leftover
from statsclaw.sandbox.room import remove_tree
from statsclaw.verify.interpreter import InterpreterMissing, find_interpreter
from statsclaw.verify.parsers import PARSERS, Parsed
from statsclaw.verify.shadows import shadowed_modules

PHASES = ("build", "checks", "unit_tests", "validation", "study")

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
    limits: Limits
    scrub: Callable[[str], str]
    python: str | None = None

    def place(self, name: str) -> Path:
        return self.folder / name


def verify_tree(
    bench: Bench, lay_out: LayOut, tree_sha256: str, subject: str, phases: tuple[str, ...] = PHASES
) -> Iterator[CommandExecuted]:
    """Run the profile's phases on a tree and yield the evidence of each command. After a failed build, nothing."""
    end_leftover(bench.desk / "pid")
    remove_tree(bench.folder)
    for name in ("site", "scratch", "home", "tmp", "reports"):
        bench.place(name).mkdir(parents=True, exist_ok=True)
    bench.desk.mkdir(parents=True, exist_ok=True)
    lay_out(bench.place("tree"), frozenset(PathClass))
    lay_out(bench.place("validation"), frozenset({PathClass.VALIDATION}))
    lay_out(bench.place("simulation"), frozenset({PathClass.SIMULATION}))
    try:
        python = bench.python or find_interpreter(bench.place("tree"), bench.cache, bench.profile.id)
    except InterpreterMissing as missing:
        yield _evidence(bench, "environment", "build", subject, tree_sha256, ("pip", "install"), 1, missing.output, 0.0)
        return
    bench = replace(bench, python=python)
    for phase in phases:
        for command in getattr(bench.profile, phase):
            if command.on != "always" and not _has_files(bench, command.on):
                continue
            evidence = _execute(bench, command, phase, subject, tree_sha256)
            yield evidence
            if phase == "build" and not evidence.passed:
                return


def _has_files(bench: Bench, cls: str) -> bool:
    tree = bench.place("tree")
    paths = (path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file())
    return any(bench.profile.classify(path) == cls for path in paths)


def _execute(bench: Bench, command: Command, phase: str, subject: str, tree_sha256: str) -> CommandExecuted:
    report = bench.place("reports") / f"{phase}-{re.sub(r'[^A-Za-z0-9]+', '-', command.name)}"
    places = {name: str(bench.place(name)) for name in ("tree", "site", "scratch", "validation")}
    study = bench.place("simulation") / Path(bench.profile.study_entry).parent
    values = places | {"python": bench.python or "python3", "report": str(report), "simulation": str(study)}
    argv, extra = command.fill(values)
    missing = [program for program in command.needs if shutil.which(program) is None]
    if missing:
        text = f"{', '.join(missing)} not found. {bench.profile.missing_tool}"
        return _evidence(bench, command.name, phase, subject, tree_sha256, argv, 127, text, 0.0)
    env = environment(bench) | extra
    limits = bench.limits.model_copy(update={"timeout_s": float(command.timeout_s)})
    done = bench.barrier.run(argv, desk=bench.desk, cwd=bench.place(command.cwd), env=env, limits=limits)
    output = done.output.decode("utf-8", "replace")
    if done.ended_by:
        output += f"\nended by the engine: {done.ended_by}\n"
    parsed = PARSERS[command.parser](report, done.exit_code)
    if phase == "build" and parsed.passed and (names := shadowed_modules(bench.place("site"))):
        parsed = Parsed(False, f"the package would replace {', '.join(names)}")
    return _evidence(
        bench, command.name, phase, subject, tree_sha256, argv, done.exit_code, output, done.elapsed_s, parsed
    )


def environment(bench: Bench) -> dict[str, str]:
    """Nothing of the person's environment but the search path."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "HOME": str(bench.place("home")),
        "TMPDIR": str(bench.place("tmp")),
        "PYTHONPATH": str(bench.place("site")),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "R_LIBS": str(bench.place("site")),
        "SOURCE_DATE_EPOCH": "946684800",
    }


def _evidence(
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
    said = [line.strip() for line in clean.splitlines() if line.strip()]
    summary = normalise(bench, result.summary)
    if "exit status" in summary and said and said[-1][:160] not in summary:
        summary += f": {said[-1][:160]}"
    tests = tuple(
        test.model_copy(update={"name": normalise(bench, test.name), "error": normalise(bench, test.error)})
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
        fault_of=None if result.passed else fault_of(phase, result, clean),
    )


def normalise(bench: Bench, text: str) -> str:
    """The same run on another machine or another day should read the same: no folders, no durations."""
    text = text.replace(str(bench.folder), "/verify")
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
    return "simulator" if phase == "study" and "names no criteria" in result.summary else "builder"
