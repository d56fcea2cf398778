"""The options of a question on whose answer the engine acts: one wording for each reply."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from statsclaw.runlog.events import Option
from statsclaw.runlog.replies import Reply

_LABELS: Mapping[Reply, str] = MappingProxyType(
    {
        Reply.STOP_RUN: "stop the run",
        Reply.TRY_AGAIN: "try again",
        Reply.ACCEPT: "accept as it is",
        Reply.START_OVER: "start over",
        Reply.GO_ON: "go on",
        Reply.ASK_AGAIN: "ask again",
        Reply.APPROVE: "approve",
        Reply.SEND_BACK: "send back",
        Reply.AGREE: "agree",
        Reply.FIRST_IS_RIGHT: "the first reading is right",
        Reply.SECOND_IS_RIGHT: "the second reading is right",
        Reply.NEITHER_IS_RIGHT: "neither",
        Reply.PACKAGE_IS_WRONG: "the package is wrong",
        Reply.CRITERION_IS_WRONG: "the criterion is wrong",
        Reply.PUSH: "push",
        Reply.KEEP: "do not push",
    }
)

STOPPED = "everything is kept; nothing is shipped"


def offer(consequences: Mapping[Reply, str]) -> tuple[Option, ...]:
    """What each reply leads to, as options in this order."""
    return tuple(Option(label=_LABELS[reply], consequence=said, reply=reply) for reply, said in consequences.items())
