"""Real agent programs, behind the real barrier, play every role of a full run against a scripted model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.conftest import SECRET
from tests.agents.roles import all_honest
from tests.agents.scripted_model import ScriptedModel
from tests.agents.until import KEYS
from tests.support.runs import make_target, order_for

pytestmark = pytest.mark.slow


HEADERS = {"ANTHROPIC_API_KEY": "x-api-key", "GEMINI_API_KEY": "x-goog-api-key"}


@pytest.mark.parametrize("backend", KEYS)
def test_a_real_agent_plays_every_role_of_a_full_run(agents: Path, tmp_path: Path, bench, backend):
    header = HEADERS.get(KEYS[backend], "authorization")
    with ScriptedModel(all_honest("--good", "--no-hold")) as model:
        order = order_for(make_target(tmp_path), backend=backend, endpoints=(f"{model.url}#{KEYS[backend]}",))
        view = bench.start(order)
    assert model.failures == []
    assert view.finished and view.finished.outcome in ("done", "shipped") and not view.finished.reason, view.finished
    assert {dispatch.status for dispatch in view.dispatches.values()} == {"finished"}
    assert {asked.headers[header].removeprefix("Bearer ") for asked in model.asked} == {SECRET}, (
        "the bridge adds the key"
    )
    assert view.usage.input_tokens > 10_000 and view.usage.cached_tokens > 0
    kept = b"".join(path.read_bytes() for path in (tmp_path / "workspace").rglob("*") if path.is_file())
    assert SECRET.encode() not in kept
