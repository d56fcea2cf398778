"""Whole runs behind the barrier: what the log attests, what a breach does, what crosses after a BLOCK."""

from __future__ import annotations

import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from statsclaw.artifacts.mark import MARK
from statsclaw.engine.attestation import dispatches_of
from statsclaw.engine.loop import drive
from statsclaw.engine.people import Unattended
from statsclaw.engine.perform import open_channel
from statsclaw.engine.run import read_local
from statsclaw.engine.start import start_run
from statsclaw.engine.verifying import seed_of
from statsclaw.git import git, git_text, own_environment
from statsclaw.leaks.markers import markers_for
from statsclaw.runlog import chain
from statsclaw.runlog import events as e
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.log import RunLog
from statsclaw.runlog.store import ContentStore
from statsclaw.sandbox.endpoints import PLACEHOLDER, endpoint
from statsclaw.workspace.layout import RunFolder
from statsclaw.workspace.scrub import Scrubber
from tests.support.patience import within
from tests.support.runs import HERE, HONEST, Bench, make_target, noon, order_for

AGENT = HERE / "agent.py"
#: Where nobody plans, nothing is frozen, and a suite has no criteria to show anything about.
PLAIN_SUITE = """from tinymean import mean


def test_mean_of_constants_is_the_constant():
    assert mean([2, 2]) == 2
"""
SECRET = "the median of seventeen observations must be exactly the ninth of them in the order of their size"


@pytest.fixture(autouse=True)
def nothing_takes_forever() -> Iterator[None]:
    with within(90):
        yield


def scripted(folder: Path, code: str = "", *flags: str) -> str:
    """A backend that runs `code` and then does what the honest agent does."""
    script = folder / "scripted.py"
    script.write_text(
        "import io, json, os, pathlib, runpy, sys, urllib.request\n"
        "role, attempt = os.environ['STATSCLAW_ROLE'], int(os.environ['STATSCLAW_ATTEMPT'])\n"
        "out, given = pathlib.Path('/out'), pathlib.Path('/in')\n"
        f"sys.argv = ['agent', {str(HONEST)!r}, '--no-hold', *{flags!r}]\n"
        "def honest():\n"
        f"    runpy.run_path({str(AGENT)!r})\n"
        "    if role == 'tester' and not (given / 'test-spec.md').exists():\n"
        f"        pathlib.Path('tests/validation/test_tinymean.py').write_text({PLAIN_SUITE!r})\n"
        f"{code}\nhonest()\n"
    )
    return f"command:{sys.executable} -I -S {script} {AGENT} {HONEST}"


def events(bench: Bench, run_id: str) -> list[e.AnyEvent]:
    return [record.event for record in chain.read(bench.workspace.find(run_id).path / "events.jsonl").records]


def folder_of(bench: Bench, run_id: str) -> RunFolder:
    return bench.workspace.find(run_id)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bench, RunView]:
    """A full run of the scripted roles, with a choice for the person and a BLOCK."""
    folder = tmp_path_factory.mktemp("attested")
    bench = Bench(folder)
    return bench, bench.start(order_for(make_target(folder), run_id="attested-0001"))


# --- attestation -----------------------------------------------------------------------------------------------------


def test_every_dispatch_attests_what_it_saw_before_it_began(finished: tuple[Bench, RunView]) -> None:
    bench, view = finished
    assert view.finished is not None and view.finished.outcome == "shipped"
    started = [event for event in events(bench, "attested-0001") if isinstance(event, e.DispatchStarted)]
    roles = {"planner", "reader", "builder", "tester", "simulator", "scriber", "reviewer"}
    assert {event.role for event in started} == roles
    for event in started:
        sandbox = event.sandbox
        assert sandbox is not None and (sandbox.kind, sandbox.user) == ("bubblewrap", 1000)
        assert re.fullmatch(r"\d+\.\d+.*", sandbox.version) and sandbox.network == ()
        writable = {mount.path for mount in sandbox.mounts if mount.writable}
        assert writable == {"/repo", "/out", "/home/role", "/tmp"}
        assert all(re.fullmatch("[0-9a-f]{64}", mount.sha256) for mount in sandbox.mounts)
        assert sandbox.limits["memory_bytes"] > 0 and sandbox.limits["timeout_s"] > 0
        assert sandbox.repository_sha256 == event.view_sha256
    specs = {"spec.md", "test-spec.md", "sim-spec.md"}
    agreed = {"comprehension.md", "contract.md", "interface.md", "reading.md", "questions.md"}
    hidden = {
        "reader": specs | agreed - {"questions.md"} | {"oracles.md"},
        "builder": specs - {"spec.md"} | agreed | {"oracles.md", "references.md", "sources/notes.md"},
        "tester": specs - {"test-spec.md"} | agreed | {"references.md", "sources/notes.md"},
        "simulator": specs - {"sim-spec.md"} | agreed | {"oracles.md", "references.md", "sources/notes.md"},
    }
    for event in started:
        assert event.sandbox is not None
        given = set(event.sandbox.documents)
        assert not hidden.get(event.role, set()) & given
        kit = {name for name in given if name.startswith("ask/")}
        assert bool(kit) == (event.role in ("tester", "simulator"))
        assert ("ask/oracles.py" in given) == (event.role == "tester"), "what the sources define is the tester's"


