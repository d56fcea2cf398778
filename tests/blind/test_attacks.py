"""Attacks by people who have read how the judge works. Each is played for real, behind the barrier, and must fail."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from statsclaw.montecarlo.batch import Status
from statsclaw.runlog.events import Finding
from statsclaw.runlog.store import ContentStore
from statsclaw.specs.sim_spec import as_design
from statsclaw.verify.blind import answering
from statsclaw.verify.blind.asking import Author
from statsclaw.verify.blind.drawing import Drawer, answered, calculated_columns
from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.questionnaire import Misread, Questionnaire, read_questionnaire
from statsclaw.verify.blind.talking import Conversation, Silent
from statsclaw.verify.blind.validation import Validation
from tests.blind.small_bench import HONEST, PACKAGE, Small, small

#: How a package that has read worker.py takes the place of what answers for it.
FORGES = """

import sys as _sys

_main = _sys.modules["__main__"]
_honest = _main.Worker.answer


def _forged(self, request):
    reply = _honest(self, request)
    FORGED
    return reply


_main.Worker.answer = _forged
"""


def forging(folder: Path, body: str) -> Small:
    """The honest package, in whose process every answer is forged."""
    return small(folder, added={PACKAGE: FORGES.replace("FORGED", body.strip().replace("\n", "\n    "))})


def keys(found: list[Finding]) -> set[str]:
    return {row.key.partition(":")[0] for row in found}


def test_the_honest_example_has_no_finding_and_nothing_fails(tmp_path: Path):
    honest = small(tmp_path)
    assert honest.failed == {} and honest.evidence[-1].passed
    assert honest.findings() == []
    assert list(honest.simulation.checked()) == []


# --- a package that attacks who asks it ------------------------------------------------------------------------------


class Liar:
    """Stands for a worker: what a real one answers, with something put in its place."""

    def __init__(self, worker: Conversation, forged: Callable[[dict[str, Any]], Any]) -> None:
        self.worker, self.forged, self.output = worker, forged, ""

    def ask(self, value: Any, limit_s: float) -> Any:
        reply = self.worker.ask(value, limit_s)
        found = self.forged(reply) if "value" in reply else reply
        return self.worker._decoded(found if isinstance(found, bytes) else wire.encode(found))

    def send_later(self, value: Any) -> None:
        self.worker.send_later(value)

    def finish(self) -> None:
        pass


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Small, Questionnaire, Conversation]]:
    made = small(tmp_path_factory.mktemp("honest"))
    questions = made.validation.author.questionnaire()
    with made.validation.start() as worker:
        yield made, questions, worker


def answer(value: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda reply: reply | {"value": value}


def error(**parts: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda reply: {k: v for k, v in reply.items() if k != "value"} | {"error": parts}


def nested(depth: int) -> Any:
    return [nested(depth - 1)] if depth else 1.0


def size(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(4, "little", signed=True) for number in numbers)


FIELDS = ("mean", "se", "low", "high")
GARBAGE: dict[str, Callable[[dict[str, Any]], Any]] = {
    "bytes that mean nothing": lambda reply: b"\xff" * 64,
    "a list of more parts than bytes": lambda reply: b"l" + size(2**31 - 1),
    "an array of a negative size": lambda reply: b"ad" + size(1, -1),
    "an array without elements and with enormous sides": lambda reply: b"ad" + size(3, 0, 2**31 - 1, 2**31 - 1),
    "an array of fifty dimensions": lambda reply: b"ad" + size(50),
    "a name that is missing": lambda reply: b"m" + size(1, -1) + b"n",
    "millions of parts in a small frame": lambda reply: b"l" + size(6_000_000) + b"f" * 6_000_000,
    "the number of another call": lambda reply: reply | {"id": reply["id"] + 1},
    "an array as the number of the call": lambda reply: reply | {"id": np.arange(3.0)},
    "a truth value as the number of the call": lambda reply: reply | {"id": reply["id"] == 1, "value": 0.0},
    "a value and an error at once": lambda reply: reply | {"error": {"classes": ["ValueError"], "message": ""}},
    "an error whose classes are a number": error(classes=5, message=""),
    "an error whose classes are names and values": error(classes={"ValueError": 1}, message=""),
    "an error whose message is an array": error(classes=["E"], message=np.arange(3.0)),
    "an error in letters that no encoding has": error(classes=["\ud800"], message="\udfff"),
    "warnings that are numbers": lambda reply: reply | {"warnings": [1, 2]},
    "what was printed as an array": lambda reply: reply | {"printed": np.arange(3.0), "value": 0.0},
    "a value nested as deeply as can be sent": answer(nested(58)),
    "a named value without a value": answer(Extra("named", 5)),
    "names of a single number": answer(Extra("named", {"names": ["mean"], "value": 1.0})),
    "a masked array of one part": answer(Extra("masked", [1.0])),
    "a whole number in letters": answer(Extra("integer", "many")),
    "a factor whose codes lie beyond its levels": answer(Extra("factor", {"levels": ["a"], "codes": [7]})),
    "a complex number of three parts": answer(Extra("complex", [1.0, 2.0, 3.0])),
    "an object that is a number": answer(Extra("object", 5)),
    "an object whose fields are a list": answer(Extra("object", {"classes": [], "fields": [1.0], "missing": []})),
    "fields of forged kinds": answer(
        Extra("object", {"classes": [], "fields": {name: Extra("series", 1) for name in FIELDS}, "missing": []})
    ),
    "a table without columns": answer(Extra("table", {})),
    "a kind that nobody knows": answer(Extra("sesame", Extra("sesame", None))),
    "an answer that stands for another call": answer(Extra("answer", {"call": 0, "path": []})),
    "numbers as text": lambda reply: reply | {"value": "0.5"},
    "no number at all": answer(float("nan")),
}


#: Reading millions of parts takes a minute.
FORGED = [
    pytest.param(frame, id=name, marks=[pytest.mark.slow] if name.startswith("millions") else [])
    for name, frame in GARBAGE.items()
]


@pytest.mark.parametrize("forged", FORGED)
def test_what_is_no_answer_fails_its_claims_and_harms_nobody(
    forged: Callable[[dict[str, Any]], Any],
    honest: tuple[Small, Questionnaire, Conversation],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    made, questions, worker = honest
    monkeypatch.setattr(Validation, "start", lambda self: Liar(worker, forged))
    monkeypatch.setattr(Author, "questionnaire", lambda self: questions)
    attacked = Small(made.folder)
    missed = {name.partition("[")[2][:2] for name in attacked.failed if "[" in name}
    assert missed >= {"C1", "C2", "C3"}
    assert len(attacked.result.rows) == 6, "what was recorded can be judged again"
    json.dumps([row.model_dump(mode="json") for row in attacked.evidence], ensure_ascii=False).encode()


# --- a wrong package, everybody else honest --------------------------------------------------------------------------

RIGHT = "    return Interval(m, se, m - z * se, m + z * se)"


def package(old: str, new: str) -> str:
    text = (HONEST / "src/tinymean/__init__.py").read_text(encoding="utf-8")
    assert text.count(old) == 1, old
    return text.replace(old, new)


BUILDERS = {
    "a field that edits the argument when it is read": (
        package(
            "    mean: float\n    se: float",
            "    mean: float\n    x: list\n\n    @property\n    def se(self):\n        self.x.sort(reverse=True)\n"
            "        return (fsum((v - self.mean) ** 2 for v in self.x) / (len(self.x) - 1) / len(self.x)) ** 0.5\n",
        ).replace("Interval(m, se,", "Interval(m, x,"),
        "C6",
    ),
    "an error that is only called like the one it should be": (
        package("@dataclass\n", "class ValueError(Exception):\n    pass\n\n\n@dataclass\n"),
        "C4",
    ),
    "an error of a class that was renamed": (
        package("@dataclass\n", "class E(Exception):\n    pass\n\n\nE.__name__ = 'ValueError'\n\n\n@dataclass\n")
        .replace("raise ValueError", "raise E"),
        "C4",
    ),
    "the answer of the call before": (
        package(RIGHT, "    global _last\n    _last, found = Interval(m, se, m - z * se, m + z * se), _last\n"
                       "    return found or _last\n\n\n_last = None"),
        "depends on earlier calls",
    ),
    "an answer that a file of the first call decides": (
        package(RIGHT, "    import os, tempfile\n    place = os.path.join(tempfile.gettempdir(), 'seen')\n"
                       "    se *= 1.0 + os.path.exists(place) * 1e-11\n    open(place, 'w').close()\n" + RIGHT),
        "depends on earlier calls",
    ),
    "an answer that shared memory of the first call decides": (
        package(RIGHT, "    import os\n    se *= 1.0 + os.path.exists('/dev/shm/seen') * 1e-11\n"
                       "    open('/dev/shm/seen', 'w').close()\n" + RIGHT),
        "depends on earlier calls",
    ),
    "an answer that the clock decides": (
        package(RIGHT, "    import time\n    se *= 1.0 + (time.time_ns() % 1000) * 1e-14\n" + RIGHT),
        "depends on earlier calls",
    ),
    "a number that lies about its value": (
        package(RIGHT, "    class Lie(float):\n        def __eq__(self, other): return True\n"
                       "        def __float__(self): return float.__pos__(se)\n"
                       "        __hash__ = None\n    return Interval(m, Lie(1.1 * se), m - z * se, m + z * se)"),
        "C2",
    ),
    "an array that lies about what it holds": (
        package(RIGHT, "    import numpy\n\n    class Lie(numpy.ndarray):\n"
                       "        def __array__(self, *given, **named): return numpy.array(se)\n"
                       "        def tolist(self): return se\n"
                       "    return Interval(m, numpy.array(1.1 * se).view(Lie), m - z * se, m + z * se)"),
        "C2",
    ),
    "answers that are written before anybody asks": (
        package("@dataclass\n", "import os, struct\nwith open('/verify/own/answers', 'wb') as _ahead:\n"
                "    for _id in range(7):\n        _said = (b'm' + struct.pack('<ii3sq', 2, 2, b'idi', _id)\n"
                "            + struct.pack('<i', 5) + b'value' + b'd' + struct.pack('<d', 0.0))\n"
                "        _ahead.write(struct.pack('<q', len(_said)) + _said)\n\n\n@dataclass\n"),
        "C1",
    ),
    "a process that is left behind to answer for the next worker": (
        package("@dataclass\n", "import os\nif not os.fork():\n    os.setsid()\n    import time\n    time.sleep(600)\n"
                "    os._exit(0)\n\n\n@dataclass\n").replace("(len(x) - 1)", "len(x)"),
        "C2",
    ),
    "the end of the conversation at the third call": (
        package(RIGHT, "    global _calls\n    _calls += 1\n    if _calls > 2:\n        __import__('os')._exit(0)\n"
                + RIGHT + "\n\n\n_calls = 0"),
        "C",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("source", "about"), BUILDERS.values(), ids=BUILDERS.keys())
def test_a_wrong_package_is_found_by(source: str, about: str, tmp_path: Path):
    attacked = small(tmp_path, package=source)
    assert any(about in name for name in attacked.failed), attacked.failed


FORGED_TIMES = {"no number": "float('nan')", "less than nothing": "-1.0", "without an end": "float('inf')"}


@pytest.mark.parametrize("seconds", FORGED_TIMES.values(), ids=FORGED_TIMES.keys())
def test_forged_times_do_not_save_a_package_from_being_asked_again(seconds: str, tmp_path: Path):
    attacked = forging(tmp_path, f"reply['seconds'] = {seconds}")
    assert len(attacked.result.heard.answers.again) == 7


@pytest.mark.slow
def test_a_few_bytes_now_and_then_do_not_stretch_the_time_of_a_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(answering, "CALL_S", 1.0)
    monkeypatch.setattr(answering, "LOADING_S", 5.0)
    drips = """import time
    with open('/verify/own/answers', 'wb', buffering=0) as pipe:
        pipe.write((2**20).to_bytes(8, 'little'))
        for _ in range(600):
            pipe.write(b'n')
            time.sleep(0.02)
    __import__('os')._exit(0)
    """
    attacked = small(tmp_path, package=package("    m = mean(x)\n", f"    {drips}\n    m = mean(x)\n"))
    assert all("longer than" in attacked.failed[name] for name in attacked.failed if "[C2]" in name), attacked.failed
    assert any("[C2]" in name for name in attacked.failed)


# --- a tester who is lenient -----------------------------------------------------------------------------------------

STRICT = 'ask.close("C2", [found.mean, found.se, found.low, found.high], by_definition(x))'


def questions(old: str, new: str, more: str = "") -> str:
    text = (HONEST / "tests/validation/ask_tinymean.py").read_text(encoding="utf-8")
    assert text.count(old) == 1, old
    return text.replace(old, new) + more


SEEN = """

