"""The simulator's code: what it draws, and what it says to ask and to record in one replication."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from statsclaw.montecarlo import design
from statsclaw.montecarlo.batch import Status
from statsclaw.montecarlo.programs.answers import CONVERGED, Answer
from statsclaw.montecarlo.programs.command import seed_of
from statsclaw.montecarlo.storage.results import SECONDS
from statsclaw.montecarlo.streams import DATA, stream_key
from statsclaw.specs.sim_spec import Study
from statsclaw.verify.blind.asking import interpreter, write_frame
from statsclaw.verify.blind.expressions import Answered, Answers, Array, NoValue, evaluate, numbers, plain, reals
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.questionnaire import Call, Misread, calls_in, read_calls
from statsclaw.verify.blind.rooms import room
from statsclaw.verify.blind.talking import Conversation, Silent
from statsclaw.verify.runner import Bench

_PARTS = ("estimate", "se", "low", "high", "reject", "p")
_DRAW_S, START_S = 600.0, 300.0
_ROOM_S = 24 * 3600.0
_LANGUAGES = {".py": "python", ".R": "r"}
_AT_ONCE = 50

#: Answers calls of one method; in a run a worker, before it meaningless values.
Asked = Callable[[Sequence[Call], str], dict[int, Answered]]


class Drawer:
    """The simulator's code in a room of its own."""

    def __init__(self, bench: Bench, study: Study, entry: str) -> None:
        self.study = study
        folder = bench.place("simulation")
        language = _LANGUAGES[Path(entry).suffix]
        own = room(bench, {"simulation": folder}, timeout_s=_ROOM_S, language=language)
        settings = {"file": entry, "methods": list(self.study.methods)}
        write_frame(own.own / "settings", settings)
        suffix = {"python": "py", "r": "R"}[language]
        places = [own.path(folder), *(own.path(own.own / n) for n in ("settings", "answers", "questions"))]
        argv = [*interpreter(bench, language), own.script(f"ask_main.{suffix}"), "study", *places]
        self.talk = Conversation(own.confinement, own.own, own.env).start(argv)
        hello = self.talk.receive(START_S)
        if not isinstance(hello, dict) or hello.get("ready") is not True:
            problem = hello.get("problem") if isinstance(hello, dict) else "it said nothing that can be understood"
            self.talk.end()
            raise Misread(f"the study could not be started: {problem}"[:1000])

    def replications(self, seed: int, cell: design.Cell, first: int, count: int) -> Iterator[dict[str, Any]]:
        """What to ask in each replication; the streams are those of any study with this seed."""
        for start in range(first, first + count, _AT_ONCE):
            ours = range(start, min(start + _AT_ONCE, first + count))
            rows = [
                [
                    number,
                    _seed(seed, cell, DATA, number),
                    {name: _seed(seed, cell, f"method:{name}", number) for name in self.study.methods},
                ]
                for number in ours
            ]
            self.talk.send({"cell": dict(cell), "replications": rows}, _DRAW_S)
            for number in ours:
                found = self.talk.receive(_DRAW_S)
                if not isinstance(found, dict) or found.get("replication") != number or not _is_drawn(found):
                    raise Silent("it did not draw the replication it was asked for")
                yield found


def _is_drawn(found: Mapping[str, Any]) -> bool:
    """Either what went wrong, or what every method says: its calls and what to record, or what went wrong there."""
    methods = found.get("methods")
    if not isinstance(methods, dict):
        return isinstance(found.get("problem"), str)
    return all(
        isinstance(said, dict) and all(isinstance(call, dict) for call in said.get("calls") or [])
        for said in methods.values()
    )


def _seed(seed: int, cell: design.Cell, purpose: str, replication: int) -> int:
    """Below 2^31, which is what R's own generator can be seeded with."""
    return seed_of(stream_key(seed, cell, purpose), replication) >> 33


# --- one method in one replication -----------------------------------------------------------------------------------


