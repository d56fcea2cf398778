"""First use: what is found, what is tried, what is proposed and what is written."""

from __future__ import annotations

import importlib.util
import json
import os
import pty
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from statsclaw.errors import InputRefused
from statsclaw.intake.casting import Candidate, Cast, configured_endpoints, propose, render, with_cast
from statsclaw.ui import settings, setup_commands
from statsclaw.ui.cli import app
from statsclaw.ui.local_servers import MOST_BYTES, models_at
from statsclaw.ui.setup_search import Server, known
from tests.support.runs import make_target

SECRET = "sk-never-printed-81c2f0"

CLAUDE = Candidate("Claude Code", "claude", "Anthropic", "anthropic", "ANTHROPIC_API_KEY")
CODEX = Candidate("Codex", "codex", "OpenAI", "openai", "OPENAI_API_KEY")
GEMINI = Candidate("Gemini CLI", "gemini", "Google", "google", "GEMINI_API_KEY")
OPENCODE = Candidate("opencode", "acp:anthropic/m@opencode acp", "Anthropic", "anthropic", "ANTHROPIC_API_KEY", True)
OLLAMA = Candidate("Ollama", "api:custom/qwen3:8b", "", "http://127.0.0.1:11434", must_name_endpoint=True)


# --- who plays what ---------------------------------------------------------------------------------------------------


def test_builder_and_tester_are_of_different_makers_where_two_are_there():
    assert propose([CLAUDE]) == Cast({"*": "claude"}, (), ("Anthropic",))
    assert propose([CLAUDE, CODEX]).backends == {"*": "claude", "tester": "codex", "reader": "codex"}
    assert propose([CLAUDE, CODEX, GEMINI]).backends == {"*": "claude", "tester": "codex", "reader": "gemini"}
    assert propose([CLAUDE, OPENCODE]).backends == {"*": "claude"}, "another program, the same mind"
    assert propose([]) is None


def test_a_model_of_this_machine_plays_where_there_is_nobody_else_and_its_address_is_written_down():
    assert propose([CLAUDE, OLLAMA]) == propose([CLAUDE])
    cast = propose([OLLAMA])
    assert cast == Cast({"*": "api:custom/qwen3:8b"}, ("http://127.0.0.1:11434",), ())
    read = tomllib.loads(render(cast))
    assert read == {"backends": cast.backends, "models": {"endpoints": ["http://127.0.0.1:11434"]}}


TWO = Cast({"*": "claude", "tester": "codex"}, (), ("Anthropic", "OpenAI"))
KEPT = "# mine\n[profile]\nname = 'x'  # why\n\n"


@pytest.mark.parametrize(
    "before",
    [
        "",
        "# only a comment\n",
        KEPT,
        KEPT + '[backends]\n"*" = "human"\n',
        '[backends]\n"*" = "human"\n\n# belongs to the next\n[profile]\nname = "x"\n',
        '[ "backends" ]\nbuilder = "human"\n[[rows]]\na = 1\n[[rows]]\na = 2\n',
        '[other]\ntext = """\n[backends]\nnot a table\n"""\n',
        "[other]\nx = 1\r\n[backends]\r\n'*' = 'human'\r\n",
    ],
)
def test_everything_else_in_the_file_stays_or_nothing_is_changed(before):
    try:
        made = with_cast(before, TWO, "config.toml")
    except InputRefused as refused:
        assert '"""' in before and "cannot be changed safely" in str(refused)
        return
    new, old = tomllib.loads(made), tomllib.loads(before)
    assert new.pop("backends") == TWO.backends
    assert new == {name: value for name, value in old.items() if name != "backends"}
    assert all(line in made for line in before.splitlines() if line.startswith("#"))
    assert with_cast(made, TWO, "config.toml").split() == made.split(), "once more changes nothing"


@pytest.mark.parametrize("before", ['backends = {"*" = "human"}\n', 'backends.tester = "human"\n'])
def test_a_table_written_in_another_way_is_left_to_the_person(before):
    with pytest.raises(InputRefused, match="cannot be changed safely"):
        with_cast(before, TWO, "config.toml")


