"""Logs of earlier versions, read as if they had been written today. The files stay as they are: their hashes do.

A step must leave alone what has its form already: a log that one version began, a later one may go on with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from statsclaw.errors import LogDamaged

#: Of a log that is written now. It is in the first event; the first version did not say it.
LOG_VERSION = 2

Row = dict[str, Any]


def version_of(first: object) -> int:
    """The version of a log, by its first event as it was written."""
    version = first.get("log_version", 1) if isinstance(first, dict) and first.get("kind") == "run_created" else 1
    if type(version) is not int or version < 1:
        raise ValueError("the version of a log is a number from 1")
    if version > LOG_VERSION:
        raise LogDamaged(
            f"line 1 says that the log is of version {version}; this StatsClaw reads versions up to {LOG_VERSION}",
            1,
            kept="nothing was changed",
            todo="update StatsClaw",
        )
    return version


def migrated(event: Any, version: int) -> Any:
    """An event of a log of that version, in today's form."""
    for step in _STEPS[version - 1 :]:
        event = step(event) if isinstance(event, dict) else event
    return event


# --- from 1 to 2: options and judgements say by name what the first version knew by place and by wording -------------

#: The replies of version 1, in the order in which they were offered.
_OFFERED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "escalation": ("try-again", "stop-run", "accept"),
        "breach": ("start-over", "stop-run"),
        "ship": ("push", "keep"),
        "readings": ("first-is-right", "second-is-right", "neither-is-right"),
        "comprehension": ("approve", "send-back"),
        "refreeze": ("agree", "send-back"),
        "criterion": ("package-is-wrong", "stop-run", "criterion-is-wrong"),
        "budget": ("go-on", "stop-run"),
        "model": ("ask-again", "stop-run"),
    }
)


def _named(event: Row) -> Row:
    match event:
        case {"kind": "run_created"}:
            return {"log_version": 1} | event
        case {"kind": "question_asked", "topic": str() as topic, "options": list() as options}:
            replies = dict(enumerate(_OFFERED.get(topic, ())))
            return event | {"options": [_with(row, "reply", replies.get(n)) for n, row in enumerate(options)]}
        case {"kind": "criteria_judged", "judgements": list() as rows}:
            return event | {"judgements": [_with(row, "reason", _reason(row)) for row in rows]}
        case _:
            return event


def _with(row: Any, key: str, value: str | None) -> Any:
    return {key: value} | row if isinstance(row, dict) else row


def _reason(judgement: Any) -> str | None:
    """What the first version read off the wording of the note."""
    note = judgement.get("note", "") if isinstance(judgement, dict) else ""
    if not isinstance(note, str):
        return None
    if note.startswith("the study has no records"):
        return "no-records"
    if not note.startswith(("no test decided it", "answered another question")):
        return None
    if "its test failed" in note:
        return "test-broke"
    return "no-test" if note.startswith("no test decided it") else "another-question"


_STEPS: tuple[Callable[[Row], Row], ...] = (_named,)
