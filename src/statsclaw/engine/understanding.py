"""What the planner understood, read by the engine: what is missing, what a person has to decide, what is assumed."""

from __future__ import annotations

from collections.abc import Sequence

from statsclaw.engine.contracts import checked_sources, contract_of, source_hashes
from statsclaw.engine.readings import evaluate, seed_of_inputs
from statsclaw.engine.run import Run
from statsclaw.runlog.events import Assumed, ComprehensionChecked, OpenChoice, Option, Settled
from statsclaw.runlog.fold import Question
from statsclaw.specs.comprehension import RANK, Assumption, Choice, Comprehension
from statsclaw.specs.contract import COMPREHENSION
from statsclaw.specs.gate import comprehension_findings
from statsclaw.specs.readings.alternatives import (
    Tried,
    calls_as_assumed,
    calls_otherwise,
    trials_of,
    tried_alternatives,
)
from statsclaw.specs.readings.equation_names import Named

_LONGEST_LABEL, _LONGEST_CONSEQUENCE, _LONGEST_QUESTION = 300, 1500, 2000


def understand(run: Run) -> ComprehensionChecked:
    """The comprehension against the sources. What it assumes or decides is tried, and is a choice if results change."""
    comprehension = contract_of(run).comprehension
    assert comprehension is not None
    numbered = [equation for equation in run.index.equations if equation.numbered]
    named = Named(run.index)
    accounted = {found.ref for row in comprehension.equations if (found := named.get(row.ref)) is not None}
    tried = _try_alternatives(run)
    choices = [_left_open(run, choice, tried) for choice in comprehension.open_choices]
    assumed = {row.otherwise.function: row.text for row in comprehension.assumptions if row.otherwise}
    choices += [
        _turned_out(run, row, assumed[row.otherwise.function])
        for row in tried
        if row.differs and row.otherwise.function in assumed
    ]
    doubted = {row.id: row for own in comprehension.own_choices if (row := _doubted(run, comprehension, own, tried))}
    choices += doubted.values()
    sources = checked_sources(comprehension, source_hashes(run))
    return ComprehensionChecked(
        sha256=run.view.artifacts[COMPREHENSION].sha256,
        equations=len(numbered),
        accounted=sum(equation.ref in accounted for equation in numbered),
        symbols=len(comprehension.symbols),
        definitions=len(comprehension.definitions),
        choices=tuple(sorted(choices, key=lambda choice: RANK.index(choice.changes))),
        assumed=tuple(_assumed(run, row, tried) for row in comprehension.assumptions if not row.stated),
        settled=tuple(_settled(run, row) for row in comprehension.own_choices if row.id not in doubted),
        findings=tuple(comprehension_findings(comprehension, run.index, sources)),
    )


def decisions_for_readers(run: Run) -> dict[str, list[str]]:
    """By function, what the person decided about it, in the words in which they were asked and answered."""
    comprehension = contract_of(run).comprehension
    assert comprehension is not None
    answered = dict(run.view.answered_choices)
    found: dict[str, list[str]] = {}
    for row in comprehension.definitions:
        for name in row.follows:
            if name in answered:
                found.setdefault(row.function, []).append(_said(answered[name]))
    for assumed in comprehension.assumptions:
        if (other := assumed.otherwise) and (question := answered.get(other.function)):
            said = f"“{assumed.text}”, or otherwise “{other.label}”? → {question.answer_text}"
            found.setdefault(other.instead_of, []).append(said)
    return found


def _said(question: Question) -> str:
    return f"{question.asked.text} → {question.answer_text}"


def _try_alternatives(run: Run) -> list[Tried]:
    contract = contract_of(run)
    assert contract.comprehension is not None
    trials = trials_of(contract.comprehension, seed_of_inputs(run))
    if not trials:
        return []
    calls = calls_as_assumed(trials), calls_otherwise(trials)
    return tried_alternatives(trials, *(evaluate(run, contract.definitions, part) for part in calls))


