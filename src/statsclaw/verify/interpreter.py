"""The Python that verifies a Python package: one that holds what the package needs, and not the package."""

from __future__ import annotations

import hashlib
import importlib.metadata
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement

from statsclaw.languages import language

METADATA = "pyproject.toml"
_TEST_EXTRAS = ("test", "tests", "testing")


class InterpreterMissing(Exception):
    def __init__(self, output: str) -> None:
        super().__init__(output)
        self.output = output


#: What can be done about a requirement that is not there.
GET_IT = (
    "install it there, name an interpreter that has it (--python), or let the build reach the registry "
    "(--registry default)"
)


def requirements_of(tree: Path) -> list[str]:
    """What pyproject.toml asks for to build, run and test the package, and pytest."""
    try:
        return requirements_in((tree / METADATA).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return requirements_in("")


def requirements_in(text: str) -> list[str]:
    """The same, of the text of a pyproject.toml."""
    try:
        project = tomllib.loads(text)
    except (ValueError, RecursionError):
        project = {}
    metadata = _table(project, "project")
    extras = _table(metadata, "optional-dependencies")
    build = _table(project, "build-system")
    wanted = _texts(build, "requires") if "requires" in build else ["setuptools"]
    wanted += _texts(metadata, "dependencies")
    if any(row.startswith("setuptools") for row in wanted) and not _installed("setuptools>=70.1"):
        wanted.append("wheel")  # an older one builds no wheel without it
    wanted += [row for name in _TEST_EXTRAS for row in _texts(extras, name)]
    return sorted({*wanted, "pytest"})


def _table(table: Mapping[str, object], key: str) -> Mapping[str, object]:
    """A role may have written anything: what is not of the expected form says nothing."""
    found = table.get(key)
    return found if isinstance(found, dict) else {}


def _texts(table: Mapping[str, object], key: str) -> list[str]:
    found = table.get(key)
    return [row for row in found if isinstance(row, str)] if isinstance(found, list) else []


#: Installs requirements into the environment in a folder; gives the exit status and what was said.
Install = Callable[[Path, list[str]], tuple[int, str]]


def find_interpreter(tree: Path, cache: Path, profile: str, install: Install | None) -> str:
    """The running interpreter if it has everything; else an environment made once and kept in the cache.

    `install` is None where no registry may be reached.
    """
    spoken = language(profile)
    if spoken is None or not spoken.is_python:
        return sys.executable
    wanted = requirements_of(tree)
    if all(_installed(row) for row in wanted):
        return sys.executable
    key = hashlib.sha256("\n".join([sys.version, *wanted]).encode()).hexdigest()[:16]
    folder = cache / "environments" / key
    python = folder / "bin" / "python"
    if not _complete(folder).is_file() or not _untouched(folder):
        if install is None:
            absent = ", ".join(not_installed(wanted))
            raise InterpreterMissing(
                f"the package needs {absent}, which is not installed beside StatsClaw. Fix: {GET_IT}"
            )
        _make(folder, wanted, install)
    return str(python)


def not_installed(wanted: Iterable[str]) -> list[str]:
    """Which of the requirements the running interpreter does not have."""
    return [row for row in wanted if not _installed(row)]


def _installed(row: str) -> bool:
    try:
        requirement = Requirement(row)
        if requirement.marker is not None and not requirement.marker.evaluate():
            return True
        return requirement.specifier.contains(importlib.metadata.version(requirement.name), prereleases=True)
    except (InvalidRequirement, importlib.metadata.PackageNotFoundError):
        return False


def _make(folder: Path, wanted: list[str], install: Install) -> None:
    """What a role asks for is installed behind the barrier: a requirement may run code while it is installed."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = subprocess.run([sys.executable, "-m", "venv", str(folder)], capture_output=True, text=True, check=False)
    status, said = (made.returncode, made.stdout + made.stderr) if made.returncode else install(folder, wanted)
    if status != 0:
        raise InterpreterMissing(f"the package's dependencies could not be installed:\n{said}")
    if not _untouched(folder):
        raise InterpreterMissing("a dependency replaced the interpreter of its environment while it was installed")
    _complete(folder).touch()


def _complete(folder: Path) -> Path:
    """Beside the environment: whatever is installed can write into it, and a link there could lead anywhere."""
    return folder.with_name(folder.name + ".complete")


def _untouched(folder: Path) -> bool:
    """The environment's interpreter is still the link to this one that was made there."""
    python = folder / "bin" / "python"
    return python.is_symlink() and python.resolve() == Path(sys.executable).resolve() and not folder.is_symlink()
