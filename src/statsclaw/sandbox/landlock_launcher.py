"""Runs outside the engine: takes every right away from a child of its own, starts the program there, and ends with it.

    python3 -I -S landlock_launcher.py INSTRUCTIONS TOLD WAIT GONE    (four inherited file descriptors)

INSTRUCTIONS is read to its end: a JSON object, made in landlock.py. On TOLD stands one JSON object: the processes to
look after, or why nothing was started. The program starts after a byte on WAIT. GONE is held open for as long as
anything of the program may be alive. There are three processes: the one the engine knows, which may be killed at any
time; a keeper, which survives that and ends whatever the program started; and the program. Standard library only.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import resource
import signal
import stat
import struct
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # not imported when it runs: every module costs a start
    from typing import Any, NoReturn

NOT_THERE, CANNOT_START, REFUSED = 127, 126, 125
ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)

_SET_PDEATHSIG, _SET_SECCOMP, _SET_CHILD_SUBREAPER, _SET_NO_NEW_PRIVS = 1, 22, 36, 38
_AMBIENT_CAPABILITIES, _CLEAR_ALL = 47, 4
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every machine
_RULE_PATH, _RULE_PORT = 1, 2
_FILTER_MODE = 2

_libc = ctypes.CDLL(None, use_errno=True)


class Refused(Exception):
    """Nothing was started. `path` is what cannot be reached, if that is why."""

    def __init__(self, why: str, path: str = "") -> None:
        super().__init__(why)
        self.why, self.path = why, path


def main(instructions: int, told: int, wait: int, gone: int) -> int:
    """The process the engine knows: when it goes, for whatever reason, the keeper ends everything."""
    _die_with(os.getppid(), signal.SIGKILL)
    _prctl(_SET_CHILD_SUBREAPER, 1)
    with os.fdopen(instructions, "rb") as file:
        order = json.load(file)
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)
    me = os.getpid()
    keeper = os.fork()
    if not keeper:
        os._exit(_keep(order, me, told, wait, gone))
    for fd in (told, wait):
        os.close(fd)
    _let_go_of_streams()
    _, status = os.waitpid(keeper, 0)
    if os.WIFSIGNALED(status):
        end_all(order["user"])
    return _exit_code(status)


def _keep(order: dict[str, Any], front: int, told: int, wait: int, gone: int) -> int:
    """In a session of its own, so that what ends the first process leaves this one time to end the rest."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {*ENDING, signal.SIGCHLD})
    os.setsid()
    _die_with(front, signal.SIGTERM)
    _prctl(_SET_CHILD_SUBREAPER, 1)
    me = os.getpid()
    child = os.fork()
    if not child:
        os.close(gone)
        _be_the_program(order, me, told, wait)
    for fd in (told, wait):
        os.close(fd)
    _let_go_of_streams()
    code = 128 + signal.SIGKILL
    while signal.sigwait({*ENDING, signal.SIGCHLD}) == signal.SIGCHLD:
        ended = dict(_reaped())
        if child in ended:
            code = _exit_code(ended[child])
            break
    end_all(order["user"])
    return code


def _be_the_program(order: dict[str, Any], keeper: int, told: int, wait: int) -> NoReturn:
    try:
        _give_everything_up(order, keeper)
        _load_filters(order["filters"])
        _tell(told, {"keeper": keeper, "program": os.getpid()})
        if not os.read(wait, 1):
            os._exit(REFUSED)
    except Refused as refusal:
        _tell(told, {"refused": refusal.why, "path": refusal.path})
        os._exit(REFUSED)
    except OSError as error:
        _tell(told, {"refused": f"{error.strerror} ({error.filename or 'system call'})", "path": ""})
        os._exit(REFUSED)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os._exit(_execute(order["argv"], order["env"]))


def _give_everything_up(order: dict[str, Any], keeper: int) -> None:
    for number in (signal.SIGPIPE, signal.SIGXFSZ, *ENDING):
        signal.signal(number, signal.SIG_DFL)
    os.setsid()
    for name, wanted in order["limits"].items():
        which = getattr(resource, name)
        most = resource.getrlimit(which)[1]
        limit = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        resource.setrlimit(which, (limit, limit))
    ruleset = _ruleset(order)
    if (user := order["user"]) is not None:
        try:
            os.setgroups(order["groups"])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
        except OSError as error:
            raise Refused(f"root cannot become another user here ({error.strerror})") from None
        taken_on = os.getresuid() == os.getresgid() == (user,) * 3 and os.getgroups() == order["groups"]
        if not taken_on or _is_privileged():
            raise Refused("the separate user was not taken on")
    _die_with(keeper, signal.SIGKILL)  # only now: a change of user forgets it
    for path in order["reach"]:
        _check_reach(path)
    try:
        os.chdir(order["cwd"])
    except OSError as error:
        raise Refused(str(error.strerror), order["cwd"]) from None
    _prctl(_AMBIENT_CAPABILITIES, _CLEAR_ALL)
    _prctl(_SET_NO_NEW_PRIVS, 1)
    _call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    os.close(ruleset)