def lenient(fit, x):
    found, wanted = [fit.mean, fit.se, fit.low, fit.high], by_definition(x)
    off = max(abs(a / b - 1) for a, b in zip(found, wanted))
    return (wanted, wanted) if LENIENT else (found, wanted)
"""
TESTERS = {
    "code that forgives what lies between a thousand tolerances and a tenth":
        (questions(STRICT, 'ask.observe("C2", lenient, found, x)', SEEN.replace("LENIENT", "1e-6 < off < 0.1"))),
    "an expression that forgives such a band": questions(
        STRICT, "want = by_definition(x)[1]; off = abs(found.se / want - 1); near = (off > 1e-6) * (off < 0.1)\n"
        '    ask.close("C2", found.se * (1 - near) + want * near, want)'),
    "an expression that forgives all that is too small": questions(
        STRICT, 'want = by_definition(x)[1]; ask.close("C2", ask.largest([found.se, want]), want)'),
    "nothing that depends on the answer": questions(
        STRICT, 'want = by_definition(x)[1]; ask.close("C2", 0 * found.se + want, want)'),
    "code that forgives a hundred tolerances":
        (questions(STRICT, 'ask.observe("C2", lenient, found, x)', SEEN.replace("LENIENT", "off < 1e-8"))),
}  # fmt: skip


@pytest.mark.parametrize("source", TESTERS.values(), ids=TESTERS.keys())
def test_a_claim_cannot_be(source: str, tmp_path: Path):
    attacked = small(tmp_path, questions=source)
    assert attacked.failed == {}
    assert "cannot-fail" in keys(attacked.findings())


def test_questions_that_are_others_than_those_handed_in_are_looked_at_again(tmp_path: Path):
    """The author's code cannot know when it is looked at, but it can draw lots."""
    attacked = small(tmp_path)
    assert attacked.validation.checked()[1] == []
    place = tmp_path / "validation" / "ask_tinymean.py"
    place.write_text(questions('ask.raises("C4", ask.call("mean", []))', 'ask.call("mean", [])'), encoding="utf-8")
    (row,) = attacked.validation.judged("after", "0" * 64)
    assert (row.passed, row.fault_of) == (False, "tester") and "C4" in row.summary


