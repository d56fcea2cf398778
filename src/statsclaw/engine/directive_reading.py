"""A directive that the router is not sure of, put to a model once: an empty room behind the barrier, one word back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from statsclaw.backends.registry import AGENTS
from statsclaw.engine.trial import tiny_call
from statsclaw.intake.workflow import all_workflows
from statsclaw.roles.matrix import Role
from statsclaw.runlog.events import ModelReading
from statsclaw.sandbox.barrier import Barrier
from statsclaw.sandbox.endpoints import Endpoint
from statsclaw.templates import render

_TIMEOUT_S = 120.0
_UNCLEAR = "unclear"
#: More of a directive says no more about what kind of work it is.
_MOST_SHOWN = 4000
_LONGEST_REASON = 300


def model_for(backends: Mapping[str, str]) -> str | None:
    """The agent that is asked: the planner's. A person, a recording and somebody's own program are not."""
    name = backends.get(Role.PLANNER) or backends.get("*") or ""
    return name if name.partition(":")[0] in AGENTS else None


def ask_model(directive: str, backend: str, endpoints: Sequence[Endpoint], barrier: Barrier) -> ModelReading:
    """What it says. Anything but the name of one workflow is as good as `unclear`."""
    rows = [row for row in all_workflows().values() if not row.repeats and row.purpose]
    prompt = render("statsclaw.engine", "which_workflow.md", workflows=rows, directive=directive[:_MOST_SHOWN])
    trial = tiny_call(backend, endpoints, barrier, prompt, timeout_s=_TIMEOUT_S)
    names = {row.id for row in rows}
    said = set(re.findall(r"[a-z]+(?:-[a-z]+)*", trial.said.lower())) & {*names, _UNCLEAR}
    return ModelReading(
        backend=backend.partition(":")[0],
        workflow=said.pop() if len(said) == 1 and not said & {_UNCLEAR} else None,
        usage=trial.usage,
        failure=trial.failure.removeprefix("the agent failed: ")[:_LONGEST_REASON],
    )