def _left_open(run: Run, choice: Choice, tried: Sequence[Tried]) -> OpenChoice:
    """What options would compute is computed, and told beside what the planner says."""
    computed = {row.otherwise: _computed(row) for row in tried}
    options = []
    for option in choice.options:
        said = [computed[row] for row in option.alternatives if row in computed]
        options.append(_option(run, option.label, " ".join([option.consequence, *said])))
    return OpenChoice(
        id=choice.id,
        question=run.scrub(choice.question),
        options=tuple(options),
        default=choice.default,
        changes=choice.changes,
    )


def _computed(tried: Tried) -> str:
    name = tried.otherwise.instead_of
    if tried.differs is None:
        return f"Not computed for {name}: {tried.note}."
    return f"Computed: {_difference(tried)}." if tried.differs else f"Computed: {name} is the same at all inputs tried."


def _difference(tried: Tried) -> str:
    size = f", relatively by up to {tried.largest_difference:.2g}" if tried.largest_difference else ""
    name = tried.otherwise.instead_of
    return f"{name} differs at {tried.different} of {tried.inputs} inputs{size}, for instance at {tried.example}"


def _turned_out(run: Run, tried: Tried, text: str) -> OpenChoice:
    """An assumption on which results hang: as assumed, or otherwise."""
    other, name, seen = tried.otherwise.label, tried.otherwise.instead_of, _difference(tried)
    kept = f"as the planner assumes; {name} stays as it is defined"
    carried = f"the planner defines {name} so and carries it as the choice {tried.otherwise.function}"
    return OpenChoice(
        id=tried.otherwise.function,
        question=run.scrub(
            f"The planner assumes, and no source says: “{text[:_LONGEST_QUESTION]}”. "
            f"Otherwise: “{other[:_LONGEST_QUESTION]}”. Then {seen}."
        ),
        options=(_option(run, text, kept), _option(run, other, carried)),
        default=0,
        changes="results",
        assumed=True,
    )


def _doubted(run: Run, comprehension: Comprehension, choice: Choice, tried: Sequence[Tried]) -> OpenChoice | None:
    """A choice that the planner made itself, and with which what the definitions compute changes all the same."""
    alternatives = [row for option in choice.options for row in option.alternatives]
    differ = [row.otherwise.instead_of for row in tried if row.differs and row.otherwise in alternatives]
    seen = [f"{name} is another with another option" for name in dict.fromkeys(differ)]
    if followers := comprehension.followers(choice):
        seen.append(f"{', '.join(followers)} {'follow' if len(followers) > 1 else 'follows'} it")
    if not seen:
        return None
    left = _left_open(run, choice, tried)
    return left.model_copy(
        update={
            "question": run.scrub(
                f"The planner decided this itself, as one that changes {choice.changes} only, and results hang on it: "
                f"{'; '.join(seen)}. {choice.question[:_LONGEST_QUESTION]}"
            ),
            "default": choice.decision,
            "changes": "results",
            "assumed": True,
        }
    )


def _settled(run: Run, choice: Choice) -> Settled:
    label = choice.options[choice.decision or 0].label
    return Settled(question=run.scrub(choice.question), label=run.scrub(label), changes=choice.changes)


def _option(run: Run, label: str, consequence: str) -> Option:
    return Option(label=run.scrub(label)[:_LONGEST_LABEL], consequence=run.scrub(consequence)[:_LONGEST_CONSEQUENCE])


def _assumed(run: Run, row: Assumption, tried: Sequence[Tried]) -> Assumed:
    text = run.scrub(row.text)
    seen = next((other for other in tried if other.otherwise == row.otherwise), None)
    if seen is None:
        return Assumed(text=text, why_not=run.scrub(row.why_not or ""))
    return Assumed(
        text=text,
        function=seen.otherwise.function,
        otherwise=run.scrub(seen.otherwise.label),
        differs=seen.differs,
        inputs=seen.inputs,
        note=run.scrub(seen.note),
    )