def test_models_that_the_person_wrote_stay_where_the_proposal_names_none():
    before = '[models]\nendpoints = ["https://gateway.example#OPENAI_API_KEY"]\n'
    assert configured_endpoints(with_cast(before, TWO, "config.toml"), "") == (
        "https://gateway.example#OPENAI_API_KEY",
    )
    local = propose([OLLAMA])
    assert configured_endpoints(with_cast(before, local, "config.toml"), "") == local.endpoints


@pytest.mark.parametrize("text", ["models = 3", "[models]\nendpoints = 'x'", "[models]\nendpoints = [3]", "[models"])
def test_models_that_make_no_sense_are_refused(text):
    with pytest.raises(InputRefused):
        configured_endpoints(text, "config.toml")


# --- the machine of somebody ------------------------------------------------------------------------------------------


class Machine:
    """A home, a search path and a configuration of their own."""

    def __init__(self, folder: Path) -> None:
        self.home, self.bin, self.workspace = folder / "home", folder / "bin", folder / "workspace"
        self.config = self.home / ".config" / "statsclaw" / "config.toml"
        for place in (self.home, self.bin):
            place.mkdir()

    def has(self, program: str, version: str, answer: str = "") -> None:
        """A program that prints what the real one prints."""
        script = f'#!/bin/sh\nif [ "$1" = --version ]; then echo "{version}"; exit; fi\ncat <<"END"\n{answer}\nEND\n'
        (self.bin / program).write_text(script)
        (self.bin / program).chmod(0o755)

    def configured(self, text: str) -> None:
        self.config.parent.mkdir(parents=True, exist_ok=True)
        self.config.write_text(text)

    def files(self) -> list[str]:
        return sorted(path.name for path in self.config.parent.iterdir()) if self.config.parent.is_dir() else []

    def type(self, *argv: str, answers: str = "") -> tuple[int, str]:
        done = CliRunner(env={"COLUMNS": "80"}).invoke(app, ["setup", *argv], input=answers)
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert SECRET not in done.output
        assert max(map(len, done.stdout.splitlines()), default=0) <= 80, done.stdout
        return done.exit_code, done.stdout


def claude_says(text: str, **more: object) -> str:
    usage = {"input_tokens": 9000, "output_tokens": 4}
    event = {"type": "result", "subtype": "success", "result": text, "usage": usage, "total_cost_usd": 0.04, **more}
    return json.dumps(event)


