"""Ask, answer, compare: three executions that share nothing but data, and the evidence of each."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

from statsclaw.runlog.events import CommandExecuted, Finding
from statsclaw.specs.contract import Contract
from statsclaw.specs.interface import Interface
from statsclaw.specs.test_spec import Criterion, TestSpec
from statsclaw.verify.blind.answering import Heard, asked, asked_once
from statsclaw.verify.blind.asking import Author, Door, interpreter, kinds_of, worker_door
from statsclaw.verify.blind.comparing import Judge, with_seen
from statsclaw.verify.blind.expressions import Answered, Answers
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.meaningless import meaningless
from statsclaw.verify.blind.moving import moved_by_own_size
from statsclaw.verify.blind.overlooking import overlooked
from statsclaw.verify.blind.questionnaire import CLAIMS, Call, Claim, Misread, Questionnaire, read_questionnaire
from statsclaw.verify.blind.result import Result, keep, read_result
from statsclaw.verify.blind.rooms import lay_out_scripts, room
from statsclaw.verify.blind.talking import Conversation, Silent
from statsclaw.verify.blind.trying import (
    Tried,
    finding,
    passing_on_null,
    unable_to_fail,
)
from statsclaw.verify.parsers import Parsed
from statsclaw.verify.runner import Bench, evidence

WORKER_S = 7200.0
#: A room of its own for every worker: what one wrote about its coverage stays there.
_NUMBERS = count()
#: Dialogues and functions that see, at the same time.
_AT_ONCE = 2
#: Of a dialogue, so many calls are followed for coverage.
_FOLLOWED = 300


@dataclass(frozen=True)
class Validation:
    """What is judged, by what. `secret` decides order and repetition, and how far answers are moved."""

    bench: Bench
    tests: TestSpec
    interface: Interface
    oracles: str = ""
    secret: str = ""

    @classmethod
    def of(cls, bench: Bench, contract: Contract, secret: str) -> Validation | None:
        if contract.tests is None or contract.interface is None:
            return None
        return cls(bench, contract.tests, contract.interface, contract.definitions, secret)

    @cached_property
    def forms(self) -> Forms:
        return Forms(self.interface, self.bench.profile.id)

    @cached_property
    def criteria(self) -> dict[str, Criterion]:
        return {row.id: row for row in self.tests.criteria}

    @cached_property
    def author(self) -> Author:
        lay_out_scripts(self.bench, self.oracles)
        return Author(self.bench, {row.id: row.seed for row in self.tests.scenarios}, self.forms)

    # --- before anybody is asked

    def checked(self) -> tuple[Questionnaire | None, list[Finding], dict[str, tuple[str, ...]]]:
        """The questions, what is wrong with them, and of each criterion the meaningless answers that meet it."""
        try:
            questions = self.author.questionnaire()
            again = self.author.questionnaire()
        except Misread as misread:
            return None, [finding("not-asked", "ask", f"the questions could not be asked: {misread}")], {}
        found = list(self.fitting(questions))
        if again.sha256 != questions.sha256:
            text = "asked twice with the same seed, the questions are others: draw from the stream that is given"
            found.append(finding("other-questions", "ask", text))
        if any(row.severity == "error" for row in found):
            return questions, found, {}
        judge = Judge(self.criteria, questions.calls, self.forms)
        met = passing_on_null(questions, self.tests, judge, self.forms, self._see_null)
        for row in self.tests.criteria:
            if row.kind == "value" and len(met.get(row.id, ())) == 4:
                text = f"{row.id} is met by meaningless answers of every kind: its claims cannot fail."
                found.append(finding("passes-on-null", row.id, text))
        return questions, found, met

    def fitting(self, questions: Questionnaire) -> Iterator[Finding]:
        """Every criterion and every scenario has claims, and every claim fits its criterion."""
        claimed: dict[str, set[str]] = {}
        scenarios = {row.id for row in self.tests.scenarios}
        for claim in questions.claims:
            claimed.setdefault(claim.criterion, set()).add(claim.scenario)
            if claim.scenario not in scenarios:
                text = f"{claim.name} carries the scenario {claim.scenario!r}, which the specification does not have"
                yield finding("unknown-scenario", claim.name, text)
            yield from self._fits(claim, questions.calls)
        asked_in = {call.scenario for call in questions.calls} | {claim.scenario for claim in questions.claims}
        for row in self.tests.scenarios:
            if row.id not in asked_in and not row.may_skip.strip():
                text = f"nothing asks about the scenario {row.id} ({row.behaviour})"
                yield finding("scenario-not-asked", row.id, text)
        for criterion in self.tests.criteria:
            silent = [name for name in criterion.scenarios if name not in claimed.get(criterion.id, ())]
            if criterion.decided_by != "check" and silent:
                text = f"nothing is claimed about {criterion.id} ({criterion.quantity}) in {', '.join(silent)}"
                yield finding("criterion-not-claimed", f"{criterion.id}:{silent[0]}", text)

    def _fits(self, claim: Claim, calls: Sequence[Call]) -> Iterator[Finding]:
        criterion = self.criteria.get(claim.criterion)
        if criterion is None:
            text = f"{claim.name} claims something about {claim.criterion!r}, which is no criterion"
            yield finding("unknown-criterion", f"{claim.name}:{claim.criterion}", text)
            return
        allowed = CLAIMS[claim.rule]
        if allowed != ("*",) and criterion.rule not in allowed:
            text = f'{claim.criterion}: {claim.rule} cannot decide a criterion of the rule "{criterion.rule}"'
            yield finding("other-rule", f"{claim.name}:{claim.criterion}", text)
        if allowed == ("*",) and criterion.rule in ("raises", "warns"):
            text = f"{claim.criterion}: what is raised is not observed by code; claim {criterion.rule}"
            yield finding("other-rule", f"{claim.name}:{claim.criterion}", text)
        if claim.rule in ("raises", "warns") and not self._named_condition(claim, criterion, calls):
            text = (
                f"{claim.criterion}: {claim.rule} asks for {claim.parts.get('error') or ''} "
                f"{claim.parts.get('message')!r}, which neither the criterion nor the interface of "
                f"{calls[claim.parts['call']].function} names"
            )
            yield finding("other-condition", f"{claim.name}:{claim.criterion}", text)

    def _named_condition(self, claim: Claim, criterion: Criterion, calls: Sequence[Call]) -> bool:
        error, message = claim.parts.get("error"), claim.parts.get("message")
        if error is None and message is None:
            return criterion.rule != "holds"  # a statement names no error of its own
        declared = self.forms.declared(calls[claim.parts["call"]])
        rows = [(criterion.error or "", criterion.message)]
        if declared is not None:
            rows += [(row.error, row.message) for row in (*declared.raises, *declared.warns)]
        wanted = error or criterion.error
        return any(wanted in (None, e) and (message is None or message == m) for e, m in rows)

    def _see_null(self, number: int, claim: Claim, answers: Answers) -> Any:
        if claim.rule == "observe":
            return self.author.see(claim, answers)
        kind = "noise" if len(answers.given) % 2 else "large"
        return self.author.talk(claim, self._null_door(kind))

    def _null_door(self, kind: str) -> Door:
        def door(call: Call) -> Answered:
            return replace(meaningless([call], self.forms, kind, call.id).of(call.id), id=call.id)

        return door

    # --- with the package

    def judged(self, subject: str, tree: str) -> Iterator[CommandExecuted]:
        """Evidence of the questions, hashed before anybody is asked, then of the answers compared with them."""
        begun = time.monotonic()
        try:
            questions = self.author.questionnaire()
        except Misread as misread:
            made = Parsed(False, f"the questions could not be asked: {misread}"[:400])
            row = self._evidence("ask", subject, tree, made, self.author.output, begun)
            yield row.model_copy(update={"fault_of": "tester"})
            return
        misfits = [row.message for row in self.fitting(questions) if row.severity == "error"]
        if misfits:  # they fitted when they were handed in: the author's code asks something else now
            made = Parsed(False, f"the questions do not fit: {misfits[0]}"[:400])
            row = self._evidence("ask", subject, tree, made, self.author.output, begun)
            yield row.model_copy(update={"fault_of": "tester"})
            return
        if self.bench.coverage:
            self._follow(questions)
            return
        known = [claim for claim in questions.claims if claim.criterion in self.criteria]
        summary = f"{len(questions.calls):,} calls, {len(known):,} claims; {kinds_of(known)}"
        made = Parsed(True, summary)
        row = self._evidence("ask", subject, tree, made, self.author.output, begun)
        yield row.model_copy(update={"kept_sha256": keep(self.bench.folder.parent, questions.data)})
        begun = time.monotonic()
        result = self.compared(questions)
        row = self._evidence("validation", subject, tree, result.parsed(self.forms), result.text(), begun)
        yield row.model_copy(update={"kept_sha256": keep(self.bench.folder.parent, result.packed())})

    def compared(self, questions: Questionnaire) -> Result:
        _ = self.author  # laid out before several need it
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            dialogues = [pool.submit(self._held, group, None) for group in _together(questions)]
            heard = asked(questions, self.forms, self.start, self.secret)
            looks = {
                number: pool.submit(self._look, number, claim, heard.answers)
                for number, claim in enumerate(questions.claims)
                if claim.rule == "observe" and claim.criterion in self.criteria
            }
            seen = {number: look.result() for number, look in looks.items()}
            seen |= {number: held for group in dialogues for number, held in group.result().items()}
        judge = with_seen(Judge(self.criteria, questions.calls, self.forms), seen)
        rows = [
            judge.compare(number, claim, heard.answers)
            for number, claim in enumerate(questions.claims)
            if claim.criterion in self.criteria
        ]
        return Result(questions, heard, seen, tuple(rows), judge)

    def findings(self, result: Result) -> list[Finding]:
        """Of claims that are met: can they fail, and do they look at what their criterion is about?"""
        found: dict[str, Finding] = {}
        tried = [
            *unable_to_fail(result.questions, result.judge, result.heard.answers, self._look, self.secret),
            *self._deaf_dialogues(result),
        ]
        for row in tried:
            about = f"{row.claim.criterion} in {row.claim.name}: {row.reason}"
            made = finding("cannot-fail", row.claim.criterion, f"{about}; it could not fail.")
            if row.repeats:
                made = finding("only-repeats", row.claim.criterion, f"{about}.", severity="warning")
            found.setdefault(row.claim.criterion, made)
        kept = overlooked(result.questions, self.tests, self.forms, result.heard.answers)
        return [*found.values(), *kept]

    def recalled(self, questions: bytes, answers: bytes) -> Result:
        """The result as it was recorded. Raises Misread."""
        read = read_questionnaire(questions)
        given, seen = read_result(answers)
        judge = with_seen(Judge(self.criteria, read.calls, self.forms), seen)
        rows = [
            judge.compare(number, claim, given)
            for number, claim in enumerate(read.claims)
            if claim.criterion in self.criteria
        ]
        return Result(read, Heard(given), seen, tuple(rows), judge)

    def _look(self, number: int, claim: Claim, answers: Answers) -> Any:
        return self.author.see(claim, answers)

    def start(self, name: str = "") -> Conversation:
        """A fresh worker that holds the package, in a room of its own."""
        name = name or f"worker-{next(_NUMBERS)}"
        shown = {"site": self.bench.place("site")}
        own = room(self.bench, name, shown, timeout_s=WORKER_S)
        env = dict(own.env)
        if self.bench.coverage:
            env["STATSCLAW_COVERAGE"] = own.path(own.own / "coverage")
        language = self.bench.profile.id
        script = own.script("worker.py" if language == "python" else "worker.R")
        places = [own.path(place) for place in (own.own / "questions", own.own / "answers", self.bench.place("site"))]
        argv = [*interpreter(self.bench, language), script, *places, self.interface.package]
        return Conversation(own.confinement, own.own, env).start(argv)

    # --- dialogues

    def _follow(self, questions: Questionnaire) -> None:
        """Every question once and the beginning of every dialogue, for the lines that they execute."""
        _ = self.author
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            held = [pool.submit(self._held, group, None, _FOLLOWED) for group in _together(questions)]
            asked_once(questions, self.forms, self.start)
            for dialogue in held:
                dialogue.result()

    def _held(self, group: Sequence[tuple[int, Claim]], disturb: Any, most: int | None = None) -> dict[int, Any]:
        """One dialogue decides all its criteria. `disturb`: changes every answer on its way. `most`: calls."""
        number, claim = group[0]
        worker = self.start()
        door = worker_door(worker, self.forms, f"{self.secret} {number}")

        def answer(call: Call) -> Answered:
            if most is not None and call.id >= most:
                raise Silent("enough has been asked")
            return disturb(door(call)) if disturb else door(call)

        try:
            held = self.author.talk(claim, answer)
        except Silent as silent:
            held = {"problem": f"the package: {silent}"}
        finally:
            worker.finish()
        return {other: held for other, _ in group}

    def _deaf_dialogues(self, result: Result) -> Iterator[Tried]:
        """Held again, with every number of every answer moved on its way: a criterion that is still met is deaf."""
        answers = result.heard.answers
        groups = [
            met
            for group in _together(result.questions)
            if (met := [(n, c) for n, c in group if result.judge.compare(n, c, answers).passed])
        ]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            held = [[pool.submit(self._held, group, disturb) for disturb in (_shifted, _stretched)] for group in groups]
            for group, trials in zip(groups, held, strict=True):
                judges = [with_seen(result.judge, trial.result()) for trial in trials]
                for n, c in group:
                    if all(judge.compare(n, c, answers).passed for judge in judges):
                        yield Tried(n, c, "it is still met when every answer of the dialogue is moved by its own size")

    def _evidence(self, name: str, subject: str, tree: str, made: Parsed, output: str, begun: float) -> CommandExecuted:
        elapsed = time.monotonic() - begun
        argv = ("statsclaw", name)
        return evidence(
            self.bench, name, "validation", subject, tree, argv, 0 if made.passed else 1, output, elapsed, made
        )


def _together(questions: Questionnaire) -> list[list[tuple[int, Claim]]]:
    """Claims that one dialogue decides."""
    found: dict[tuple[str, str, str, str], list[tuple[int, Claim]]] = {}
    for number, claim in enumerate(questions.claims):
        if claim.rule == "dialogue":
            key = (claim.file, claim.case, str(claim.parts["function"]), repr(claim.parts.get("together")))
            found.setdefault(key, []).append((number, claim))
    return list(found.values())


def _shifted(answer: Answered) -> Answered:
    return replace(answer, value=moved_by_own_size(answer.value, 1.0, 0.0))


def _stretched(answer: Answered) -> Answered:
    return replace(answer, value=moved_by_own_size(answer.value, 0.0, 3.0))


def coverage_files(bench: Bench) -> list[Path]:
    """What workers wrote about the lines they executed, each in its own room."""
    return sorted(bench.place("blind").glob("worker*/own/coverage*.json"))
