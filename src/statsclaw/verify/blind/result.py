"""What was asked, answered and compared, as evidence; and the same read again from what was kept."""

from __future__ import annotations

import hashlib
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from statsclaw.runlog.events import CaseOutcome, Observation
from statsclaw.specs.test_spec import Criterion, TestSpec
from statsclaw.verify.blind.answering import Heard, leaves_to_chance
from statsclaw.verify.blind.blaming import first_misfit
from statsclaw.verify.blind.comparing import Compared, Judge, same_answer
from statsclaw.verify.blind.expressions import (
    Answered,
    Answers,
    Condition,
    NoValue,
    evaluate,
    leaves_in,
    numbers,
    part_of,
    plain,
)
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.moving import Leaf
from statsclaw.verify.blind.questionnaire import Claim, Misread, Questionnaire, read_questionnaire
from statsclaw.verify.blind.respelling import turned_round
from statsclaw.verify.deviation import of_numbers
from statsclaw.verify.parsers import Parsed

#: The folder beside the log that holds questions and answers.
KEPT = "answers"
_MOST_SHOWN = 200
#: Bytes that questions or answers of a run may take.
_LARGEST = 2**32


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
        cases += [*self._forms(forms), *self._changed(forms), *self._history(forms)]
        observations = _observations(self.rows, self.judge.criteria)
        failed = sum(case.outcome != "passed" for case in cases)
        passed = len(cases) - failed
        summary = f"{passed} passed" if not failed else f"{failed} failed, {passed} passed"
        if own := next(self.own_errors(forms), ""):
            summary = f"the questions failed by themselves: {own}"[:400]
        elif failed and (misfit := first_misfit(self, forms)):
            summary = f"{summary}; {misfit.reason}"[:400]
        return Parsed(not failed and bool(cases), summary, tuple(cases), (), tuple(observations))

    def _cases(self) -> Iterator[CaseOutcome]:
        by_name: dict[str, list[Compared]] = {}
        for row in self.rows:
            by_name.setdefault(_named(row), []).append(row)
        for name, rows in by_name.items():
            missed = [row for row in rows if not row.passed]
            worst = max(missed, key=lambda row: row.excess) if missed else rows[0]
            known = bool(missed) and worst.pair is not None and _are_finite(worst.pair)
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

    def own_errors(self, forms: Forms) -> Iterator[str]:
        """Errors of the author's own code on answers that have the form of the interface."""
        for number, seen in self.seen.items():
            if not isinstance(seen, dict) or "problem" not in seen:
                continue
            claim = self.questions.claims[number]
            used = [(self.questions.calls[call], self.heard.answers.given.get(call)) for call in claim.uses()]
            sound = all(a is not None and a.error is None and not any(forms.faults(c, a)) for c, a in used)
            if seen.get("own", claim.rule == "observe") and sound:
                yield f"{claim.criterion} in {claim.name}: {seen['problem']}"

    def _forms(self, forms: Forms) -> Iterator[CaseOutcome]:
        """Answers whose type or shape is not that of the interface.

        Where a claim about that very answer is met by something of exactly the same kind and shape, two authors read
        the contract alike, and the interface's short form is at odds with its own words: that is not held against the
        package.
        """
        answers = self.heard.answers
        met = {
            leaf
            for leaf, wanted in self._expected()
            if _form(part_of(answers.value(leaf[0]), [*leaf[1]])) == _form(wanted)
        }
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

    def _expected(self) -> Iterator[tuple[Leaf, Any]]:
        """Parts of answers that a claim compares as they are and that meet it, with what the author expects there."""
        for row in self.rows:
            if row.passed and row.claim.rule in ("close", "same"):
                yield from _exact_leaves(row.claim, self.heard.answers)

    def _changed(self, forms: Forms) -> Iterator[CaseOutcome]:
        """Arguments that were changed for whoever calls, though the interface does not say so."""
        found: dict[str, str] = {}
        for call in self.questions.calls:
            answer = self.heard.answers.given.get(call.id)
            for name in forms.changed(call, answer) if answer is not None else ():
                found.setdefault(f"{call.function} changes its argument {name}", call.scenario)
        for fault, scenario in found.items():
            yield CaseOutcome(name=f"answers::{fault}", outcome="failed", error=fault[:300], scenarios=(scenario,))

    def unnamed_missing(self, forms: Forms) -> Iterator[tuple[str, str]]:
        """(element, scenario) where NaN came that neither the interface names nor a claim that is met."""
        met = {leaf for leaf, _ in self._expected()}
        found: dict[str, str] = {}
        for call in self.questions.calls:
            answer = self.heard.answers.given.get(call.id)
            for element in forms.unnamed_missing(call, answer) if answer is not None else ():
                if (call.id, tuple(element.split(".")[1:])) not in met:
                    found.setdefault(element, call.scenario)
        yield from found.items()

    def _history(self, forms: Forms) -> Iterator[CaseOutcome]:
        """Calls that were answered otherwise in a fresh process, another order and other words."""
        differing: dict[str, str] = {}
        for number, again in self.heard.answers.again.items():
            call = self.questions.calls[number]
            if leaves_to_chance(call, forms) or any(
                leaves_to_chance(self.questions.calls[other], forms) for other in call.uses()
            ):
                continue
            if not same_answer(self.heard.answers.of(number), again):
                turned = turned_round(self.questions.chains(), forms)
                words = " or on whether a default is given" if number in turned else ""
                differing.setdefault(f"{call.function or call.what} depends on earlier calls{words}", call.scenario)
        for fault, scenario in differing.items():
            name = f"answers::{fault}"
            reason = f"{fault}: asked again in a fresh process and another order, it answers something else"
            yield CaseOutcome(name=name, outcome="failed", error=reason[:300], scenarios=(scenario,))

    def one_for_several(self) -> Iterator[str]:
        """Conditions that are asked for by different words, and of which the package says the same, word for word."""
        said: dict[str, list[Compared]] = {}
        for row in self.rows:
            if row.passed and row.found is not None:
                said.setdefault(row.found.message, []).append(row)
        for rows in said.values():
            wanted = {self._words(row): row for row in rows}
            if not any(one not in other and other not in one for one in wanted for other in wanted):
                continue
            names = sorted({self.questions.calls[row.claim.parts["call"]].function for row in wanted.values()})
            yield f"{' and '.join(names)} say{'s' * (len(names) == 1)} the same of different conditions"

    def _words(self, row: Compared) -> str:
        """What the message must hold."""
        return row.wanted[1] if row.wanted else self.judge.criteria[row.claim.criterion].message

    def packed(self) -> bytes:
        """Answers, what was seen in them, and what the package answered before, to be judged again."""
        base = [_kept(self.judge.base)] if self.judge.base is not None else []
        return wire.encode([_kept(self.heard.answers), {str(k): v for k, v in self.seen.items()}, *base])

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


