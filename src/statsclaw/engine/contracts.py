"""The planner's documents as a contract: read at hand-in, linted before the freeze, shown to people and roles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from statsclaw.engine.run import Run
from statsclaw.roles.matrix import Role
from statsclaw.runlog.events import ComprehensionChecked, ContractChecked, Finding, OpenChoice, Option, QuestionAsked
from statsclaw.runlog.fold import specs_digest
from statsclaw.sandbox.handin import Raised
from statsclaw.specs.blocks import Malformed, the_block
from statsclaw.specs.comprehension import Comprehension
from statsclaw.specs.contract import COMPREHENSION, Contract, read_contract
from statsclaw.specs.gate import comprehension_findings
from statsclaw.specs.lint import lint
from statsclaw.specs.lint.conflict import pilot_finding
from statsclaw.specs.readings.equation_names import Named
from statsclaw.specs.readings.reading import signature_faults
from statsclaw.states import Signal

_SHOWN = 12


def texts_of(run: Run) -> dict[str, str]:
    """Every document of the planner that the run holds."""
    found = {n: a for n, a in run.view.artifacts.items() if a.producer == Role.PLANNER}
    return {name: run.store.get_text(artifact.sha256) for name, artifact in found.items()}


def contract_of(run: Run) -> Contract:
    """The contract as it stands. It was whole when it was taken, so it is whole now."""
    return _read(tuple(sorted(texts_of(run).items())))


@lru_cache(maxsize=8)
def _read(texts: tuple[tuple[str, str], ...]) -> Contract:
    return read_contract(dict(texts))


def source_hashes(run: Run, comprehension: Comprehension) -> dict[str, str]:
    """The sources a comprehension must name; of the files of a folder, those that it names."""
    named = {source.name for source in comprehension.sources}
    return {s.name: s.sha256 for s in run.view.head.own_sources if "/" not in s.name or s.name in named}


# --- at hand-in ------------------------------------------------------------------------------------------------------


def leaves_choices_open(artifacts: Mapping[str, bytes]) -> bool:
    """A comprehension with choices for the person: the specifications come after the answers."""
    comprehension = _comprehension(artifacts)
    return comprehension is not None and bool(comprehension.open_choices)


def partial_understanding(artifacts: Mapping[str, bytes]) -> Raised | None:
    """Partial understanding is a HOLD with the planner's questions, whatever else was handed in."""
    comprehension = _comprehension(artifacts)
    if comprehension is None or comprehension.verdict != "partial":
        return None
    questions = "\n".join(f"{n}. {q}" for n, q in enumerate(comprehension.questions, start=1))
    return Raised(signal=Signal.HOLD, message=f"The sources are understood in part only.\n{questions}"[:4000])


def _comprehension(artifacts: Mapping[str, bytes]) -> Comprehension | None:
    try:
        texts = {COMPREHENSION: artifacts[COMPREHENSION].decode("utf-8")}
        return read_contract(texts).comprehension
    except (KeyError, UnicodeDecodeError, Malformed):
        return None


def contract_faults(run: Run, artifacts: Mapping[str, bytes]) -> list[str]:
    """What keeps the planner's documents from being a contract, each with file and line."""
    try:
        contract = read_contract({name: data.decode("utf-8") for name, data in artifacts.items()})
    except UnicodeDecodeError:
        return []  # said of the document itself
    except Malformed as malformed:
        return [str(fault) for fault in malformed.faults[:_SHOWN]]
    if contract.comprehension is None:
        return []
    found = comprehension_findings(contract.comprehension, run.index, source_hashes(run, contract.comprehension))
    errors = [f for f in found if f.severity == "error" and f.key != "partial"]
    if block := the_block(
        COMPREHENSION, artifacts[COMPREHENSION].decode("utf-8"), "python", "definitions", needed=False
    ):
        faults = signature_faults(block, contract.comprehension.definitions)
        if faults:
            return [str(fault) for fault in faults[:_SHOWN]]
    problems = [f"{f.where}: {f.message}" if f.where else f.message for f in errors[:_SHOWN]]
    return problems + _not_as_decided(run, contract.comprehension)


def _not_as_decided(run: Run, comprehension: Comprehension) -> list[str]:
    """A choice that the person has made is carried, as it was made."""
    problems = []
    choices = {choice.id: choice for choice in comprehension.choices}
    answered = [q for q in run.view.questions.values() if q.asked.topic == "choice" and q.answer is not None]
    asked = {question.asked.cause.rpartition("/")[2] for question in answered}
    for choice in comprehension.choices:
        if choice.decided_by == "person" and choice.id not in asked:
            problems.append(
                f"{COMPREHENSION}: nobody asked the person about {choice.id}; leave it open (decided_by: nobody)"
            )
    for question in answered:
        if question.answer is None or question.answer.choice is None:
            continue
        name = question.asked.cause.rpartition("/")[2]
        made, wanted = choices.get(name), question.asked.options[question.answer.choice].label
        if made is None:
            problems.append(f"{COMPREHENSION}: the choice {name} that the person has made is gone")
        elif (
            made.decision is None
            or run.scrub(made.options[made.decision].label)[:300] != wanted
            or made.decided_by != "person"
        ):
            problems.append(f"{COMPREHENSION}: the person decided {name} as {wanted!r}; carry it (decided_by: person)")
    return problems


