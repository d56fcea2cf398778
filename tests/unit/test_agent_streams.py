"""What agent programs print is understood as far as it makes sense, and nothing in it can break the engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from statsclaw.backends import acp, agent_program, api
from statsclaw.backends.agent_program import AgentProgram
from statsclaw.backends.registry import AGENTS, make_backend
from statsclaw.errors import InputRefused
from statsclaw.runlog.events import Usage
from statsclaw.sandbox.process import Completed
from statsclaw.sandbox.toolchain import places_of

NAMES = {
    "claude": "claude", "codex": "codex", "gemini": "gemini", "api": "api:openai/gpt-5",
    "acp": "acp:x/gpt-5@opencode acp",
}  # fmt: skip
ENDINGS = {
    "claude": [
        {"type": "system", "subtype": "init", "session_id": "s1"},
        {"type": "result", "subtype": "success", "is_error": False, "result": "SAID", "session_id": "s1",
         "total_cost_usd": 0.5, "usage": {"input_tokens": 80, "cache_creation_input_tokens": 20,
                                          "cache_read_input_tokens": 7, "output_tokens": 5}},
    ],
    "codex": [
        {"type": "thread.started", "thread_id": "s1"},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "SAID"}},
        {"type": "turn.completed", "usage": {"input_tokens": 107, "cached_input_tokens": 7, "output_tokens": 5}},
    ],
    "gemini": [
        {"type": "init", "session_id": "s1", "model": "nobody-knows-it"},
        {"type": "message", "role": "assistant", "content": "first thought"},
        {"type": "tool_use", "tool_name": "write_file"},
        {"type": "message", "role": "assistant", "content": "SA"},
        {"type": "message", "role": "assistant", "content": "ID"},
        {"type": "result", "status": "success", "stats": {"input_tokens": 107, "cached": 7, "output_tokens": 5}},
    ],
    "api": [{"type": "result", "said": "SAID", "input_tokens": 107, "cached_tokens": 7, "output_tokens": 5}],
    "acp": [
        {"type": "session", "session": "s1"},
        {"type": "result", "said": "SAID", "stopped": "end_turn", "input_tokens": 100, "cached_tokens": 7,
         "output_tokens": 5},
    ],
}  # fmt: skip
FAILURES = {
    "claude": {"type": "result", "subtype": "success", "is_error": True, "result": "API Error: 500"},
    "codex": {"type": "turn.failed", "error": {"message": "API Error: 500"}},
    "gemini": {"type": "result", "status": "error", "error": {"message": "API Error: 500"}},
    "api": {"type": "failed", "reason": "API Error: 500"},
    "acp": {"type": "failed", "reason": "API Error: 500"},
}
SIGNAL = '{"signal": "HOLD", "message": "Which?", "options": [{"label": "a"}, {"label": "b"}]}'


@pytest.fixture(params=sorted(AGENTS))
def kind(request, monkeypatch) -> str:
    for module in (agent_program, acp):
        monkeypatch.setattr(module.shutil, "which", lambda name: f"/opt/{name}")
    monkeypatch.setattr(api.importlib.util, "find_spec", lambda name: object())
    return request.param


def backend_of(kind: str) -> AgentProgram:
    made = make_backend(NAMES[kind], "r-1")
    assert isinstance(made, AgentProgram)
    return made


def lines(*events: object) -> bytes:
    return "".join(json.dumps(event) + "\n" for event in events).encode()


def handed_in(kind: str, output: bytes, exit_code: int = 0, ended_by: str = ""):
    return backend_of(kind)._handed_in(Completed(exit_code, output, 1.0, ended_by), 2**21)


def test_an_ending_is_understood(kind):
    found = handed_in(kind, b"a banner\n" + lines(*ENDINGS[kind]))
    assert found.failure == "" and found.session and found.signal is None
    counted = found.usage.model_copy(update={"cost_usd": 0.0})
    assert counted == Usage(input_tokens=100, cached_tokens=7, output_tokens=5)
    if kind == "claude":
        assert found.usage.cost_usd == 0.5


def test_the_last_words_may_hold_a_signal(kind):
    events = json.loads(
        json.dumps(ENDINGS[kind]).replace("SAID", json.dumps(f"I ask.\n{SIGNAL}")[1:-1]).replace('"SA"', '""')
    )
    if kind == "gemini":
        events[4]["content"] = f"I ask.\n{SIGNAL}"
    found = handed_in(kind, lines(*events))
    assert found.signal is not None and found.signal.message == "Which?" and len(found.signal.options) == 2


def test_a_failure_is_no_ending_and_is_not_sent_back(kind):
    found = handed_in(kind, lines(*ENDINGS[kind][:1], FAILURES[kind]), exit_code=1)
    assert "API Error: 500" in found.failure and not found.session


def test_an_agent_that_stops_in_the_middle_has_failed_with_its_last_line(kind):
    found = handed_in(kind, lines(*ENDINGS[kind][:-1]) + b"Segmentation fault\n", exit_code=139)
    assert "139" in found.failure and "Segmentation fault" in found.failure and not found.session
    assert "longer than 5 s" in handed_in(kind, b"", 137, "it took longer than 5 s").failure
    assert "printed nothing" in handed_in(kind, b"", 1).failure


HOSTILE = [
    b"\xff\xfe\x00\n", b"{}\n" * 1000, b"{" * 100_000, b"[[[[\n", b'{"type": ["result"]}\n',
    b'{"type": "result", "usage": 3}\n',
    b'{"type": "result", "stats": "x", "said": null}\n', b'{"type": "turn.completed", "usage": {"input_tokens": -5}}\n',
    b'{"type": "turn.completed", "usage": {"input_tokens": 1e400}}\n',
    b'{"type": "result", "usage": {"input_tokens": "many"}}\n',
    b'{"type": "item.completed"}\n', b'{"type": "item.completed", "item": null}\n', b'{"type": "session"}\n',
    b'{"type": "result", "subtype": "success", "result": {"a": 1}, "total_cost_usd": "free"}\n',
    b'{"type": "result", "total_cost_usd": NaN, "said": "x", "stopped": []}\n',
    b'{"type": "turn.failed", "error": "text"}\n',
]  # fmt: skip


@pytest.mark.parametrize("output", HOSTILE)
def test_nothing_that_is_printed_breaks_the_engine_or_counts_as_spent(kind, output):
    found = handed_in(kind, output)
    assert found.usage.tokens >= 0 and found.signal is None


def test_one_that_is_not_there_is_refused_with_the_way_to_get_it(monkeypatch):
    monkeypatch.setattr(agent_program.shutil, "which", lambda name: None)
    with pytest.raises(InputRefused) as refused:
        make_backend("claude", "r-1")
    assert "npm install" in refused.value.todo


@pytest.mark.parametrize("name", ["api:", "api:openai", "api:nobody/x", "api:/x", "acp:", "acp:'", "claudette", "gpt"])
def test_what_names_no_backend_is_refused(name):
    with pytest.raises(InputRefused):
        make_backend(name, "r-1")


def test_a_program_of_npm_is_shown_with_the_packages_beside_its_own(tmp_path: Path):
    modules = tmp_path / "project" / "node_modules"
    (modules / "agent").mkdir(parents=True)
    (modules / ".bin").mkdir()
    (modules / "agent" / "cli.js").write_text("#!/usr/bin/env no-such-interpreter\n")
    (modules / ".bin" / "agent").symlink_to("../agent/cli.js")
    shown = set(places_of(modules / ".bin" / "agent"))
    assert modules in shown
    assert not any(place in modules.parents for place in shown), "nothing else of the project"


# --- attacks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["--settings=/repo/x", "-c", "a b", "a\nb", "x;y", "$(id)", "a" * 200])
@pytest.mark.parametrize("name", ["claude", "codex", "gemini", "api"])
def test_the_name_of_a_model_is_no_option_of_the_program(monkeypatch, name, model):
    """A project chooses it in its statsclaw.toml."""
    monkeypatch.setattr(agent_program.shutil, "which", lambda name: f"/opt/{name}")
    with pytest.raises(InputRefused, match="model"):
        make_backend(f"{name}:openai/{model}" if name == "api" else f"{name}:{model}", "r-1")


@pytest.mark.parametrize(
    "model", ["claude-opus-4-8[1m]", "gpt-5", "openai/gpt-oss-120b", "qwen3:8b", "eu.model@2026-01-01"]
)
def test_names_as_makers_give_them_are_taken(monkeypatch, model):
    monkeypatch.setattr(agent_program.shutil, "which", lambda name: f"/opt/{name}")
    assert make_backend(f"claude:{model}", "r-1").name == f"claude:{model}"


SESSIONS = {"claude": ("session_id", 0), "codex": ("thread_id", 0), "acp": ("session", 0)}


@pytest.mark.parametrize("session", ["--dangerous", "a b", "", "x" * 500, "../../etc"])
def test_a_conversation_with_a_strange_name_is_not_gone_on_with(kind, session):
    """The name comes from the program's output, to which its tools may write, and goes onto a command line."""
    if kind not in SESSIONS:
        return
    events = json.loads(json.dumps(ENDINGS[kind]))
    for event in events:
        if SESSIONS[kind][0] in event:
            event[SESSIONS[kind][0]] = session
    assert handed_in(kind, lines(*events)).session == ""


def test_what_was_spent_cannot_be_talked_down_afterwards(kind):
    """A tool of the agent that writes to the program's output must not lower what a budget goes by."""
    last = json.loads(json.dumps(ENDINGS[kind][-1]))
    for key in ("usage", "stats"):
        if key in last:
            last[key] = dict.fromkeys(last[key], 0)
    last |= {name: 0 for name in ("input_tokens", "cached_tokens", "output_tokens", "total_cost_usd") if name in last}
    found = handed_in(kind, lines(*ENDINGS[kind], last))
    assert found.usage.input_tokens >= 100 and found.usage.cached_tokens >= 7 and found.usage.output_tokens >= 5
    assert found.usage.cost_usd >= (0.5 if kind == "claude" else 0.0)
