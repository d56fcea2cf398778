"""The verdicts of a run, made again from what is stored: answers against expectations, records against bands.

Whoever changes a figure in the log and chains it anew has changed neither the answers nor the records it came from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from statsclaw.runlog.events import CommandExecuted, Judgement, Observation
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.store import ContentStore
from statsclaw.specs.blocks import Malformed
from statsclaw.specs.contract import Contract, read_contract
from statsclaw.verify.blind.questionnaire import Misread
from statsclaw.verify.blind.result import kept, observed_again
from statsclaw.verify.criteria.judge import judge
from statsclaw.verify.criteria.study import settle
from statsclaw.verify.run_study import recorded


def judged_again(view: RunView, store: ContentStore, folder: Path) -> Iterator[str]:
    """One line for each figure or verdict of the last tree that its stored evidence does not give."""
    last = view.judged.get((view.tree_sha256, "after"))
    contract = _contract(view, store)
    if last is None or contract is None or contract.tests is None or contract.interface is None:
        return
    evidence = []
    for executed in view.evidence_for(view.tree_sha256):
        if executed.phase == "validation" and executed.name == "validation":
            try:
                again = _observed(view, folder, contract, executed)
            except Misread as misread:
                yield str(misread)
                return
            if again is not None and _figures(again) != _figures(executed.observations):
                yield "what the log says was observed is not what the stored answers give"
                executed = executed.model_copy(update={"observations": tuple(again)})
        evidence.append(executed)
    records = recorded(store, evidence, contract.study) if contract.study else None
    found = settle(judge(contract, evidence, records), _planned(view, contract))
    judged = {row.id: row for row in found}
    for row in last.judgements:
        if row.id in judged and _decided(row) != _decided(judged[row.id]):
            yield f"{row.id} is {row.verdict} in the log, and {judged[row.id].verdict} by the stored evidence"


def _contract(view: RunView, store: ContentStore) -> Contract | None:
    texts = {n: store.get_text(a.sha256) for n, a in view.artifacts.items() if a.producer == "planner"}
    try:
        contract = read_contract(texts)
    except Malformed:
        return None
    wanted = view.replications
    if contract.study is None or wanted is None or wanted >= contract.study.replications:
        return contract
    return replace(contract, study=contract.study.model_copy(update={"replications": wanted, "cap": wanted}))


def _planned(view: RunView, contract: Contract) -> int | None:
    """How many replications were planned, where the person wanted fewer: the judgements say it themselves."""
    last = view.judged[view.tree_sha256, "after"].judgements
    return next((row.planned for row in last if row.planned is not None), None)


def _observed(view: RunView, folder: Path, contract: Contract, executed: CommandExecuted) -> list[Observation] | None:
    rows = view.evidence_for(view.tree_sha256)
    digest = next((row.kept_sha256 for row in rows if row.name == "ask"), None)
    questions, answers = kept(folder, digest), kept(folder, executed.kept_sha256)
    if questions is None or answers is None:
        return None
    assert contract.tests is not None and contract.interface is not None
    return observed_again(contract.tests, contract.interface, view.profile or "", questions, answers)


def _figures(rows: Sequence[Observation]) -> list[tuple[object, ...]]:
    return [
        (row.criterion, row.test, row.rule, row.observed, row.expected, row.size, row.held, row.error_class)
        for row in rows
    ]


def _decided(row: Judgement) -> tuple[object, ...]:
    return row.verdict, row.literal, row.observed, row.margin, row.mcse