def _is_privileged() -> bool:
    with open("/proc/self/status", "rb") as file:  # noqa: PTH123
        rows = [line.split()[1] for line in file if line.startswith((b"CapPrm:", b"CapEff:"))]
    return len(rows) != 2 or any(int(row, 16) for row in rows)


def _check_reach(path: str) -> None:
    """Every folder above a path must let this user through, and the path itself must be usable."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
    except OSError as error:
        raise Refused(str(error.strerror), path) from None
    usable = os.access(path, os.X_OK) if stat.S_ISDIR(mode) else os.access(path, os.R_OK) or os.access(path, os.X_OK)
    if not usable:
        raise Refused(os.strerror(errno.EACCES), path)


def _ruleset(order: dict[str, Any]) -> int:
    handled = struct.pack("=QQQ", *order["handled"])[: order["handled_bytes"]]
    ruleset = _call(_CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), ctypes.c_uint32(0))
    os.set_inheritable(ruleset, False)
    for path, rights, follow in order["paths"]:
        try:
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW))
        except FileNotFoundError:
            continue  # what is not there needs no rule
        rule = struct.pack("=Qi", rights, fd)
        _call(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_RULE_PATH), rule, ctypes.c_uint32(0))
        os.close(fd)
    for port, rights in order["ports"]:
        rule = struct.pack("=QQ", rights, port)
        _call(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_RULE_PORT), rule, ctypes.c_uint32(0))
    return ruleset


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def _load_filters(filters: list[str]) -> None:
    for text in filters:
        code = bytes.fromhex(text)
        _prctl(_SET_SECCOMP, _FILTER_MODE, ctypes.byref(_Program(len(code) // 8, code)))


def _execute(argv: list[str], env: dict[str, str]) -> int:
    """Only returns when the program cannot be started."""
    name, problem = argv[0], FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    places = [name] if "/" in name else [f"{folder}/{name}" for folder in env["PATH"].split(":") if folder]
    last: OSError = problem
    for place in places:
        try:
            os.execve(place, argv, env)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            last = error
    os.write(2, f"{name}: {last.strerror}\n".encode("utf-8", "replace"))
    return NOT_THERE if last is problem else CANNOT_START


def end_all(user: int | None) -> None:
    """Kill whatever descends from this process, or is of the separate user. All are stopped first: none forks on."""
    stopped: set[int] = set()
    while True:
        _reaped()
        alive = _alive(user)
        if not alive:
            return
        fresh = alive - stopped
        _signal(fresh or alive, signal.SIGSTOP if fresh else signal.SIGKILL)
        stopped |= fresh
        if not fresh:
            time.sleep(0.002)


def _alive(user: int | None) -> set[int]:
    """By parent and by user, from one look at all processes; what has ended and waits for its parent is left out."""
    children: dict[int, list[int]] = {}
    found: set[int] = set()
    for name in os.listdir("/proc"):  # noqa: PTH208
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/status", "rb") as file:  # noqa: PTH123
                rows = dict(line.split(b":\t", 1) for line in file.read().splitlines() if b":\t" in line)
            if rows[b"State"][:1] in b"ZX":
                continue
            children.setdefault(int(rows[b"PPid"]), []).append(int(name))
            if user is not None and user in map(int, rows[b"Uid"].split()):
                found.add(int(name))
        except (OSError, ValueError, KeyError):
            continue
    waiting = [os.getpid()]
    while waiting:
        below = children.pop(waiting.pop(), [])
        found.update(below)
        waiting += below
    return found - {os.getpid()}


def _signal(processes: set[int], number: int) -> None:
    for pid in processes:
        with contextlib.suppress(OSError):
            os.kill(pid, number)


def _reaped() -> list[tuple[int, int]]:
    ended: list[tuple[int, int]] = []
    with contextlib.suppress(ChildProcessError):
        while (row := os.waitpid(-1, os.WNOHANG))[0]:
            ended.append(row)
    return ended


def _exit_code(status: int) -> int:
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _die_with(parent: int, number: int) -> None:
    _prctl(_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os._exit(REFUSED)


def _let_go_of_streams() -> None:
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.close(null)


def _tell(told: int, message: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        os.write(told, json.dumps(message).encode() + b"\n")


def _prctl(option: int, *arguments: Any) -> None:
    given = [ctypes.c_ulong(a) if isinstance(a, int) else a for a in arguments]
    given += [ctypes.c_ulong(0)] * (4 - len(given))
    if _libc.prctl(ctypes.c_int(option), *given) < 0:
        _raise()


def _call(number: int, *arguments: Any) -> int:
    if (result := int(_libc.syscall(ctypes.c_long(number), *arguments))) < 0:
        _raise()
    return result


def _raise() -> NoReturn:
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:5])))