def answered(number: int, place: int, said: Any, ask: Asked, level: float) -> Answer:
    """What a method gave: the package's answers, put together as the simulator said before there were any.

    Raises Misread where the simulator's own code failed: that is no failure of the package.
    """
    if not isinstance(said, dict) or "problem" in said or "record" not in said:
        problem = said.get("problem") if isinstance(said, dict) else "it said nothing"
        raise Misread(f"the study itself failed in replication {number}: {problem}")
    try:
        calls = read_calls(said.get("calls"))
        if any(name == CONVERGED and isinstance(node, dict) for name, node in dict(said["record"]).items()):
            raise Misread("whether it converged is a truth value")
        if any(not 0 <= call < len(calls) for call in calls_in(said["record"])):
            raise Misread("it records the answer to a call that it did not make")
    except (Misread, TypeError, KeyError, ValueError) as misread:
        raise Misread(f"the study itself failed in replication {number}: {misread}") from None
    given = ask(calls, f"{number}")
    seconds = _seconds(said["record"], Answers(given))
    warned = [f"Warning: {row.message}" for answer in given.values() for row in answer.warnings]
    failed = next((answer for answer in given.values() if answer.error is not None), None)
    if failed is not None and failed.error is not None:
        status = Status.DIED if failed.died else Status.EXCEPTION
        text = "\n".join([f"{failed.error.name}: {failed.error.message}", *warned])[:4000]
        return Answer(number, place, status, seconds, len(warned), text)
    try:
        columns = recorded(said["record"], Answers(given), level)
    except NoValue as nothing:
        return Answer(number, place, Status.NOT_FINITE, seconds, len(warned), str(nothing))
    text = "\n".join(warned)[:4000]
    return Answer(number, place, Status.OK, seconds, len(warned), text, tuple(columns), tuple(columns.values()))


def _seconds(record: Any, answers: Answers) -> float:
    """What the method says itself, or what its calls took together."""
    if isinstance(record, dict) and SECONDS in record:
        with suppress(NoValue):
            return _single(evaluate(record[SECONDS], answers), SECONDS)
    return sum(answer.seconds for answer in answers.given.values())


def recorded(record: Any, answers: Answers, level: float) -> dict[str, float]:
    """The columns of one replication: parts of parameters, and single numbers."""
    if not isinstance(record, dict):
        raise NoValue("what is to be recorded has no names")
    for node in _parts_of_answers(record):
        if bool(np.isnan(numbers_in(evaluate(node, answers))).any()):
            raise NoValue("the answer is no number where the study uses it")  # an infinite limit is one
    found: dict[str, float] = {}
    for name, node in record.items():
        if name == SECONDS:
            continue  # kept in a place of its own
        if isinstance(node, dict):
            for part, inner in node.items():
                if part not in _PARTS:
                    raise NoValue(f"{name} has a part {part!r}; known are {', '.join(_PARTS)}")
                value = _single(evaluate(inner, answers), f"{name}.{part}")
                found[f"{name}.{'reject' if part == 'p' else part}"] = (
                    float(value < 1 - level) if part == "p" else value
                )
        else:
            found[name] = _single(evaluate(node, answers), name)
    if CONVERGED in found:
        found[CONVERGED] = 1.0 if found[CONVERGED] else 0.0
    return found


def _parts_of_answers(node: Any) -> Iterator[Extra]:
    """What is taken of answers, each as small a part as the record names."""
    if isinstance(node, Extra) and (node.kind == "answer" or _is_part(node)):
        yield node
    elif not isinstance(node, Extra) or node.kind != "measured":
        inner = node.value if isinstance(node, Extra) else node
        for part in inner.values() if isinstance(inner, dict) else inner if isinstance(inner, list | tuple) else ():
            yield from _parts_of_answers(part)


def _is_part(node: Extra) -> bool:
    while node.kind == "do" and node.value.get("name") == "part" and isinstance(node.value["of"][0], Extra):
        node = node.value["of"][0]
    return node.kind == "answer"


def numbers_in(value: Any) -> Array:
    """The numbers of a value; none of what holds no numbers."""
    try:
        return numbers(value)
    except NoValue:
        return np.empty(0)


def measured_columns(said: Any) -> set[str]:
    """Columns that hold times or memory, which are others at every run."""
    record = said.get("record") if isinstance(said, dict) else None
    return {name for name, node in record.items() if _is_measured(node)} if isinstance(record, dict) else set()


