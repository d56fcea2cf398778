"""A study in R: one R process, worker.R, that is asked for batches and answers after every method."""

from __future__ import annotations

import hashlib
import struct
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from statsclaw.montecarlo.batch import Loaded, Status
from statsclaw.montecarlo.design import Cell, Level, Program, Study, StudyRefused
from statsclaw.montecarlo.programs.answers import Answer, folder_of
from statsclaw.montecarlo.programs.process import ProgramEnded, ProgramProcess
from statsclaw.montecarlo.streams import DATA, R_KIND, r_state, stream_key
from statsclaw.montecarlo.table import Floats
from statsclaw.words import one_line

WORKER = Path(__file__).parent / "worker.R"
START_S = 300.0  # to load R, its packages and the study
_HEADER = struct.Struct("<8d")
_HELLO, _DATA, _METHOD, _LOADED = 0, 1, 2, 3
_STATUSES = frozenset(Status)
_DRAWS = ".draws"
_MOST_BYTES = 1 << 31
_FIELDS = ("kind", "name", "version", "path")


class RConversation:
    """One process. `limit_s`: how long it may be silent, which bounds one method; R itself is given `study.timeout`."""

    #: A process that dies loses the method it was in; the others of the replication are kept.
    keeps_methods = True

    def __init__(self, study: Study, program: Program, limit_s: float) -> None:
        file = Path(program.argv[0]).absolute()
        self._study, self._limit_s = study, limit_s
        self._purposes = (DATA, *(f"method:{name}" for name in study.method_names))
        self._expected, self._heard, self._asked_at = 0, 0, 0.0
        self._names: dict[int, tuple[str, ...]] = {}
        self._of_data = of_data_in(study)
        self._process = ProgramProcess(
            lambda there_in, there_out, printed: (
                *("Rscript", "--vanilla", str(WORKER)),
                *(str(file), str(there_in), str(there_out), str(printed)),
            ),
            folder=folder_of(study),
        )
        try:
            self._greet(file.name)
        except BaseException:
            self._process.close()
            raise

    def ask(self, cell: Cell, number: int, first: int, count: int, wanted: Sequence[int]) -> None:
        """For these replications of a cell, and the wanted methods."""
        states = np.empty((count, len(self._purposes), 7), dtype="<i4")
        for place, purpose in enumerate(self._purposes):
            named = self._study.data_cell(cell) if purpose == DATA else cell
            states[:, place] = r_states(stream_key(self._study.seed, named, purpose), first, count)
        flags = [int(place in wanted) for place in range(len(self._purposes) - 1)]
        head = np.array([number, first, count, *flags], dtype="<i4")
        self._process.say(head.tobytes() + states.tobytes(), self._limit_s)
        self._expected, self._heard, self._asked_at = count * (1 + len(wanted)), 0, time.monotonic()

    def answer(self) -> Iterable[Answer]:
        """After every data-generating process and every method."""
        return (self._hear(),)

    def loaded(self) -> tuple[Loaded, ...]:
        """R and the packages that have been loaded since this was asked last."""
        self._process.say(np.array([-1, 0, 0], dtype="<i4").tobytes(), self._limit_s)
        header, _, _, text = self._message(time.monotonic() + self._limit_s)
        if header[0] != _LOADED:
            raise self._process.absurd("wrote into the descriptor that its answers come from")
        fields = [line.split("\t") for line in text.splitlines()]
        return tuple(Loaded(*each) for each in fields if len(each) == len(_FIELDS))

    def close(self, *, patience_s: float = 0.0) -> None:
        self._process.close(patience_s=patience_s)

    def _greet(self, file: str) -> None:
        try:
            header, _, names, text = self._message(time.monotonic() + START_S)
        except ProgramEnded as ended:
            raise StudyRefused(f"R could not load {file}: {one_line(ended.reason, 500)}") from None
        if text:
            raise StudyRefused(f"R could not load {file}: {one_line(text, 500)}")
        if header[0] != _HELLO or set(names) != set(self._study.method_names):
            there = ", ".join(names)
            raise StudyRefused(f"{file} defines the methods {there}; the study names {', '.join(self._study.methods)}.")
        self._process.say(introduction(self._study), START_S)

    def _message(self, deadline: float) -> tuple[tuple[float, ...], Floats, tuple[str, ...], str]:
        header = _HEADER.unpack(self._process.hear(_HEADER.size, deadline))
        sizes = header[5:]
        if not all(0 <= size < _MOST_BYTES and size == int(size) for size in sizes):
            raise self._process.absurd("wrote into the descriptor that its answers come from")
        values, names, text = (int(size) for size in sizes)
        body = self._process.hear(8 * values + names + text, deadline)
        numbers = np.frombuffer(body, dtype="<f8", count=values)
        called = body[8 * values : 8 * values + names].decode("utf-8", "replace").split("\0")[:-1]
        return header, numbers, tuple(called), body[8 * values + names :].decode("utf-8", "replace")

    def _hear(self) -> Answer:
        if self._heard:
            pace_s = (time.monotonic() - self._asked_at) / self._heard
            self._process.nap(0.5 * pace_s * (self._expected - self._heard))
        self._heard += 1
        header, numbers, names, text = self._message(time.monotonic() + self._limit_s)
        kind, replication, place, status, warnings = (int(number) for number in header[:5])
        method = None if kind == _DATA else place - 1
        known = kind in (_DATA, _METHOD) and status in _STATUSES and len(numbers)
        if not known or (kind == _METHOD and status == Status.OK and not (names or method in self._names)):
            raise self._process.absurd("wrote into the descriptor that its answers come from")
        seconds = float(numbers[0])
        if method is None or status != Status.OK:
            ignored = method is None and len(numbers) > 1 and bool(numbers[1])
            truths = dict(zip(self._of_data, numbers[2:].tolist(), strict=False)) if method is None else {}
            return Answer(
                replication, method, Status(status), seconds, warnings, text, ignored_stream=ignored, truths=truths
            )
        names = self._names[method] = names or self._names[method]
        if len(names) == len(numbers) - 1 and not names_draws(names):
            return Answer(replication, method, Status.OK, seconds, warnings, text, names, numbers[1:].tolist())
        return Answer(replication, method, Status.OK, seconds, warnings, text, *_apart(names, numbers[1:]))


