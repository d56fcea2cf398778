"""The profile for macOS, read as text: no machine here can run it. A parser of its language is part of the test."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statsclaw.errors import MachineRefused
from statsclaw.sandbox import seatbelt
from statsclaw.sandbox.choose import KINDS, make_barrier
from statsclaw.sandbox.enclosure import Enclosure, Mount, Purpose
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.process import Completed
from statsclaw.sandbox.seatbelt import Seatbelt, quoted, seatbelt_profile


class Word(str):
    """A name of the language, as opposed to a string."""


def parse(text: str) -> list[list[object]]:
    """All forms of a profile; fails on whatever is not balanced or stands outside a form."""
    forms: list[list[object]] = []
    open_forms: list[list[object]] = []
    at = 0
    while at < len(text):
        character = text[at]
        at += 1
        if character in " \n":
            continue
        if character == "(":
            open_forms.append([])
        elif character == ")":
            done = open_forms.pop()
            (open_forms[-1] if open_forms else forms).append(done)
        elif character == '"':
            value, at = _string(text, at)
            open_forms[-1].append(value)
        else:
            begin = at - 1
            while at < len(text) and text[at] not in ' \n()"':
                at += 1
            word = text[begin:at]
            assert set(word) <= set("abcdefghijklmnopqrstuvwxyz0123456789-*"), word
            open_forms[-1].append(Word(word))
    assert not open_forms, "a form was not closed"
    return forms


def _string(text: str, at: int) -> tuple[str, int]:
    value = ""
    while text[at] != '"':
        if text[at] != "\\":
            assert text[at].isprintable() or ord(text[at]) >= 0x80, "a control character stands in a string"
            value, at = value + text[at], at + 1
        elif text[at + 1] == "x":
            value, at = value + chr(int(text[at + 2 : at + 4], 16)), at + 4
        else:
            value, at = value + {"n": "\n", '"': '"', "\\": "\\"}[text[at + 1]], at + 2
    return value, at + 1


def rules(text: str) -> Iterator[tuple[str, set[str], list[list[object]]]]:
    """(allow or deny, operations, filters) in order."""
    for form in parse(text)[1:]:
        head, *rest = form
        operations = {str(part) for part in rest if isinstance(part, Word)}
        filters = [part for part in rest if isinstance(part, list)]
        assert all(isinstance(part, Word | list) for part in rest)
        yield str(head), operations, filters


def enclosure_of(
    shown: list[str], writable: list[str], hidden: list[str] | None = None, purpose: Purpose = "repository"
) -> Enclosure:
    mounts = [Mount(inside=path, host=path, purpose="toolchain") for path in shown]
    mounts += [Mount(inside=path, host=path, purpose=purpose, writable=True) for path in writable]
    return Enclosure(mounts=tuple(mounts), hidden=tuple(hidden or ()), cwd=(writable or shown or ["/"])[0])


FIXED = {*seatbelt.SYSTEM_FOLDERS, *seatbelt.SYSTEM_FILES, *seatbelt.DEVICES, "/dev/fd"}
FILE_OPERATIONS = {"file-read*", "file-write*", "file-write-data", "file-read-metadata", "process-exec"}
BARE = {"process-fork"}  # allowed without a filter


def check(text: str, enclosure: Enclosure, *, port: int | None = None, path: str = "") -> None:
    """Whatever a profile allows must follow from the enclosure or stand in the fixed list."""
    forms = parse(text)
    assert forms[0] == ["version", "1"]
    assert forms[1] == ["deny", "default"]
    shown = {name for mount in enclosure.mounts for name in seatbelt._names(mount.host)}
    writable = {name for mount in enclosure.mounts if mount.writable for name in seatbelt._names(mount.host)}
    above = {str(folder) for name in (*shown, *FIXED) for folder in PurePosixPath(name).parents}
    searched = {name for folder in path.split(":") if folder for name in seatbelt._names(folder)}
    allowed = [(operations, filters) for head, operations, filters in rules(text) if head == "allow"]
    assert {head for head, _, _ in rules(text)} <= {"allow", "deny"}
    for operations, filters in allowed:
        assert operations
        if operations <= BARE:
            assert not filters
            continue
        if operations == {"ipc-posix-sem"}:
            assert enclosure.of("verification")
            continue
        assert filters, f"{operations} is allowed without a limit"
        for kind, *values in filters:
            if operations <= FILE_OPERATIONS:
                (value,) = values
                assert kind in ("subpath", "literal")
                may = FIXED | shown | (above | searched if operations == {"file-read-metadata"} else set())
                assert value in may, (operations, value)
                if operations & {"file-write*"}:
                    assert value in writable
                if operations & {"file-write-data"}:
                    assert value in {*seatbelt.DEVICES, "/dev/fd"}
                if kind == "subpath":
                    assert value not in above - FIXED - shown
            elif operations == {"network-outbound"}:
                assert port is not None
                assert (kind, values) == ("remote", ["ip", f"localhost:{port}"])
            elif operations == {"sysctl-read"}:
                assert values[0] in (*seatbelt.FACTS, *seatbelt.FACT_PREFIXES)
            elif operations == {"mach-lookup"}:
                assert (kind, values[0] in seatbelt.SERVICES) == ("global-name", True)
            else:
                assert operations <= {"signal", "process-info*"}
                assert (kind, values[0] in ("self", "children")) == ("target", True)


def test_a_plain_profile() -> None:
    enclosure = enclosure_of(["/usr", "/opt/tools"], ["/Users/me/room/repo"], ["/opt/tools/lib/target"])
    text = seatbelt_profile(enclosure, {"PATH": "/usr/bin:/nowhere/bin"})
    check(text, enclosure, path="/usr/bin:/nowhere/bin")
    assert "network" not in text
    assert "file-link" not in text
    rows = [row for row in rules(text) if row[0] == "allow" and "file-read*" in row[1]]
    assert ["subpath", "/opt/tools"] in rows[-1][2]
    assert not any(["subpath", "/Users/me/room"] in filters for _, _, filters in rules(text))


def test_what_is_hidden_is_denied_after_everything_else() -> None:
    enclosure = enclosure_of(["/opt/tools"], ["/tmp/room"], ["/opt/tools/lib/target", "/tmp/room/x"], "verification")
    text = seatbelt_profile(enclosure, {}, 4711)
    check(text, enclosure, port=4711)
    *_, (head, operations, filters) = rules(text)
    assert head == "deny"
    assert operations == {"file-read*", "file-write*", "process-exec"}
    named = {str(value) for _, value in filters}
    assert {"/opt/tools/lib/target", "/tmp/room/x", "/private/tmp/room/x"} <= named
    assert not named & {"/opt/tools", "/opt", "/"}


def test_a_hidden_path_is_found_where_its_mount_is() -> None:
    mount = Mount(inside="/tools", host="/opt/tools", purpose="toolchain")
    text = seatbelt_profile(Enclosure(mounts=(mount,), hidden=("/tools/lib",)), {})
    assert '(subpath "/opt/tools/lib")' in text
    assert '"/tools' not in text


@pytest.mark.parametrize(
    ("path", "also"),
    [
        ("/tmp/room", "/private/tmp/room"),
        ("/private/tmp/room", "/tmp/room"),
        ("/var/folders/x", "/private/var/folders/x"),
        ("/Users/me", "/System/Volumes/Data/Users/me"),
        ("/System/Volumes/Data/Users/me", "/Users/me"),
        ("/var/folders/x", "/System/Volumes/Data/private/var/folders/x"),
    ],
)
def test_a_folder_with_two_names_is_allowed_and_denied_under_both(path: str, also: str) -> None:
    allowed = seatbelt_profile(enclosure_of([], [path]), {})
    denied = seatbelt_profile(enclosure_of(["/"], [], [path]), {}).splitlines()[-1]
    for name in (path, also):
        assert f"(subpath {quoted(name)})" in allowed
        assert f"(subpath {quoted(name)})" in denied
    assert seatbelt._names("/tmpfiles") == ["/tmpfiles"]


def test_a_link_is_allowed_under_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    text = seatbelt_profile(enclosure_of([str(tmp_path / "link")], []), {})
    assert quoted(os.path.realpath(tmp_path / "real")) in text


def test_a_read_only_part_of_a_writable_folder_stays_so() -> None:
    mounts = (
        Mount(inside="/room", host="/Users/me/room", purpose="repository", writable=True),
        Mount(inside="/room/in", host="/Users/me/room/in", purpose="documents"),
    )
    found = list(rules(seatbelt_profile(Enclosure(mounts=mounts), {})))
    allowed = [n for n, (head, operations, _) in enumerate(found) if (head, operations) == ("allow", {"file-write*"})]
    denied = [n for n, (head, operations, _) in enumerate(found) if (head, operations) == ("deny", {"file-write*"})]
    assert ["subpath", "/Users/me/room/in"] in found[denied[0]][2]
    assert allowed[0] < denied[0]


def test_the_network_is_one_port_of_this_machine_or_nothing() -> None:
    enclosure = enclosure_of(["/usr"], [])
    assert '(allow network-outbound (remote ip "localhost:8080"))' in seatbelt_profile(enclosure, {}, 8080)
    assert "network" not in seatbelt_profile(enclosure, {})


def test_semaphores_are_for_verification_only() -> None:
    assert "ipc" not in seatbelt_profile(enclosure_of([], ["/w"]), {})
    assert "(allow ipc-posix-sem)" in seatbelt_profile(enclosure_of([], ["/w"], [], "verification"), {})


nasty = st.text(
    st.one_of(
        st.sampled_from(list("\"\\()\n\r\t; #|\x01\x7f'`,.x0")),
        st.characters(codec="utf-8", exclude_characters="/\x00"),
    ),
    min_size=1,
    max_size=30,
).filter(lambda name: name not in (".", ".."))
paths = st.lists(nasty, min_size=1, max_size=3).map(lambda parts: "/" + "/".join(parts))


@settings(deadline=None)
@given(st.lists(paths, max_size=3), st.lists(paths, max_size=3), st.lists(paths, max_size=2), paths)
def test_no_name_breaks_out_of_its_string(shown: list[str], writable: list[str], hidden: list[str], path: str) -> None:
    enclosure = enclosure_of(shown, writable, hidden)
    text = seatbelt_profile(enclosure, {"PATH": path, "HOME": path})
    check(text, enclosure, path=":".join(part for part in path.split(":") if part.startswith("/")))
    plain = seatbelt_profile(enclosure_of(["/a"] * len(shown), ["/b"] * len(writable), ["/c"] * len(hidden)), {})
    assert _heads(text) == _heads(plain)


def _heads(text: str) -> list[tuple[str, set[str]]]:
    """What the rules are about; whether one folder lies in another is left out."""
    return [(head, about) for head, about, _ in rules(text) if (head, about) != ("deny", {"file-write*"})]


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=60))
def test_quoting_is_undone_by_reading(text: str) -> None:
    assert parse(f"(literal {quoted(text)})") == [["literal", text]]


def test_the_parser_finds_what_is_wrong() -> None:
    """A test of the test: a profile that quotes nothing is caught."""
    enclosure = enclosure_of(['/a")(allow default)(allow file-read* (literal "'], [])
    text = seatbelt_profile(enclosure, {})
    check(text, enclosure)
    broken = text.replace('\\"', '"')
    with pytest.raises((AssertionError, IndexError, KeyError, ValueError)):
        check(broken, enclosure)
    with pytest.raises((AssertionError, IndexError)):
        parse(text.rstrip()[:-1])


def test_it_is_refused_on_anything_but_a_mac(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(MachineRefused) as refused:
        make_barrier("seatbelt")
    assert "needs macOS" in refused.value.line()
    assert "bubblewrap" in refused.value.todo
    assert "seatbelt" in KINDS


def test_on_a_mac_it_is_made_and_says_that_it_was_never_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(platform, "mac_ver", lambda: ("15.1", ("", "", ""), "arm64"))
    monkeypatch.setattr(seatbelt, "PROGRAM", "/nonexistent/sandbox-exec")
    with pytest.raises(MachineRefused, match="sandbox-exec"):
        make_barrier("seatbelt")
    monkeypatch.setattr(seatbelt, "PROGRAM", "/bin/sh")
    barrier = make_barrier("seatbelt")
    assert (barrier.kind, barrier.version, barrier.user) == ("seatbelt", "15.1", os.getuid())
    assert "never tried on a Mac" in barrier.shows


def test_a_program_is_run_with_its_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a stand-in for sandbox-exec that writes down what it was given and starts the program."""
    stand_in = tmp_path / "sandbox-exec"
    stand_in.write_text('#!/bin/sh\ntest "$1" = -p || exit 99\nprintf %s "$2" > profile\nshift 2\nexec "$@"\n')
    stand_in.chmod(0o755)
    monkeypatch.setattr(seatbelt, "PROGRAM", str(stand_in))
    room, desk = tmp_path / "room", tmp_path / "desk"
    room.mkdir()
    desk.mkdir()
    mounts = (
        Mount(inside="/usr", host="/usr", purpose="system"),
        Mount(inside="/repo", host=str(room), purpose="repository", writable=True),
    )
    enclosure = Enclosure(mounts=mounts, cwd="/repo", env={"R_LIBS": "/r"})

    def run(*argv: str, **limits: float) -> Completed:
        given = Limits(timeout_s=20).model_copy(update=limits)
        return Seatbelt(4711).run(argv, enclosure, desk=desk, env={"HOME": "/h"}, limits=given, stdin=b"given")

    done = run("sh", "-c", "cat; pwd; echo $HOME $R_LIBS $PATH; exit 3")
    assert done.exit_code == 3
    assert done.output.decode() == f"given{room}\n/h /r /usr/local/bin:/usr/bin:/bin\n"
    text = (room / "profile").read_text()
    check(text, enclosure, port=4711, path="/usr/local/bin:/usr/bin:/bin")
    assert text.rstrip("\n") == seatbelt_profile(enclosure, {"PATH": "/usr/local/bin:/usr/bin:/bin"}, 4711).rstrip("\n")
    assert not (desk / "pid").exists()
    assert Seatbelt().path(enclosure, room) == str(room)
    assert "longer than" in run("sleep", "30", timeout_s=0.5).ended_by
