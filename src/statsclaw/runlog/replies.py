"""What a person can say to a question on which the engine acts, by name: options may stand in any order."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class Reply(StrEnum):
    STOP_RUN = "stop-run"
    TRY_AGAIN = "try-again"
    ACCEPT = "accept"
    START_OVER = "start-over"
    GO_ON = "go-on"
    ASK_AGAIN = "ask-again"
    APPROVE = "approve"
    SEND_BACK = "send-back"
    AGREE = "agree"
    FIRST_IS_RIGHT = "first-is-right"
    SECOND_IS_RIGHT = "second-is-right"
    NEITHER_IS_RIGHT = "neither-is-right"
    PACKAGE_IS_WRONG = "package-is-wrong"
    CRITERION_IS_WRONG = "criterion-is-wrong"
    PUSH = "push"
    KEEP = "keep"


#: By topic. The options of every other topic are of the question's own, and have no reply.
REPLIES: Mapping[str, frozenset[Reply]] = MappingProxyType(
    {
        "escalation": frozenset({Reply.TRY_AGAIN, Reply.STOP_RUN, Reply.ACCEPT}),
        "breach": frozenset({Reply.START_OVER, Reply.STOP_RUN}),
        "ship": frozenset({Reply.PUSH, Reply.KEEP}),
        "readings": frozenset({Reply.FIRST_IS_RIGHT, Reply.SECOND_IS_RIGHT, Reply.NEITHER_IS_RIGHT}),
        "comprehension": frozenset({Reply.APPROVE, Reply.SEND_BACK}),
        "refreeze": frozenset({Reply.AGREE, Reply.SEND_BACK}),
        "criterion": frozenset({Reply.PACKAGE_IS_WRONG, Reply.STOP_RUN, Reply.CRITERION_IS_WRONG}),
        "budget": frozenset({Reply.GO_ON, Reply.STOP_RUN}),
        "model": frozenset({Reply.ASK_AGAIN, Reply.STOP_RUN}),
    }
)
