"""The planner's documents as a contract: read at hand-in, understood before the freeze, shown to people and roles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from statsclaw.engine.offers import offer
from statsclaw.engine.run import Run
from statsclaw.roles.matrix import Role
from statsclaw.runlog.events import Finding, QuestionAsked
from statsclaw.runlog.fold import specs_digest
from statsclaw.runlog.replies import Reply
from statsclaw.sandbox.handin import Raised
from statsclaw.sources.index import Index
from statsclaw.specs.blocks import Fault, Malformed, the_block
from statsclaw.specs.comprehension import Comprehension
from statsclaw.specs.contract import COMPREHENSION, INTERFACE, SPECIFICATIONS, Contract, read_contract
from statsclaw.specs.gate import comprehension_findings
from statsclaw.specs.readings.reading import signature_faults
from statsclaw.specs.render import Assembled
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


def source_hashes(run: Run) -> dict[str, str]:
    return {source.name: source.sha256 for source in run.view.head.own_sources}


def checked_sources(comprehension: Comprehension, sources: Mapping[str, str]) -> dict[str, str]:
    """The sources a comprehension must name; of the files of a folder, those that it names."""
    named = {source.name for source in comprehension.sources}
    return {name: digest for name, digest in sources.items() if "/" not in name or name in named}


# --- at hand-in ------------------------------------------------------------------------------------------------------


def leaves_choices_open(artifacts: Mapping[str, bytes]) -> bool:
    """A comprehension with choices for the person: the specifications come after the answers.

    One that comes alone and cannot be read may have some: what is wrong with it is told, and nothing is called missing.
    """
    comprehension = _comprehension(artifacts)
    if comprehension is None:
        return COMPREHENSION in artifacts and not {*SPECIFICATIONS, INTERFACE}.intersection(artifacts)
    return bool(comprehension.open_choices)


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


def contract_faults(run: Run, planned: Assembled) -> list[str]:
    """What keeps the planner's documents from being the contract of a run."""
    comprehension = _comprehension(planned.documents)
    faults = document_faults(planned, run.index, source_hashes(run))
    return faults + (_not_as_decided(run, comprehension) if comprehension else [])


def document_faults(planned: Assembled, index: Index, sources: Mapping[str, str]) -> list[str]:
    """What keeps documents from being a contract, each with the file and line that its author wrote.

    `sources`: their hashes by name.
    """
    try:
        texts = {name: data.decode("utf-8") for name, data in planned.documents.items()}
    except UnicodeDecodeError:
        return []  # said of the document itself
    faults: list[Fault] = []
    try:
        read_contract(texts)
    except Malformed as malformed:
        faults = malformed.faults[:_SHOWN]
    comprehension = _comprehension(planned.documents)
    if comprehension is None:
        return [str(planned.fault(fault)) for fault in faults]
    block = the_block(COMPREHENSION, texts[COMPREHENSION], "python", "definitions", needed=False)
    if block and not faults:
        faults = signature_faults(block, comprehension.executable)[:_SHOWN]
    found = comprehension_findings(comprehension, index, checked_sources(comprehension, sources))
    errors = [f for f in found if f.severity == "error" and f.key != "partial"]
    problems = [f"{f.where}: {f.message}" if f.where else f.message for f in errors[:_SHOWN]]
    return [*(str(planned.fault(fault)) for fault in faults), *problems]


def _not_as_decided(run: Run, comprehension: Comprehension) -> list[str]:
    """A choice that the person has made is carried, as it was made."""
    problems = []
    choices = {choice.id: choice for choice in comprehension.choices}
    assumed = {row.otherwise.function: row.text for row in comprehension.assumptions if row.otherwise is not None}
    answered = run.view.answered_choices
    asked = {name for name, _ in answered}
    for choice in comprehension.choices:
        if choice.decided_by == "person" and choice.id not in asked:
            problems.append(
                f"{COMPREHENSION}: nobody asked the person about {choice.id}; leave it open (decided_by: nobody)"
            )
    for name, question in answered:
        if question.answer is None or question.answer.choice is None:
            continue
        asked_by = question.asked.asked_by
        made, wanted = choices.get(name), question.asked.options[question.answer.choice].label
        if made is None and name in assumed:
            if run.scrub(assumed[name])[:300] != wanted:
                problems.append(
                    f"{COMPREHENSION}: the person decided {name} as {wanted!r}: it is no assumption any more; write it "
                    f"under choices (id: {name}, decided_by: person) and let the definition follow it"
                )
        elif made is None:
            problems.append(f"{COMPREHENSION}: the choice {name} that the person has made is gone")
        elif (
            made.decision is None
            or run.scrub(made.options[made.decision].label)[:300] != wanted
            or not (made.decided_by == "person" or (made.decided_by == "planner" and asked_by == "engine"))
        ):
            problems.append(f"{COMPREHENSION}: the person decided {name} as {wanted!r}; carry it (decided_by: person)")
    return problems


# --- before the freeze -----------------------------------------------------------------------------------------------


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
        options=offer(
            {
                Reply.AGREE: "frozen anew; the review shows what changed for ever",
                Reply.SEND_BACK: "the planner restores what was frozen; add words to say why",
            }
        ),
        about="planner",
        cause=specs_digest(specs),
    )


def findings_text(findings: list[Finding]) -> str:
    """What the author of a document is told of it."""
    rows = [f"- {f.message}" + (f" ({f.where})" if f.where else "") for f in findings]
    return "\n".join(rows[:40])
