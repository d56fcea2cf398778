"""A study in any language: a command that reads questions and writes answers, one JSON document a line.

docs/reference/study-protocol.md says the same to whoever writes the command.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from statsclaw.montecarlo.batch import Loaded, Status
from statsclaw.montecarlo.design import Cell, Program, Study
from statsclaw.montecarlo.programs.answers import CONVERGED, Answer, folder_of
from statsclaw.montecarlo.programs.process import ProgramProcess
from statsclaw.montecarlo.streams import DATA, stream_key
from statsclaw.montecarlo.table import Floats

PROTOCOL = 1
MOST_LINE = 64 * 2**20


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class EstimateReply(_Strict):
    """`estimate` null: there is none, which is a failure. Anything else null: not given."""

    estimate: float | None = None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    reject: bool | None = None
    draws: list[float] | list[list[float]] | None = None


class MethodReply(_Strict):
    estimates: dict[str, EstimateReply] = {}
    scalars: dict[str, float | None] = {}
    converged: bool = True
    error: str | None = None
    warnings: list[str] = []
    seconds: float | None = None


class Reply(_Strict):
    """To one replication. `error`: there are no data, and so no methods."""

    replication: int
    methods: dict[str, MethodReply] = {}
    error: str | None = None


class CommandConversation:
    """One process. `limit_s`: how long one method may take, so a replication as many times that as there are methods,
    and once more for the data."""

    keeps_methods = False

    def __init__(self, study: Study, program: Program, limit_s: float) -> None:
        self._study = study
        self._expected = self._last = 0
        self._limit_s = limit_s * (1 + len(study.method_names))
        self._process = ProgramProcess(lambda *_: program.argv, folder=folder_of(study), plain=True)
        self._introduction: dict[str, Any] | None = {
            "protocol": PROTOCOL,
            "study": study.name,
            "methods": list(study.method_names),
            "level": study.level,
        }

    def ask(self, cell: Cell, number: int, first: int, count: int, wanted: Sequence[int]) -> None:
        self._expected, self._last = first, first + count - 1
        purposes = (DATA, *(f"method:{name}" for name in self._study.method_names))
        seed, data_cell = self._study.seed, self._study.data_cell(cell)
        keys = {purpose: stream_key(seed, data_cell if purpose == DATA else cell, purpose) for purpose in purposes}
        seeds = {purpose: [str(seed_of(key, first + at)) for at in range(count)] for purpose, key in keys.items()}
        question = _line({"cell": dict(cell), "first": first, "count": count, "seeds": seeds})
        if self._introduction is not None:
            question = _line(self._introduction) + question
            self._introduction = None
        self._process.print_out()
        self._process.say(question, self._limit_s)

    def answer(self) -> Iterator[Answer]:
        """To one replication: the data, then every method."""
        line = self._process.hear_line(time.monotonic() + self._limit_s, MOST_LINE)
        replication = self._expected
        reply = self._understood(line, replication)
        self._expected += 1
        printed = self._process.print_out() if replication == self._last else ""
        if reply.error is not None:
            yield Answer(replication, None, Status.NO_DATA, text=_with_stderr(reply.error, printed))
            return
        yield Answer(replication, None, Status.OK)
        for place, name in enumerate(self._study.method_names):
            yield _answer(replication, place, reply.methods[name], printed if place == 0 else "")

    def loaded(self) -> tuple[Loaded, ...]:
        """A command does not say."""
        return ()

    def close(self, *, patience_s: float = 0.0) -> None:
        self._process.close(patience_s=patience_s)

    def _understood(self, line: bytes, replication: int) -> Reply:
        try:
            reply = Reply.model_validate_json(line)
        except ValidationError as error:
            raise self._process.absurd(f"answered {_excerpt(line)}, which is {_why(error)}") from None
        if reply.replication != replication:
            raise self._process.absurd(f"answered for replication {reply.replication} instead of {replication}")
        if reply.error is None and set(reply.methods) != set(self._study.method_names):
            there = ", ".join(reply.methods) or "none"
            wanted = ", ".join(self._study.method_names)
            raise self._process.absurd(f"answered for the methods {there} instead of {wanted}")
        return reply


def seed_of(key: bytes, replication: int) -> int:
    """A whole number below 2^64 for programs that seed a generator of their own."""
    return int.from_bytes(hashlib.sha256(key + replication.to_bytes(8, "little")).digest()[:8], "little")


def _line(document: dict[str, Any]) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode("ascii") + b"\n"


def _excerpt(line: bytes) -> str:
    return repr(line[:200].decode("utf-8", "replace")) + (" …" if len(line) > 200 else "")


def _why(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        return "not JSON"
    return f"not an answer: {'.'.join(map(str, first['loc']))}: {first['msg']}"


def _with_stderr(text: str, printed: str) -> str:
    return "\n".join(filter(None, (text, f"Standard error of the batch:\n{printed}" if printed else "")))


def _answer(replication: int, place: int, reply: MethodReply, printed: str) -> Answer:
    text = _with_stderr(
        "\n".join(filter(None, (reply.error, *(f"Warning: {said}" for said in reply.warnings)))), printed
    )
    seconds = math.nan if reply.seconds is None else reply.seconds
    if reply.error is not None:
        return Answer(replication, place, Status.EXCEPTION, seconds, len(reply.warnings), text)
    said: dict[str, float] = {CONVERGED: float(reply.converged)}
    draws: dict[str, Floats] = {}
    for parameter, estimate in reply.estimates.items():
        if estimate.draws is not None:
            draws[parameter] = np.asarray(estimate.draws, dtype=np.float64)
        elif estimate.estimate is None:
            said[f"{parameter}.estimate"] = math.nan
        for name in ("estimate", "se", "low", "high", "reject"):
            if (value := getattr(estimate, name)) is not None:
                said[f"{parameter}.{name}"] = float(value)
    for name, value in reply.scalars.items():
        said[name] = math.nan if value is None else value
    return Answer(
        replication, place, Status.OK, seconds, len(reply.warnings), text, tuple(said), tuple(said.values()), draws
    )
