"""Did the roles stay apart: what the barrier recorded, what their texts show, what the package knows?"""

from __future__ import annotations

from itertools import combinations

from statsclaw.leaks.views import folded, words
from statsclaw.review.asks_who_judges import asks_who_judges
from statsclaw.review.case import Case
from statsclaw.review.cross_comparison import without_interface
from statsclaw.review.findings import bounded
from statsclaw.review.known_answers import known_answers
from statsclaw.runlog.events import Trace
from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.runlog.findings import finding
from statsclaw.specs.contract import SPECIFICATIONS

_CHECK = "isolation"
#: Two specifications that share this many words in a row outside of the interface were not written apart.
RUN = 12
_LONGEST_DOCUMENT = 2_000_000
_OF_DOCUMENT = {
    "comprehension.md": "planner",
    "interface.md": "planner",
    "spec.md": "planner",
    "test-spec.md": "planner",
    "sim-spec.md": "planner",
    "implementation.md": "builder",
    "audit-notes.md": "tester",
    "simulation.md": "simulator",
    "log-entry.md": "scriber",
    "docs.md": "scriber",
    "ARCHITECTURE.md": "scriber",
}
_OF_FOLDER = {"validation": "tester", "simulations": "simulator"}

Word = tuple[bytes, int]


def check(case: Case) -> list[Finding]:
    found = [
        finding(
            _CHECK, "error", f"the record of what the roles could see has a fault: {fault}", key=f"attested:{fault}"
        )
        for fault in case.attestation_faults
    ]
    found += [_trace(trace, "error", "breach") for trace in case.breaches]
    found += [_trace(trace, "warning", "suspicion") for trace in case.suspicions]
    found = bounded(_CHECK, found)
    found += _barrier(case.barrier)
    found += [
        finding(_CHECK, "note", f"a person opened a channel: {text}", key=f"revealed:{text}") for text in case.revealed
    ]
    found += _shared_words(case)
    return [*found, *bounded(_CHECK, known_answers(case)), *bounded(_CHECK, asks_who_judges(case))]


def _barrier(kind: str) -> list[Finding]:
    if kind == "none":
        return [finding(_CHECK, "warning", "nothing but folders kept the roles apart", key="no-barrier")]
    if not kind:
        text = "it was not recorded what kept the roles apart"
        return [finding(_CHECK, "note", text, key="not-computed:barrier")]
    return []


def _trace(trace: Trace, severity: Severity, what: str) -> Finding:
    """The evidence is quoted from a hidden document, so it is left out here: findings travel to roles."""
    text = f"{trace.sign} of {trace.of} in what another role wrote ({what})"
    key = f"{what}:{trace.sign}:{trace.where}"
    return finding(_CHECK, severity, text, where=trace.where, route_to=author_of(trace.where), key=key)


def author_of(where: str) -> str:
    """The role that writes at this place. Package files are the builder's."""
    path = where.split(":")[0]
    parts = path.split("/")
    if parts[-1] in _OF_DOCUMENT:
        return _OF_DOCUMENT[parts[-1]]
    folder = next((role for part, role in _OF_FOLDER.items() if part in parts), "")
    return folder or ("tester" if "test-validation-" in path else "builder")


def _shared_words(case: Case) -> list[Finding]:
    texts = {
        name: _words(without_interface(case.documents[name], case.documents))
        for name in SPECIFICATIONS
        if name in case.documents
    }
    found = []
    for first, second in combinations(texts, 2):
        run = _longest_shared(texts[first], texts[second])
        if run:
            line, length = run
            text = f"{first} and {second} share {length} words in a row outside of the interface"
            where = f"{second}:{line}"
            found.append(
                finding(_CHECK, "warning", text, where=where, route_to="planner", key=f"shared:{first}:{second}")
            )
    return found


def _words(text: str) -> list[Word]:
    rows = enumerate(text[:_LONGEST_DOCUMENT].split("\n"), start=1)
    return [(word, line) for line, row in rows for word in words(folded(row.encode("utf-8", "replace")))]


def _longest_shared(first: list[Word], second: list[Word]) -> tuple[int, int] | None:
    """(line in the second, words) of the longest run of RUN words or more that stands in both, read off RUN-grams."""
    plain, other = [word for word, _ in first], [word for word, _ in second]
    known = {tuple(plain[at : at + RUN]) for at in range(len(plain) - RUN + 1)}
    best: tuple[int, int] | None = None
    start = length = 0
    for at in range(len(other) - RUN + 1):
        if tuple(other[at : at + RUN]) in known:
            start, length = (start, length + 1) if length else (at, RUN)
            if best is None or length > best[1]:
                best = (second[start][1], length)
        else:
            length = 0
    return best
