"""Ask, answer, compare: three executions that share nothing but data, and the evidence of each."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import repeat
from pathlib import Path
from threading import Lock
from typing import Any

from statsclaw.languages import Places, Worker
from statsclaw.runlog.events import CommandExecuted, Finding
from statsclaw.specs.contract import Contract
from statsclaw.specs.interface import Interface
from statsclaw.specs.lint.formulas import carried_formulas
from statsclaw.specs.test_spec import Criterion, TestSpec
from statsclaw.verify.blind.anchoring import only_related
from statsclaw.verify.blind.answering import Heard, asked, asked_once, leaves_to_chance
from statsclaw.verify.blind.asking import Author, Door, kinds_of, worker_door
from statsclaw.verify.blind.blaming import first_misfit
from statsclaw.verify.blind.careful import memory_evidence, not_looked_at, settings
from statsclaw.verify.blind.comparing import Judge, expectation, numbers_of_all, same_answer, with_seen
from statsclaw.verify.blind.expressions import Answered, Answers, NoValue, evaluate, leaves_in
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.blind.meaningless import meaningless
from statsclaw.verify.blind.moving import moved_by_own_size
from statsclaw.verify.blind.naming import unnamed, unnamed_field
from statsclaw.verify.blind.overlooking import only_zeros, overlooked, without_effect
from statsclaw.verify.blind.questionnaire import CLAIMS, Call, Claim, Misread, Questionnaire, read_questionnaire
from statsclaw.verify.blind.result import Result, keep, read_result
from statsclaw.verify.blind.rooms import lay_out_scripts, room
from statsclaw.verify.blind.talking import Conversation, Silent
from statsclaw.verify.blind.trying import (
    See,
    Tried,
    finding,
    passing_on_null,
    unable_to_fail,
)
from statsclaw.verify.parsers import Parsed
from statsclaw.verify.runner import SHADOW_BYTES, Bench, evidence

WORKER_S = 7200.0
#: Of a dialogue, so many calls are followed for coverage, and so many answered with what means nothing.
_FOLLOWED, _PATIENCE = 300, 1000


@dataclass(frozen=True)
class Validation:
    """What is judged, by what. `secret` decides order and repetition, and how far answers are moved.

    `words`: the interface as everybody reads it, prose included. `base`: stored answers of the package as it was.
    `formulas`: of each equation that can be computed the criteria that carry it.
    """

    bench: Bench
    tests: TestSpec
    interface: Interface
    oracles: str = ""
    secret: str = ""
    words: str = ""
    base: bytes | None = None
    formulas: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, bench: Bench, contract: Contract, secret: str, base: bytes | None = None) -> Validation | None:
        if contract.tests is None or contract.interface is None:
            return None
        return cls(
            bench, contract.tests, contract.interface, contract.definitions, secret, contract.interface_words, base,
            carried_formulas(contract),
        )  # fmt: skip

    @cached_property
    def forms(self) -> Forms:
        return Forms(self.interface, self.bench.profile.id, self.tests.elements())

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
            seeds = (self.bench.seed, self.bench.seed, self.bench.seed + 1)
            _ = self.author  # laid out before several need it
            with ThreadPoolExecutor(self.bench.workers) as pool:
                questions, again, others = pool.map(self.author.questionnaire, seeds)
        except Misread as misread:
            return None, [finding("not-asked", "ask", f"the questions could not be asked: {misread}")], {}
        found = list(self.fitting(questions))
        if again.sha256 != questions.sha256:
            text = "asked twice with the same seed, the questions are others: draw from the stream that is given"
            found.append(finding("other-questions", "ask", text))
        found += only_related(questions, self.criteria, self.formulas)
        found += self._streams_unused(questions, others)
        if any(row.severity == "error" for row in found):
            return questions, found, {}
        judge = Judge(self.criteria, questions.calls, self.forms)
        met = passing_on_null(
            questions, self.tests, judge, self.forms, self._seeing_null(questions), self.bench.workers
        )
        for row in self.tests.criteria:
            if row.kind == "value" and len(met.get(row.id, ())) == 4:
                text = f"{row.id} is met by meaningless answers of every kind: its claims cannot fail."
                found.append(finding("passes-on-null", row.id, text))
        return questions, found, met

    def _streams_unused(self, questions: Questionnaire, others: Questionnaire) -> Iterator[Finding]:
        """Scenarios that have a seed, and ask the same whatever it is: fixed inputs, or another stream than theirs."""
        then, now = (_by_scenario(side) for side in (questions, others))
        seeded = [row.id for row in self.tests.scenarios if row.seed is not None and row.id in then]
        if same := [name for name in seeded if then[name] == now.get(name)]:
            text = f"{', '.join(same)}: a seed is given, and the questions are the same with every seed"
            yield finding("stream-unused", same[0], text, severity="note")

    def fitting(self, questions: Questionnaire) -> Iterator[Finding]:
        """Every criterion and every scenario has claims, and every claim fits its criterion."""
        claimed: dict[str, set[str]] = {}
        scenarios = {row.id for row in self.tests.scenarios}
        for claim in questions.claims:
            claimed.setdefault(claim.criterion, set()).add(claim.scenario)
            if claim.scenario not in scenarios:
                text = f"{claim.name} carries the scenario {claim.scenario!r}, which the specification does not have"
                yield finding("unknown-scenario", claim.name, text, where=claim.at)
            yield from self._fits(claim, questions.calls)
        yield from self._unnamed(questions)
        asked_in = {call.scenario for call in questions.calls} | {claim.scenario for claim in questions.claims}
        asked_about = {name for row in self.tests.criteria if row.decided_by != "check" for name in row.scenarios}
        for row in self.tests.scenarios:
            if row.id not in asked_in and row.id in asked_about and not row.may_skip.strip():
                text = f"nothing asks about the scenario {row.id} ({row.behaviour})"
                yield finding("scenario-not-asked", row.id, text)
        for criterion in self.tests.criteria:
            silent = [name for name in criterion.scenarios if name not in claimed.get(criterion.id, ())]
            claims = [row for row in questions.claims if row.criterion == criterion.id]
            if criterion.expected is not None and all(row.parts.get("expected") is not None for row in claims):
                text = (
                    f"{criterion.id}: what the source prints is frozen; leave out what is expected: close(C, observed)"
                )
                yield finding("printed-not-asked", criterion.id, text)
            if criterion.decided_by != "check" and silent:
                text = f"nothing is claimed about {criterion.id} ({criterion.quantity}) in {', '.join(silent)}"
                yield finding("criterion-not-claimed", f"{criterion.id}:{silent[0]}", text)

    def _unnamed(self, questions: Questionnaire) -> Iterator[Finding]:
        """What is asked or looked at, and the interface does not name."""
        refused = {claim.parts["call"] for claim in questions.claims if claim.rule == "raises"}
        cases: dict[str, list[Call]] = {}
        for call in questions.calls:
            if fault := unnamed(call, self.forms, refused=call.id in refused):
                cases.setdefault(fault, []).append(call)
        for fault, calls in cases.items():
            more = f" (and {len(calls) - 1} more)" if len(calls) > 1 else ""
            text = f"{calls[0].case}{more} asks for what nobody has promised: {fault}"
            yield finding("not-in-interface", f"{calls[0].case}:{calls[0].function}", text, where=calls[0].at)
        for claim in questions.claims:
            nodes = [claim.parts.get(name) for name in ("observed", "expected", "arguments")]
            for leaf in leaves_in(nodes):
                if fault := unnamed_field(leaf, questions.calls, self.forms):
                    text = f"{claim.name} looks at what nobody has promised: {fault}"
                    about = f"{claim.name}:{'.'.join(leaf[1])}"
                    yield finding("not-in-interface", about, text, where=claim.at)

    def _fits(self, claim: Claim, calls: Sequence[Call]) -> Iterator[Finding]:
        criterion = self.criteria.get(claim.criterion)
        if criterion is None:
            text = f"{claim.name} claims something about {claim.criterion!r}, which is no criterion"
            yield finding("unknown-criterion", f"{claim.name}:{claim.criterion}", text, where=claim.at)
            return
        if claim.rule != "dialogue" and not any(True for _ in claim.uses()):
            text = (
                f"{claim.criterion} in {claim.name}: {claim.rule} looks at no answer, so it says nothing of the package"
            )
            yield finding("looks-at-nothing", f"{claim.name}:{claim.criterion}", text, where=claim.at)
        if claim.rule == "close" and (fault := _no_numbers(expectation(claim, criterion))):
            text = f"{claim.criterion} in {claim.name}: what is expected cannot be compared: {fault}"
            yield finding("no-expectation", f"{claim.name}:{claim.criterion}", text, where=claim.at)
        allowed = CLAIMS[claim.rule]
        if allowed != ("*",) and criterion.rule not in allowed:
            text = f'{claim.criterion}: {claim.rule} cannot decide a criterion of the rule "{criterion.rule}"'
            yield finding("other-rule", f"{claim.name}:{claim.criterion}", text, where=claim.at)
        if allowed == ("*",) and criterion.rule in ("raises", "warns"):
            text = f"{claim.criterion}: what is raised is not observed by code; claim {criterion.rule}"
            yield finding("other-rule", f"{claim.name}:{claim.criterion}", text, where=claim.at)
        if claim.rule in ("raises", "warns") and not self._named_condition(claim, criterion, calls):
            text = (
                f"{claim.criterion}: {claim.rule} asks for {claim.parts.get('error') or ''} "
                f"{claim.parts.get('message')!r}, which neither the criterion nor the interface of "
                f"{calls[claim.parts['call']].function} names"
            )
            yield finding("other-condition", f"{claim.name}:{claim.criterion}", text, where=claim.at)

    def _named_condition(self, claim: Claim, criterion: Criterion, calls: Sequence[Call]) -> bool:
        error, message = claim.parts.get("error"), claim.parts.get("message")
        if error is None and message is None:
            return criterion.rule != "holds"  # a statement names no error of its own
        declared = self.forms.declared(calls[claim.parts["call"]])
        rows = [(criterion.error or "", criterion.message)]
        if declared is not None:
            rows += [(row.error, row.message) for row in (*declared.raises, *declared.warns)]
        if message and message in self.words and (error is None or error in self.words):
            return True  # named in the prose of the interface, which every role is given
        wanted = error or criterion.error
        return any(wanted in (None, e) and (message is None or message == m) for e, m in rows)

    def _seeing_null(self, questions: Questionnaire) -> See:
        """A dialogue hears the same however often it is held, so it is held once for all its claims."""
        groups = {number: group[0][0] for group in _together(questions) for number, _ in group}
        locks, held = {first: Lock() for first in groups.values()}, dict[int, Any]()
        kind = "noise" if len(questions.calls) % 2 else "large"

        def see(number: int, claim: Claim, answers: Answers) -> Any:
            if claim.rule == "observe":
                return self.author.see(claim, answers)
            with locks[groups[number]]:
                if groups[number] not in held:
                    held[groups[number]] = self.author.talk(claim, self._null_door(kind))
            return held[groups[number]]

        return see

    def _null_door(self, kind: str) -> Door:
        def door(call: Call) -> Answered:
            if call.id >= _PATIENCE:
                raise Silent("it asks on, whatever the answers mean")
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
        reasons = dict.fromkeys(
            f"{c.criterion} looks at a part: {c.parts['part']}" for c in known if c.parts.get("part")
        )
        row = self._evidence("ask", subject, tree, made, "\n".join([*reasons, self.author.output]), begun)
        yield row.model_copy(update={"kept_sha256": keep(self.bench.folder.parent, questions.data)})
        begun = time.monotonic()
        result = self.compared(questions, is_base=subject == "before")
        row = self._evidence("validation", subject, tree, result.parsed(self.forms), result.text(), begun)
        row = row.model_copy(update={"kept_sha256": keep(self.bench.folder.parent, result.packed())})
        if any(result.own_errors(self.forms)):
            row = row.model_copy(update={"fault_of": "tester"})
        elif misfit := first_misfit(result, self.forms):
            row = row.model_copy(update={"fault_of": misfit.role})
        yield row
        if (careful := self.forms.spoken.careful) and subject == "after":
            if (self.bench.place("adapter") / careful).is_file():
                start = partial(self.start, careful=True)
                yield memory_evidence(self.bench, subject, tree, questions, self.forms, start, self.secret)
            else:
                yield not_looked_at(self.bench, subject, tree)

    def compared(self, questions: Questionnaire, *, is_base: bool = False) -> Result:
        """`is_base`: the package is the one that others are compared with."""
        _ = self.author  # laid out before several need it
        with ThreadPoolExecutor(self.bench.workers) as pool:
            dialogues = [pool.submit(self._held, group, None) for group in _together(questions)]
            heard = asked(questions, self.forms, self.start, self.secret, self.bench.progress)
            looks = {
                number: pool.submit(self._look, number, claim, heard.answers)
                for number, claim in enumerate(questions.claims)
                if claim.rule == "observe" and claim.criterion in self.criteria
            }
            seen = {number: look.result() for number, look in looks.items()}
            seen |= {number: held for group in dialogues for number, held in group.result().items()}
        base = heard.answers if is_base else read_result(self.base)[0] if self.base else None
        judge = Judge(self.criteria, questions.calls, self.forms, seen, base)
        rows = [
            judge.compare(number, claim, heard.answers)
            for number, claim in enumerate(questions.claims)
            if claim.criterion in self.criteria
        ]
        return Result(questions, heard, seen, tuple(rows), judge)

    def findings(self, result: Result) -> list[Finding]:
        """Of claims that are met: can they fail, and do they look at what their criterion is about?"""
        found: dict[str, Finding] = {}
        answers, at_once = result.heard.answers, self.bench.workers
        tried = list(unable_to_fail(result.questions, result.judge, answers, self._look, self.secret, at_once))
        deaf = {row.claim.criterion for row in tried}
        others = {row.claim.criterion for row in result.rows if row.passed and row.claim.rule != "dialogue"} - deaf
        # relations, bounds and statements: one claim of the criterion must notice
        tried += [
            row
            for row in self._deaf_dialogues(result)
            if row.claim.criterion not in others or self.criteria[row.claim.criterion].rule == "close"
        ]
        for claim in self._other_when_seen_again(result):
            text = f"{claim.criterion} in {claim.name}: its code decides otherwise when it sees the same answers again"
            found.setdefault(claim.criterion, finding("cannot-fail", claim.criterion, text, where=claim.at))
        for row in tried:
            about = f"{row.claim.criterion} in {row.claim.name}: {row.reason}"
            made = finding("cannot-fail", row.claim.criterion, f"{about}; it could not fail.", where=row.claim.at)
            if row.remembers:
                text = "asked the same in a fresh process, and in another order, it answers something else"
                text = f"{row.remembers} depends on earlier calls: {text}"
                made = finding("remembers", row.remembers, text, to="builder")
            elif row.repeats:
                made = finding("only-repeats", row.claim.criterion, f"{about}.", severity="warning", where=row.claim.at)
            found.setdefault(row.claim.criterion, made)
        kept = overlooked(result.questions, self.tests, self.forms, answers)
        return [*found.values(), *kept, *self._told(result)]

    def _told(self, result: Result) -> Iterator[Finding]:
        """What stops nobody, and a reviewer should know."""
        for name, why in [*only_zeros(result), *without_effect(result)]:
            yield finding("weak-claim", name, f"{name}: {why}", severity="warning")
        for text in result.one_for_several():
            yield finding("one-message", text, f"{text}, word for word", severity="warning")
        for element, scenario in result.unnamed_missing(self.forms):
            text = f"{element} holds NaN in {scenario}, and the interface does not say that it may (missing: true)"
            yield finding("unnamed-missing", element, text, severity="warning")

    def _other_when_seen_again(self, result: Result) -> Iterator[Claim]:
        """Of each criterion a claim by lot: met, and not when its code is run once more, among the moved answers."""
        answers, drawn = result.heard.answers, random.Random(f"{self.secret} again")
        met: dict[str, list[tuple[int, Claim]]] = {}
        for number, claim in enumerate(result.questions.claims):
            if claim.rule == "observe" and result.judge.compare(number, claim, answers).passed:
                met.setdefault(claim.criterion, []).append((number, claim))
        chosen = [drawn.choice(rows) for rows in met.values()]
        with ThreadPoolExecutor(self.bench.workers) as pool:
            seen = list(pool.map(lambda row: self._look(row[0], row[1], answers), chosen))
        for (number, claim), again in zip(chosen, seen, strict=True):
            if not with_seen(result.judge, {number: again}).compare(number, claim, answers).passed:
                yield claim

    def recalled(self, questions: bytes, answers: bytes) -> Result:
        """The result as it was recorded. Raises Misread."""
        read = read_questionnaire(questions)
        given, seen, base = read_result(answers)
        judge = Judge(self.criteria, read.calls, self.forms, seen, base)
        rows = [
            judge.compare(number, claim, given)
            for number, claim in enumerate(read.claims)
            if claim.criterion in self.criteria
        ]
        return Result(read, Heard(given), seen, tuple(rows), judge)

    def _look(self, number: int, claim: Claim, answers: Answers) -> Any:
        return self.author.see(claim, answers)

    def start(self, *, careful: bool = False) -> Conversation:
        """A fresh worker that holds the package, in a room of its own. `careful`: it ends where memory is misused."""
        asked = self.forms.spoken
        reserved = SHADOW_BYTES if careful else 0
        shown_there = {str(name): self.bench.place(name) for name in asked.sees}
        own = room(self.bench, shown_there, timeout_s=WORKER_S, reserved_bytes=reserved)
        shown = {str(name): own.path(self.bench.place(name)) for name in asked.sees}
        worker = asked.worker(Places(self.bench.python or sys.executable, own.path(own.scripts), **shown))
        env = {**own.env, **worker.env}
        if self.bench.coverage:
            env["STATSCLAW_COVERAGE"] = own.path(own.own / "coverage")
            if asked.counting and (self.bench.place("adapter") / asked.counting).is_file():
                worker = Worker(("sh", f"{shown['adapter']}/{asked.counting}"))
        places = [own.path(own.own / "questions"), own.path(own.own / "answers"), shown.get("site", "-")]
        if careful:
            worker = Worker(("sh", f"{shown['adapter']}/{asked.careful}"))
            env |= settings(own.path(own.own))
        argv = [*worker.argv, *places, self.interface.package]
        return Conversation(own.confinement, own.own, env).start(argv)

    # --- dialogues

    def _follow(self, questions: Questionnaire) -> None:
        """Every question once and the beginning of every dialogue, for the lines that they execute."""
        _ = self.author
        with ThreadPoolExecutor(self.bench.workers) as pool:
            held = [pool.submit(self._held, group, None, _FOLLOWED) for group in _together(questions)]
            asked_once(questions, self.forms, self.start)
            for dialogue in held:
                dialogue.result()

    def _held(
        self,
        group: Sequence[tuple[int, Claim]],
        disturb: Any,
        most: int | None = None,
        heard: list[tuple[Call, Answered]] | None = None,
    ) -> dict[int, Any]:
        """One dialogue decides all its criteria. `disturb`: changes every answer on its way. `most`: calls.

        `heard`: what was asked, and answered by the package itself, is added there.
        """
        claim = group[0][1]
        worker = self.start()
        door = self._door(worker, group)

        def answer(call: Call) -> Answered:
            if most is not None and call.id >= most:
                raise Silent("enough has been asked")
            found = door(call)
            if heard is not None:
                heard.append((call, found))
            return disturb(found) if disturb else found

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
        heard: list[list[tuple[Call, Answered]]] = []
        for disturb in (_shifted, _stretched):
            heard = [[] for _ in groups]
            with ThreadPoolExecutor(self.bench.workers) as pool:
                held = list(pool.map(self._held, groups, repeat(disturb), repeat(None), heard))
            judges = [with_seen(result.judge, trial) for trial in held]
            still = [
                [(n, c) for n, c in group if judge.compare(n, c, answers).passed]
                for group, judge in zip(groups, judges, strict=True)
            ]
            heard = [rows for rows, group in zip(heard, still, strict=True) if group]
            groups = [group for group in still if group]
        for rows, group in zip(heard, groups, strict=True):
            remembers = self._remembering(rows, group)
            for n, c in group:
                why = "it is still met when every answer of the dialogue is moved by its own size"
                yield Tried(n, c, why, remembers=remembers)

    def _remembering(self, heard: Sequence[tuple[Call, Answered]], group: Sequence[tuple[int, Claim]]) -> str:
        """A function that answers otherwise where it is asked the same in a fresh process, last things first.

        It can tell a trial by what it answered before, and undo it. Where nothing differs, the claim does not listen.
        """
        asked = [row for row in heard[:_PATIENCE] if _stands_alone(row[0]) and not leaves_to_chance(row[0], self.forms)]
        worker = self.start()
        door = self._door(worker, group)
        try:
            for call, answer in reversed(asked):
                if not same_answer(door(call), answer):
                    return call.function
        except Silent:
            return asked[-1][0].function  # it ends where it had an answer before
        finally:
            worker.finish()
        return ""

    def _door(self, worker: Conversation, group: Sequence[tuple[int, Claim]]) -> Door:
        return worker_door(worker, self.forms, f"{self.secret} {group[0][0]}")

    def _evidence(self, name: str, subject: str, tree: str, made: Parsed, output: str, begun: float) -> CommandExecuted:
        elapsed = time.monotonic() - begun
        argv = ("statsclaw", name)
        return evidence(
            self.bench, name, "validation", subject, tree, argv, 0 if made.passed else 1, output, elapsed, made
        )


def _no_numbers(expected: Any) -> str:
    """Why there is nothing to compare with, whatever the package answers."""
    if any(True for _ in leaves_in(expected)):
        return ""
    try:
        found = numbers_of_all(evaluate(expected, Answers({})))
    except NoValue as nothing:
        return str(nothing)
    return "it is empty" if len(found if isinstance(found, list) else found.reshape(-1)) == 0 else ""


def _by_scenario(questions: Questionnaire) -> dict[str, bytes]:
    """What each scenario asks, claims and hands to its dialogues."""
    rows: dict[str, list[Any]] = {}
    for call in questions.calls:
        rows.setdefault(call.scenario, []).append([call.function, list(call.arguments), dict(call.named)])
    for claim in questions.claims:
        rows.setdefault(claim.scenario, []).append([claim.rule, dict(claim.parts)])
    return {name: wire.encode(found) for name, found in rows.items()}


def _together(questions: Questionnaire) -> list[list[tuple[int, Claim]]]:
    """Claims that one dialogue decides."""
    found: dict[tuple[str, str, str, bytes], list[tuple[int, Claim]]] = {}
    for number, claim in enumerate(questions.claims):
        if claim.rule == "dialogue":
            given = wire.encode([claim.parts.get("arguments"), claim.parts.get("together")])
            key = (claim.file, claim.case, str(claim.parts["function"]), given)
            found.setdefault(key, []).append((number, claim))
    return list(found.values())


def _stands_alone(call: Call) -> bool:
    """A generator of random numbers with a name goes on from call to call."""
    given = [value for value in (*call.arguments, *call.named.values()) if isinstance(value, wire.Extra)]
    return not any(value.kind == "generator" and value.value.get("name") for value in given)


def _shifted(answer: Answered) -> Answered:
    return replace(answer, value=moved_by_own_size(answer.value, 1.0, 0.0))


def _stretched(answer: Answered) -> Answered:
    return replace(answer, value=moved_by_own_size(answer.value, 0.0, 3.0))


def coverage_files(bench: Bench) -> list[Path]:
    """What workers wrote about the lines they executed, each in its own room."""
    return sorted(bench.place("blind").glob("*/own/coverage*.json"))