def test_the_log_says_what_each_role_opened(bench: Bench, target: Path) -> None:
    bench.start(order_for(target, scripted(bench.folder, "if role == 'builder': (given / 'request.md').read_bytes()"),
                          workflow="quick-fix", run_id="read-0001"))  # fmt: skip
    closed = [event for event in events(bench, "read-0001") if isinstance(event, e.SandboxClosed)]
    opened = {event.dispatch: event.opened for event in closed}
    assert opened["builder-1"] == ("request.md",) and opened["tester-1"] == ()


def test_verify_computes_the_same_from_the_log_alone(finished: tuple[Bench, RunView]) -> None:
    bench, _ = finished
    seen = dispatches_of(folder_of(bench, "attested-0001"))
    assert len(seen) == 9 and [fault for one in seen for fault in one.faults] == []
    tester = next(one for one in seen if one.role == "tester")
    assert "source" not in tester.classes and "unit_tests" not in tester.classes


def altered(finished: tuple[Bench, RunView], folder: Path, change) -> RunFolder:  # type: ignore[no-untyped-def]
    """A copy of the run whose log was rewritten from beginning to end, with a chain that holds."""
    bench, _ = finished
    source = folder_of(bench, "attested-0001").path
    copy = folder / "repository" / "runs" / "attested-0001"
    with RunLog.create(copy) as log:
        left = shutil.ignore_patterns("events.jsonl", "head", "lock", "verify")
        shutil.copytree(source, copy, ignore=left, dirs_exist_ok=True)
        for record in chain.read(source / "events.jsonl").records:
            log.append(change(record.event))
    return RunFolder(copy)


def given_the_test_spec(event: e.Event) -> e.Event:
    if isinstance(event, e.DispatchStarted) and event.role == "builder" and event.sandbox:
        documents = {**event.sandbox.documents, "test-spec.md": "0" * 64}
        return event.model_copy(update={"sandbox": event.sandbox.model_copy(update={"documents": documents})})
    return event


def with_another_spec(event: e.Event) -> e.Event:
    if isinstance(event, e.DispatchStarted) and event.role == "builder" and event.sandbox:
        documents = {**event.sandbox.documents, "spec.md": "0" * 64}
        return event.model_copy(update={"sandbox": event.sandbox.model_copy(update={"documents": documents})})
    return event


def with_a_network(event: e.Event) -> e.Event:
    if isinstance(event, e.DispatchStarted) and event.sandbox:
        return event.model_copy(update={"sandbox": event.sandbox.model_copy(update={"network": ("evil.example",)})})
    return event


def without_barrier(event: e.Event) -> e.Event:
    if isinstance(event, e.DispatchStarted) and event.sandbox:
        return event.model_copy(update={"sandbox": event.sandbox.model_copy(update={"kind": "none"})})
    return event


def with_writable_documents(event: e.Event) -> e.Event:
    if isinstance(event, e.DispatchStarted) and event.sandbox:
        mounts = tuple(m.model_copy(update={"writable": True}) for m in event.sandbox.mounts)
        return event.model_copy(update={"sandbox": event.sandbox.model_copy(update={"mounts": mounts})})
    return event


def silent(event: e.Event) -> e.Event:
    return event.model_copy(update={"sandbox": None}) if isinstance(event, e.DispatchStarted) else event


