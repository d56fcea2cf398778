"""How the lint writes what it finds: one bounded sentence, numbers as people write them."""

from __future__ import annotations

from statsclaw.runlog import findings
from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.words import one_line


def finding(check: str, severity: Severity, message: str, where: str, key: str) -> Finding:
    """Everything the lint finds is the planner's to mend. `key` begins with the kind of the finding."""
    return findings.finding(f"lint.{check}", severity, message, where, "planner", key)


def clip(text: str, longest: int = 120) -> str:
    """One line, cut off where it gets long."""
    return one_line(text, longest)


def show(value: float) -> str:
    """A number with at most six digits."""
    return f"{value:.6g}"


def show_percent(probability: float) -> str:
    """A probability as a percentage that never claims more certainty than there is."""
    percent = 100.0 * probability
    if 0.0 < percent < 0.1:
        return "less than 0.1 %"
    if 99.9 < percent < 100.0:
        return "more than 99.9 %"
    return f"{percent:.3g} %"