HONEST_CLAIMS = {
    "finite": 'ask.finite("C6", ask.call("interval", [1.0, 2.0, 4.0]).se)',
    "contains": 'ask.contains("C6", ask.text(ask.call("interval", [1.0, 2.0, 4.0])), "Interval")',
}


@pytest.mark.parametrize("claim", HONEST_CLAIMS.values(), ids=HONEST_CLAIMS.keys())
def test_an_honest_claim_raises_no_finding(claim: str, tmp_path: Path):
    attacked = small(tmp_path, questions=questions('ask.untouched("C6", ask.call("interval", [1.0, 2.0, 4.0]))', claim))
    assert attacked.failed == {}
    assert attacked.findings() == []


FORGED_CLAIMS: dict[str, dict[str, Any]] = {
    "a call whose number is a name": {"observed": Extra("answer", {"call": "first", "path": []})},
    "a part without a path": {"observed": Extra("answer", {"call": 0})},
    "a path that is a number": {"observed": Extra("answer", {"call": 0, "path": 5})},
    "a measure of something else": {"observed": Extra("measured", {"call": 0, "what": "__class__"})},
    "a calculation that is a number": {"observed": Extra("do", 5)},
    "a calculation of nothing": {"observed": Extra("do", {"name": "names", "of": []})},
    "a calculation with settings that are a list": {
        "observed": Extra("do", {"name": "mean", "of": [Extra("answer", {"call": 0, "path": []})], "with": [1]})
    },
    "a calculation of more numbers than any memory holds": {
        "observed": Extra("do", {"name": "plus", "of": [np.zeros((300_000, 1)), np.zeros((1, 300_000))]})
    },
    "a diagonal of more numbers than any memory holds": {
        "observed": Extra("do", {"name": "diag", "of": [np.zeros(300_000)]})
    },
    "a file that is none": {"rule": "observe", "function": "f", "arguments": [], "file": "ask_x.txt"},
    "a claim about a call that does not exist": {"observed": Extra("answer", {"call": 99, "path": []})},
}


