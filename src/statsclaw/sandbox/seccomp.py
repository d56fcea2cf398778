"""The system-call filter as the kernel wants it: a classic BPF program made from the table in seccomp.toml."""

from __future__ import annotations

import errno
import platform
import struct
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_REFUSE, _ABSENT = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_X32 = 0x40000000  # the second numbering of x86_64, through which a denied call would slip

Instruction = tuple[int, int, int, int]


@cache
def seccomp_filter(machine: str = platform.machine()) -> bytes | None:
    """The program for this machine, or None where there is no table for it."""
    table = tomllib.loads(files("statsclaw.sandbox").joinpath("seccomp.toml").read_text(encoding="utf-8"))
    if machine not in table["machine"]:
        return None
    column = list(table["machine"]).index(machine)
    program: list[Instruction] = [
        (_LOAD, 0, 0, _MACHINE),
        (_EQUAL, 1, 0, table["machine"][machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if machine == "x86_64":
        program += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _KILL)]
    for row in table["looked_at"]:
        program += _looked_at(row, column)
    for names, answer in ((table["denied"], _REFUSE), (table["absent"], _ABSENT)):
        for numbers in names.values():
            if numbers[column]:
                program += [(_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, answer)]
    program.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _looked_at(row: dict[str, object], column: int) -> Iterable[Instruction]:
    """If it is this call: load the lower half of the argument, decide, and end; else go on with the number loaded."""
    numbers, argument = row["number"], row["argument"]
    assert isinstance(numbers, list) and isinstance(argument, int)
    body: list[Instruction] = [(_LOAD, 0, 0, _ARGUMENTS + 8 * argument)]
    if isinstance(bits := row.get("refused_bits"), int):
        body += [(_ANY_BIT, 0, 1, bits), (_RETURN, 0, 0, _REFUSE)]
    for value in _values(row, "refused_values"):
        body += [(_EQUAL, 0, 1, value), (_RETURN, 0, 0, _REFUSE)]
    if allowed := _values(row, "allowed_values"):
        for value in allowed:
            body += [(_EQUAL, 0, 1, value), (_RETURN, 0, 0, _ALLOW)]
        body.append((_RETURN, 0, 0, _REFUSE))
    else:
        body.append((_RETURN, 0, 0, _ALLOW))
    return [(_EQUAL, 0, len(body), numbers[column]), *body]


def _values(row: dict[str, object], key: str) -> list[int]:
    found = row.get(key, [])
    assert isinstance(found, list)
    return found
