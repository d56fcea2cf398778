"""What was asked, answered and compared, as evidence; and the same read again from what was kept."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from statsclaw.runlog.events import CaseOutcome, Observation
from statsclaw.specs.interface import Interface
from statsclaw.specs.test_spec import Criterion, TestSpec
from statsclaw.verify.blind.answering import Heard, leaves_to_chance
from statsclaw.verify.blind.comparing import Compared, Judge, same_answer
from statsclaw.verify.blind.expressions import Answered, Answers, Condition
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.moving import Leaf
from statsclaw.verify.blind.questionnaire import Claim, Misread, Questionnaire, read_questionnaire
from statsclaw.verify.blind.trying import leaves_of
from statsclaw.verify.deviation import of_numbers
from statsclaw.verify.parsers import Parsed

#: The folder beside the log that holds questions and answers.
KEPT = "answers"
_MOST_SHOWN = 200


@dataclass(frozen=True)
class Result:
    questions: Questionnaire
    heard: Heard
    seen: Mapping[int, Any]
    rows: tuple[Compared, ...]
    judge: Judge

    def parsed(self, forms: Forms) -> Parsed:
        """As evidence: a test for every case and criterion, one for every element whose answers have another form."""
        cases = list(self._cases())
        cases += list(self._forms(forms)) + list(self._history(forms))
        observations = _observations(self.rows, self.judge.criteria)
        failed = sum(case.outcome != "passed" for case in cases)
        passed = len(cases) - failed
        summary = f"{passed} passed" if not failed else f"{failed} failed, {passed} passed"
        return Parsed(not failed and bool(cases), summary, tuple(cases), (), tuple(observations))

    def _cases(self) -> Iterator[CaseOutcome]:
        by_name: dict[str, list[Compared]] = {}
        for row in self.rows:
            by_name.setdefault(_named(row), []).append(row)
        for name, rows in by_name.items():
            missed = [row for row in rows if not row.passed]
            worst = max(missed, key=lambda row: row.excess) if missed else rows[0]
            known = bool(missed) and worst.pair is not None and worst.pair[1] is not None
            yield CaseOutcome(
                name=name,
                outcome="failed" if missed else "passed",
                error=worst.reason[:300] if missed else "",
                deviation=of_numbers(worst.pair[0], worst.pair[1] or 0.0) if known and worst.pair else None,
                raised_by="package" if missed and worst.raised else "",
                error_class=worst.raised.name if missed and worst.raised else "",
                own_message=worst.raised.message[:1000] if missed and worst.raised else "",
                scenarios=(worst.claim.scenario,),
            )

    def _forms(self, forms: Forms) -> Iterator[CaseOutcome]:
        """Answers whose type or shape is not that of the interface.

        Where a claim about that very answer is met, two authors read the contract alike, and the interface's short form
        is at odds with its own words: that is not held against the package.
        """
        met = {leaf for row in self.rows if row.passed for leaf in _exact_leaves(row.claim)}
        found: dict[str, tuple[str, str]] = {}
        for call in self.questions.calls:
            answer = self.heard.answers.given.get(call.id)
            if answer is not None:
                for element, fault in forms.faults(call, answer):
                    if (call.id, tuple(element.split(".")[1:])) not in met:
                        found.setdefault(element, (fault, call.scenario))
        for element, (fault, scenario) in found.items():
            name = f"answers::{element} type and shape"
            yield CaseOutcome(name=name, outcome="failed", error=f"{element}: {fault}"[:300], scenarios=(scenario,))

    def _history(self, forms: Forms) -> Iterator[CaseOutcome]:
        """Calls that were answered otherwise in a fresh process and another order."""
        differing: dict[str, str] = {}
        for number, again in self.heard.answers.again.items():
            call = self.questions.calls[number]
            if leaves_to_chance(call, forms) or any(
                leaves_to_chance(self.questions.calls[other], forms) for other in call.uses()
            ):
                continue
            if not same_answer(self.heard.answers.of(number), again):
                differing.setdefault(call.function or call.what, call.scenario)
        for function, scenario in differing.items():
            name = f"answers::{function} depends on earlier calls"
            reason = f"{function}: asked again in a fresh process and another order, it answers something else"
            yield CaseOutcome(name=name, outcome="failed", error=reason[:300], scenarios=(scenario,))

    def packed(self) -> bytes:
        """Answers and what was seen in them, to be judged again."""
        return wire.encode([_kept(self.heard.answers), {str(k): v for k, v in self.seen.items()}])

    def text(self) -> str:
        """For the audit: what missed, and what the package printed."""
        missed = [row for row in self.rows if not row.passed]
        lines = [f"{row.claim.criterion} {row.claim.scenario} {row.claim.name}: {row.reason}" for row in missed]
        lines = lines[:_MOST_SHOWN] + ([f"… {len(lines) - _MOST_SHOWN} more"] if len(lines) > _MOST_SHOWN else [])
        head = (
            f"{len(self.questions.calls)} calls, {len(self.heard.asked_again)} of them asked again in a fresh process"
        )
        changed = [a.id for a in self.heard.answers.given.values() if a.changed]
        if changed:
            names = sorted({self.questions.calls[number].function for number in changed})
            lines.append(f"{len(changed)} calls changed an argument: {', '.join(names)}")
        printed = f"\n--- printed by the package ---\n{self.heard.printed}" if self.heard.printed.strip() else ""
        return "\n".join([head, *lines]) + "\n" + printed


def _exact_leaves(claim: Claim) -> list[Leaf]:
    """The parts of answers that a claim compares as they are."""
    if claim.rule not in ("close", "same"):
        return []
    node = claim.parts.get("observed")
    nodes = node if isinstance(node, list) else [node]
    return [leaf for part in nodes if isinstance(part, Extra) and part.kind == "answer" for leaf in leaves_of(part)]


def _named(row: Compared) -> str:
    return f"{row.claim.name}[{row.claim.criterion}]"


def _kept(answers: Answers) -> list[Any]:
    def rows(side: Mapping[int, Answered]) -> list[Any]:
        return [
            {
                "id": row.id, "value": row.value, "seconds": row.seconds, "peak": row.peak, "printed": row.printed,
                "error": [list(row.error.classes), row.error.message] if row.error else None,
                "warnings": [[list(w.classes), w.message] for w in row.warnings], "changed": list(row.changed),
            }
            for row in side.values()
        ]  # fmt: skip

    return [rows(answers.given), rows(answers.again)]


def _observations(rows: Sequence[Compared], criteria: Mapping[str, Criterion]) -> list[Observation]:
    return [
        row.model_copy(update={"test": _named(compared)})
        for compared in rows
        for row in compared.observations(criteria[compared.claim.criterion].rule)
    ]


def observed_again(
    tests: TestSpec, interface: Interface, language: str, questions: bytes, answers: bytes
) -> list[Observation]:
    """What stored questions and answers show about each criterion. Raises Misread."""
    read, (given, seen) = read_questionnaire(questions), read_result(answers)
    criteria = {row.id: row for row in tests.criteria}
    judge = Judge(criteria, read.calls, Forms(interface, language), seen)
    rows = [judge.compare(n, claim, given) for n, claim in enumerate(read.claims) if claim.criterion in criteria]
    return _observations(rows, criteria)


def keep(folder: Path, data: bytes) -> str:
    """Questions or answers in the folder of a run, under their hash, which the log names."""
    digest = hashlib.sha256(data).hexdigest()
    place = folder / KEPT / digest
    place.parent.mkdir(parents=True, exist_ok=True)
    if not place.exists():
        new = place.with_suffix(".new")
        new.write_bytes(zlib.compress(data, 1))
        new.rename(place)
    return digest


def kept(folder: Path, digest: str | None) -> bytes | None:
    """What was kept under that hash; None where it is not there, or is something else."""
    try:
        data = zlib.decompress((folder / KEPT / (digest or "none")).read_bytes())
    except (OSError, zlib.error):
        return None
    return data if hashlib.sha256(data).hexdigest() == digest else None


def read_result(data: bytes) -> tuple[Answers, dict[int, Any]]:
    """Answers and what was seen in them, from evidence. Raises Misread."""
    try:
        (given, again), seen = wire.decode(data)
        sides = [{row["id"]: _recalled(row) for row in side} for side in (given, again)]
        return Answers(sides[0], sides[1]), {int(number): found for number, found in seen.items()}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise Misread(f"the recorded answers cannot be read: {error}") from None


def _recalled(row: Mapping[str, Any]) -> Answered:
    error = row["error"]
    return Answered(
        row["id"], row["value"], Condition(tuple(error[0]), error[1]) if error else None,
        tuple(Condition(tuple(w[0]), w[1]) for w in row["warnings"]), row["printed"], row["seconds"], row["peak"],
        tuple(row["changed"]),
    )  # fmt: skip