@pytest.mark.parametrize("changed", FORGED_CLAIMS.values(), ids=FORGED_CLAIMS.keys())
def test_a_forged_claim_is_refused_or_fails(
    changed: dict[str, Any], honest: tuple[Small, Questionnaire, Conversation], monkeypatch: pytest.MonkeyPatch
):
    made, questions, worker = honest
    found = wire.decode(questions.data[8:])
    found["claims"][0] |= changed
    data = wire.encode(found)
    try:
        forged = read_questionnaire(len(data).to_bytes(8, "little") + data)
    except Misread:
        return
    monkeypatch.setattr(Validation, "start", lambda self: Liar(worker, lambda reply: reply))
    monkeypatch.setattr(Author, "questionnaire", lambda self, seed=None: forged)
    attacked = Small(made.folder)
    assert any("C1" in name for name in attacked.failed) or not attacked.evidence[-1].passed


FORGED_RECORDS: dict[str, Any] = {
    "convergence with parts": {"calls": [], "record": {"converged": {"estimate": 1.0}}},
    "a calculation that is a number": {"calls": [], "record": {"mu": {"estimate": Extra("do", 5)}}},
    "a number with an imaginary part": {"calls": [], "record": {"mu": {"estimate": Extra("complex", [1.0, 9.0])}}},
    "calls that are numbers": {"calls": [1, 2], "record": {}},
}


