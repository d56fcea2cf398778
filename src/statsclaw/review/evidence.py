"""Is everything that is claimed backed by an executed command on the tree that is shipped?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from statsclaw.review.case import Case
from statsclaw.review.findings import bounded, under
from statsclaw.runlog.events import CommandExecuted
from statsclaw.runlog.events.finding import Finding
from statsclaw.runlog.findings import finding

_CHECK = "evidence"
_error = partial(finding, _CHECK, "error")
_OWED = {"builder": "build", "tester": "validation", "simulator": "study"}
_COUNT = re.compile(r"(?<![\w.])(\d{1,9}) (passed|failed|failures?|errors?|skipped|warnings?)\b", re.IGNORECASE)
_OUTCOME = {"passed": "passed", "failed": "failed", "failure": "failed", "error": "error", "skipped": "skipped"}


def check(case: Case, claims: Sequence[Finding] = ()) -> list[Finding]:
    """`claims`: numbers in the roles' prose that contradict the evidence, computed elsewhere."""
    return [
        *_owed(case),
        *_one_tree(case),
        *bounded(_CHECK, [row for command in case.after for row in _contradictions(command)]),
        *bounded(_CHECK, list(_replications(case))),
        *bounded(_CHECK, under(_CHECK, claims)),
    ]


def _owed(case: Case) -> Iterator[Finding]:
    for role, phase in _OWED.items():
        if role not in case.roles:
            continue
        rows = [row for row in case.after if row.phase == phase]
        if not rows:
            yield _error(f"no {phase} was executed on the package as it is", phase, role, f"not-executed:{phase}")
        elif phase == "validation" and not any(row.tests for row in rows):
            yield _error("the validation executed no test", phase, role, "no-tests")
    if not case.after and not {*_OWED} & {*case.roles}:
        text = "no role of this workflow owes evidence, and none was executed"
        yield finding(_CHECK, "note", text, key="not-applicable:evidence")


def _one_tree(case: Case) -> Iterator[Finding]:
    trees = Counter(row.tree_sha256 for row in case.after)
    if len(trees) > 1:
        names = ", ".join(sorted(f"{tree[:12] or '(none)'} ({count})" for tree, count in trees.items()))
        yield _error(f"the evidence is of {len(trees)} different trees: {names}", "", "", "several-trees")
    elif "" in trees:
        yield _error("the evidence does not say of which tree it is", "", "", "no-tree")
    for subject, rows in (("after", case.after), ("before", case.before)):
        strange = sorted({row.name for row in rows if row.subject != subject})
        if strange:
            text = f"evidence of another package is counted as of the one {subject} the change: {', '.join(strange)}"
            yield _error(text, "", "", f"wrong-subject:{subject}")


def _contradictions(row: CommandExecuted) -> Iterator[Finding]:
    """What says that it passed, and shows that it did not; and counts that are not those of the tests listed."""
    counted = Counter(str(test.outcome) for test in row.tests)
    bad = counted["failed"] + counted["error"]
    said = [(int(number), word.lower()) for number, word in _COUNT.findall(row.summary[:2000])]
    reasons = []
    if row.passed:
        reasons += [f"its exit status is {row.exit_code}"] if row.exit_code else []
        reasons += [f"{bad} of its {len(row.tests)} tests failed"] if bad else []
        reasons += ["none of its tests passed"] if row.tests and not counted["passed"] else []
        reasons += [f"its criterion {one.id} is not met" for one in row.criteria if not one.met][:3]
        reasons += [f"its summary says {n} {word}" for n, word in said if n and _is_bad(word, row.phase)]
    if reasons:
        text = f"{row.name} ({row.phase}) counts as passed, but {' and '.join(reasons)}"
        yield _error(text, row.name, row.fault_of or "builder", f"contradicts-itself:{row.phase}:{row.name}")
    for number, word in said if row.tests else ():
        outcome = _OUTCOME.get(word.removesuffix("s"))
        if outcome and number != _shown(outcome, counted, {_OUTCOME.get(w.removesuffix("s")) for _, w in said}):
            text = f"{row.name} ({row.phase}) says {number} {word}, and its tests show another number"
            yield _error(text, row.name, row.fault_of or "builder", f"miscounted:{row.phase}:{row.name}:{outcome}")


def _shown(outcome: str, counted: Counter[str], said: set[str | None]) -> int:
    """How many there are. A summary that speaks of errors only, or of failures only, means both."""
    both = {"failed", "error"}
    if outcome in both and not both <= said:
        return counted["failed"] + counted["error"]
    return counted[outcome]


def _is_bad(word: str, phase: str) -> bool:
    """Warnings of a check count; those that a test runner collects do not."""
    return word.startswith(("fail", "error")) or (word.startswith("warning") and phase in ("build", "checks"))


def _replications(case: Case) -> Iterator[Finding]:
    study = case.contract.study if case.contract else None
    if study is None or "simulator" not in case.roles:
        return
    ids = {row.id for row in study.criteria}
    for row in case.judgements:
        if row.id in ids and row.planned is not None:
            text = f"{row.id} was judged on {row.replications:,} of {row.planned:,} replications, as the person wanted"
            yield finding(_CHECK, "note", text, where=row.id, key=f"shortened:{row.id}")
        elif row.id in ids and (row.replications is None or row.replications < study.replications):
            number = f"{row.replications:,}" if row.replications is not None else "an unknown number of"
            text = f"{row.id} was judged on {number} replications, and {study.replications:,} were planned"
            yield _error(text, row.id, "simulator", f"replications:{row.id}")
