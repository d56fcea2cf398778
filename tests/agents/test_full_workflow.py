"""Real agent programs, behind the real barrier, play every role of a full run against a scripted model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.agents.conftest import SECRET
from tests.agents.roles import all_honest
from tests.agents.scripted_model import ScriptedModel
from tests.support.runs import make_target, order_for

pytestmark = pytest.mark.slow


def test_claude_code_plays_every_role_of_a_full_run(agents: Path, tmp_path: Path, bench):
    with ScriptedModel(all_honest("--good", "--no-hold")) as model:
        endpoint = f"{model.url}#ANTHROPIC_API_KEY"
        order = replace(order_for(make_target(tmp_path), backend="claude"), endpoints=(endpoint,))
        view = bench.start(order)
    assert model.failures == []
    assert view.pushed or view.finished, view.missing
    assert {dispatch.status for dispatch in view.dispatches.values()} == {"finished"}
    assert all(asked.headers["x-api-key"] == SECRET for asked in model.asked), "the bridge adds the key"
    assert view.usage.input_tokens > 10_000 and view.usage.cost_usd > 0
