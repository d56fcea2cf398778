"""Rendering a role's prompt: Markdown templates in which a missing variable is an error."""

from __future__ import annotations

from collections.abc import Sequence

from statsclaw.artifacts.catalogue import owed_by
from statsclaw.profiles.profile import Profile
from statsclaw.roles.matrix import MATRIX, Role
from statsclaw.runlog.fold import Question
from statsclaw.sandbox.limits import MIB, Limits
from statsclaw.states import Signal
from statsclaw.templates import render

_PROMPTS = "statsclaw.roles.prompts"

_ASK = {
    Signal.HOLD: 'raise HOLD: end with `{"signal": "HOLD", "message": "…", "options": [{"label": "…", '
    '"consequence": "…"}], "default": null}`. Ask about the subject matter only, with options and consequences.',
    Signal.BLOCK: 'raise BLOCK: end with `{"signal": "BLOCK", "message": "…", "route_to": "planner"}`.',
    Signal.STOP: 'raise STOP: end with `{"signal": "STOP", "message": "…", "route_to": "builder"}`, naming the role '
    "that has to act.",
}


def render_prompt(
    role: Role,
    *,
    roles: Sequence[Role],
    profile: Profile,
    attempt: int,
    directive: str,
    inputs: Sequence[str],
    answers: Sequence[Question] = (),
    feedback: str = "",
    kept: bool = False,
    limits: Limits | None = None,
    earlier: bool = False,
) -> str:
    """Everything `role` is told, the documents in its inbox aside."""
    access = MATRIX[role]
    duty = render(
        _PROMPTS,
        f"{role}.md",
        has_planner=Role.PLANNER in roles,
        study_entry=" or ".join(profile.study_entries()),
        study_trials=[
            f"{'Rscript ../in/ask/ask_main.R' if entry.endswith('.R') else 'python ../in/ask/ask_main.py'} try {entry}"
            for entry in profile.study_entries()
        ],
        language=profile.id,
        checks=", ".join(dict.fromkeys(command.name for command in (*profile.build, *profile.checks))),
    )
    return render(
        _PROMPTS,
        "_frame.md",
        role=role,
        duty=duty.strip(),
        attempt=attempt,
        surface=_surface(role, profile),
        file_mib=(limits or Limits()).file_bytes // MIB,
        inputs=", ".join(f"`{name}`" for name in inputs) or "nothing",
        how_to_ask=" Or ".join(_ASK[signal] for signal in Signal if signal in access.may_raise),
        owed=owed_by(role, roles),
        profile=profile,
        conventions=getattr(profile.conventions, role, ()),
        task=directive.strip(),
        answers=[{"asked": q.asked.text, "answer": q.answer_text} for q in answers],
        feedback=feedback.strip(),
        kept=kept,
        earlier=earlier,
    )


def _surface(role: Role, profile: Profile) -> str:
    writes = MATRIX[role].writes
    globs = [glob for rule in profile.paths if rule.cls in writes for glob in rule.globs]
    return ", ".join(f"`{glob}`" for glob in globs) or "nothing in the repository"


def count_tokens(text: str) -> int:
    """An estimate on the high side: 3.6 bytes a token, where GPT-2's vocabulary needs one per 3.8 of these prompts."""
    return -(-len(text.encode("utf-8")) * 10 // 36)
