"""The read-only part of an enclosure: the system, interpreters and compilers, and the program that plays the role.

A tool inside /usr is there with the system. A tool elsewhere (a virtual environment, pyenv, conda, nvm, a home folder)
is shown with the folder it was installed into, and nothing else around it.
"""

from __future__ import annotations

import os
import shutil
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path

from statsclaw.errors import InputRefused
from statsclaw.sandbox.enclosure import Enclosure, Mount, Purpose


@dataclass(frozen=True, slots=True)
class SystemTable:
    folders: tuple[str, ...]
    top_level: tuple[str, ...]
    configuration: tuple[str, ...]
    masked: tuple[str, ...]
    masked_from_root: tuple[str, ...]
    search_path: tuple[str, ...]
    files: tuple[tuple[str, str], ...]


@cache
def system_table() -> SystemTable:
    table = tomllib.loads(files("statsclaw.sandbox").joinpath("system.toml").read_text(encoding="utf-8"))
    made = tuple((path, text.lstrip("\n")) for path, text in table.pop("files").items())
    return SystemTable(files=made, **{name: tuple(rows) for name, rows in table.items()})


@cache
def system() -> Enclosure:
    """The machine's own programs and libraries, as they are found here."""
    table, mounts, links = system_table(), list[Mount](), list[tuple[str, str]]()
    for name in table.top_level:
        path = Path(name)
        if path.is_symlink():
            links.append((name, str(path.readlink())))
        elif path.is_dir():
            mounts.append(_same(path, "system"))
    for name in (*table.folders, *table.configuration):
        if Path(name).exists():
            mounts.append(Mount(inside=name, host=str(Path(name).resolve()), purpose="system"))
    return Enclosure(
        mounts=tuple(mounts), links=tuple(links), files=table.files, search_path=table.search_path, cwd="/"
    )


def with_tools(enclosure: Enclosure, programs: Iterable[Path], purpose: Purpose = "toolchain") -> Enclosure:
    """Show programs that live outside the system, with the folders they were installed into, and put them first."""
    mounts, first = list(enclosure.mounts), list[str]()
    for program in programs:
        for place in places_of(program):
            if not _shown(mounts, place):
                mounts.append(_same(place, purpose))
        folder = str(program.parent)
        if _shown(mounts, program.parent) and folder not in (*enclosure.search_path, *first):
            first.append(folder)
    return replace(enclosure, mounts=tuple(mounts), search_path=(*first, *enclosure.search_path))


def with_paths(enclosure: Enclosure, paths: Iterable[Path], purpose: Purpose) -> Enclosure:
    """Show files or folders read-only, where they are."""
    mounts = list(enclosure.mounts)
    for path in paths:
        if path.exists() and not _shown(mounts, path):
            mounts.append(_same(path, purpose))
    return replace(enclosure, mounts=tuple(mounts))


_MODULES = "node_modules"


def places_of(program: Path, depth: int = 0) -> Iterator[Path]:
    """What must be shown so that `program` can be started: its prefix, its interpreter's prefix, or the file alone."""
    program = Path(os.path.abspath(program))  # noqa: PTH100  links must stay: a venv's python is a link
    if depth > 4 or not program.exists():
        return
    if _in_system(program) and _in_system(program.resolve()):
        return
    environment, real = program.parent.parent, program.resolve()
    if (environment / "pyvenv.cfg").is_file():
        yield environment
    elif _MODULES in real.parts:  # a program of npm needs the packages beside its own
        yield Path(*real.parts[: real.parts.index(_MODULES) + 1])
    else:
        yield from (_prefix(program) or program,)
    if real != program:
        yield from places_of(real, depth + 1)
    if interpreter := _interpreter(real):
        yield from places_of(interpreter, depth + 1)


def _prefix(program: Path) -> Path | None:
    """The folder a program was installed into, if it has one of its own: PREFIX/bin/x, PREFIX/lib/node_modules/…"""
    for parent in program.parents:
        if parent in _shared() or _in_system(parent):
            return None
        installed = any((parent / name).is_dir() for name in ("lib", "lib64", "libexec", "share"))
        if program.is_relative_to(parent / "lib") or (program.is_relative_to(parent / "bin") and installed):
            return parent
    return None


