"""How a dispatch of a real agent can end, and that each way has its outcome: never a hang, nothing lost."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from statsclaw.runlog.fold import RunView
from statsclaw.runlog.log import read_view
from statsclaw.sandbox.limits import Limits
from tests.agents.conftest import SECRET
from tests.agents.roles import honest_files
from tests.agents.scripted_model import Act, Break, Fail, Say, ScriptedModel, Shell, Stall, Talk, Write
from tests.agents.until import KEYS, PROGRAMS, Ended, Enough, first_dispatch_only
from tests.support.runs import Bench, make_target, order_for

pytestmark = pytest.mark.slow

HONEST = ("--good", "--no-hold")


@pytest.fixture
def ended(agents: Path, bench: Bench, tmp_path: Path) -> Callable[..., tuple[Ended, RunView, ScriptedModel]]:
    """Runs a script as the planner and gives the event its dispatch ended with."""

    def play(script: Callable[[Talk], Iterator[Act]], backend: str = "claude", **changes: object):
        with ScriptedModel(script) as model:
            endpoint = f"{model.url}#{KEYS[backend]}"
            order = order_for(make_target(tmp_path), backend=backend, endpoints=(endpoint,), run_id="a-1", **changes)
            with pytest.raises(Enough):
                bench.start(order, observers=(first_dispatch_only,))
        assert model.failures == []
        view = read_view(bench.workspace.find("a-1").path)
        return next(iter(view.dispatches.values())), view, model

    return play


def planner(*left_out: str) -> Callable[[Talk], Iterator[Act]]:
    def script(talk: Talk) -> Iterator[Act]:
        for path, text in honest_files("planner", talk.now.first, *HONEST).items():
            if path not in left_out:
                yield Write(path, text)
        yield Say("done")

    return script


@pytest.mark.parametrize("backend", PROGRAMS)
def test_what_is_missing_is_asked_for_in_the_same_conversation(ended, backend):
    def script(talk: Talk) -> Iterator[Act]:
        yield from planner("/out/interface.md")(talk)
        assert "interface.md is missing" in talk.now.last, talk.now.last
        yield Write("/out/interface.md", honest_files("planner", talk.now.first, *HONEST)["/out/interface.md"])
        yield Say("Now it is there.")

    dispatch, _, _ = ended(script, backend)
    assert dispatch.status == "finished", dispatch.reason
    assert "interface.md is missing" in dispatch.finished.note
    assert dispatch.usage.input_tokens > 0


def test_after_two_complaints_the_attempt_has_failed_and_all_it_spent_is_counted(ended):
    def script(talk: Talk) -> Iterator[Act]:
        while True:
            yield Say("Done, I think.")

    dispatch, _, model = ended(script)
    assert dispatch.status == "failed" and "comprehension.md is missing" in dispatch.reason
    assert len(model.asked) == 3, "once, and twice more"
    assert dispatch.usage.input_tokens >= sum(asked.size // 8 for asked in model.asked) * 0.9


def test_a_signal_with_options_becomes_a_question_to_the_person(ended):
    options = [{"label": "n"}, {"label": "n - 1"}]
    ending = json.dumps({"signal": "HOLD", "message": "Which variance?", "options": options, "default": None})

    def script(talk: Talk) -> Iterator[Act]:
        yield Shell("cat /in/request.md")
        yield Say(f"I cannot decide this.\n{ending}")

    dispatch, _, _ = ended(script)
    assert dispatch.status == "signalled", dispatch.status


@pytest.mark.parametrize("backend", PROGRAMS)
def test_an_answer_that_breaks_off_and_a_server_in_trouble_are_tried_again_by_the_program(ended, backend):
    def script(talk: Talk) -> Iterator[Act]:
        yield Shell("true")
        yield Fail(503 if backend.startswith("gemini") else 500)
        if not backend.startswith("gemini"):
            yield Break()
        yield from planner()(talk)

    dispatch, _, _ = ended(script, backend)
    assert dispatch.status == "finished", dispatch.reason


TOO_LONG = Fail(400, "prompt is too long: 250000 tokens > 200000 maximum")


@pytest.mark.parametrize(
    ("backend", "act", "said"),
    [
        ("claude", TOO_LONG, "too long"),
        ("api:anthropic/scripted", TOO_LONG, "too long"),
    ],
)
def test_what_trying_again_does_not_mend_ends_the_attempt_with_its_reason(ended, backend, act, said):
    def script(talk: Talk) -> Iterator[Act]:
        while True:
            yield act

    dispatch, _, _ = ended(script, backend)
    assert dispatch.status == "failed" and said in dispatch.reason.lower(), dispatch.reason


def test_a_model_that_never_answers_is_ended_by_the_limit_of_time(ended, bench, monkeypatch):
    def script(talk: Talk) -> Iterator[Act]:
        yield Stall(60)

    monkeypatch.setattr(bench, "limits", Limits(timeout_s=5))
    dispatch, _, _ = ended(script)
    assert dispatch.status == "failed" and "longer than 5 s" in dispatch.reason


@pytest.mark.parametrize("backend", PROGRAMS)
def test_the_agent_finds_no_key_no_other_room_and_no_way_out(ended, backend, tmp_path):
    """It tries, with its own tools, what a curious or a hostile model would try."""
    tries = (
        "env; cat /proc/self/environ | tr '\\0' '\\n'",
        f"ls {tmp_path} {Path.home()} 2>&1; find / -name 'test-spec.md' -not -path '/proc/*' 2>/dev/null",
        "python3 -c 'import urllib.request as u; print(u.urlopen(\"http://example.com\", timeout=5).status)' 2>&1",
    )
    seen: list[str] = []

    def script(talk: Talk) -> Iterator[Act]:
        for one in tries:
            yield Shell(one)
            seen.append(talk.last)
        yield from planner()(talk)

    dispatch, _, _ = ended(script, backend)
    told = "\n".join(seen)
    assert dispatch.status == "finished", dispatch.reason
    assert SECRET not in told and "statsclaw-placeholder" in told, told[:2000]
    assert "workspace" not in seen[1] and "test-spec.md" not in seen[1], seen[1]
    assert "200" not in seen[2] and "rror" in seen[2], seen[2]


def test_a_subscription_is_used_and_its_login_is_never_inside(ended, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv("CLAUDE_CODE_OAUTH_TOKEN", SECRET)
    monkeypatch.setitem(KEYS, "claude", "CLAUDE_CODE_OAUTH_TOKEN")
    seen: list[str] = []

    def script(talk: Talk) -> Iterator[Act]:
        yield Shell("env; find / -name .credentials.json -not -path '/proc/*' 2>/dev/null")
        seen.append(talk.last)
        yield from planner()(talk)

    dispatch, _, model = ended(script)
    assert dispatch.status == "finished", dispatch.reason
    assert {asked.headers["authorization"] for asked in model.asked} == {f"Bearer {SECRET}"}
    assert SECRET not in seen[0] and ".credentials" not in seen[0]
