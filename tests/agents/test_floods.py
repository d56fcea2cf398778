"""Too much, too odd, or a plain no: whatever a real program or its model does, the attempt ends with words for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from statsclaw.runlog.fold import DispatchView
from statsclaw.runlog.log import read_view
from statsclaw.sandbox.limits import MIB, Limits
from tests.agents.roles import honest_files
from tests.agents.scripted_model import Act, Fail, Refuse, Say, ScriptedModel, Shell, Talk, Use, written_by_shell
from tests.agents.scripted_model.asked import SHELLS
from tests.agents.until import KEYS, PROGRAMS, Enough, first_dispatch_only
from tests.support.patience import within
from tests.support.runs import Bench, make_target, order_for

pytestmark = pytest.mark.slow

OPENCODE = "acp:custom/scripted@opencode acp"
Script = Callable[[Talk], Iterator[Act]]


@pytest.fixture
def ended(agents: Path, bench: Bench, tmp_path: Path) -> Iterator[Callable[..., tuple[DispatchView, ScriptedModel]]]:
    """Plays a script as the planner of a run, for two minutes at most."""

    def play(script: Script, backend: str = "claude") -> tuple[DispatchView, ScriptedModel]:
        with ScriptedModel(script) as model:
            endpoint = f"{model.url}#{KEYS[backend]}"
            order = order_for(make_target(tmp_path), backend=backend, endpoints=(endpoint,), run_id="a-1")
            with pytest.raises(Enough):
                bench.start(order, observers=(first_dispatch_only,))
        assert model.failures == []
        (dispatch,) = read_view(bench.workspace.find("a-1").path).dispatches.values()
        return dispatch, model

    bench.limits = Limits(timeout_s=110)
    with within(120):
        yield play


def honestly(talk: Talk, last: str = "Done.") -> Iterator[Act]:
    for path, text in honest_files("planner", talk.now.first, "--good", "--no-hold").items():
        yield written_by_shell(path, text)
    yield Say(last)


def after(command: str) -> Script:
    """Everything is handed in as it should be, then the command, then the end; and no mending."""

    def script(talk: Talk) -> Iterator[Act]:
        *written, _ = honestly(talk)
        yield from written
        yield Shell(command)
        while True:
            yield Say("Done.")

    return script


@pytest.mark.parametrize(("backend", "size"), [("claude", 200), ("codex:gpt-5", 200), ("gemini:scripted", 4)])
def test_a_tool_that_prints_without_end_costs_the_agent_nothing_but_the_answer(ended, bench, backend, size):
    """Gemini CLI draws every line on a terminal of its own: 200 MB take it more than two minutes."""
    seen: list[str] = []

    def script(talk: Talk) -> Iterator[Act]:
        yield Shell(f"yes 'a line of a flood that does not stop' | head -c {size}000000")
        seen.append(talk.last)
        yield from honestly(talk)

    dispatch, model = ended(script, backend)
    assert dispatch.status == "finished", dispatch.reason
    assert len(seen[0]) < MIB and max(asked.size for asked in model.asked) < 2 * MIB
    kept = sum(path.stat().st_size for path in bench.workspace.find("a-1").store.rglob("*") if path.is_file())
    assert kept < 10 * MIB


def test_a_long_last_word_is_heard(ended):
    dispatch, _ = ended(lambda talk: honestly(talk, "All is well, at length. \n" * 20_000))
    assert dispatch.status == "finished", dispatch.reason
    assert dispatch.usage.tokens > 0


def test_a_last_word_of_megabytes_is_no_reason_to_lose_the_work(ended):
    dispatch, _ = ended(lambda talk: honestly(talk, "All is well, at length. \n" * 160_000))
    assert dispatch.status == "finished", dispatch.reason


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("cd /out; for i in $(seq 6000); do : > f$i; done", "more than 5000 files were left behind"),
        ("mkdir /out/a; : > /out/a/f1", "a/f1: not an artifact of this role"),
        ("truncate -s 1G /out/notes.md", "notes.md: not an artifact of this role"),
        ("truncate -s 1G /out/spec.md", "spec.md: larger than 2097152 bytes"),
        ("truncate -s 1G /repo/big.bin", "big.bin: larger than 8388608 bytes"),
    ],
)
def test_what_is_too_much_is_not_taken_and_said(ended, command, said):
    dispatch, model = ended(after(command))
    assert dispatch.status == "failed" and said in dispatch.reason, dispatch.reason
    assert sum(said in asked.last for asked in model.asked) == 2, "and it was asked twice to mend it"


def test_processes_that_would_outlive_the_agent_end_with_it(ended):
    dispatch, _ = ended(
        after("for i in 1 2 3; do setsid nohup sleep 271828 >/dev/null 2>&1 & done; sleep 1; pgrep -c sleep")
    )
    assert dispatch.status == "finished", dispatch.reason
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [line for line in running if b"271828" in line]


@pytest.mark.parametrize("backend", [*PROGRAMS, OPENCODE, "api:anthropic/scripted", "api:custom/scripted"])
def test_calls_that_make_no_sense_are_answered_and_the_work_goes_on(ended, backend):
    answers: list[str] = []

    def script(talk: Talk) -> Iterator[Act]:
        shell = next(name for name in SHELLS if name in talk.now.tools)
        for call in (Use("no_such_tool", {"x": 1}), Use(shell, {"nonsense": [1, {"deep": None}]}), Use(shell, {})):
            yield call
            answers.append(talk.last)
        yield from honestly(talk)

    dispatch, _ = ended(script, backend)
    assert dispatch.status == "finished", dispatch.reason
    assert all(answers) and len(set(answers)) > 1, "each was told what was wrong"


@pytest.mark.parametrize(
    ("backend", "said"),
    [
        ("claude", "unable to respond to this request"),
        ("codex:gpt-5", "it may have refused"),
        ("gemini:scripted", "blocked due to safety settings"),
        ("api:anthropic/scripted", "refused: i will not do this"),
        ("api:openai/scripted", "refusal: 'i will not do this"),
        ("api:google/scripted", "'safety'"),
        ("api:custom/scripted", "refusal: 'i will not do this"),
    ],
)
def test_a_model_that_refuses_ends_the_attempt_and_the_reason_says_so(ended, backend, said):
    def script(talk: Talk) -> Iterator[Act]:
        while True:
            yield Refuse("I will not do this, it is unsafe.")

    dispatch, _ = ended(script, backend)
    assert dispatch.status == "failed" and said in dispatch.reason.lower(), dispatch.reason
    assert "\n" not in dispatch.reason


TOO_LONG = {
    "claude": "prompt is too long: 250000 tokens > 200000 maximum",
    "codex:gpt-5": "Your input exceeds the context window of this model. Please adjust your input and try again.",
    "gemini:scripted": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "api:openai/scripted": "Your input exceeds the context window of this model. Please adjust your input",
    "api:google/scripted": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "api:custom/scripted": "This model's maximum context length is 128000 tokens. However, you asked for more.",
}


@pytest.mark.parametrize("backend", TOO_LONG)
def test_a_context_that_is_full_ends_the_attempt_in_the_providers_words(ended, backend):
    def script(talk: Talk) -> Iterator[Act]:
        yield Shell("true")
        while True:
            yield Fail(400, TOO_LONG[backend])

    dispatch, model = ended(script, backend)
    words = "prompt is too long" if backend == "claude" else TOO_LONG[backend]
    assert dispatch.status == "failed" and words.lower() in dispatch.reason.lower(), dispatch.reason
    assert len(model.asked) < 10


def test_the_loop_of_a_bare_google_api_is_as_patient_as_the_others(ended):
    def script(talk: Talk) -> Iterator[Act]:
        for _ in range(2):
            yield Fail(503, "The model is overloaded. Please try again later.")
        yield from honestly(talk)

    dispatch, _ = ended(script, "api:google/scripted")
    assert dispatch.status == "finished", dispatch.reason


def test_an_agent_that_asks_again_and_again_what_its_model_refuses_is_ended(ended):
    """opencode goes on for ever where its context is full."""

    def script(talk: Talk) -> Iterator[Act]:
        while True:
            yield Fail(400, "prompt is too long: 250000 tokens > 200000 maximum")

    dispatch, model = ended(script, "acp:custom/scripted@opencode acp")
    assert dispatch.status == "failed", dispatch.status
    if len(model.asked) > 10:
        assert "again and again (status 400)" in dispatch.reason, dispatch.reason
