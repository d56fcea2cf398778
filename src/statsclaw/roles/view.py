"""The view of a role: the documents in its inbox and the part of the repository it sees."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from statsclaw.artifacts.catalogue import ENGINE
from statsclaw.artifacts.check import sections_of
from statsclaw.artifacts.mark import unmarked
from statsclaw.profiles.profile import PathClass, Profile
from statsclaw.roles.matrix import EVERYTHING, MATRIX, Role
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.status import render_status
from statsclaw.runlog.store import ContentStore, sha256
from statsclaw.specs.blocks import Malformed
from statsclaw.specs.contract import read_contract
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.rooms import asking_kit

CRITERIA = "Acceptance criteria"


@dataclass(frozen=True)
class View:
    role: Role
    attempt: int
    documents: dict[str, bytes]
    directive: str
    feedback: str
    identity: str

    def sees(self, path: str, profile: Profile) -> bool:
        return profile.classify(path) in MATRIX[self.role].sees

    def may_write(self, path: str, profile: Profile) -> bool:
        """Within the surface, and not a file where another role has its folder."""
        below = profile.classify(f"{path}/x")
        blocks = below in (PathClass.VALIDATION, PathClass.SIMULATION) and below not in MATRIX[self.role].writes
        return profile.classify(path) in MATRIX[self.role].writes and not blocks

    def digest(self, repository: str) -> str:
        """Names everything that decides what the role does; `repository` is the digest of its slice."""
        return sha256(f"{self.identity}\0{repository}".encode())


def view_of(role: Role, run: RunView, roles: Sequence[Role], store: ContentStore) -> View:
    """What `role` is given now. A pure function of the log and the store."""
    access = MATRIX[role]
    full = access.full_request or (role is Role.TESTER and Role.PLANNER not in roles)
    directive = run.head.directive if full else without_criteria(run.head.directive)
    documents: dict[str, bytes] = {}
    key: dict[str, str] = {}
    for name, artifact in sorted(run.artifacts.items()):
        if name == "request.md" or access.artifacts == EVERYTHING or name in access.artifacts:
            text = original = store.get(artifact.sha256)
            if name == "request.md" and directive != run.head.directive:
                text = _drop_section(text.decode("utf-8"), directive, run.head.directive).encode()
            documents[name] = text
            if artifact.producer != ENGINE:
                key[name] = sha256(unmarked(original))
    if access.artifacts == EVERYTHING:
        documents["status.md"] = render_status(run, run.head.run_id).encode("utf-8", "replace")
    if access.sources:
        for source in run.head.sources:
            documents[f"sources/{source.name}"] = store.get(source.sha256)
            if source.derived_from is None:
                key[f"sources/{source.name}"] = source.sha256
    if role in (Role.TESTER, Role.SIMULATOR) and Role.PLANNER in roles:
        documents |= _asking_kit(role, run, store)
    answers = [(q.asked.text, q.answer_text) for q in run.answers_for(role)]
    attempt, order = run.attempt_number(role), run.work_order(role)
    about = order.about if order else ()
    identity = json.dumps([role, attempt, directive, sorted(key.items()), answers, about])
    return View(role, attempt, documents, directive, order.text if order else "", identity)


def _asking_kit(role: Role, run: RunView, store: ContentStore) -> dict[str, bytes]:
    """What to write with: the language of questions, its reference, and a way to try what was written."""
    texts = {n: store.get_text(a.sha256) for n, a in run.artifacts.items() if a.producer == Role.PLANNER}
    try:
        contract = read_contract(texts)
    except Malformed:
        return {}
    made: dict[str, str] = {}
    if role is Role.TESTER and contract.tests is not None:
        named = contract.tests.elements()
        forms = Forms(contract.interface, run.profile or "python", named) if contract.interface else None
        made = asking_kit(contract.tests, contract.definitions, forms=forms)
    elif role is Role.SIMULATOR and contract.study is not None:
        made = asking_kit(None, "", contract.study)
    return {f"ask/{name}": text.encode() for name, text in made.items()}


def without_criteria(directive: str) -> str:
    """The directive up to the line that starts its acceptance criteria: those belong to test and simulation."""
    kept: list[str] = []
    for line in directive.splitlines():
        if line.strip().strip("#*: ").lower() in ("acceptance criteria", "criteria"):
            break
        kept.append(line)
    return "\n".join(kept).strip()


def criteria_in(directive: str) -> str:
    return directive.strip()[len(without_criteria(directive)) :].strip().partition("\n")[2].strip()


def _drop_section(request: str, directive: str, whole: str) -> str:
    text = request.replace(whole, directive)
    for title, body in sections_of(text):
        if title == CRITERIA and body.strip():
            text = text.replace(body, "\n(not part of this role's view)\n", 1)
    return text