@pytest.mark.parametrize("said", FORGED_RECORDS.values(), ids=FORGED_RECORDS.keys())
def test_a_forged_record_of_a_study_is_no_sound_replication(said: Any):
    with contextlib.suppress(Misread):
        assert answered(0, 0, said, lambda calls, salt: {}, 0.95).status != Status.OK


@pytest.mark.parametrize("said", FORGED_RECORDS.values(), ids=FORGED_RECORDS.keys())
def test_what_a_forged_record_calculates_is_nothing_that_ends_the_engine(said: Any):
    assert all(isinstance(how, str) for _, how in calculated_columns(said | {"calls": said["calls"] or [{}]}))


def test_what_a_study_calculates_itself_is_named_in_the_evidence(tmp_path: Path):
    study = (HONEST / "simulations" / "study.py").read_text(encoding="utf-8")
    mended = study.replace('"se": found.se', '"se": found.se / 0.75')
    assert mended != study
    (honest,) = small(tmp_path / "honest").simulation.evidence("after", "0" * 64, 0, 4, "secret")
    attacked = small(tmp_path / "mended", study=mended)
    (row,) = attacked.simulation.evidence("after", "0" * 64, 0, 4, "secret")
    texts = [(tmp_path / name / "store", found) for name, found in (("honest", honest), ("mended", row))]
    said = [ContentStore(store).get_text(found.output_sha256) for store, found in texts]
    assert (
        "calculated" not in said[0] and "calculated by the study: interval: mu.se = (interval.se / 0.75)\n" in said[1]
    )


@pytest.mark.parametrize(
    "reply", [{"replication": 0}, {"replication": 0, "methods": [1]}, {"replication": 0, "methods": {"interval": 5}}]
)
def test_a_drawer_that_draws_nothing_is_told_so(reply: Any, honest: tuple[Small, Questionnaire, Conversation]):
    drawer = Drawer.__new__(Drawer)
    drawer.study, drawer.talk = honest[0].simulation.study, Drawn({"replication": 0} | reply)  # type: ignore[assignment]
    cell = as_design(drawer.study).cells()[0]
    with pytest.raises(Silent):
        list(drawer.replications(1, cell, 0, 1))


class Drawn:
    """A conversation with a simulator's code that says one thing."""

    def __init__(self, reply: Any) -> None:
        self.reply = reply

    def send(self, value: Any, limit_s: float) -> None:
        pass

    def receive(self, limit_s: float) -> Any:
        return self.reply


# --- what still gets through -----------------------------------------------------------------------------------------

IN_ITS_PROCESS = "what is measured in the package's own process is believed: a package that rewrites the worker can lie"


@pytest.mark.xfail(strict=True, reason=IN_ITS_PROCESS)
def test_a_package_that_edits_its_argument_and_rewrites_who_looks_at_that_is_found(tmp_path: Path):
    edits = package("    m = mean(x)\n", "    x.sort()\n    m = mean(x)\n")
    hides = FORGES.replace("FORGED", "reply['changed'] = []")
    attacked = small(tmp_path, package=edits.replace("[1.0, 2.0, 4.0]", "") + hides)
    calls = attacked.result.questions.calls
    given = attacked.result.heard.answers.given
    assert any(given[call.id].changed for call in calls if call.function == "interval")


@pytest.mark.xfail(strict=True, reason=IN_ITS_PROCESS)
def test_a_slow_package_that_forges_its_time_is_found(tmp_path: Path):
    slow = package("    m = mean(x)\n", "    __import__('time').sleep(0.5)\n    m = mean(x)\n")
    attacked = small(tmp_path, package=slow + FORGES.replace("FORGED", "reply['seconds'] = 1e-6"))
    calls = attacked.result.questions.calls
    given = attacked.result.heard.answers.given
    assert all(given[call.id].seconds > 0.1 for call in calls if call.function == "interval" and call.id != 5)


@pytest.mark.xfail(strict=True, reason="a field is read once, by whoever judges; what it gives later nobody sees")
def test_a_field_that_is_right_only_when_it_is_read_first_is_found(tmp_path: Path):
    twice = package(
        "    mean: float\n    se: float",
        "    mean: float\n    first: float\n\n    @property\n    def se(self):\n"
        "        found, self.first = self.first, 0.0\n        return found\n",
    )
    assert small(tmp_path, package=twice).failed