# --- before the freeze -----------------------------------------------------------------------------------------------


def understand(run: Run) -> ComprehensionChecked:
    comprehension = contract_of(run).comprehension
    assert comprehension is not None
    numbered = [equation for equation in run.index.equations if equation.numbered]
    named = Named(run.index)
    accounted = {found.ref for row in comprehension.equations if (found := named.get(row.ref)) is not None}
    return ComprehensionChecked(
        sha256=run.view.artifacts[COMPREHENSION].sha256,
        equations=len(numbered),
        accounted=sum(equation.ref in accounted for equation in numbered),
        symbols=len(comprehension.symbols),
        definitions=len(comprehension.definitions),
        choices=tuple(
            OpenChoice(
                id=choice.id,
                question=run.scrub(choice.question),
                options=tuple(
                    Option(label=run.scrub(o.label)[:300], consequence=run.scrub(o.consequence)[:1500])
                    for o in choice.options
                ),
                default=choice.default,
                changes=choice.changes,
            )
            for choice in comprehension.open_choices
        ),
        findings=tuple(comprehension_findings(comprehension, run.index, source_hashes(run, comprehension))),
    )


def lint_contract(
    run: Run,
    pilots: Mapping[str, list[float]],
    missing: Sequence[Finding] = (),
    computed: Mapping[str, float] | None = None,
) -> ContractChecked:
    """`pilots`: draws of a criterion's quantity under the specification as it stands; `missing`: those that failed.

    `computed`: the largest value of each equation on drawn inputs.
    """
    contract, texts = contract_of(run), texts_of(run)
    profile = run.profile
    checks = [command.name for command in (*profile.build, *profile.checks, *profile.unit_tests)]
    found = [*lint(contract, texts, run.index, checks=checks, computed=computed), *missing]
    for name, (low, high) in bounds_of(contract).items():
        if name in pilots and (finding := pilot_finding(name, low, high, pilots[name])):
            found.append(finding)
    specs = {n: a.sha256 for n, a in run.view.artifacts.items() if a.producer == Role.PLANNER}
    return ContractChecked(specs=specs, findings=tuple(f.keyed() for f in found))


def bounds_of(contract: Contract) -> dict[str, tuple[float | None, float | None]]:
    tested = {row.id: (row.low, row.high) for row in contract.tests.criteria} if contract.tests else {}
    studied = {row.id: (row.low, row.high) for row in contract.study.criteria} if contract.study else {}
    return tested | studied


def changes_since_freeze(run: Run) -> list[str]:
    """What of scenarios, criteria and study is not as it was frozen, in words."""
    old = read_contract({name: run.store.get_text(digest) for name, digest in run.view.frozen.items()})
    return list(_changed(_judged_parts(old), _judged_parts(contract_of(run))))


def _judged_parts(contract: Contract) -> dict[str, dict[str, object]]:
    rows: dict[str, dict[str, object]] = {}
    if contract.tests is not None:
        rows |= {f"scenario {row.id}": row.model_dump() for row in contract.tests.scenarios}
        rows |= {f"criterion {row.id}": row.model_dump() for row in contract.tests.criteria}
    if contract.study is not None:
        rows |= {f"criterion {row.id}": row.model_dump() for row in contract.study.criteria}
        rows["study"] = contract.study.model_dump(exclude={"criteria"})
    return rows


def _changed(old: dict[str, dict[str, object]], new: dict[str, dict[str, object]]) -> Iterator[str]:
    yield from (f"{name} is gone" for name in old if name not in new)
    yield from (f"{name} is new" for name in new if name not in old)
    for name in old.keys() & new.keys():
        for key, value in old[name].items():
            if new[name].get(key) != value:
                yield f"{name}: {key} was {value!r}, is {new[name].get(key)!r}"[:300]


def refreeze_question(run: Run) -> QuestionAsked:
    """After the freeze nobody but a person changes what is judged; the planner may ask."""
    specs = {n: a.sha256 for n, a in run.view.artifacts.items() if a.producer == "planner"}
    changes = changes_since_freeze(run)
    text = "The planner wants to judge by other criteria than those that were frozen:\n"
    text += "\n".join(f"- {change}" for change in changes[:30])
    return QuestionAsked(
        question=f"q{len(run.view.questions) + 1}",
        topic="refreeze",
        asked_by="planner",
        text=run.scrub(text)[:4000],
        options=(
            Option(label="agree", consequence="frozen anew; the review shows what changed for ever"),
            Option(label="send back", consequence="the planner restores what was frozen; add words to say why"),
        ),
        about="planner",
        cause=specs_digest(specs),
    )


def findings_text(findings: list[Finding]) -> str:
    """What the author of a document is told of it."""
    rows = [f"- {f.message}" + (f" ({f.where})" if f.where else "") for f in findings]
    return "\n".join(rows[:40])