def read_more_than_given(event: e.Event) -> e.Event:
    return event.model_copy(update={"opened": ("sim-spec.md",)}) if isinstance(event, e.SandboxClosed) else event


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (given_the_test_spec, "test-spec.md was given, and should not have been"),
        (with_another_spec, "spec.md is not the one of the log"),
        (with_a_network, "it could reach evil.example"),
        (without_barrier, "it ran behind 'none'"),
        (with_writable_documents, "/in was writable"),
        (silent, "the log says nothing about its sandbox"),
        (read_more_than_given, "sim-spec.md was opened, but not given"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_verify_finds_what_does_not_follow_from_the_log(finished, tmp_path: Path, change, said: str) -> None:  # type: ignore[no-untyped-def]
    faults = [fault for one in dispatches_of(altered(finished, tmp_path, change)) for fault in one.faults]
    assert said in faults or any(said in fault for fault in faults), faults


def test_verify_finds_a_file_that_a_role_may_not_see(finished: tuple[Bench, RunView], tmp_path: Path) -> None:
    """The tester's repository is said to have held the source."""
    bench, _ = finished
    store = ContentStore(folder_of(bench, "attested-0001").store)

    def change(event: e.Event) -> e.Event:
        if isinstance(event, e.DispatchStarted) and event.role == "tester" and event.sandbox:
            rows = [*json.loads(store.get(event.view_sha256)), ["src/tinymean/__init__.py", "0" * 64, False]]
            digest = store.put(json.dumps(rows).encode())
            sandbox = event.sandbox.model_copy(update={"repository_sha256": digest})
            return event.model_copy(update={"sandbox": sandbox, "view_sha256": digest})
        return event

    for event in events(bench, "attested-0001"):
        change(event)  # its list of files must be in the store before the run is copied
    faults = [fault for one in dispatches_of(altered(finished, tmp_path, change)) for fault in one.faults]
    assert "src/tinymean/__init__.py is shown, which the tester may not see" in faults


# --- breaches --------------------------------------------------------------------------------------------------------

PLANNER = f"""
if role == 'planner':
    honest()
    with open('/out/test-spec.md', 'a') as file: file.write({SECRET!r} + '.\\n')
    sys.exit(0)
"""
TELLS = (
    PLANNER
    + f"""
if role == 'builder' and attempt == 1:
    honest()
    with open('/out/implementation.md', 'a') as file: file.write('As required, ' + {SECRET!r} + '.\\n')
    sys.exit(0)
"""
)


def test_a_role_that_knows_anothers_specification_stops_the_run(bench: Bench, target: Path) -> None:
    """Nobody could have told it, so somebody did: nothing is taken, and unattended the run ends here."""
    view = bench.start(order_for(target, scripted(bench.folder, TELLS, "--good"), run_id="breach-0001"))
    (breach,) = view.breaches
    assert breach.role == "builder" and breach.traces[0].of == "test-spec.md"
    assert breach.traces[0].where == "implementation.md" and "seventeen" in breach.traces[0].evidence
    assert view.finished is not None and view.finished.outcome == "stopped"
    assert view.pushed is None and "implementation.md" not in view.artifacts


def test_the_person_may_let_it_start_over_and_it_is_told_nothing(bench: Bench, target: Path) -> None:
    order = order_for(target, scripted(bench.folder, TELLS, "--good"), run_id="again-0001")
    view = bench.start(order, person=Unattended(answers={"comprehension": "approve"}))
    (question,) = view.open_questions
    assert (question.topic, question.asked_by, question.default) == ("breach", "barrier", 1)
    assert "seventeen" in question.text
    view = bench.resume("again-0001", person=Unattended(yes=True, answers={question.question: "1"}))
    assert view.finished is not None and view.finished.outcome == "shipped"
    store = ContentStore(folder_of(bench, "again-0001").store)
    second = next(d for d in view.dispatches.values() if d.id == "builder-2")
    prompt = store.get_text(second.started.prompt_sha256)
    assert "seventeen" not in prompt and "breach" not in prompt.lower() and "could not be taken" in prompt


@pytest.mark.parametrize("way", ["transcript", "commit", "file"])
def test_a_marker_of_another_specification_is_noticed_wherever_it_is_left(way: str, bench: Bench, target: Path) -> None:
    """The marker is put into the tester's copy; a builder that got hold of it leaves it in one of three places."""
    place = bench.folder / "marker"
    left = {
        "transcript": "print(phrase, flush=True)",
        "commit": "os.system('git -c user.name=a -c user.email=a@b commit -q --allow-empty -m \"' + phrase + '\"')",
        "file": "pathlib.Path('src/tinymean/notes.py').write_text('# ' + phrase)",
    }[way]
    code = (
        f"if role == 'builder' and attempt == 1:\n    phrase = open({str(place)!r}).read()\n"
        f"    honest(); {left}\n    sys.exit(0)"
    )
    backend = scripted(bench.folder, code, "--good") + f" {place}"
    place.write_text("not yet known")
    order = order_for(target, backend, run_id="mark-0001")

    def plant(record: chain.Record, view: RunView) -> None:
        """What the operating system keeps away is handed to the builder here, so that the second line has work."""
        if isinstance(record.event, e.SpecFrozen):
            spec = view.artifacts["test-spec.md"]
            place.write_text(markers_for(view.head.canary_seed, spec.sha256, "test-spec.md")[0])

    view = bench.start(order, observers=(plant,))
    (breach,) = view.breaches
    assert breach.traces[0].sign == "marker" and breach.traces[0].of == "test-spec.md"


def test_markers_are_in_the_copy_a_role_is_given_and_nowhere_else(finished: tuple[Bench, RunView]) -> None:
    bench, view = finished
    folder = folder_of(bench, "attested-0001")
    phrases = markers_for(view.head.canary_seed, view.artifacts["spec.md"].sha256, "spec.md")
    assert all(phrase not in (folder.path / "spec.md").read_text() for phrase in phrases)
    builder = next(event for event in events(bench, "attested-0001")
                   if isinstance(event, e.DispatchStarted) and event.role == "builder")  # fmt: skip
    assert builder.sandbox is not None
    assert builder.sandbox.documents["spec.md"] != view.artifacts["spec.md"].sha256


# --- what crosses after a BLOCK --------------------------------------------------------------------------------------


def test_a_block_tells_words_of_the_interface_and_the_log_counts_them(finished: tuple[Bench, RunView]) -> None:
    _, view = finished
    (block,) = [signal for signal, _ in view.signals if signal.signal == "BLOCK"]
    assert block.leak is not None and block.leak.bits > 0 and not block.leak.revealed
    rows = [row for row in block.message.splitlines() if row.startswith("- ")]
    assert block.leak.behaviours == len(rows) == 3 and any(row.startswith("- `mean`: ") for row in rows)
    for kept in ("test_", "drawn", "C1", "C2", "C3", "S1", "1e-12", "1e-10", "1000", "30"):
        assert kept not in block.message, kept


@pytest.mark.parametrize("number", ["0.8413447", "seventeen observations", "20240611"])
def test_what_a_role_says_in_its_own_words_crosses_only_as_far_as_the_interface_can_say_it(
    number: str, bench: Bench, target: Path
) -> None:
    """A tester's BLOCK goes to the builder; the person reads it as it was written, the builder does not."""
    code = f"""
if role == 'tester' and attempt == 1:
    print(json.dumps({{"signal": "BLOCK", "message": "the error is wrong: expected {number}", "route_to": "builder"}}))
    sys.exit(0)
"""
    order = order_for(target, scripted(bench.folder, code, "--good"), workflow="quick-fix", run_id="words-0001")
    view = bench.start(order)
    block = next(signal for signal, _ in view.signals if signal.raised_by == "tester")
    assert number in block.message and block.told is not None and number not in block.told
    assert block.leak is not None
    prompt = ContentStore(folder_of(bench, "words-0001").store).get_text(
        view.dispatches["builder-2"].started.prompt_sha256
    )
    assert block.told in prompt and number not in prompt


def test_the_person_can_open_the_channel_and_the_log_says_so(bench: Bench, target: Path) -> None:
    wrong = "if role == 'builder': os.environ['STATSCLAW_ATTEMPT'] = '1'"
    order = order_for(target, scripted(bench.folder, wrong), workflow="quick-fix", run_id="open-0001")
    bench.start(order)
    folder = folder_of(bench, "open-0001")
    with RunLog.open(folder.path) as log:
        open_channel(bench.assemble(folder, log, read_local(folder)))
        (opened,) = log.view.revealed
    assert opened.leak.revealed and "test_mean_of_constants_is_the_constant" in opened.message


def test_after_a_block_the_suites_are_given_another_seed(finished: tuple[Bench, RunView]) -> None:
    bench, view = finished
    executed = [event for event in events(bench, "attested-0001") if isinstance(event, e.CommandExecuted)]
    seeds = [event.seed for event in executed if event.phase == "study"]
    assert len(set(seeds)) == 2 and all(seed is not None for seed in seeds)
    assert seeds[-1] == seed_of(view)
    assert {event.seed for event in executed if event.phase == "build"} == {None}


def test_the_seed_reaches_the_suite_and_the_audit_says_whether_it_is_used(bench: Bench, target: Path) -> None:
    code = """
if role == 'tester':
    honest()
    path = 'tests/validation/test_tinymean.py'
    text = open(path).read()
    open(path, 'w').write('import os\\nprint("seed", os.environ["STATSCLAW_SEED"])\\n' + text)
    sys.exit(0)
"""
    view = bench.start(order_for(target, scripted(bench.folder, code), workflow="quick-fix", run_id="seed-0001"))
    audit = (folder_of(bench, "seed-0001").path / "audit.md").read_text()
    assert "| validation | from the engine, new after 1 BLOCK |" in audit
    assert f"seed {seed_of(view)}" in audit


# --- without a sandbox -----------------------------------------------------------------------------------------------


def test_a_run_without_a_sandbox_is_marked_and_so_is_every_document_of_it(bench: Bench, target: Path) -> None:
    bench.barrier = "none"
    view = bench.start(order_for(target, run_id="bare-0001"))
    assert view.head.barrier == "none" and view.finished is not None and view.finished.outcome == "shipped"
    store = ContentStore(folder_of(bench, "bare-0001").store)
    unmarked = [name for name, artifact in view.artifacts.items() if not store.get(artifact.sha256).endswith(MARK)]
    assert unmarked == []
    assert view.commit is not None
    message = git_text("log", "-1", "--format=%B", view.commit.commit, git_dir=folder_of(bench, "bare-0001").target)
    assert "StatsClaw-Barrier: none" in message


def test_a_recording_made_behind_the_barrier_can_be_replayed_without_and_the_other_way_round(
    finished: tuple[Bench, RunView], bench: Bench, target: Path
) -> None:
    recorded, view = finished
    bench.barrier = "none"
    seed = view.head.canary_seed
    order = order_for(target, "replay", recording=folder_of(recorded, "attested-0001").path, run_id="bare-0002")
    again = bench.start(replace(order, canary_seed=seed))
    assert again.finished is not None and again.finished.outcome == "shipped"
    assert [d.id for d in again.dispatches.values()] == [d.id for d in view.dispatches.values()]


# --- the network -----------------------------------------------------------------------------------------------------

KEY = "sk-real-key-of-the-person-0123456789"


class Model(http.server.BaseHTTPRequestHandler):
    """Stands in for a model's server: it tells what it was sent."""

    seen: list[tuple[str, str]] = []

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.seen.append((self.path, self.headers.get("authorization", "")))
        body = json.dumps({"echo": self.headers.get("authorization")}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def model() -> Iterator[int]:
    Model.seen.clear()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()


def test_an_agent_reaches_its_model_and_nothing_else_and_never_holds_the_key(
    bench: Bench, target: Path, model: int
) -> None:
    code = f"""
def fetch(url):
    try: return urllib.request.urlopen(urllib.request.Request(url, data=b'x', method='POST'), timeout=5).read().decode()
    except Exception as error: return f'{{type(error).__name__}}'
if role == 'builder':
    print('model:', fetch(os.environ['OPENAI_BASE_URL'] + '/chat/completions'))
    print('direct:', fetch('http://127.0.0.1:{model}/v1/x'))
    print('outside:', fetch('http://example.org/'))
    print('environment:', dict(os.environ))
"""
    backend = scripted(bench.folder, code, "--good")
    run = run_with_endpoint(bench, target, backend, f"http://127.0.0.1:{model}#KEY_OF_TEST")
    assert run.finished is not None
    closed = {ev.dispatch: ev for ev in events(bench, "net-0001") if isinstance(ev, e.SandboxClosed)}
    assert closed["builder-1"].network.requests == 1 and closed["builder-1"].network.bytes_down > 0
    assert closed["tester-1"].network.requests == 0
    assert Model.seen == [("/v1/chat/completions", f"Bearer {KEY}")]
    store = ContentStore(folder_of(bench, "net-0001").store)
    said = store.get_text(run.dispatches["builder-1"].transcript_sha256 or "")
    assert "model: {" in said and KEY not in said and PLACEHOLDER in said
    assert "direct: URLError" in said and "outside: URLError" in said
    started = next(ev for ev in events(bench, "net-0001") if isinstance(ev, e.DispatchStarted))
    assert started.sandbox is not None and started.sandbox.network == ("127.0.0.1",)


def run_with_endpoint(bench: Bench, target: Path, backend: str, name: str) -> RunView:
    order = order_for(target, backend, workflow="quick-fix", run_id="net-0001", network=("127.0.0.1",))
    folder, log, local = start_run(bench.workspace, order, Scrubber(), noon)
    with log:
        run = replace(bench.assemble(folder, log, local), endpoints=(endpoint(name, {"KEY_OF_TEST": KEY}),))
        return drive(run)


# --- the command -----------------------------------------------------------------------------------------------------


def test_show_and_verify_on_the_command_line(finished: tuple[Bench, RunView]) -> None:
    bench, _ = finished
    cli = [sys.executable, "-m", "statsclaw", "barrier"]
    where = ["--workspace", str(bench.workspace.root)]
    shown = subprocess.run([*cli, "show", "attested-0001", *where], capture_output=True, text=True)
    assert shown.returncode == 0 and "test-spec.md" in shown.stdout and "bubblewrap" in shown.stdout
    verified = subprocess.run([*cli, "verify", "attested-0001", *where], capture_output=True, text=True)
    assert verified.returncode == 0 and "9 dispatches" in verified.stdout


def test_every_command_of_the_verification_says_what_it_ran_behind(finished: tuple[Bench, RunView]) -> None:
    bench, _ = finished
    executed = [event for event in events(bench, "attested-0001") if isinstance(event, e.CommandExecuted)]
    assert executed and all(event.barrier.startswith("bubblewrap ") and event.network is None for event in executed)


def test_without_bubblewrap_a_run_is_refused_in_one_line(tmp_path: Path, target: Path) -> None:
    (tmp_path / "bin").mkdir()
    for program in ("git", "sh"):
        (tmp_path / "bin" / program).symlink_to(shutil.which(program) or program)
    argv = [sys.executable, "-m", "statsclaw", "run", "fix it", "--target", str(target), "--workflow", "quick-fix"]
    argv += [
        "--backend",
        f"command:{sys.executable} {AGENT} {HONEST}",
        "--workspace",
        str(tmp_path / "ws"),
        "--local-only",
    ]
    env = {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path)}
    done = subprocess.run(argv, capture_output=True, text=True, env=env)
    assert done.returncode == 8 and len(done.stderr.strip().splitlines()) == 1
    assert "bwrap is not installed" in done.stderr and "apt-get install bubblewrap" in done.stderr
    assert not (tmp_path / "ws").exists()


def test_whatever_a_program_prints_the_audit_is_text(bench: Bench, target: Path) -> None:
    settings = target / "statsclaw.toml"
    argv = json.dumps(["{python}", "-S", "-c", "print('a\\x00b\\x1b[2Jc\\x07')"])
    check = f'\n[[profile.checks]]\nname = "noisy"\nparser = "exit"\ntimeout_s = 60\nargv = {argv}\n'
    settings.write_text(settings.read_text().replace("checks = []\n", "") + check)
    git("commit", "--quiet", "-am", "noisy", cwd=target, env=own_environment())
    order = order_for(target, scripted(bench.folder, "", "--good"), workflow="quick-fix", run_id="noise-0001")
    view = bench.start(replace(order, local_only=True))
    assert view.finished is not None and view.finished.outcome == "done"
    audit = (folder_of(bench, "noise-0001").path / "audit.md").read_text()
    assert "a�b�[2Jc�" in audit and not re.search(r"[\x00\x07\x1b]", audit)


def test_verify_does_not_say_yes_to_a_run_without_a_sandbox(bench: Bench, target: Path) -> None:
    bench.barrier = "none"
    bench.start(order_for(target, run_id="bare-0003"))
    seen = dispatches_of(folder_of(bench, "bare-0003"))
    assert seen and all("it ran without a sandbox: what it could see is not known" in one.faults for one in seen)


def test_verify_does_not_believe_that_a_program_was_no_program(finished, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    def change(event: e.Event) -> e.Event:
        if isinstance(event, e.DispatchStarted) and event.sandbox:
            return event.model_copy(update={"sandbox": event.sandbox.model_copy(update={"user": -1, "kind": "x"})})
        return event

    seen = dispatches_of(altered(finished, tmp_path, change))
    assert seen and all("a program played, and the log says that none was run" in one.faults for one in seen)


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user may attack landlock")
def test_attacking_landlock_as_root_is_refused_in_one_line() -> None:
    argv = [sys.executable, "-m", "statsclaw", "barrier", "selftest", "--barrier", "landlock"]
    done = subprocess.run(argv, capture_output=True, text=True)
    assert done.returncode == 8 and len(done.stderr.strip().splitlines()) == 1 and "ordinary user" in done.stderr
