"""What a role is told when verification fails: which behaviours, which kind of error, not the values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from statsclaw.runlog.events import CommandExecuted
from statsclaw.runlog.store import ContentStore

_LONGEST = 3500
_ERROR_CLASS = re.compile(r"\b([A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt))\b")


def failed_phases(evidence: Iterable[CommandExecuted]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(c.phase for c in evidence if not c.passed))


def failed_behaviours(evidence: Iterable[CommandExecuted]) -> tuple[str, ...]:
    """The names of what failed, whatever was said about it."""
    found = set()
    for command in evidence:
        tests = [test.name for test in command.tests if test.outcome in ("failed", "error")]
        criteria = [row.id for row in command.criteria if not row.met]
        found |= {f"{command.phase}: {name}" for name in [*tests, *criteria] or [command.name]}
    return tuple(sorted(found))


def failure_report(evidence: Iterable[CommandExecuted], role: str, store: ContentStore) -> str:
    """The message to `role`. Its own build output is its own; of others' tests it learns the behaviour only."""
    lines = []
    for command in evidence:
        if command.passed or command.fault_of != role:
            continue
        lines.append(f"{command.phase} failed: {command.name}: {command.summary}")
        if command.phase in ("build", "checks") or role in ("tester", "simulator"):
            lines.append(_tail(store.get_text(command.output_sha256)))
        elif command.phase == "unit_tests":
            lines += [f"- {t.name}: {t.error}" for t in command.tests if t.outcome in ("failed", "error")]
        else:
            failed = Counter(
                f"{behaviour(t.name)} ({_kind(t.error) if t.outcome == 'failed' else 'could not run'})"
                for t in command.tests
                if t.outcome in ("failed", "error")
            )
            lines += [f"- {what}{f', {count} cases' if count > 1 else ''}" for what, count in failed.items()]
            lines += [f"- {c.quantity} is {_direction(c.value, c.low, c.high)}" for c in command.criteria if not c.met]
    return "\n".join(lines)[:_LONGEST]


def behaviour(test_name: str) -> str:
    """`tests.test_se::test_scaling_y_scales_se[3-0.5]` reads as "scaling y scales se"."""
    last = re.sub(r"\[.*\]$", "", test_name.split("::")[-1])
    return re.sub(r"[_\W]+", " ", re.sub(r"^test_?", "", last)).strip() or "unnamed behaviour"


def _kind(error: str) -> str:
    found = _ERROR_CLASS.search(error)
    return found[1] if found else "assertion failed"


def _direction(value: float, low: float | None, high: float | None) -> str:
    return "too small" if low is not None and value < low else "too large"


def _tail(text: str) -> str:
    lines = text.strip().splitlines()
    return "\n".join(lines[-40:])
