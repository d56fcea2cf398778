"""The log is the run: whatever is done to it, to its disk or to its process is noticed, survived, or said."""

from __future__ import annotations

import contextlib
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statsclaw.errors import GateClosed, LogDamaged, MachineRefused, RunLocked
from statsclaw.runlog import chain
from statsclaw.runlog import events as e
from statsclaw.runlog.lock import is_held
from statsclaw.runlog.log import EVENTS, HEAD, LOCK, RunLog, read_view, verify
from statsclaw.runlog.store import ContentStore
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.watch import Watch
from statsclaw.states import NEXT, State
from tests.support.runs import Bench, branches, order_for

MANY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
CLI = [sys.executable, "-c", "from statsclaw.ui.cli import main; main()"]


def note(text: str) -> e.GateChecked:
    return e.GateChecked(state=State.NEW, blockers=(text,))


def created(run_id: str = "r-0001") -> e.RunCreated:
    return e.RunCreated(
        run_id=run_id,
        statsclaw_version="0",
        directive="fix it",
        target="t",
        base_commit=None,
        profile="python",
        workflow="full",
        credentials=e.Credentials(remote=None, how="not tried", can_ship=False),
        ship_requested=False,
    )


def make_log(folder: Path, lines: int = 6) -> Path:
    with RunLog.create(folder) as log:
        log.append(created(folder.name))
        for number in range(2, lines + 1):
            log.append(note(f"line {number}"))
    return folder


