"""The questions once more, to a worker that ends where memory is misused; what it answers is looked at by nobody."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

from statsclaw.runlog.events import CommandExecuted
from statsclaw.sandbox.left_behind import read_left_behind
from statsclaw.verify.blind.answering import ending
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.questionnaire import Questionnaire
from statsclaw.verify.blind.talking import Conversation
from statsclaw.verify.parsers import Parsed
from statsclaw.verify.runner import Bench, evidence

_LIMIT_S = 120.0
_LARGEST = 2**20
_MOST_FRAMES = 4
#: Where the sanitizers write what they found, below the folder of the worker.
_LOG = "memory"
_KIND = re.compile(r"AddressSanitizer: ([\w-]+)|runtime error: (.+)")
_ACCESS = re.compile(r"^(READ|WRITE) of size \d+", re.MULTILINE)
_BELOW = r"(?:/\S*/(?:tree|sanitized|sanitized-site)/)?"
_FRAME = re.compile(rf"^ +#\d+ 0x[0-9a-f]+ in (\S.*?) {_BELOW}([^\s/.(]\S*:\d+)", re.MULTILINE)
_AT = re.compile(rf"^{_BELOW}([^\s:]+:\d+):\d+: runtime error", re.MULTILINE)


def settings(own: str) -> dict[str, str]:
    """For both sanitizers. Leaks are not looked for, that would need to trace; too large a request is refused.

    Container overflow takes all code to be instrumented. An assertion of the C++ library aborts.
    """
    log = f"log_path={own}/{_LOG}"
    options = f"{log}:detect_leaks=0:allocator_may_return_null=1:detect_container_overflow=0:handle_abort=1"
    return {"ASAN_OPTIONS": options, "UBSAN_OPTIONS": f"{log}:print_stacktrace=1"}


def memory_evidence(
    bench: Bench,
    subject: str,
    tree: str,
    questions: Questionnaire,
    forms: Forms,
    start: Callable[[], Conversation],
    secret: str,
) -> CommandExecuted:
    begun, workers = time.monotonic(), list[Conversation]()

    def started() -> Conversation:
        workers.append(start())
        return workers[-1]

    asked, ended = ending(questions, forms, started, secret, _LIMIT_S)
    tree_folder = bench.place("tree")
    pairs = zip(ended, workers, strict=False)
    told = [(call.function, found) for call, worker in pairs if (found := said(worker.folder, tree_folder))]
    lines = [f"{found[0]}, asked for {function}" for function, found in told]
    output = "\n".join(line for _, found in told for line in found)
    silent = len(ended) - len(told)
    summary = f"{asked:,} of {len(questions.calls):,} calls: memory is used as it may be"
    if silent:
        summary += f"; {silent} gave no answer, and no fault was named"
    made = Parsed(not told, lines[0][:400] if lines else summary, said=tuple(lines[:5]))
    argv, elapsed = ("statsclaw", "memory"), time.monotonic() - begun
    return evidence(bench, "memory", "checks", subject, tree, argv, int(bool(told)), output, elapsed, made)


def not_looked_at(bench: Bench, subject: str, tree: str) -> CommandExecuted:
    text = "not looked at: no address sanitizer is here, or the package does not build with it"
    return evidence(bench, "memory", "checks", subject, tree, ("statsclaw", "memory"), 0, text, 0.0, Parsed(True, text))


def said(folder: Path, tree: Path) -> list[str]:
    """What a sanitizer left there when it ended the worker: the fault and its place in the tree, then the callers."""
    for place in sorted(folder.glob(f"{_LOG}*")):
        text = (read_left_behind(place, _LARGEST) or b"").decode("utf-8", "replace")
        if match := _KIND.search(text):
            return _read(text, match, tree)
    return []


def _read(text: str, match: re.Match[str], tree: Path) -> list[str]:
    access = _ACCESS.search(text)
    rows = _FRAME.findall(text[: _ends(text, access)])
    frames = [f"{function.partition('(')[0]} ({at})" for function, at in rows if _is_own(at, tree)]
    at = _AT.search(text)
    where = frames[0] if frames else at[1] if at else "a place it does not name"
    kind = (match[1] or match[2]).strip() + (f", {access[0]}" if access else "")
    return [f"{kind}, in {where}", *(f"  from {row}" for row in frames[1:_MOST_FRAMES])]


def _is_own(at: str, tree: Path) -> bool:
    path = at.rpartition(":")[0]
    return ".." not in path and (tree / path).is_file()


def _ends(text: str, access: re.Match[str] | None) -> int:
    """The frames of the access itself end with an empty line; those of the allocation follow."""
    end = text.find("\n\n", access.end() if access else 0)
    return len(text) if end < 0 else end