def _exact_leaves(claim: Claim, answers: Answers) -> Iterator[tuple[Leaf, Any]]:
    """The parts of answers that a claim compares as they are, each with what is expected of it.

    Where that is an answer of the package too, nobody has said what to expect.
    """
    observed, expected = claim.parts.get("observed"), claim.parts.get("expected")
    if any(True for _ in leaves_in(expected)):
        return
    wanted = plain(evaluate(expected, answers))
    pairs = [(observed, wanted)]
    if isinstance(observed, list) and isinstance(wanted, list | np.ndarray):
        pairs = list(zip(observed, np.atleast_1d(wanted) if isinstance(wanted, np.ndarray) else wanted, strict=False))
    for node, value in pairs:
        if isinstance(node, Extra) and node.kind == "answer":
            yield (int(node.value["call"]), tuple(node.value["path"])), value


def _form(value: Any) -> tuple[Any, ...]:
    """Shape and kind: complex or real; of a single value also whether it is whole or a truth value."""
    found = plain(value)
    try:
        values = numbers(found)
    except NoValue:
        return (type(found).__name__,)
    kind = values.dtype.kind if values.ndim else np.asarray(found).dtype.kind
    return kind, values.shape


def _are_finite(pair: tuple[float, float | None]) -> bool:
    return pair[1] is not None and math.isfinite(pair[0]) and math.isfinite(pair[1])


def _named(row: Compared) -> str:
    return f"{row.claim.name}[{row.claim.criterion}]"


def _kept(answers: Answers) -> list[Any]:
    def rows(side: Mapping[int, Answered]) -> list[Any]:
        return [
            {
                "id": row.id, "value": row.value, "seconds": row.seconds, "peak": row.peak, "printed": row.printed,
                "error": [list(row.error.classes), row.error.message] if row.error else None,
                "warnings": [[list(w.classes), w.message] for w in row.warnings], "changed": list(row.changed),
                "visible": row.visible,
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


def parsed_again(tests: TestSpec, forms: Forms, questions: bytes, answers: bytes) -> Parsed:
    """What stored questions and answers show: tests, and what was observed of each criterion. Raises Misread."""
    read, (given, seen, base) = read_questionnaire(questions), read_result(answers)
    criteria = {row.id: row for row in tests.criteria}
    judge = Judge(criteria, read.calls, forms, seen, base)
    rows = [judge.compare(n, claim, given) for n, claim in enumerate(read.claims) if claim.criterion in criteria]
    return Result(read, Heard(given), seen, tuple(rows), judge).parsed(forms)


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
    """What was kept under that hash; None where it is not there, is no file, is too large or is something else."""
    place = folder / KEPT / (digest or "none")
    try:
        if not place.is_file() or place.stat().st_size > _LARGEST:
            return None
        data = zlib.decompressobj().decompress(place.read_bytes(), _LARGEST)
    except (OSError, zlib.error):
        return None
    return data if hashlib.sha256(data).hexdigest() == digest else None


def read_result(data: bytes) -> tuple[Answers, dict[int, Any], Answers | None]:
    """Answers, what was seen in them, and those of the package as it was, from evidence. Raises Misread."""
    try:
        answers, seen, *base = wire.decode(data)
        found = {int(number): part for number, part in seen.items()}
        return _recalled_all(answers), found, _recalled_all(base[0]) if base else None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise Misread(f"the recorded answers cannot be read: {error}") from None


def _recalled_all(sides: Any) -> Answers:
    given, again = ({row["id"]: _recalled(row) for row in side} for side in sides)
    return Answers(given, again)


def _recalled(row: Mapping[str, Any]) -> Answered:
    error = row["error"]
    return Answered(
        row["id"], row["value"], Condition(tuple(error[0]), error[1]) if error else None,
        tuple(Condition(tuple(w[0]), w[1]) for w in row["warnings"]), row["printed"], row["seconds"], row["peak"],
        tuple(row["changed"]), visible=row.get("visible", False),
    )  # fmt: skip
