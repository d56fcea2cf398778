"""Real agent programs, behind the real barrier, play every role of a full run against a scripted model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.conftest import SECRET
from tests.agents.roles import all_honest
from tests.agents.scripted_model import ScriptedModel
from tests.support.runs import make_target, order_for

pytestmark = pytest.mark.slow


PROGRAMS = {
    "claude": ("ANTHROPIC_API_KEY", "x-api-key", SECRET),
    "codex:gpt-5": ("OPENAI_API_KEY", "authorization", f"Bearer {SECRET}"),
    "gemini:scripted": ("GEMINI_API_KEY", "x-goog-api-key", SECRET),
    "acp:custom/scripted@opencode acp": ("MY_OWN_KEY", "authorization", f"Bearer {SECRET}"),
    "api:anthropic/scripted": ("ANTHROPIC_API_KEY", "x-api-key", SECRET),
    "api:openai/scripted": ("OPENAI_API_KEY", "authorization", f"Bearer {SECRET}"),
    "api:google/scripted": ("GEMINI_API_KEY", "x-goog-api-key", SECRET),
    "api:custom/scripted": ("MY_OWN_KEY", "authorization", f"Bearer {SECRET}"),
}


@pytest.mark.parametrize("backend", PROGRAMS)
def test_a_real_agent_plays_every_role_of_a_full_run(agents: Path, tmp_path: Path, bench, backend):
    variable, header, sent = PROGRAMS[backend]
    with ScriptedModel(all_honest("--good", "--no-hold")) as model:
        order = order_for(make_target(tmp_path), backend=backend, endpoints=(f"{model.url}#{variable}",))
        view = bench.start(order)
    assert model.failures == []
    assert view.finished and view.finished.outcome in ("done", "shipped") and not view.finished.reason, view.finished
    assert {dispatch.status for dispatch in view.dispatches.values()} == {"finished"}
    assert {asked.headers[header] for asked in model.asked} == {sent}, "the bridge adds the key"
    assert view.usage.input_tokens > 10_000 and view.usage.cached_tokens > 0
    kept = b"".join(path.read_bytes() for path in (tmp_path / "workspace").rglob("*") if path.is_file())
    assert SECRET.encode() not in kept
