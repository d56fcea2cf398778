"""The call that `statsclaw setup` makes, with real agent programs behind the real barrier."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from statsclaw.engine.trial import Trial, tiny_call
from statsclaw.sandbox.choose import make_barrier
from statsclaw.ui import settings
from statsclaw.ui.setup_search import known
from tests.agents.conftest import SECRET
from tests.agents.scripted_model import Act, Fail, Say, ScriptedModel, Talk

pytestmark = pytest.mark.slow

KEYS = {
    "claude": "#ANTHROPIC_API_KEY",
    "codex:gpt-5": "#OPENAI_API_KEY",
    "gemini:scripted": "#GEMINI_API_KEY",
    "api:custom/scripted": "",
    "acp:custom/scripted@opencode acp": "",
}


def _called(backend: str, act: Act) -> tuple[Trial, ScriptedModel]:
    def script(talk: Talk) -> Iterator[Act]:
        while True:
            yield act

    table = known()
    with ScriptedModel(script) as model:
        endpoints = settings.endpoints((f"{model.url}{KEYS[backend]}",))
        barrier = make_barrier("bubblewrap")
        trial = tiny_call(backend, endpoints, barrier, table.prompt, timeout_s=table.time_limit_s, env=table.impatience)
    return trial, model


@pytest.mark.parametrize("backend", KEYS)
def test_one_word_is_asked_for_and_comes_back(agents: Path, backend: str) -> None:
    trial, model = _called(backend, Say("ready"))
    assert trial.failure == "", trial.transcript[-2000:]
    assert any("single word ready" in asked.first for asked in model.asked)
    assert trial.seconds < known().time_limit_s and SECRET not in trial.transcript
    assert trial.usage.tokens > 0 or backend.startswith("acp")


@pytest.mark.parametrize("backend", ["claude", "codex:gpt-5", "gemini:scripted"])
def test_a_key_that_is_not_accepted_is_the_reason_and_takes_no_minutes(agents: Path, backend: str) -> None:
    trial, _ = _called(backend, Fail(401, "invalid x-api-key"))
    assert trial.failure and trial.seconds < 60, trial
    assert "not accepted" in known().remedy_for(trial.failure, _candidate(backend))


def _candidate(backend: str):
    from statsclaw.intake.casting import Candidate

    return Candidate("x", backend, "", "", KEYS[backend].removeprefix("#"))