#: What takes a part of one answer or summarises it.
_SUMMARIES = {"part", "mean", "sd", "var", "median", "quantile", "total", "smallest", "largest", "cov", "cor", "diag"}


def calculated_columns(said: Any) -> Iterator[tuple[str, str]]:
    """Columns that hold something else than a part or a summary of one answer, of a method that asks; and what."""
    if isinstance(said, dict) and said.get("calls") and isinstance(said.get("record"), dict):
        if not _well_formed(said["record"]):
            return  # `answered` says so
        functions = [str(call.get("function")) if isinstance(call, dict) else "?" for call in said["calls"]]
        for name, node in said["record"].items():
            for part, inner in node.items() if isinstance(node, dict) else [("", node)]:
                if not _is_summary(inner):
                    yield f"{name}.{part}" if part else name, shown(inner, functions)[:200]


def _well_formed(record: Any) -> bool:
    try:
        return all(call >= 0 for call in calls_in(record))
    except (TypeError, KeyError, ValueError):
        return False


def shown_calls(said: Any) -> str:
    """What a method asks in a replication, with the sizes of its data."""
    calls = said.get("calls") if isinstance(said, dict) else None
    return "; ".join(_shown_call(call) for call in calls or [] if isinstance(call, dict))[:400]


def _shown_call(call: Mapping[str, Any]) -> str:
    given = [_shown_argument(part) for part in call.get("arguments") or []]
    given += [f"{name}={_shown_argument(part)}" for name, part in (call.get("named") or {}).items()]
    return f"{call.get('function')}({', '.join(given)})"


def _shown_argument(value: Any) -> str:
    found = numbers_in(value)
    if found.ndim and found.size:
        return f"{' × '.join(map(str, found.shape))} numbers"
    return f"{found:g}" if found.size else repr(plain(value))[:40] if isinstance(plain(value), str | bool) else "…"


_SIGNS = {"plus": "+", "minus": "-", "times": "*", "over": "/", "power": "**", "matmul": "@", "below": "<"}


def shown(node: Any, functions: Sequence[str]) -> str:
    """A calculation as a person would write it."""
    if isinstance(node, Extra) and node.kind == "answer":
        number = node.value["call"]
        return ".".join([functions[number] if 0 <= number < len(functions) else "?", *map(str, node.value["path"])])
    if isinstance(node, Extra) and node.kind == "do":
        name, parts = str(node.value.get("name")), [shown(part, functions) for part in node.value["of"]]
        if name == "part":
            return f"{parts[0]}[…]"
        return f"({f' {_SIGNS[name]} '.join(parts)})" if name in _SIGNS else f"{name}({', '.join(parts)})"
    if isinstance(node, Extra):
        return shown(node.value, functions)
    if isinstance(node, list | tuple):
        return f"[{', '.join(shown(part, functions) for part in node)}]"
    return f"{node:g}" if isinstance(node, int | float) else "…"


def _is_summary(node: Any) -> bool:
    if not isinstance(node, Extra) or node.kind in ("answer", "measured"):
        return isinstance(node, Extra)
    of = node.value.get("of") if node.kind == "do" and isinstance(node.value, dict) else None
    if not of or not isinstance(of, list) or node.value.get("name") not in _SUMMARIES:
        return False
    settings = node.value.get("with") or {}
    return settings.get("divisor", 0) in (0, 1) and not _repeats(settings.get("at")) and _is_summary(of[0])


def _repeats(places: Any) -> bool:
    """Whether an element is taken more than once. `places`: for each dimension a number, a slice or a list."""
    lists = [plain(place) for place in places] if isinstance(places, list) else []
    lists = [place.tolist() if isinstance(place, np.ndarray) else place for place in lists]
    return any(isinstance(place, list) and len(set(map(repr, place))) < len(place) for place in lists)


def _is_measured(node: Any) -> bool:
    if isinstance(node, Extra):
        return node.kind == "measured" or _is_measured(node.value)
    parts = node.values() if isinstance(node, dict) else node if isinstance(node, list | tuple) else ()
    return any(_is_measured(part) for part in parts)


def _single(value: Any, name: str) -> float:
    values = reals(plain(value))
    if values.size != 1:
        raise NoValue(f"{name} is not a single number")
    return float(values.reshape(-1)[0])
