"""What a role left behind is taken by name, kind and amount, and never by trust."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

import statsclaw
from statsclaw.engine.dispatch import _collisions
from statsclaw.errors import RunStopped
from statsclaw.git import GitFailed, git, git_text
from statsclaw.runlog.events import FileChange
from statsclaw.runlog.store import ContentStore, sha256
from statsclaw.sandbox.importer import TooMuch, name_problem, printable, take_outbox, take_repository, twin_names
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.tree import Entry, Manifest
from statsclaw.workspace.ship import make_commit
from tests.support.patience import within
from tests.support.runs import NOON

SMALL = Limits(file_bytes=1000, total_bytes=2500, files=20, artifact_bytes=500, path_length=60)
GB = 1024**3


@pytest.fixture
def repo(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "repo"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.py").write_bytes(b"a = 1\n")
    (folder / "README.md").write_bytes(b"# A\n")
    yield folder
    subprocess.run(["rm", "-rf", folder], check=True)  # pytest could not remove what is nested too deep


@pytest.fixture
def store(tmp_path: Path) -> ContentStore:
    return ContentStore(tmp_path / "store")


def manifest_of(folder: Path) -> Manifest:
    files = [path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts]
    return {
        path.relative_to(folder).as_posix(): Entry(
            sha256=sha256(path.read_bytes()),
            executable=bool(path.stat().st_mode & 0o111),
            size=path.stat().st_size,
        )
        for path in files
    }


def source(path: str) -> bool:
    return path.startswith("src/")


def take(repo: Path, before: Manifest, limits: Limits = SMALL):  # type: ignore[no-untyped-def]
    with within(10):
        return take_repository(repo, before, source, limits)


# --- names ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "../x", "src/../../x", "..", ".", "", "/etc/passwd", "//x", "src//x", "src/./x", "x/", ".git", ".git/hooks/x",
        "src/.GIT/config", "src/.Git", "a\\b", "..\\x", "a\nb", "a\rb", "a\tb", "a\0b", "a\x1b[2Jb", "a\x7fb", "a\x9bb",
        "a\u2028b", "a\u2029b", "a\u202eb", "a\u200bb", "a\ufeffb", ".g\u200cit/config", "a\udcffb", "x" * 241,
    ],
    ids=ascii,
)  # fmt: skip
def test_a_name_that_could_escape_or_deceive_is_refused(path: str) -> None:
    assert name_problem(path, Limits())


@pytest.mark.parametrize(
    "path", ["a", "src/a.py", "src/ä/ß.py", "a b", "-rf", "..a", "a..", ".hidden", "数据/x.R", "x" * 240]
)
def test_an_ordinary_name_is_not_refused(path: str) -> None:
    assert name_problem(path, Limits()) == ""


GIT_LEAVES_OUT = [
    "src/git~1/x.py", "src/GIT~1/x.py", "src/.GIT./x.py", "src/.Git /x.py", "src/.git. ./x.py", "src/git~1 /x.py",
    "src/.git:x/x.py", "src/.git::$INDEX_ALLOCATION/x.py", "src/git~1", "src/.git ",
]  # fmt: skip


@pytest.mark.parametrize("path", ["src/a.py", "src/-rf.py", "src/ä b.py", *GIT_LEAVES_OUT])
def test_every_name_that_is_taken_is_in_the_commit(path: str, repo: Path, store: ContentStore, tmp_path: Path) -> None:
    before = manifest_of(repo)
    (repo / path).parent.mkdir(parents=True, exist_ok=True)
    (repo / path).write_bytes(b"x = 1\n")
    taken = take(repo, before)
    assert bool(taken.files) is (path not in GIT_LEAVES_OUT)
    for data in taken.contents.values():
        store.put(data)
    git("init", "--quiet", "--bare", str(tmp_path / "bare.git"))
    commit = make_commit(tmp_path / "bare.git", None, taken.files, store, message="m", date=NOON, author=None)
    names = git_text("ls-tree", "-r", "-z", "--name-only", commit, git_dir=tmp_path / "bare.git").split("\0")
    assert {change.path for change in taken.files} == {name for name in names if name}


@pytest.mark.parametrize("path", ["src/git~1/x.py", "src/.Git /x.py", ".git/config", "../x.py"])
def test_a_commit_without_a_name_that_was_verified_is_not_made(path: str, store: ContentStore, tmp_path: Path) -> None:
    """Should a name come past the importer, the shipper sees that git left it out."""
    git("init", "--quiet", "--bare", str(tmp_path / "bare.git"))
    change = FileChange.model_construct(path=path, sha256=store.put(b"x = 1\n"), executable=False)
    with pytest.raises((RunStopped, GitFailed)):
        make_commit(tmp_path / "bare.git", None, [change], store, message="m", date=NOON, author=None)


def test_what_is_said_about_a_name_cannot_command_a_terminal() -> None:
    said = printable("a\x1b]0;owned\x07\r\n\x9b31m\u202eb\udcff" + "x" * 1000)
    assert said.isprintable() and said.startswith("a") and len(said) <= 300


# --- kinds ---------------------------------------------------------------------------------------------------------


def make_socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the address of a socket must be short
    try:
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(here)


def make_device(path: Path) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("making a device needs root")


KINDS = {
    "a link to a file": (lambda p: p.symlink_to("a.py"), stat.S_ISLNK),
    "a link to a folder": (lambda p: p.symlink_to("/etc"), stat.S_ISLNK),
    "a link to nothing": (lambda p: p.symlink_to("nowhere"), stat.S_ISLNK),
    "a link to itself": (lambda p: p.symlink_to(p.name), stat.S_ISLNK),
    "a link to the passwords": (lambda p: p.symlink_to("/etc/passwd"), stat.S_ISLNK),
    "a hard link": (lambda p: p.hardlink_to(p.parent / "a.py"), lambda mode: stat.S_ISREG(mode)),
    "a fifo": (os.mkfifo, stat.S_ISFIFO),
    "a socket": (make_socket, stat.S_ISSOCK),
    "a device": (make_device, stat.S_ISCHR),
}


@pytest.mark.parametrize("kind", KINDS)
def test_in_the_repository_only_plain_files_are_taken(kind: str, repo: Path) -> None:
    before = manifest_of(repo)
    make, looks = KINDS[kind]
    make(repo / "src" / "b.py")
    assert looks((repo / "src" / "b.py").lstat().st_mode)
    taken = take(repo, before)
    assert [row.split(":")[0] for row in taken.refused if row.startswith("src/b.py")] == ["src/b.py"]
    assert not taken.files


@pytest.mark.parametrize("kind", KINDS)
def test_in_the_outbox_only_plain_files_are_taken(kind: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "a.py").write_bytes(b"a\n")
    make, looks = KINDS[kind]
    make(out / "spec.md")
    assert looks((out / "spec.md").lstat().st_mode)
    with within(10):
        taken = take_outbox(out, ["spec.md"], SMALL)
    assert taken.artifacts == {} and any(row.startswith("spec.md: ") for row in taken.refused)


@pytest.mark.parametrize("what", ["link", "fifo", "file", "nothing"])
def test_a_folder_that_was_replaced_is_not_read(what: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "spec.md").write_text("private")
    folder = tmp_path / "out"
    {"link": lambda: folder.symlink_to(elsewhere), "fifo": lambda: os.mkfifo(folder),
     "file": lambda: folder.write_text("x"), "nothing": lambda: None}[what]()  # fmt: skip
    with within(5), pytest.raises(OSError):
        take_outbox(folder, ["spec.md"], SMALL)
    with within(5), pytest.raises(OSError):
        take_repository(folder, {}, source, SMALL)


def test_nothing_below_a_linked_folder_is_seen(repo: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "private.py").write_text("secret = 1\n")
    before = manifest_of(repo)
    (repo / "src" / "sub").symlink_to(outside)
    taken = take(repo, before)
    assert taken.files == [] and taken.refused[0].startswith("src/sub: ")
    assert taken.contents == {}


def test_the_own_git_folder_is_never_looked_into(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = manifest_of(repo)
    git("init", "--quiet", cwd=repo)
    os.mkfifo(repo / ".git" / "hooks" / "pre-push")
    opened: list[object] = []
    really = os.open
    monkeypatch.setattr(os, "open", lambda path, *a, **k: (opened.append(path), really(path, *a, **k))[1])
    assert take(repo, before).files == []
    assert "src" in map(str, opened) and ".git" not in map(str, opened)


@pytest.mark.parametrize("name", [".git", ".GIT", ".Git"])
def test_a_git_folder_further_down_is_refused(name: str, repo: Path) -> None:
    before = manifest_of(repo)
    (repo / "src" / "vendored" / name / "hooks").mkdir(parents=True)
    (repo / "src" / "vendored" / name / "config").write_text("[core]\n\tfsmonitor = touch /tmp/owned\n")
    taken = take(repo, before)
    assert not taken.files and any("git" in row.lower() for row in taken.refused)


def test_a_git_file_that_points_elsewhere_is_refused(repo: Path) -> None:
    before = manifest_of(repo)
    (repo / "src" / "vendored").mkdir()
    (repo / "src" / "vendored" / ".git").write_text("gitdir: /etc\n")
    assert take(repo, before).refused == ["src/vendored/.git: its name is not a path inside the repository"]


def test_names_that_are_not_utf8_are_refused_and_can_be_printed(repo: Path) -> None:
    before = manifest_of(repo)
    (repo / os.fsdecode(b"src/\xff\xfe.py")).write_bytes(b"x\n")
    (repo / os.fsdecode(b"src/\xc3\x28")).mkdir()
    (repo / os.fsdecode(b"src/\xc3\x28/x.py")).write_bytes(b"x\n")
    assert b"\xff\xfe.py" in os.listdir(os.fsencode(repo / "src"))  # noqa: PTH208
    taken = take(repo, before)
    assert not taken.files and len(taken.refused) == 2
    assert all(row.endswith("its name is not UTF-8") and row.isprintable() for row in taken.refused)


# --- amounts -------------------------------------------------------------------------------------------------------


def test_two_gigabytes_are_refused_unread(repo: Path, tmp_path: Path) -> None:
    before = manifest_of(repo)
    with (repo / "src" / "big.bin").open("wb") as file:
        file.truncate(2 * GB)
    assert (repo / "src" / "big.bin").stat().st_size == 2 * GB
    with within(2):
        taken = take_repository(repo, before, source, Limits())
    assert not taken.files and taken.refused[0].startswith("src/big.bin: larger than")
    out = tmp_path / "out"
    out.mkdir()
    with (out / "spec.md").open("wb") as file:
        file.truncate(2 * GB)
    with within(2):
        assert take_outbox(out, ["spec.md"], Limits()).refused[0].startswith("spec.md: larger than")


def test_a_known_file_that_has_grown_beyond_the_limit_is_refused_unread(repo: Path) -> None:
    before = manifest_of(repo)
    with (repo / "src" / "a.py").open("ab") as file:
        file.truncate(64 * GB)
    with within(1):
        taken = take_repository(repo, before, source, Limits())
    assert not taken.files and taken.refused[0].startswith("src/a.py: larger than")


def test_a_large_file_that_was_there_before_may_stay(repo: Path) -> None:
    (repo / "data.bin").write_bytes(b"x" * 5000)
    before = manifest_of(repo)
    assert take(repo, before).refused == []
    (repo / "data.bin").write_bytes(b"x" * 4999 + b"y")
    assert take(repo, before).refused[0].startswith("data.bin: larger than")


def test_the_limit_of_a_file_is_exact(repo: Path) -> None:
    before = manifest_of(repo)
    (repo / "src" / "b.py").write_bytes(b"x" * SMALL.file_bytes)
    assert [change.path for change in take(repo, before).files] == ["src/b.py"]
    (repo / "src" / "b.py").write_bytes(b"x" * (SMALL.file_bytes + 1))
    assert take(repo, before).files == []


def test_many_files_are_too_much_together(repo: Path) -> None:
    before = manifest_of(repo)
    for number in range(3):
        (repo / "src" / f"b{number}.py").write_bytes(bytes([number]) * 900)
    with pytest.raises(TooMuch, match="2500 bytes"):
        take(repo, before)


def test_counting_stops_early(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = manifest_of(repo)
    for number in range(3000):
        (repo / "src" / f"b{number}.py").touch()
    opened = 0
    really = os.open

    def counting(*args, **kwargs):  # type: ignore[no-untyped-def]
        nonlocal opened
        opened += 1
        return really(*args, **kwargs)

    monkeypatch.setattr(os, "open", counting)
    with pytest.raises(TooMuch, match="more than 22 files"):
        take(repo, before)
    assert 22 <= opened < 32


def test_folders_count_too(repo: Path) -> None:
    before = manifest_of(repo)
    for number in range(1000):
        (repo / "src" / f"d{number}").mkdir()
    with pytest.raises(TooMuch):
        take(repo, before)


def test_folders_count_where_there_are_no_files(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "only").mkdir(parents=True)
    (out / "spec.md").write_text("# Spec\n")
    for number in range(1000):
        (out / "only" / f"d{number}").mkdir()
    with pytest.raises(TooMuch):
        take_outbox(out, ["spec.md"], SMALL)


def test_folders_nested_deeper_than_any_stack_are_too_much(repo: Path) -> None:
    before, here = manifest_of(repo), Path.cwd()
    os.chdir(repo / "src")
    try:
        for _ in range(1500):
            Path("d").mkdir()
            os.chdir("d")
    finally:
        os.chdir(here)
    with pytest.raises(TooMuch, match=r"nested|left behind"):
        take(repo, before)


def test_refusals_are_bounded(repo: Path) -> None:
    before = manifest_of(repo)
    for number in range(300):
        (repo / f"{number:03d}-{'y' * 200}").touch()
    taken = take(repo, before, Limits())
    assert len(taken.refused) == 50 and all(len(row) < 400 for row in taken.refused)


def test_no_descriptor_stays_open(repo: Path) -> None:
    before = manifest_of(repo)
    for number in range(40):
        (repo / "src" / f"b{number}.py").write_text(str(number))
    (repo / "src" / "link").symlink_to("a.py")
    os.mkfifo(repo / "src" / "fifo")
    there = len(list(Path("/proc/self/fd").iterdir()))
    take(repo, before, Limits())
    with pytest.raises(TooMuch):
        take(repo, before)
    assert len(list(Path("/proc/self/fd").iterdir())) <= there


# --- what changed --------------------------------------------------------------------------------------------------


def test_exactly_what_changed_within_the_surface_is_taken(repo: Path) -> None:
    (repo / "src" / "gone.py").write_text("gone\n")
    (repo / "src" / "same.py").write_text("same\n")
    before = manifest_of(repo)
    (repo / "src" / "gone.py").unlink()
    (repo / "src" / "a.py").write_bytes(b"\xff\x00not text\r\n")
    (repo / "src" / "run.sh").write_text("#!/bin/sh\n")
    (repo / "src" / "run.sh").chmod(0o755)
    taken = take(repo, before)
    assert taken.refused == []
    assert taken.files == [
        FileChange(path="src/a.py", sha256=sha256(b"\xff\x00not text\r\n")),
        FileChange(path="src/gone.py", sha256=None),
        FileChange(path="src/run.sh", sha256=sha256(b"#!/bin/sh\n"), executable=True),
    ]
    assert taken.contents == {sha256(data): data for data in (b"\xff\x00not text\r\n", b"#!/bin/sh\n")}


@pytest.mark.parametrize("deed", ["write", "change", "delete", "chmod"])
def test_outside_the_surface_every_deed_is_refused(deed: str, repo: Path) -> None:
    before = manifest_of(repo)
    place = repo / ("README.md" if deed != "write" else "setup.cfg")
    {"write": lambda: place.write_text("x"), "change": lambda: place.write_text("x"),
     "delete": place.unlink, "chmod": lambda: place.chmod(0o755)}[deed]()  # fmt: skip
    taken = take(repo, before)
    assert taken.files == [] and len(taken.refused) == 1 and taken.refused[0].startswith(place.name)


def test_taking_writes_nothing_anywhere(repo: Path, tmp_path: Path) -> None:
    """What is taken is in memory until the caller knows that all of it may be; a refused hand-in leaves no trace."""
    before = manifest_of(repo)
    (repo / "src" / "new.py").write_text("new = 1\n")
    (repo / "README.md").write_text("mine now\n")
    there = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert take(repo, before).refused
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == there


def test_in_the_outbox_only_owed_names_are_read(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "sub").mkdir(parents=True)
    for name in ("spec.md", "review.md", "sub/spec.md", "SPEC.md", "spec.md~"):
        (out / name).write_text(name)
    taken = take_outbox(out, ["spec.md"], SMALL)
    assert taken.artifacts == {"spec.md": b"spec.md"}
    assert sorted(row.split(":")[0] for row in taken.refused) == ["SPEC.md", "review.md", "spec.md~", "sub/spec.md"]


# --- names that another machine takes for one -------------------------------------------------------------------------

NFC, NFD = "src/caf\u00e9.py", "src/cafe\u0301.py"


@pytest.mark.parametrize(
    ("added", "others"),
    [
        (["src/A.py"], ["src/a.py"]),
        (["src/A.py", "src/a.py"], []),
        ([NFD], [NFC]),
        (["src/CAFE\u0301.py"], [NFC]),
        (["Src/b.py"], ["src/a.py"]),
        (["src/Stra\u00dfe.py"], ["src/STRASSE.py"]),
        (["src/x\u2082.py"], ["src/x2.py"]),
    ],
)
def test_names_that_differ_in_case_or_form_only_are_told(added: list[str], others: list[str]) -> None:
    run = SimpleNamespace(target=SimpleNamespace(files=dict.fromkeys(others)), view=SimpleNamespace(overlay={}))
    changes = [FileChange(path=path, sha256="0" * 64) for path in added]
    (told,) = _collisions(run, changes)  # type: ignore[arg-type]
    assert told.endswith("its name differs from another only in case or in Unicode form")
    assert told.startswith(tuple(added)) and "\n" not in told


@pytest.mark.parametrize(
    ("changed", "others", "overlay"),
    [
        ({"src/A.py": True, "src/a.py": False}, ["src/a.py"], {}),
        ({"src/A.py": True}, ["src/A.py", "src/a.py"], {}),
        ({"src/ab.py": True}, ["src/a.py"], {}),
        ({"src/A.py": True}, ["src/a.py"], {"src/a.py": None}),
        ({"Src/new.py": True}, ["Src/old.py", "src/a.py"], {}),
    ],
    ids=["renamed", "both there before", "another name", "removed before", "folders that were there before"],
)
def test_other_names_are_not(changed: dict[str, bool], others: list[str], overlay: dict[str, None]) -> None:
    gone = {path: FileChange(path=path, sha256=None) for path in overlay}
    run = SimpleNamespace(target=SimpleNamespace(files=dict.fromkeys(others)), view=SimpleNamespace(overlay=gone))
    changes = [FileChange(path=path, sha256="0" * 64 if kept else None) for path, kept in changed.items()]
    assert _collisions(run, changes) == []  # type: ignore[arg-type]


def test_no_honest_material_is_refused_for_its_names() -> None:
    for top in (Path(statsclaw.__file__).parent / "demo", Path(__file__).parents[1] / "support"):
        paths = {path.relative_to(top).as_posix() for path in top.rglob("*") if path.is_file()}
        assert len(paths) > 10 and twin_names(paths, set(), paths) == []
