"""Numbers in a role's prose that contradict the evidence. Only what is said plainly is compared: few false alarms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from statsclaw.runlog.events.command_executed import CommandExecuted
from statsclaw.runlog.events.criteria_judged import Judgement
from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.runlog.findings import finding
from statsclaw.verify.criteria.counts import Counts
from statsclaw.verify.criteria.statements import NUMBER, Stated, Statement, stated, statements

AUTHORS: Mapping[str, str] = {
    "log-entry.md": "scriber",
    "docs.md": "scriber",
    "ARCHITECTURE.md": "scriber",
    "implementation.md": "builder",
    "simulation.md": "simulator",
    "audit-notes.md": "tester",
    "review.md": "reviewer",
}
#: Who answers for what users read: whoever wrote it, the scriber has the last word on it.
_OF_SHIPPED = "scriber"
_MOST_FINDINGS = 50
#: A statement about what should be, was once, or would be under conditions claims nothing about the evidence.
_NOT_A_CLAIM = re.compile(
    r"\b(?:if|unless|until|must|should|shall|would|will|require[sd]?|requirement|expect(?:ed|s)?|target|nominal|planned|"
    r"need(?:s|ed)?|first attempt|earlier|previously|before|initially|at first|used to|no longer)\b",
    re.IGNORECASE,
)
_METRICS: Mapping[str, str] = {
    "bias": "bias",
    "rmse": "rmse",
    "empirical standard error": "empse",
    "coverage": "coverage",
    "rejection rate": "rejection",
    "failure rate": "failure_rate",
}
_IS = r"(?: (?:is|was|came out at|reached|equals))?[ ]{0,2}[:=]?"
_VALUED = re.compile(
    rf"\b(?:(observed|ratio|{'|'.join(_METRICS)})(?:{_IS}| of| at)|(?:value|result|estimate)(?: is| was|[ ]?[:=]))"
    rf"[ ]{{0,2}}({NUMBER})(?![\w.]?\d)([ ]?%)?"
    r"(?!\s?(?:–|—|-|%|\]|,\s?\d|(?:to|and|or|confidence|level|intervals?|bands?|limits?|interval)\b))",
    re.IGNORECASE,
)
_CELL = re.compile(r"\b\w{1,40} ?= ?[\w.+-]{1,40}")
_PASSES = re.compile(r"\b(?:pass(?:es|ed)?|is met|was met|are met|satisfied)\b", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:not|never|fail\w{0,3}|undecided|miss\w{0,3}|\w{1,10}n't)\b", re.IGNORECASE)
#: In what users read, a share is often one of theory or of lines of code: only what was seen in the study is compared.
_OF_THE_STUDY = re.compile(r"\b(?:observed|measured|simulat\w{1,6}|monte carlo|replications?|study)\b", re.IGNORECASE)
_OF_CODE = re.compile(
    r"\b(?:code|tests?|lines?|branch(?:es)?|statements?)['’]? coverage\b|\bcoverage\.py\b", re.IGNORECASE
)
_OF_TESTS = re.compile(r"\btests?\b", re.IGNORECASE)
_VALUE_HEADS = frozenset({"observed", "value", "result", "estimate", "measured"})


def contradicted_claims(
    documents: Mapping[str, str],
    judgements: Sequence[Judgement],
    evidence: Sequence[CommandExecuted],
    *,
    cell_values: Mapping[str, Sequence[float]] | None = None,
    shipped: Mapping[str, str] | None = None,
    earlier: Mapping[str, str] | None = None,
) -> list[Finding]:
    """Plain statements that the judgements or the evidence contradict; rounding to the stated digits is fine.

    `shipped`: files for users that the run has changed; `earlier`: the same files before, whose statements are not its.
    `cell_values`: of a study's criteria, the values in all cells (a judgement holds only that of the worst one).
    Without it, statements that name another cell are left alone.
    """
    checker = _Checker(judgements, Counts(evidence), cell_values or {})
    found: list[Finding] = []
    for file, text in documents.items():
        author = AUTHORS.get(PurePosixPath(file).name)
        if author is not None:
            made = [row for statement in statements(text) for row in checker.findings(file, author, statement)]
            found += list({row.key: row for row in made}.values())[:_MOST_FINDINGS]
    for file, text in (shipped or {}).items():
        if file not in documents:
            old = {statement.text for statement in statements((earlier or {}).get(file, ""))}
            new = [row for row in statements(text) if row.text not in old and _is_about_the_run(row.text, checker)]
            made = [row for statement in new for row in checker.findings(file, _OF_SHIPPED, statement)]
            found += list({row.key: row for row in made}.values())[:_MOST_FINDINGS]
    return found


def _is_about_the_run(text: str, checker: _Checker) -> bool:
    """What users read speaks of theory and of data too; tests, criteria and what was observed are of the run."""
    if _OF_CODE.search(text):
        return False
    named = checker.named is not None and checker.named.search(text) is not None
    return named or _OF_TESTS.search(text) is not None or _OF_THE_STUDY.search(text) is not None


class _Checker:
    def __init__(self, judgements: Sequence[Judgement], counts: Counts, values: Mapping[str, Sequence[float]]) -> None:
        self.judgements = {row.id: row for row in judgements}
        self.counts = counts
        self.values = values
        ids = "|".join(_marked(name) for name in sorted(self.judgements, key=len, reverse=True))
        self.named = re.compile(rf"(?<![\w.-])(?:{ids})(?![\w-])(?!\.\w)") if ids else None

    def findings(self, file: str, author: str, statement: Statement) -> Iterator[Finding]:
        if _NOT_A_CLAIM.search(statement.text):
            return
        told = list(self.counts.contradicted(statement.text))
        judgement = self._subject(statement)
        if judgement is not None:
            told += self._verdict(statement, judgement)
            told += self._value(statement, judgement)
        for severity, what in told:
            yield finding("claims", severity, what, f"{file}:{statement.line}", author, f"claims:{file}:{what}")

    def _subject(self, statement: Statement) -> Judgement | None:
        """The one criterion a statement is about: by its id, or by a metric that only one criterion has."""
        ids = {name.strip("`") for name in self.named.findall(statement.text)} if self.named else set()
        if len(ids) == 1:
            return self.judgements[ids.pop()]
        if ids:
            return None
        said = {metric for word, metric in _METRICS.items() if re.search(rf"\b{word}\b", statement.text, re.IGNORECASE)}
        about = [row for row in self.judgements.values() if row.rule.split(" ")[0] in said and row.mcse is not None]
        return about[0] if len(said) == 1 and len(about) == 1 else None

    def _verdict(self, statement: Statement, judgement: Judgement) -> Iterator[tuple[Severity, str]]:
        named = self.named is not None and self.named.search(statement.text) is not None
        if (
            named
            and judgement.counts_as == "FAIL"
            and _PASSES.search(statement.text)
            and not _DENIED.search(statement.text)
        ):
            yield "error", f"{judgement.id} is said to pass, and its verdict is FAIL"

    def _value(self, statement: Statement, judgement: Judgement) -> Iterator[tuple[Severity, str]]:
        known = [judgement.observed, judgement.expected, judgement.margin, judgement.mcse]
        true = [value for value in known if value is not None] + list(self.values.get(judgement.id, ()))
        if judgement.observed is None or self._of_another_cell(statement, judgement):
            return
        for number in _claimed(statement, judgement):
            if not any(number.agrees(value) or number.agrees(abs(value)) for value in true):
                yield (
                    "warning",
                    f"{judgement.id} is said to be {number.text}, and {judgement.observed:.6g} was observed",
                )

    def _of_another_cell(self, statement: Statement, judgement: Judgement) -> bool:
        cells = [part for part in _CELL.findall(statement.text) if not _VALUED.match(part)]
        return judgement.id not in self.values and bool(cells) and judgement.where not in statement.text


def _marked(name: str) -> str:
    """An id without a digit may be a word of prose, and counts only where it is marked as code."""
    return re.escape(name) if any(map(str.isdigit, name)) else f"`{re.escape(name)}`"


def _claimed(statement: Statement, judgement: Judgement) -> Iterator[Stated]:
    """Numbers stated as the value itself: next to such a word, or in a column with such a heading."""
    if statement.heads:
        for head, cell in zip(statement.heads, statement.cells, strict=False):
            found = re.fullmatch(rf"[`*]{{0,3}}({NUMBER})([ ]?%)?[`*]{{0,3}}", cell)
            if found and head.lower().strip("`* ") in _VALUE_HEADS:
                yield stated(found[1], percent=bool(found[2]))
        return
    metric = judgement.rule.split(" ")[0]
    for found in _VALUED.finditer(statement.text):
        word = (found[1] or "").lower()
        if word in _METRICS and _METRICS[word] != metric and judgement.mcse is not None:
            continue
        yield stated(found[2], percent=bool(found[3]))