def copy_of(log: Path, folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name in (EVENTS, HEAD):
        shutil.copyfile(log / name, folder / name)
    return folder


def lines_of(folder: Path) -> list[bytes]:
    return (folder / EVENTS).read_bytes().splitlines(keepends=True)


def put_lines(folder: Path, lines: list[bytes]) -> None:
    (folder / EVENTS).write_bytes(b"".join(lines))


def first_wrong_line(folder: Path) -> int | None:
    """The number that `verify` gives, None if it finds nothing wrong."""
    try:
        verify(folder)
    except LogDamaged as damage:
        assert f"line {damage.line_number}" in damage.happened
        assert "\n" not in damage.line()
        return damage.line_number
    return None


def line_holding(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1


def in_child(work: Callable[[], None]) -> str:
    """Run `work` in a forked process; how it ended: "fine", the kind of its error, or "killed N"."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        said = "fine"
        try:
            work()
        except BaseException as error:
            kinds = [kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "statsclaw.errors"]
            said = f"{(kinds or [type(error).__name__])[0]}: {error}"
        finally:
            os.write(write, said.encode("utf-8", "replace")[:4000])
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read().decode()
    status = os.waitpid(child, 0)[1]
    return f"killed {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else said


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return make_log(tmp_path / "r-0001")


@pytest.fixture
def real(recorded: Path, tmp_path: Path) -> Path:
    """The log of a whole run, to be spoilt."""
    return copy_of(recorded, tmp_path / recorded.name)


# --- the chain -----------------------------------------------------------------------------------------------------


def test_a_log_that_nobody_touched_is_intact_to_the_last_line(real: Path) -> None:
    assert verify(real) == len(lines_of(real)) > 50


def test_whichever_byte_of_a_log_is_altered_verify_names_its_line(tmp_path: Path) -> None:
    folder = make_log(tmp_path / "r-0001", 3)
    whole = (folder / EVENTS).read_bytes()
    for position in range(len(whole)):
        altered = bytearray(whole)
        altered[position] ^= 1
        (folder / EVENTS).write_bytes(altered)
        assert first_wrong_line(folder) == line_holding(whole, position), f"byte {position}"


@MANY
@given(where=st.floats(0, 1, exclude_max=True), value=st.integers(0, 255))
def test_any_other_byte_anywhere_in_a_real_log_is_found_in_its_line(real: Path, where: float, value: int) -> None:
    whole = b"".join(lines_of(real))
    position = int(where * len(whole))
    try:
        (real / EVENTS).write_bytes(whole[:position] + bytes([value]) + whole[position + 1 :])
        expected = None if whole[position] == value else line_holding(whole, position)
        assert first_wrong_line(real) == expected
    finally:
        (real / EVENTS).write_bytes(whole)


def test_a_removed_line_is_named_wherever_it_was(real: Path) -> None:
    lines = lines_of(real)
    for index in range(len(lines)):
        put_lines(real, lines[:index] + lines[index + 1 :])
        assert first_wrong_line(real) == index + 1


def test_a_duplicated_line_is_named_wherever_it_is(real: Path) -> None:
    lines = lines_of(real)
    for index in range(len(lines)):
        put_lines(real, lines[: index + 1] + lines[index:])
        assert first_wrong_line(real) == index + 2


@MANY
@given(data=st.data())
def test_reordered_lines_are_found_at_the_first_that_moved(real: Path, data: st.DataObject) -> None:
    lines = lines_of(real)
    order = data.draw(st.permutations(range(len(lines))))
    try:
        put_lines(real, [lines[index] for index in order])
        moved = next((place for place, index in enumerate(order) if place != index), None)
        assert first_wrong_line(real) == (None if moved is None else moved + 1)
    finally:
        put_lines(real, lines)


@pytest.mark.parametrize("at", [1, 2, 40])
def test_an_inserted_line_is_found_even_if_its_own_hash_and_place_are_right(real: Path, at: int) -> None:
    lines, records = lines_of(real), chain.read(real / EVENTS).records
    prev = records[at - 2].hash if at > 1 else chain.GENESIS
    forged, _ = chain.encode(at, records[at - 1].at, prev, note("forged"))
    put_lines(real, [*lines[: at - 1], forged, *lines[at - 1 :]])
    assert first_wrong_line(real) == at + 1, "the forged line fits; the one after it does not any more"
    unfitting, _ = chain.encode(at, records[at - 1].at, "f" * 64, note("forged"))
    put_lines(real, [*lines[: at - 1], unfitting, *lines[at - 1 :]])
    assert first_wrong_line(real) == at


def test_an_event_rewritten_with_a_matching_hash_breaks_the_line_after_it(real: Path) -> None:
    lines, records = lines_of(real), chain.read(real / EVENTS).records
    for number in (1, 30, len(lines)):
        record = records[number - 1]
        lines_now = list(lines)
        lines_now[number - 1], _ = chain.encode(record.seq, record.at, record.prev, note("another story"))
        put_lines(real, lines_now)
        assert first_wrong_line(real) == min(number + 1, len(lines))


def test_a_history_rewritten_from_some_line_to_the_end_does_not_pass(real: Path) -> None:
    records = chain.read(real / EVENTS).records
    lines, prev = lines_of(real)[:20], records[19].hash
    for record in records[20:]:
        event = note("another story") if record.seq == 21 else record.event
        line, prev = chain.encode(record.seq, record.at, prev, event)
        lines.append(line)
    put_lines(real, lines)
    assert first_wrong_line(real) is not None


@MANY
@given(where=st.floats(0, 1, exclude_max=True))
def test_a_log_cut_anywhere_is_named_at_the_first_line_that_is_not_whole(real: Path, where: float) -> None:
    whole = (real / EVENTS).read_bytes()
    length = int(where * len(whole))
    try:
        (real / EVENTS).write_bytes(whole[:length])
        assert first_wrong_line(real) == line_holding(whole, length)
        with pytest.raises(LogDamaged):
            RunLog.open(real)
    finally:
        (real / EVENTS).write_bytes(whole)


def test_every_line_hashes_what_stands_in_the_file_and_names_the_line_before(real: Path) -> None:
    prev = chain.GENESIS
    for number, record in enumerate(chain.read(real / EVENTS).records, start=1):
        assert (record.seq, record.prev) == (number, prev)
        prev = record.hash


@pytest.mark.parametrize(
    "event",
    [
        '{"kind":"no_such_event"}',
        '{"kind":"gate_checked","state":"NEW","blockers":[],"more":1}',
        "null",
        "[" * 100_000 + "]" * 100_000,
    ],
    ids=["unknown kind", "unknown field", "nothing", "nested too deep"],
)
def test_a_line_with_a_right_hash_and_no_event_in_it_is_damage_and_not_a_crash(log: Path, event: str) -> None:
    import hashlib

    last = chain.read(log / EVENTS).records[-1]
    at = last.at.isoformat(timespec="milliseconds")
    body = f'{{"seq":{last.seq + 1},"at":"{at}","prev":"{last.hash}","event":{event}'.encode()
    with (log / EVENTS).open("ab") as file:
        file.write(body + b',"hash":"' + hashlib.sha256(body).hexdigest().encode() + b'"}\n')
    assert first_wrong_line(log) == last.seq + 1


# --- a torn last line ------------------------------------------------------------------------------------------------


@MANY
@given(torn=st.binary(min_size=1, max_size=300).filter(lambda data: b"\n" not in data))
def test_a_line_cut_short_by_a_crash_is_kept_aside_and_the_repair_recorded(
    tmp_path_factory: pytest.TempPathFactory, torn: bytes
) -> None:
    log = make_log(tmp_path_factory.mktemp("torn") / "r-0001", 3)
    with (log / EVENTS).open("ab") as file:
        file.write(torn)
    assert first_wrong_line(log) == 4
    assert read_view(log).seq == 3, "who only looks is not disturbed by it"
    with RunLog.open(log) as opened:
        assert opened.last_seq == 4
    repaired = chain.read(log / EVENTS).records[-1].event
    assert isinstance(repaired, e.LogRepaired)
    assert (repaired.cut_bytes, repaired.lost_lines) == (len(torn), 0)
    assert (log / repaired.kept_as).read_bytes() == torn
    assert verify(log) == 4


@pytest.mark.parametrize("share", [0.01, 0.5, 0.99])
def test_a_process_killed_in_the_middle_of_writing_a_line_loses_that_line_only(log: Path, share: float) -> None:
    def work() -> None:
        opened = RunLog.open(log)

        def dying_write(line: bytes, *_: object) -> None:
            os.write(opened._fd, line[: int(len(line) * share) or 1])
            os.kill(os.getpid(), signal.SIGKILL)

        opened._write = dying_write  # type: ignore[method-assign]
        opened.append(note("never finished"))

    before = lines_of(log)
    assert in_child(work) == f"killed {signal.SIGKILL}"
    with RunLog.open(log) as opened:
        opened.append(note("and on"))
    assert lines_of(log)[: len(before)] == before
    assert [r.event.kind for r in chain.read(log / EVENTS).records[-2:]] == ["log_repaired", "gate_checked"]
    assert verify(log) == len(before) + 2


def test_a_whole_line_whose_head_was_never_written_is_kept(log: Path) -> None:
    head = (log / HEAD).read_bytes()
    with RunLog.open(log) as opened:
        opened.append(note("written, then killed before the head"))
    (log / HEAD).write_bytes(head)
    with RunLog.open(log) as opened:
        opened.append(note("next"))
    assert [r.event.kind for r in chain.read(log / EVENTS).records[-2:]] == ["gate_checked"] * 2
    assert verify(log) == 8


def test_a_log_cut_long_after_it_was_written_is_refused_in_one_line_and_can_be_continued(log: Path) -> None:
    lines = lines_of(log)
    kept, torn = b"".join(lines[:3]), lines[3][:40]
    (log / EVENTS).write_bytes(kept + torn)
    with pytest.raises(LogDamaged) as refused:
        RunLog.open(log)
    assert refused.value.line_number == 4
    assert "log repair r-0001" in refused.value.line() and "\n" not in refused.value.line()
    assert (log / EVENTS).read_bytes() == kept + torn, "a refusal changes nothing"
    with RunLog.open(log, accept_loss=True) as opened:
        repaired = chain.read(log / EVENTS).records[-1].event
        assert isinstance(repaired, e.LogRepaired) and repaired.lost_lines == 3
        assert (log / repaired.kept_as).read_bytes() == torn
        opened.append(note("and on"))
    assert verify(log) == 5
    RunLog.open(log).close()


def test_repair_does_not_accept_an_altered_line(log: Path) -> None:
    lines = lines_of(log)
    put_lines(log, [lines[0], lines[1].replace(b"line 2", b"line X"), *lines[2:]])
    with pytest.raises(LogDamaged) as refused:
        RunLog.open(log, accept_loss=True)
    assert refused.value.line_number == 2


def test_a_repair_that_was_itself_killed_does_not_lose_what_was_kept_aside(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = lines_of(log)
    (log / EVENTS).write_bytes(b"".join(lines[:3]) + lines[3][:40])

    def work() -> None:
        chain.write_head = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[assignment]
        RunLog.open(log, accept_loss=True)

    assert in_child(work) == f"killed {signal.SIGKILL}"
    RunLog.open(log, accept_loss=True).close()
    assert lines[3][:40] in [place.read_bytes() for place in log.glob("torn-*")]


# --- one process at a time -------------------------------------------------------------------------------------------

HOLD = """
import sys, time
from pathlib import Path
from statsclaw.runlog.log import RunLog
log = RunLog.open(Path(sys.argv[1]))
print("ready", flush=True)
time.sleep(60)
"""


def test_a_second_process_is_refused_while_the_first_lives_and_takes_over_when_it_was_killed(log: Path) -> None:
    first = subprocess.Popen([sys.executable, "-c", HOLD, str(log)], stdout=subprocess.PIPE)
    try:
        assert first.stdout is not None
        assert select.select([first.stdout], [], [], 30)[0] and first.stdout.readline() == b"ready\n"
        before = (log / EVENTS).read_bytes()
        with pytest.raises(RunLocked) as refused:
            RunLog.open(log)
        assert f"pid {first.pid}" in refused.value.line() and "\n" not in refused.value.line()
        assert in_child(lambda: RunLog.open(log).close()).startswith("RunLocked")
        assert is_held(log / LOCK) and (log / EVENTS).read_bytes() == before
        assert verify(log) == 6 and read_view(log).seq == 6, "looking needs no lock"
        first.send_signal(signal.SIGKILL)
        first.wait()
        assert not is_held(log / LOCK)
        with RunLog.open(log) as taken_over:
            taken_over.append(note("mine now"))
        assert verify(log) == 7
    finally:
        first.kill()
        first.wait()


def test_programs_that_a_run_starts_do_not_keep_its_lock(log: Path) -> None:
    opened = RunLog.open(log)
    child = subprocess.Popen(["sleep", "30"])
    try:
        opened.close()
        RunLog.open(log).close()
    finally:
        child.kill()
        child.wait()


def test_a_refused_open_leaves_no_lock_behind(log: Path) -> None:
    put_lines(log, lines_of(log)[:2])
    for _ in range(2):
        with pytest.raises(LogDamaged):
            RunLog.open(log)
    assert not is_held(log / LOCK)


# --- time ------------------------------------------------------------------------------------------------------------


@MANY
@given(steps=st.lists(st.integers(-100_000, 100_000), min_size=1, max_size=12), reopen=st.integers(0, 11))
def test_a_clock_that_goes_back_never_makes_the_log_go_back(
    tmp_path_factory: pytest.TempPathFactory, steps: list[int], reopen: int
) -> None:
    folder = tmp_path_factory.mktemp("clock") / "r-0001"
    now = datetime(2026, 1, 1, tzinfo=UTC)

    def clock() -> datetime:
        return now

    log = RunLog.create(folder, clock=clock)
    log.append(created())
    for number, step in enumerate(steps):
        now += timedelta(seconds=step)
        if number == reopen:
            log.close()
            log = RunLog.open(folder, clock=clock)
        log.append(note(str(number)))
    log.close()
    records = chain.read(folder / EVENTS).records
    assert [r.at for r in records] == sorted(r.at for r in records)
    assert [r.event.blockers[0] for r in records[1:]] == [str(n) for n in range(len(steps))]  # type: ignore[union-attr]
    assert records[-1].at >= now.replace(microsecond=0) or max(steps) > 0


# --- states and threads ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reached", [None, *list(State)])
def test_only_the_state_in_the_table_can_be_entered(tmp_path: Path, reached: State | None) -> None:
    folder = tmp_path / "r-0001"
    with RunLog.create(folder) as log:
        log.append(created())
        for state in State if reached else ():
            log.append(e.StateEntered(state=state))
            if state is reached:
                break
        before = (folder / EVENTS).read_bytes()
        for state in State:
            if NEXT.get(reached) is state:
                continue
            with pytest.raises(GateClosed):
                log.append(e.StateEntered(state=state))
        assert (folder / EVENTS).read_bytes() == before and log.view.state is reached
        if reached is not State.DONE:
            log.append(e.StateEntered(state=NEXT[reached]))
            assert log.view.state is NEXT[reached]
    assert verify(folder) == len(lines_of(folder))


def test_nothing_can_be_added_to_a_finished_run(log: Path) -> None:
    with RunLog.open(log) as opened:
        opened.append(e.RunFinished(outcome="stopped"))
        before = (log / EVENTS).read_bytes()
        with pytest.raises(GateClosed):
            opened.append(e.QuestionAnswered(question="q1", choice=0, by="answer"))
    assert (log / EVENTS).read_bytes() == before


def test_appends_from_many_threads_keep_the_chain_and_every_event(tmp_path: Path) -> None:
    folder, threads, each = tmp_path / "r-0001", 8, 20
    seen: list[int] = []
    with RunLog.create(folder) as log:
        log.append(created())
        log.observers.append(lambda record, view: seen.append(record.seq))
        start = threading.Barrier(threads)

        def work(name: int) -> None:
            start.wait()
            for number in range(each):
                log.append(note(f"{name}.{number}"))

        workers = [threading.Thread(target=work, args=(name,)) for name in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    assert verify(folder) == threads * each + 1
    said = [r.event.blockers[0] for r in chain.read(folder / EVENTS).records[1:]]  # type: ignore[union-attr]
    assert sorted(said) == sorted(f"{name}.{number}" for name in range(threads) for number in range(each))
    for name in range(threads):
        assert [s for s in said if s.startswith(f"{name}.")] == [f"{name}.{number}" for number in range(each)]
    assert seen == list(range(2, threads * each + 2))


# --- the store -------------------------------------------------------------------------------------------------------


@MANY
@given(data=st.binary(max_size=2000))
def test_what_is_put_into_the_store_comes_out_again(tmp_path: Path, data: bytes) -> None:
    store = ContentStore(tmp_path / "store")
    assert store.get(store.put(data)) == data == store.get(store.put(data))


@MANY
@given(data=st.binary(min_size=1, max_size=200), where=st.floats(0, 1, exclude_max=True), by=st.integers(1, 255))
def test_a_stored_content_that_was_altered_is_never_given_out(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, where: float, by: int
) -> None:
    store = ContentStore(tmp_path_factory.mktemp("store"))
    digest = store.put(data)
    altered = bytearray(data)
    altered[int(where * len(data))] ^= by
    for content in (bytes(altered), data[:-1], data + b"x", b""):
        store.path(digest).write_bytes(content)
        with pytest.raises(LogDamaged, match="altered"):
            store.get(digest)
    store.path(digest).unlink()
    with pytest.raises(LogDamaged, match="gone"):
        store.get(digest)


# --- the disk --------------------------------------------------------------------------------------------------------


def limit_file_size(limit: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


@pytest.mark.parametrize("room", [0, 1, 100, 350, 1000])
def test_when_no_more_fits_on_the_disk_the_append_is_refused_and_nothing_written_is_lost(log: Path, room: int) -> None:
    size = (log / EVENTS).stat().st_size

    def work() -> None:
        limit_file_size(size + room)
        opened = RunLog.open(log)
        for number in range(100):
            try:
                opened.append(note(f"number {number}"))
            except MachineRefused:
                assert verify(log) == 6 + number, "what was not written left no trace"
                raise

    before = lines_of(log)
    said = in_child(work)
    assert said.startswith("MachineRefused: cannot write to") and "File too large" in said
    written = lines_of(log)
    assert written[:6] == before and verify(log) == len(written) == read_view(log).seq
    with RunLog.open(log) as opened:
        opened.append(note("there is room again"))
    assert verify(log) == len(written) + 1


def test_a_head_that_cannot_be_written_refuses_the_append_and_does_not_break_the_chain(log: Path) -> None:
    """The disk fills up between the line and the head; then there is room again."""
    opened = RunLog.open(log)
    (log / HEAD).unlink()
    (log / HEAD).symlink_to("/dev/full")
    with opened:
        with pytest.raises(MachineRefused):
            opened.append(note("the head did not fit"))
        (log / HEAD).unlink()
        opened.append(note("there is room again"))
    assert verify(log) == len(lines_of(log))


def test_a_full_disk_does_not_cost_the_head_that_guards_the_end_of_the_log(log: Path) -> None:
    def work() -> None:
        limit_file_size(0)
        RunLog.open(log).append(note("does not fit"))

    assert in_child(work).startswith("MachineRefused")
    assert chain.read_head(log / HEAD) == (6, chain.read(log / EVENTS).last_hash)


def run_with_limit(bench: Bench, target: Path, recorded: Path, limit: int) -> str:
    def work() -> None:
        limit_file_size(limit)
        bench.start(order_for(target, "replay", recording=recorded, run_id="full-0001"))

    return in_child(work)


def assert_ends_as_recorded(bench: Bench, recorded: Path, run_id: str) -> None:
    view, expected = bench.resume(run_id), read_view(recorded)
    assert view.finished is not None and view.finished.outcome == "shipped"
    assert view.tree_sha256 == expected.tree_sha256
    assert {n: a.sha256 for n, a in view.artifacts.items() if a.producer != "engine"} == {
        n: a.sha256 for n, a in expected.artifacts.items() if a.producer != "engine"
    }
    assert f"statsclaw/{run_id}" in branches(bench.folder / "tinymean.git")
    assert verify(bench.workspace.find(run_id).path) == view.seq


@pytest.mark.parametrize("limit", [6_000, 18_000, 30_000])
def test_a_run_whose_disk_fills_up_ends_with_one_clear_refusal_and_is_resumed_without_loss(
    limit: int, bench: Bench, target: Path, recorded: Path
) -> None:
    said = run_with_limit(bench, target, recorded, limit)
    assert said.startswith("MachineRefused: cannot write to"), said
    assert_ends_as_recorded(bench, recorded, "full-0001")


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Callable[[int], Path]]:
    """A file system of so many KiB, or as many more if it is there already."""
    place = tmp_path / "workspace"
    mounted = False

    def size(kib: int) -> Path:
        nonlocal mounted
        place.mkdir(exist_ok=True)
        option = f"size={kib}k" + (",remount" if mounted else "")
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", option, "tmpfs", str(place)], capture_output=True)
        if done.returncode != 0:
            pytest.skip("a file system cannot be mounted here")
        mounted = True
        return place

    yield size
    if mounted:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.mark.parametrize("kib", [350, 860])
def test_a_run_on_a_file_system_that_fills_up_is_resumed_without_loss_when_there_is_room_again(
    kib: int, tiny_disk: Callable[[int], Path], bench: Bench, target: Path, recorded: Path
) -> None:
    tiny_disk(kib)
    order = order_for(target, "replay", recording=recorded, run_id="tiny-0001")
    assert in_child(lambda: bench.start(order) and None) != "fine"
    tiny_disk(2 * 1024 * 1024)
    assert_ends_as_recorded(bench, recorded, "tiny-0001")


def test_a_full_file_system_is_a_refusal_by_the_machine_whatever_was_being_written(
    tiny_disk: Callable[[int], Path], bench: Bench, target: Path, recorded: Path
) -> None:
    wrong = {}
    for kib in (16, 160, 250, 350, 450, 600):  # the workspace, the clone, the first documents, rooms, the store
        place = tiny_disk(kib)
        order = order_for(target, "replay", recording=recorded, run_id="tiny-0001")
        said = in_child(lambda order=order: bench.start(order) and None)  # type: ignore[misc]
        if not said.startswith("MachineRefused"):
            wrong[kib] = said.partition("\n")[0][:120]
        for entry in place.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    assert not wrong


@pytest.mark.parametrize("by_itself", [False, True])
def test_a_program_ended_on_a_disk_that_others_filled_is_not_blamed(
    by_itself: bool, tiny_disk: Callable[[int], Path]
) -> None:
    place = tiny_disk(64 * 1024)
    (place / "own").mkdir()
    filled = place / "own" / "data" if by_itself else place / "data"
    filled.write_bytes(b"\0" * (60 << 20))
    told: list[str] = []
    with subprocess.Popen(["sleep", "20"]) as program:

        def end(reason: str) -> None:
            told.append(reason)
            program.kill()

        watch = Watch(program.pid, Limits(free_disk_bytes=32 << 20), [place / "own"], end)
        refused = (
            contextlib.nullcontext() if by_itself else pytest.raises(MachineRefused, match="were left on the disk")
        )
        with refused, watch:
            program.wait()
    assert told == ["less than 32 MiB were left on the disk"]


def test_a_run_that_was_killed_before_its_first_line_is_not_there(bench: Bench, target: Path) -> None:
    def work() -> None:
        RunLog._write = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[assignment, method-assign]
        bench.start(order_for(target, run_id="never-0001"))

    assert in_child(work) == f"killed {signal.SIGKILL}"
    assert [run.id for run in bench.workspace.runs()] == []


def without_privileges() -> list[str]:
    """A prefix under which even root obeys file permissions."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("setpriv is needed to test permissions as root")
    return ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"]


@pytest.mark.slow
@pytest.mark.parametrize("locked", ["root", "repository", "run", "events"])
def test_a_workspace_that_cannot_be_written_is_refused_in_one_line_and_works_again_afterwards(
    locked: str, bench: Bench, target: Path, recorded: Path, tmp_path: Path
) -> None:
    argv, before = ["run", "check it", "--workflow", "validate", "--target", str(target)], []
    place = bench.workspace.root
    place.mkdir()
    if locked != "root":
        assert run_with_limit(bench, target, recorded, 14_000).startswith("MachineRefused")
        run = bench.workspace.find("full-0001").path
        place = {"repository": run.parent, "run": run, "events": run / EVENTS}[locked]
        argv = argv if locked == "repository" else ["resume", "full-0001"]
        before = lines_of(run)
    mode = place.stat().st_mode
    place.chmod(0o444 if locked == "events" else 0o555)
    try:
        done = subprocess.run(
            [*without_privileges(), *CLI, *argv, "--workspace", str(bench.workspace.root)],
            capture_output=True,
            text=True,
            env=os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")},
        )
    finally:
        place.chmod(mode)
    assert done.returncode == 8, done.stderr
    assert done.stderr.startswith("error: ") and len(done.stderr.splitlines()) == 1
    if before:
        assert lines_of(run)[: len(before)] == before
        assert_ends_as_recorded(bench, recorded, "full-0001")
    else:
        assert list(place.iterdir()) == []
