"""How every check writes what it finds: one line, bounded, whatever a role's words are."""

from __future__ import annotations

from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.words import one_line

_LONGEST_NAME = 300


def finding(
    check: str,
    severity: Severity,
    message: str,
    where: str = "",
    route_to: str = "",
    key: str = "",
    *,
    longest: int = 1_200,
) -> Finding:
    """A finding. White space is folded, and a message longer than `longest` is cut."""
    return Finding(
        check=check,
        severity=severity,
        message=one_line(message[: 4 * longest], longest),
        where=one_line(where[: 4 * _LONGEST_NAME], _LONGEST_NAME),
        route_to=route_to,
        key=one_line(key[: 4 * _LONGEST_NAME], _LONGEST_NAME),
    )
