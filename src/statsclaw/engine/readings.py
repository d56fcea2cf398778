"""Two readings of the sources, executed side by side behind the barrier, and the pilots of a specification."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from importlib.resources import as_file, files
from pathlib import Path
from uuid import uuid4

from statsclaw.engine.contracts import contract_of
from statsclaw.engine.run import Run
from statsclaw.engine.tools import tools_for
from statsclaw.runlog.events import Finding, ReadingRow, ReadingsCompared
from statsclaw.runlog.store import sha256
from statsclaw.sandbox.confinement import Confinement
from statsclaw.sandbox.enclosure import Mount, nested
from statsclaw.sandbox.left_behind import json_left_behind
from statsclaw.sandbox.limits import MIB
from statsclaw.sandbox.room import remove_tree
from statsclaw.specs.blocks import Malformed
from statsclaw.specs.contract import COMPREHENSION, Contract
from statsclaw.specs.lint.found import finding
from statsclaw.specs.lint.scales import suspicious
from statsclaw.specs.readings.compare import compare, disagreements, render_disagreement
from statsclaw.specs.readings.inputs import calls_for
from statsclaw.specs.readings.pilots import pilot_values
from statsclaw.specs.readings.reading import passage_of, read_reading
from statsclaw.specs.readings.values import largest_values

_READING = "reading.md"
_LONGEST_S = 120.0
_SEED = 20260101


def reading_faults(run: Run, data: bytes) -> list[str]:
    """What keeps the second reading from being compared with the first."""
    comprehension = contract_of(run).comprehension
    definitions = comprehension.definitions if comprehension else ()
    try:
        _, faults = read_reading(data.decode("utf-8"), definitions)
        return [str(fault) for fault in faults[:12]]
    except UnicodeDecodeError:
        return []
    except Malformed as malformed:
        return [str(fault) for fault in malformed.faults[:12]]


def compare_readings(run: Run) -> ReadingsCompared:
    """Both readings on the same random valid inputs and on edges; neither process sees the other's code."""
    contract, view = contract_of(run), run.view
    assert contract.comprehension is not None
    definitions = contract.comprehension.definitions
    second, _ = read_reading(run.store.get_text(view.artifacts[_READING].sha256), definitions)
    calls = calls_for(definitions, seed=seed_of_inputs(run))
    outcomes = [evaluate(run, code, [call.as_json() for call in calls]) for code in (contract.definitions, second)]
    agreements = compare(definitions, calls, *outcomes)
    passages = {row.function: passage_of(row, run.index) for row in definitions}
    shown = [
        render_disagreement(row, passages[row.function], contract.definitions, second)
        for row in disagreements(definitions, calls, *outcomes)
    ]
    return ReadingsCompared(
        comprehension_sha256=view.artifacts[COMPREHENSION].sha256,
        reading_sha256=view.artifacts[_READING].sha256,
        rows=tuple(ReadingRow(**asdict(row) | {"note": run.scrub(row.note)[:2000]}) for row in agreements),
        shown=run.scrub("\n\n".join(shown))[:20_000],
    )


def draw_pilots(run: Run, contract: Contract) -> tuple[dict[str, list[float]], list[Finding]]:
    """Cheap draws of what criteria are about, as far as the planner wrote any; and which did not work."""
    found: dict[str, list[float]] = {}
    missing: list[Finding] = []
    for pilot in contract.comprehension.pilots if contract.comprehension else ():
        argv = ["--pilot", pilot.function, str(pilot.draws), str(_SEED)]
        drawn, fault = pilot_values(pilot, _run_harness(run, contract.definitions, [], argv))
        found[pilot.criterion] = drawn
        if fault:
            key = f"pilot:{pilot.criterion}"
            missing.append(finding("conflict", "error", fault, pilot.criterion, key))
    return found, missing


def sizes_of_definitions(run: Run, contract: Contract) -> dict[str, float] | None:
    """The largest value of each equation on drawn inputs; None where no criterion rests on it, so nothing is run."""
    if contract.comprehension is None or not suspicious(contract):
        return None
    definitions = [row for row in contract.comprehension.definitions if row.quote is None]
    calls = [call for call in calls_for(definitions, seed=_SEED) if call.kind == "random"]
    return largest_values(definitions, calls, evaluate(run, contract.definitions, [call.as_json() for call in calls]))


def seed_of_inputs(run: Run) -> int:
    return int(run.view.head.canary_seed[:8] or "0", 16)


def evaluate(run: Run, code: str, calls: list[object]) -> object:
    """What the functions of `code` return for `calls`, executed behind the barrier; data that nobody trusts."""
    return _run_harness(run, code, calls, [])


def _run_harness(run: Run, code: str, calls: list[object], argv: list[str]) -> object:
    """The harness in a root of its own, once for the same code. What it leaves is data; nothing is None."""
    key = sha256(json.dumps([code, calls, argv]).encode())
    if key not in run.harnessed:
        run.harnessed[key] = _harnessed(run, code, calls, argv)
    return run.harnessed[key]


def _harnessed(run: Run, code: str, calls: list[object], argv: list[str]) -> object:
    with (
        _desk(run) as (folder, confinement),
        as_file(files("statsclaw.specs.readings").joinpath("harness.py")) as harness,
    ):
        (folder / "harness.py").write_bytes(harness.read_bytes())
        (folder / "definitions.py").write_text(code, encoding="utf-8")
        (folder / "calls.json").write_text(json.dumps(calls), encoding="utf-8")
        files_named = ["/readings/definitions.py"] + ([] if argv else ["/readings/calls.json"])
        command = [_python(run), "-I", "-B", "/readings/harness.py", *argv, *files_named, "/readings/out/values.json"]
        command = [confinement.path(_host(folder, part)) if part.startswith("/") else part for part in command]
        confinement.run(command, {"LANG": "C.UTF-8", "HOME": "/tmp", "PYTHONHASHSEED": "0"})
        return json_left_behind(folder / "out" / "values.json", 64 * MIB)


def _python(run: Run) -> str:
    """The person's choice of interpreter for a Python package; otherwise the engine's own, which has numpy."""
    return run.local.python or sys.executable


def _host(folder: Path, inside: str) -> Path:
    for prefix, place in (("/readings/out/", folder / "out"), ("/readings/", folder)):
        if inside.startswith(prefix):
            return place / inside.removeprefix(prefix)
    return Path(inside)


@contextmanager
def _desk(run: Run) -> Iterator[tuple[Path, Confinement]]:
    """A folder to read, a folder to write, no network, nothing of the run."""
    place = run.folder.desk("readings") / uuid4().hex  # somebody may look at the run while it is at work
    folder, desk = place / "room", place / "desk"
    (folder / "out").mkdir(parents=True)
    desk.mkdir()
    tools = tools_for(run, _python(run))
    own = (
        Mount(inside="/readings", host=str(folder), purpose="documents"),
        Mount(inside="/readings/out", host=str(folder / "out"), purpose="outbox", writable=True),
    )
    enclosure = replace(tools, mounts=nested((*tools.mounts, *own)), cwd="/readings/out")
    limits = run.limits.model_copy(update={"timeout_s": _LONGEST_S})
    try:
        yield folder, Confinement(run.barrier, enclosure, limits, desk)
    finally:
        remove_tree(place)
