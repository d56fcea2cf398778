"""Which tools the programs of a run are shown, and which of them must be covered because they hold the target."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from statsclaw.engine.run import Run
from statsclaw.languages import language
from statsclaw.profiles.profile import Package, PathClass, Profile
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.toolchain import (
    check_apart,
    find_program,
    hide,
    installed_copies,
    system,
    with_paths,
    with_tools,
)
from statsclaw.sandbox.tree import TargetRepo, paths_in, read_text
from statsclaw.verify.interpreter import METADATA, not_installed, requirements_in

_PYTHON_COPIES = ("lib/python*/site-packages/{name}", "lib/python*/site-packages/{name}-*")


def tools_for(run: Run, python: str | None = None) -> Enclosure:
    """The read-only part of every enclosure of this run: the system, the language's tools, the person's own choice."""
    shown = language_tools(run.profile, python or run.local.python)
    shown = with_paths(shown, map(Path, run.local.tools), "toolchain")
    copies = installed_copies(shown, run.profile.tools.installed, package_names(run))
    copies += installed_copies(shown, _PYTHON_COPIES, ["statsclaw"])  # it carries recordings of other roles' work
    shown = hide(shown, [*copies, *map(Path, run.local.hidden)])
    check_tools(run, shown)
    return shown


def language_tools(profile: Profile, python: str | None = None) -> Enclosure:
    own = _own_folders(profile)
    found = [_place_of(program, own) for command in profile.commands() for program in command.needs]
    interpreter = python or (sys.executable if _is_python(profile.id) else _plain_python())
    shown = with_tools(with_paths(system(), own, "toolchain"), [Path(interpreter), *(path for path in found if path)])
    folders, env = list[Path](), dict[str, str]()
    for name, glob in profile.tools.env.items():
        if places := list(_below_home(glob)):
            folders += places
            env = {**env, name: ":".join(map(str, places))}
    return replace(with_paths(shown, folders, "toolchain"), env=env)


def place_of(profile: Profile, program: str) -> Path | None:
    """Where a program of a language is on this machine."""
    return _place_of(program, _own_folders(profile))


def _own_folders(profile: Profile) -> list[Path]:
    return [path for glob in profile.tools.folders for path in _below_home(glob)]


def _place_of(program: str, folders: Iterable[Path]) -> Path | None:
    """On the search path, else in a folder of the language's own."""
    if found := shutil.which(program):
        return Path(found)
    return next((folder / program for folder in folders if os.access(folder / program, os.X_OK)), None)


def missing_programs(
    profile: Profile, programs: Iterable[str], python: str | None = None, more: Iterable[Path] = ()
) -> tuple[str, ...]:
    """Which of these are not here or do not work. `more`: further tools, folders or programs."""
    shown = with_paths(language_tools(profile, python), more, "toolchain")
    return tuple(name for name in programs if not _works(profile, name, find_program(name, shown)))


def how_to_get(profile: Profile, absent: Iterable[str]) -> str:
    """Each by itself where the profile says how, else the language as a whole."""
    ways = list(dict.fromkeys(profile.program(name).get for name in absent))
    return "; ".join(ways) if all(ways) else profile.missing_tool


def package_in(repo: TargetRepo) -> Package:
    """The base commit, as a profile looks at it."""

    def read(path: str) -> str:
        found = next(repo.contents([repo.files[path]]), None) if path in repo.files else None
        return found[1].decode("utf-8", "replace") if found else ""

    return Package(frozenset({**repo.files, **repo.links}), read)


def absent_requirements(profile: Profile, package: Package) -> list[str]:
    """Of a Python package as it is: what it asks for, to be built, run and tested, and is not here."""
    spoken = language(profile.id)
    if spoken is None or not spoken.is_python or METADATA not in package.paths:
        return []
    return not_installed(requirements_in(package.read(METADATA)))


def _works(profile: Profile, name: str, found: str | None) -> bool:
    """Of a program that other programs stand in for, such as those of rustup, being there says nothing."""
    known = profile.program(name)
    return found is not None and (not known.tried or says(found, known.version) is not None)


def says(program: str, arguments: Iterable[str]) -> str | None:
    """What a program says when it is asked for its version; None where it fails."""
    command = [program, *arguments]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=20, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return "found, gives no version"
    if done.returncode != 0 and not done.stdout:
        return None
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[0][:40] if lines else "found"


def _is_python(profile_id: str) -> bool:
    spoken = language(profile_id)
    return spoken is not None and spoken.is_python


def _plain_python() -> str:
    """An interpreter without any installed package, for what the engine itself runs inside."""
    return "/usr/bin/python3" if Path("/usr/bin/python3").exists() else str(Path(sys.base_prefix) / "bin" / "python3")


def _below_home(glob: str) -> Iterable[Path]:
    home = Path("~").expanduser()
    return sorted(home.glob(glob.removeprefix("~/"))) if glob.startswith("~/") else [Path(glob)]


def package_names(run: Run) -> list[str]:
    """Every name under which the target could be installed."""
    tools, paths = run.profile.tools, paths_in(run.target, run.view.overlay)
    names = {match[1] for path in paths for pattern in tools.name_of_paths if (match := re.match(pattern, path))}
    for file, pattern in tools.name_in.items():
        text = read_text(run.target, run.view.overlay, run.store, file)
        names |= {match[1] for match in re.finditer(pattern, text[:200_000])}
    spelled = names | {name.replace("-", "_") for name in names} | {name.replace("-", "_").lower() for name in names}
    return sorted(name for name in spelled if re.fullmatch(r"[A-Za-z0-9._]+", name))


def imported_names(run: Run) -> list[str]:
    """Every name by which the target's own package may be loaded; none where it has no package yet."""
    spoken = language(run.profile.id)
    if spoken is None:
        return []
    paths = paths_in(run.target, run.view.overlay)
    own = [path for path in paths if run.profile.classify(path) is PathClass.SOURCE]
    return sorted(spoken.imported_names(own, package_names(run)))


def check_tools(run: Run, shown: Enclosure) -> None:
    """The target's own folder may lie inside a folder of tools, where it is covered; the workspace may not."""
    private = [run.workspace.root]
    check_apart(shown, private, "keep the workspace and the target apart from tools (`--workspace`)")


def registries_of(run: Run) -> tuple[str, ...]:
    """Hosts that a build may reach: none, unless the person named some."""
    found: list[str] = []
    for name in run.local.registries:
        found += run.profile.tools.registries if name == "default" else [name]
    return tuple(dict.fromkeys(found))
