"""A package in Python: honest, with four faults, and hostile in every way of the issue."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from statsclaw.profiles.profile import load_profile
from statsclaw.sandbox.limits import Limits
from statsclaw.verify.blind.answering import read_answer
from statsclaw.verify.blind.talking import Silent
from tests.languages.compiled import Judged, criteria_of, verdicts
from tests.languages.packages import Edit, Fault, Package, ask, faults

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed"),
]
NEEDS = {"python": "python3"}
#: The function that moves over a series, which one question alone is about.
BEGINS: dict[str, tuple[str, str]] = {
    "python": ("src/ridgefit/__init__.py", '    """The mean of each window of so many numbers."""\n'),
}
WINDOW = {"python": ("trailing_mean", "C7", "C11")}
HOSTILE = {
    "python": {
        "garbage": """
    import os
    for handle in range(3, 40):
        try: os.write(handle, b"x" * 99)
        except OSError: pass
""",
        "exits": "    import os; os._exit(0)\n",
        "hoards": "    held = []\n    while True: held.append(bytearray(b'x') * 10**7)\n",
        "sleeps": "    import time; time.sleep(10**6)\n",
        "files": """
    import os
    for place in (os.path.dirname(__file__), "/verify/inside", "/verify/site", "/"):
        try:
            with open(place + "/ridgefit.py", "w") as file: file.write("left")
        except OSError: continue
        raise SystemExit(f"{place} could be written")
""",
    },
}


def hostile(id: str, how: str) -> Edit:
    file, begin = BEGINS[id]
    return file, begin, begin + HOSTILE[id][how]


@pytest.fixture(scope="module", params=NEEDS)
def id(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    if shutil.which(NEEDS[name]) is None:
        pytest.skip(load_profile(name).missing_tool)
    return name


@pytest.fixture(scope="module")
def judged(id: str, tmp_path_factory: pytest.TempPathFactory) -> Judged:
    edits = {"honest": (), **{fault.name: (fault.edit,) for fault in faults(id)}}
    edits |= {how: (hostile(id, how),) for how in ("garbage", "exits", "files")}
    return verdicts(id, tmp_path_factory.mktemp(id), edits)


def test_the_honest_package_passes_every_command_and_meets_every_criterion(id: str, judged: Judged) -> None:
    evidence = judged["honest"]
    assert {name: row.summary for name, row in evidence.items() if not row.passed} == {}
    assert {"install", "unit-tests", "ask", "validation"} <= {*evidence}
    assert len(evidence["validation"].tests) >= 12 and not criteria_of(evidence)


@pytest.mark.parametrize("number", range(4))
def test_a_fault_fails_its_criteria_and_no_others(id: str, number: int, judged: Judged) -> None:
    fault: Fault = faults(id)[number]
    assert criteria_of(judged[fault.name]) == {*fault.criteria}


@pytest.mark.parametrize("how", ["garbage", "exits"])
def test_a_package_that_talks_nonsense_or_ends_fails_what_it_was_asked(id: str, how: str, judged: Judged) -> None:
    _, *its_own = WINDOW[id]
    assert criteria_of(judged[how]) == {*its_own}


def test_a_package_that_writes_files_reaches_none_that_counts(id: str, judged: Judged) -> None:
    assert not criteria_of(judged["files"])


@pytest.mark.parametrize(("how", "limit_s", "said"), [("sleeps", 2.0, "longer than"), ("hoards", 60.0, "")])
def test_a_package_without_end_is_ended(id: str, how: str, limit_s: float, said: str, tmp_path: Path) -> None:
    package = Package(id, tmp_path, edits=(hostile(id, how),))
    assert all(row.passed for row in package.verified("build").values())
    small = replace(package.bench, limits=Limits(memory_bytes=800 * 1024**2))
    vars(package)["bench"] = small
    request = {"do": "call", "id": 1, "what": "call", "function": WINDOW[id][0], "on": None}
    request |= {"arguments": [[1.0, 2.0, 3.0], 2], "named": {}, "seed": 1, "fields": None}
    with package.worker() as talk:
        assert "value" in ask(talk, "", what="exports")
        try:
            answer = read_answer(talk.ask(request, limit_s), 1)
        except Silent as silent:
            assert said in str(silent)
        else:
            assert how == "hoards" and answer.error is not None
