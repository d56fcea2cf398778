"""What every check of a suite reports: a finding, nearly always for the tester."""

from __future__ import annotations

from statsclaw.runlog.events.finding import Finding, Severity

_LONGEST_MESSAGE = 600


def found(
    rule: str, about: str, message: str, where: str, severity: Severity = "error", route_to: str = "tester"
) -> Finding:
    """`rule` and `about` make the key: a rule's name and what it is about, never a line number."""
    return Finding(
        check="suite",
        severity=severity,
        message=" ".join(message.split())[:_LONGEST_MESSAGE],
        where=where[:400],
        route_to=route_to,
        key=f"{rule}:{about}"[:300],
    )


def once(findings: list[Finding]) -> list[Finding]:
    """Each finding once: the same key at the same place is the same finding."""
    seen: dict[tuple[str, str, str], Finding] = {}
    for row in findings:
        seen.setdefault((row.key, row.where, row.message), row)
    return list(seen.values())