@cache
def _shared() -> frozenset[Path]:
    """Folders that hold much more than one program: never shown as a whole."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111
    return frozenset({Path("/"), home, home / ".local", *home.parents, Path("/opt"), Path("/var"), Path("/tmp")})


def _interpreter(script: Path) -> Path | None:
    """What the first line of a script names."""
    try:
        with script.open("rb") as file:
            first = file.readline(512)
    except OSError:
        return None
    if not first.startswith(b"#!"):
        return None
    words = os.fsdecode(first[2:]).split()
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        found = shutil.which(words[0]) if words else None
        return Path(found) if found else None
    return Path(words[0]) if words and words[0].startswith("/") else None


def find_program(name: str, enclosure: Enclosure) -> str | None:
    """Where a program called by its bare name is found inside, if it is."""
    for folder in enclosure.search_path:
        place = Path(folder) / name
        if _shown(enclosure.mounts, place) and os.access(place, os.X_OK) and place.is_file():
            return str(place)
    return None


def with_agent(enclosure: Enclosure, argv: Sequence[str], also: Iterable[Path] = ()) -> tuple[Enclosure, list[str]]:
    """Show the program that plays the role and the files its command line names; the command as it is found inside."""
    name, *arguments = argv
    program = shutil.which(name)
    if "/" not in name and find_program(name, enclosure):
        command = name
    elif program is not None:
        command = program
        enclosure = with_tools(enclosure, [Path(program)], "agent")
    else:
        raise InputRefused(f"the backend's program {name!r} is not there or cannot be executed")
    named = [Path(part) for part in arguments if part.startswith("/") and Path(part).exists()]
    return with_paths(enclosure, [*named, *also], "agent"), [command, *arguments]


def hide(enclosure: Enclosure, paths: Iterable[Path]) -> Enclosure:
    """Cover paths that a mount would show: installed copies of the target, the target's own folder."""
    real = [path.resolve() if path.is_symlink() else path for path in paths]  # a link is covered where it leads
    covered = {enclosure.inside(path) for path in real if _shown(enclosure.mounts, path)}
    return replace(enclosure, hidden=(*enclosure.hidden, *sorted(covered)))


def installed_copies(enclosure: Enclosure, patterns: Iterable[str], names: Iterable[str]) -> list[Path]:
    """Where the tools hold a copy of the package that is being worked on: its source would be readable there."""
    found: set[Path] = set()
    for mount in enclosure.of("system", "toolchain", "agent"):
        root = Path(mount.host)
        if root.is_dir():
            for name in names:
                for pattern in patterns:
                    found |= {*root.glob(pattern.replace("{name}", name).replace("{rest}", name[1:]))}
    return sorted(path for path in found if path.parent != Path("/usr"))  # a package called "lib" hides no system


def check_apart(enclosure: Enclosure, private: Iterable[Path], todo: str) -> None:
    """Refuse an enclosure that shows a role more than its own part of a private folder, such as the workspace."""
    for folder in private:
        for mount in enclosure.of("system", "toolchain", "agent"):
            host, there = Path(mount.host).resolve(), folder.resolve()
            if there.is_relative_to(host) or host.is_relative_to(there):
                raise InputRefused(
                    f"{mount.host} would be shown to the roles, and {folder} must not be",
                    kept="Nothing was started",
                    todo=todo,
                )


def _same(path: Path, purpose: Purpose) -> Mount:
    return Mount(inside=str(path), host=str(path), purpose=purpose)


def _shown(mounts: Iterable[Mount], path: Path) -> bool:
    return any(path.is_relative_to(mount.host) for mount in mounts)


def _in_system(path: Path) -> bool:
    table = system_table()
    return any(path.is_relative_to(folder) for folder in (*table.folders, *table.top_level))