def names_draws(names: tuple[str, ...]) -> bool:
    return any(name.endswith(_DRAWS) for name in names)


def _apart(names: tuple[str, ...], numbers: Floats) -> tuple[tuple[str, ...], list[float], dict[str, Floats]]:
    """Single values and draws; the latter as rows, columns and the elements by column."""
    kept, values, draws, at = [], [], {}, 0
    for name in names:
        if name.endswith(_DRAWS):
            rows, columns = int(numbers[at]), int(numbers[at + 1])
            at += 2
            draws[name.removesuffix(_DRAWS)] = numbers[at : at + rows * columns].reshape((rows, columns), order="F")
            at += rows * columns
        else:
            kept.append(name)
            values.append(float(numbers[at]))
            at += 1
    return tuple(kept), values, draws


def introduction(study: Study) -> bytes:
    """What the R process is told once: axes, cells, methods in their order, the seconds a method may take, and the
    parameters whose truth depends on the data."""
    cells = study.cells()
    parts = [_whole(len(study.grid)), *(_text(axis) for axis in study.grid), _whole(len(cells))]
    parts += [_level(level) for cell in cells for level in cell.values()]
    parts += [_whole(len(study.method_names)), *(_text(name) for name in study.method_names)]
    of_data = of_data_in(study)
    parts += [struct.pack("<d", study.timeout or 0.0), _whole(len(of_data)), *(_text(name) for name in of_data)]
    return b"".join(parts)


def of_data_in(study: Study) -> tuple[str, ...]:
    """The parameters whose truth depends on the data, in any cell."""
    return tuple(dict.fromkeys(name for cell in study.cells() for name in study.truth_of_data(cell)))


def _whole(number: int) -> bytes:
    return struct.pack("<i", number)


def _text(text: str) -> bytes:
    encoded = text.encode()
    return _whole(len(encoded)) + encoded


def _level(level: Level) -> bytes:
    """A whole number becomes a double: R's integers overflow at 2^31."""
    if isinstance(level, str):
        return _whole(2) + _text(level)
    return struct.pack("<id", int(isinstance(level, bool)), float(level))


def r_states(key: bytes, first: int, count: int) -> NDArray[np.int32]:
    """`r_state` of replications first … first + count − 1, at a third of the time."""
    sha256 = hashlib.sha256
    tail = bytes(4)
    digests = b"".join(
        [sha256(key + number.to_bytes(8, "little") + tail).digest()[:24] for number in range(first, first + count)]
    )
    states = np.empty((count, 7), dtype=np.int32)
    states[:, 0] = R_KIND
    states[:, 1:] = np.frombuffer(digests, dtype="<i4").reshape(count, 6)
    # a word this near to 2^32 may be no valid state: one in millions, computed the long way
    for place in np.flatnonzero(((states[:, 1:] >= -(2**16)) & (states[:, 1:] < 0)).any(axis=1)):
        states[place] = r_state(key, first + int(place))
    return states