CODEX_READY = """{"type":"item.completed","item":{"type":"agent_message","text":"ready"}}
{"type":"turn.completed","usage":{"input_tokens":7000,"output_tokens":4}}"""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    found = Machine(tmp_path)
    for row in known().provider:
        for name in row.keys:
            monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("CLAUDE_CODE_OAUTH_TOKEN", raising=False)
    monkeypatch.setenv("HOME", str(found.home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(found.config.parents[1]))
    monkeypatch.setenv("STATSCLAW_WORKSPACE", str(found.workspace))
    monkeypatch.setenv("PATH", f"{found.bin}:/usr/bin:/bin")
    quiet = known().model_copy(update={"server": ()})
    monkeypatch.setattr(setup_commands, "known", lambda: quiet)
    return found


@pytest.fixture
def ready(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Claude Code and Codex are there, with keys, and answer."""
    machine.has("claude", "2.1.197 (Claude Code)", claude_says("ready"))
    machine.has("codex", "codex-cli 0.166.0", CODEX_READY)
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, SECRET)
    return machine


@pytest.fixture
def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "can_ask", lambda: True)


@pytest.fixture
def never_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup_commands, "tiny_call", lambda *_, **__: pytest.fail("something was called"))


def test_with_nothing_installed_the_two_shortest_ways_are_named(machine):
    code, said = machine.type()
    assert code == 8 and machine.files() == []
    for words in (
        "npm install -g @anthropic-ai/claude-code",
        "claude setup-token",
        "Ollama",
        "statsclaw demo",
        "human",
    ):
        assert words in said


def test_a_login_file_is_not_enough_and_what_to_do_is_said(machine):
    machine.has("claude", "2.1.197 (Claude Code)")
    assert "ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN" in " ".join(machine.type()[1].split())
    (machine.home / ".claude").mkdir()
    (machine.home / ".claude" / ".credentials.json").write_text(SECRET)
    code, said = machine.type()
    assert code == 8 and "put what `claude setup-token` prints into CLAUDE_CODE_OAUTH_TOKEN" in " ".join(said.split())


def test_a_subscription_is_a_login_for_its_own_program_only(machine, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_OAUTH_TOKEN", SECRET)
    assert machine.type()[0] == 8, "nobody there who could use it"
    machine.has("claude", "2.1.197 (Claude Code)")
    code, said = machine.type()
    assert code == 0 and "with CLAUDE_CODE_OAUTH_TOKEN" in said


def test_what_is_too_short_for_a_key_is_none(machine, monkeypatch):
    machine.has("claude", "2.1.197 (Claude Code)")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "short")
    code, said = machine.type()
    assert code == 8 and "ANTHROPIC_API_KEY does not hold a key" in " ".join(said.split())


def test_a_key_without_a_program_is_used_by_our_own_loop(machine, monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", SECRET)
    assert '"*" = "api:google/' in machine.type()[1]


def test_an_agent_that_speaks_acp_is_shown_and_our_own_loop_comes_before_it(machine, monkeypatch):
    machine.has("opencode", "1.18.33")
    machine.has("goose", "1.0")
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    _, said = machine.type()
    assert "1.18.33" in said and "not tried with StatsClaw" in " ".join(said.split())
    assert '"*" = "api:anthropic/' in said and "[models]" not in said


def test_an_agent_that_must_be_told_where_its_model_is_gets_it_written_down(machine, monkeypatch):
    machine.has("opencode", "1.18.33")
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pydantic_ai" else real(name))
    code, said = machine.type("--no-try", "--yes")
    assert code == 0 and "pip install 'statsclaw[api]'" in " ".join(said.split())
    backend = tomllib.loads(machine.config.read_text())["backends"]["*"]
    assert backend.startswith("acp:anthropic/") and settings.endpoints_for((), [backend]) == ("anthropic",)


@pytest.mark.parametrize("version", ["", "no number", "\x1b[2J9.9.9", "9.9.9\n" * 100_000], ids=range(4))
def test_a_program_that_says_strange_things_of_its_version_is_shown_all_the_same(machine, version):
    machine.has("claude", version)
    assert "Claude Code" in machine.type()[1]


# --- trying -----------------------------------------------------------------------------------------------------------


def test_without_a_terminal_and_without_a_word_nothing_is_called_and_nothing_written(ready, never_called):
    code, said = ready.type()
    assert code == 0 and ready.files() == []
    assert "Nothing was called" in said and "Nothing was written" in said and 'tester = "codex"' in said
    assert "--budget 5usd" in said


def test_both_are_called_behind_the_barrier_and_the_proposal_is_written(ready):
    code, said = ready.type("--try", "--yes")
    assert code == 0, said
    assert "✓  Claude Code" in said and "9,004 tokens · $0.04" in said
    assert "✓  Codex" in said and "7,004 tokens · price unknown" in said
    assert tomllib.loads(ready.config.read_text())["backends"] == {"*": "claude", "tester": "codex", "reader": "codex"}
    assert ready.files() == ["config.toml"], "nothing half-written is left"
    assert "Builder by Anthropic, tester by OpenAI" in said
    code, said = ready.type("--no-try", "--yes")
    assert code == 0 and "says so already" in said and ready.files() == ["config.toml"]


def test_who_does_not_answer_is_left_out_with_the_reason_and_no_key(ready):
    refused = claude_says(f"API Error: 401 invalid x-api-key {SECRET}", is_error=True)
    ready.has("claude", "2.1.197 (Claude Code)", refused)
    code, said = ready.type("--try", "--yes")
    assert code == 0 and "✗  Claude Code  API Error: 401" in said
    assert "Fix: the key in ANTHROPIC_API_KEY is not accepted" in said
    assert tomllib.loads(ready.config.read_text())["backends"] == {"*": "codex"}
    assert "Builder and tester are both by OpenAI" in said


@pytest.mark.parametrize("answer", ["", "segmentation fault", '{"type":"result"}', "\x1b[2J" * 50], ids=range(4))
def test_where_none_of_them_works_nothing_is_written(ready, monkeypatch, answer):
    (ready.bin / "codex").unlink()
    monkeypatch.delenv("OPENAI_API_KEY")
    ready.has("claude", "2.1.197", answer)
    code, said = ready.type("--try", "--yes")
    assert code == 8 and "✗  Claude Code" in said and "Fix: " in said and "None of them worked" in said
    assert ready.files() == [] and "\x1b" not in said


def test_a_program_that_does_not_answer_is_ended(ready, monkeypatch):
    (ready.bin / "codex").unlink()
    (ready.bin / "claude").write_text('#!/bin/sh\n[ "$1" = --version ] || sleep 60\n')
    table = setup_commands.known().model_copy(update={"time_limit_s": 1.0})
    monkeypatch.setattr(setup_commands, "known", lambda: table)
    monkeypatch.delenv("OPENAI_API_KEY")
    begun = time.monotonic()
    code, said = ready.type("--try", "--yes")
    assert code == 8 and "longer than 1 s" in said and time.monotonic() - begun < 20
    assert ready.files() == []


def test_where_no_barrier_can_be_made_nothing_is_called(ready, never_called, monkeypatch):
    monkeypatch.setattr("statsclaw.sandbox.bubblewrap.why_not", lambda: "bwrap is not installed")
    code, said = ready.type("--try")
    assert code == 0 and "No run starts before the barrier can be made" in said


# --- asking and writing -----------------------------------------------------------------------------------------------


def test_at_a_terminal_both_are_asked(ready, at_a_terminal, never_called):
    code, said = ready.type(answers="n\nn\n")
    assert code == 0 and "Try these 2 now?" in said and "Nothing was written." in said and ready.files() == []
    code, said = ready.type(answers="n\ny\n")
    assert code == 0 and "written to" in said and ready.files() == ["config.toml"]


@pytest.mark.parametrize("answers", ["", "n\n"], ids=["at the first question", "at the second"])
def test_interrupted_at_a_question_nothing_is_written(ready, at_a_terminal, never_called, answers):
    ready.configured("[profile]\n")
    code, said = ready.type(answers=answers)
    assert code == 130 and "Nothing was written" in said
    assert ready.files() == ["config.toml"] and ready.config.read_text() == "[profile]\n"


def test_who_is_configured_already_is_not_replaced_without_a_word(ready, at_a_terminal, never_called):
    before = '# mine\n[profile]\nname = "x"\n\n[backends]\n"*" = "human"\n'
    ready.configured(before)
    ready.config.chmod(0o600)
    code, said = ready.type("--no-try", answers="\n")
    assert code == 0 and "has [backends] already: * human" in said
    assert ready.config.read_text() == before, "Enter does not replace"
    code, said = ready.type("--no-try", answers="y\n")
    read = tomllib.loads(ready.config.read_text())
    assert read["backends"]["tester"] == "codex" and read["profile"] == {"name": "x"}
    assert (ready.config.parent / "config.toml.before").read_text() == before and "config.toml.before" in said
    assert {path.stat().st_mode & 0o777 for path in ready.config.parent.iterdir()} == {0o600}


def test_an_older_copy_is_not_overwritten(ready, never_called):
    ready.configured('[backends]\n"*" = "human"\n')
    (ready.config.parent / "config.toml.before").write_text("older")
    assert ready.type("--no-try", "--yes")[0] == 0
    assert (ready.config.parent / "config.toml.before").read_text() == "older"
    assert "human" in (ready.config.parent / "config.toml.before1").read_text()


def test_a_link_stays_a_link(ready, never_called, tmp_path):
    real = tmp_path / "dotfiles.toml"
    real.write_text("[profile]\n")
    ready.config.parent.mkdir(parents=True)
    ready.config.symlink_to(real)
    assert ready.type("--no-try", "--yes")[0] == 0
    assert ready.config.is_symlink() and "claude" in real.read_text() and "[profile]" in real.read_text()


def _broken(place: Path) -> None:
    place.write_text("[backends")


def _binary(place: Path) -> None:
    place.write_bytes(b"\xff\xfe\x00")


def _nonsense(place: Path) -> None:
    place.write_text('[backends]\nbilder = "claude"\n')


def _loop(place: Path) -> None:
    place.symlink_to(place)


def _folder(place: Path) -> None:
    place.mkdir()


@pytest.mark.parametrize("spoil", [_broken, _binary, _nonsense, _loop, _folder])
def test_a_configuration_that_cannot_be_read_is_refused_before_anything_is_called(ready, never_called, spoil):
    ready.config.parent.mkdir(parents=True)
    spoil(ready.config)
    with pytest.raises(InputRefused, match=r"config\.toml"):
        ready.type("--try", "--yes")
    assert ready.files() == ["config.toml"]


def test_a_file_that_is_read_only_is_left_alone(ready, never_called):
    ready.configured("[profile]\n")
    ready.config.chmod(0o444)
    with pytest.raises(setup_commands.MachineRefused, match="read-only"):
        ready.type("--no-try", "--yes")
    assert ready.files() == ["config.toml"] and ready.config.read_text() == "[profile]\n"


def test_a_folder_that_cannot_be_made_is_one_line(ready, never_called):
    ready.config.parents[1].write_text("a file where the folder should be")
    with pytest.raises((InputRefused, setup_commands.MachineRefused)) as refused:
        ready.type("--no-try", "--yes")
    assert "as it was" in refused.value.line() or "Nothing" in refused.value.line()


def test_a_file_that_changed_while_the_question_stood_is_not_overwritten(ready, at_a_terminal, monkeypatch):
    ready.configured("[profile]\n")

    def somebody_else(*_: object, **__: object) -> bool:
        ready.configured("[profile]\nname = 'y'\n")
        return True

    monkeypatch.setattr(setup_commands.typer, "confirm", somebody_else)
    with pytest.raises(InputRefused, match="changed meanwhile"):
        ready.type("--no-try")
    assert "'y'" in ready.config.read_text() and ready.files() == ["config.toml"]


def test_control_c_at_a_real_terminal_says_so_and_leaves_nothing(ready):
    code = "from statsclaw.ui.cli import main; main()"
    env = {**os.environ, "ANTHROPIC_API_KEY": SECRET, "COLUMNS": "80", "TERM": "xterm"}
    master, slave = pty.openpty()
    argv = [sys.executable, "-c", code, "setup"]
    process = subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True)
    os.close(slave)
    said = _until(master, b"[Y/n]")
    time.sleep(1)  # a signal just before Python begins to read is noticed only at the next key
    os.killpg(process.pid, signal.SIGINT)
    said += _until(master, b"Nothing was written")
    assert process.wait(20) == 130 and b"Traceback" not in said and b"statsclaw resume" not in said
    assert SECRET.encode() not in said and ready.files() == []
    os.close(master)


def _until(master: int, words: bytes) -> bytes:
    said, deadline = b"", time.monotonic() + 60
    while words not in said and time.monotonic() < deadline:
        if select.select([master], [], [], 1)[0]:
            try:
                said += os.read(master, 4096)
            except OSError:
                break
    assert words in said, said
    return said


def test_what_earlier_runs_cost_is_said(recorded, ready, never_called):
    said = " ".join(ready.type("--workspace", str(recorded.parents[2]))[1].split())
    assert "The full run here cost $0." in said and "not known" not in said


# --- servers of this machine ------------------------------------------------------------------------------------------


@pytest.fixture
def serving() -> Iterator[Callable[[Callable[[socket.socket], None]], int]]:
    """Starts a server on loopback that treats every connection as told, and gives its port."""
    listeners = []

    def start(treat: Callable[[socket.socket], None]) -> int:
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=answer, args=(connection,), daemon=True).start()

        def answer(connection: socket.socket) -> None:
            with connection:
                try:
                    connection.recv(4096)
                    treat(connection)
                except OSError:
                    return

        threading.Thread(target=serve, daemon=True).start()
        return int(listener.getsockname()[1])

    yield start
    for listener in listeners:
        listener.close()


def models(*names: object) -> Callable[[socket.socket], None]:
    return _plain(json.dumps({"object": "list", "data": [{"id": name} for name in names]}).encode())


def _plain(body: bytes, head: bytes = b"HTTP/1.1 200 OK") -> Callable[[socket.socket], None]:
    return lambda connection: connection.sendall(head + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


def test_models_are_read_and_names_that_could_not_stand_in_a_file_are_not(serving):
    port = serving(models("qwen3:8b", 'x"\n[backends]', "\x1b[2J", "org/model-7b", 3, None, "", "a" * 200))
    assert models_at(port) == ("qwen3:8b", "org/model-7b")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        free = listener.getsockname()[1]
    assert models_at(free) is None


def _huge(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n" + b'{"data":[')
    for _ in range(1000):
        connection.sendall(b'{"id":"x"},' * 10_000)


def _drips(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    for _ in range(1000):
        connection.sendall(b" ")
        time.sleep(0.02)


def _endless_head(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    for n in range(100_000):
        connection.sendall(b"X-%d: y\r\n" % n)


def _informs_for_ever(connection: socket.socket) -> None:
    for _ in range(100_000):
        connection.sendall(b"HTTP/1.1 103 Early\r\n\r\n")


HOSTILE = {
    "huge": _huge,
    "never ends": _drips,
    "endless head": _endless_head,
    "informs for ever": _informs_for_ever,
    "silent": lambda connection: time.sleep(5),
    "closes": lambda connection: None,
    "binary": lambda connection: connection.sendall(os.urandom(10_000)),
    "binary body": _plain(os.urandom(10_000)),
    "html": _plain(b"<html>hello</html>"),
    "not a list": _plain(b'{"data": 3}'),
    "rows of nothing": _plain(b'{"data": [null]}'),
    "deep": _plain(b"[" * 100_000),
    "a number with many digits": _plain(b'{"data": ' + b"9" * 100_000 + b"}"),
    "error": _plain(b'{"data": [{"id": "x"}]}', b"HTTP/1.1 500 No"),
    "a length that lies": lambda c: c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{}"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_whatever_listens_there_there_is_an_end_to_it(serving, kind):
    begun = time.monotonic()
    assert models_at(serving(HOSTILE[kind]), timeout_s=0.5) is None
    assert time.monotonic() - begun < 3 and MOST_BYTES < 1_000_000


def test_a_redirect_is_not_followed(serving):
    followed: list[bytes] = []
    other = serving(lambda connection: followed.append(b"asked"))
    head = f"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{other}/v1/models\r\nContent-Length: 0\r\n\r\n".encode()
    assert models_at(serving(lambda connection: connection.sendall(head)), timeout_s=0.5) is None
    assert followed == []


def test_a_local_model_is_proposed_with_its_address_and_a_run_finds_it(machine, serving, monkeypatch):
    port = serving(models("nomic-embed-text", "qwen3:8b", "llama3", "phi4", "mistral"))
    table = setup_commands.known().model_copy(update={"server": (Server(name="Ollama", port=port),)})
    monkeypatch.setattr(setup_commands, "known", lambda: table)
    code, said = machine.type("--no-try", "--yes")
    assert code == 0 and f":{port}" in said and "qwen3:8b, llama3, phi4 and 1 more" in said
    url = f"http://127.0.0.1:{port}"
    assert tomllib.loads(machine.config.read_text()) == {
        "backends": {"*": "api:custom/qwen3:8b"},
        "models": {"endpoints": [url]},
    }
    assert settings.endpoints_for((), ["api:custom/qwen3:8b"]) == (url,)
    assert settings.endpoints_for(("http://127.0.0.1:9",), ["api:custom/qwen3:8b"]) == ("http://127.0.0.1:9",)
    assert settings.endpoints_for((), ["human"]) == ()
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    assert settings.endpoints_for((), ["claude"]) == ("anthropic",), "an agent program keeps its own"


# --- a run with nobody to play ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("directive", ["fix the mean", "improve the estimator", "do something"])
def test_a_run_that_nobody_could_play_is_refused_with_the_two_shortest_ways(machine, tmp_path, directive):
    target = make_target(tmp_path)
    done = CliRunner().invoke(app, ["run", directive, "--target", str(target), "--local-only"])
    assert isinstance(done.exception, InputRefused)
    line = done.exception.line()
    assert "nobody plays the" in line and "Nothing was started" in line
    assert "`statsclaw setup`" in line and "`--backend human`" in line
    assert not machine.workspace.exists()


def test_a_run_that_may_need_nobody_starts(machine, tmp_path):
    """Two readings are close, and for one of them no role is needed."""
    target = make_target(tmp_path)
    done = CliRunner().invoke(app, ["run", "Check it.", "--target", str(target), "--local-only"])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 3 and list(machine.workspace.glob("*/runs/*")), done.output


def test_config_points_to_setup_where_nobody_is_chosen(machine, tmp_path):
    assert "statsclaw setup" in CliRunner().invoke(app, ["config", "--target", str(tmp_path)]).stdout
