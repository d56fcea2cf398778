"""Profiles: the data about a language, read from the TOML files beside this module."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from statsclaw.errors import InputRefused, one_of
from statsclaw.profiles.globs import compile_glob, glob_matches, is_plain_path

BUILT_IN = ("r", "python", "typescript", "stata", "go", "rust", "c", "cpp", "julia")
_FURTHER: list[Path] = []
PLACEHOLDERS = frozenset({"python", "tree", "site", "scratch", "adapter", "validation", "simulation", "report"})
#: In these a study that the engine computes may be written, whatever the package is written in.
_DRAWING = (".py", ".R")
COMMAND_LISTS = ("build", "checks", "unit_tests", "validation", "study")

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


class PathClass(StrEnum):
    """What a path of a repository is; who sees or writes it is decided elsewhere."""

    METADATA = "metadata"
    VALIDATION = "validation"
    SIMULATION = "simulation"
    UNIT_TESTS = "unit_tests"
    DOCS = "docs"
    SOURCE = "source"
    ENGINE = "engine"
    OTHER = "other"


def _glob(glob: str) -> str:
    compile_glob(glob)
    return glob


def _placeholders_known(text: str) -> str:
    for name in _PLACEHOLDER.findall(text):
        if name not in PLACEHOLDERS:
            known = " ".join(f"{{{known}}}" for known in sorted(PLACEHOLDERS))
            raise ValueError(f"unknown placeholder {{{name}}} (known: {known})")
    return text


Glob = Annotated[str, AfterValidator(_glob)]
Template = Annotated[str, AfterValidator(_placeholders_known)]
Line = Annotated[str, Field(min_length=1)]
Pattern = Annotated[str, AfterValidator(lambda text: re.compile(text).pattern)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PathRule(_Frozen):
    """Paths that match one of the globs belong to the class."""

    cls: PathClass
    globs: Annotated[tuple[Glob, ...], Field(min_length=1)]


class Marker(_Frozen):
    """A file that gives a package away; with `beside`, only when one of those exists too."""

    file: Glob
    beside: tuple[Glob, ...] = ()
    priority: int | None = None  # of this marker, when it says less (or more) than the profile's others


class Command(_Frozen):
    """One program run by the engine; braces that do not spell a placeholder are left as they are."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
    argv: Annotated[tuple[Template, ...], Field(min_length=1)]
    cwd: Literal["tree", "validation", "scratch"] = "tree"
    parser: Literal["exit", "junit", "rcheck", "study"]
    env: Mapping[str, Template] = {}
    timeout_s: Annotated[int, Field(gt=0)]
    needs: tuple[Line, ...] = ()
    on: Literal["always", "validation", "simulation", "unit_tests"] = "always"
    beside: bool = False  # needs the tree alone: runs in a copy of it, beside everything but a study
    reserves: bool = False  # a sanitizer reserves far more address space than the memory it uses
    registry: bool = False  # may reach the package registry, where the person allows it

    @model_validator(mode="after")
    def _report_is_written(self) -> Command:
        if self.parser != "exit" and "report" not in self.placeholders():
            raise ValueError(f"parser {self.parser!r} reads a report, but the command never mentions {{report}}")
        return self

    def placeholders(self) -> frozenset[str]:
        """The names of the placeholders that argv and env use."""
        return frozenset(name for text in (*self.argv, *self.env.values()) for name in _PLACEHOLDER.findall(text))

    def fill(self, values: Mapping[str, str]) -> tuple[tuple[str, ...], dict[str, str]]:
        """argv and env with the placeholders replaced; KeyError when a value is missing."""

        def put(text: str) -> str:
            return _PLACEHOLDER.sub(lambda match: values[match[1]], text)

        return tuple(put(text) for text in self.argv), {key: put(text) for key, text in self.env.items()}


@dataclass(frozen=True)
class Package:
    """A package as a program can look at it. `read`: the text of one of its paths."""

    paths: Collection[str]
    read: Callable[[str], str]


class Sign(_Frozen):
    """Seen in a package that has one of `files`, or in which the file of a pattern in `says` matches it."""

    files: tuple[Glob, ...] = ()
    says: Mapping[Line, Pattern] = {}

    def seen_in(self, package: Package) -> bool:
        if any(glob_matches(glob, path) for glob in self.files for path in package.paths):
            return True
        return any(re.search(says, package.read(path)) for path, says in self.says.items() if path in package.paths)


class Program(_Frozen):
    """What is to be known of a program that commands need.

    `version`: arguments with which it says its version. `tried`: that it is there does not show that it works.
    `needed_by`: packages that need it, if not all do; one without any source yet counts as one. `brought_by`: packages
    that bring it; `downloaded_by`: those that bring it where a registry may be reached.
    """

    version: tuple[Line, ...] = ("--version",)
    tried: bool = False
    get: str = ""
    needed_by: Sign | None = None
    brought_by: Sign = Sign()
    downloaded_by: Sign = Sign()


class Conventions(_Frozen):
    """Sentences for the agents' prompts."""

    documentation: Line
    numerics: Line
    strictness: Line
    planner: tuple[Line, ...] = ()  # how an interface is written in this language
    builder: Annotated[tuple[Line, ...], Field(min_length=1)]
    tester: Annotated[tuple[Line, ...], Field(min_length=1)]
    simulator: Annotated[tuple[Line, ...], Field(min_length=1)]
    scriber: Annotated[tuple[Line, ...], Field(min_length=1)]


class Tools(_Frozen):
    """What of the machine a language needs beside the system, and where a copy of the package may be installed.

    `folders` and the values of `env` are globs, `~` is the person's home; a variable gets what its glob finds.
    `name_in`: file and pattern whose group is the package's name. `name_of_paths`: patterns whose group is one.
    `registries`: hosts that `--registry default` means.
    `installed`: globs below a folder of tools, with {name} for the package's name, {rest} for it but its first letter.
    """

    folders: tuple[Line, ...] = ()
    env: Mapping[str, Line] = {}
    registries: tuple[Line, ...] = ()
    name_in: Mapping[str, Line] = {}
    name_of_paths: tuple[Line, ...] = ()
    installed: tuple[Line, ...] = ()


class Profile(_Frozen):
    """A language: how to recognise, divide, build, check and write its packages."""

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$")]
    name: Line
    ecosystem: Line
    markers: Annotated[tuple[Marker, ...], Field(min_length=1)]
    priority: int
    paths: tuple[PathRule, ...]
    build: tuple[Command, ...]
    checks: tuple[Command, ...]
    unit_tests: tuple[Command, ...]
    validation: tuple[Command, ...]
    study: tuple[Command, ...]
    study_entry: Line
    conventions: Conventions
    missing_tool: Annotated[str, Field(min_length=1, pattern=r"^[^\n]+$")]
    tools: Tools = Tools()
    programs: Mapping[Line, Program] = {}

    @model_validator(mode="after")
    def _names_are_unique(self) -> Profile:
        names = [command.name for command in self.commands()]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"two commands are called {twice[0]!r}")
        return self

    def commands(self) -> tuple[Command, ...]:
        """Every command, in the order the engine runs them."""
        return (*self.build, *self.checks, *self.unit_tests, *self.validation, *self.study)

    def needed(
        self, commands: Iterable[Command], package: Package | None = None, *, registry: bool = False
    ) -> list[str]:
        """Programs that these commands need for a package; without one, for a package that brings none of them."""
        named = dict.fromkeys(program for command in commands for program in command.needs)
        return [name for name in named if package is None or self._needs(name, package, registry)]

    def always_needed(self, command: Command) -> list[str]:
        return [name for name in command.needs if self.program(name).needed_by is None]

    def program(self, name: str) -> Program:
        return self.programs.get(name) or Program()

    def _needs(self, name: str, package: Package, registry: bool) -> bool:
        program = self.program(name)
        if program.needed_by is None:
            return True
        is_new = not any(self.classify(path) is PathClass.SOURCE for path in package.paths)
        if not is_new and not program.needed_by.seen_in(package):
            return False
        return not (program.brought_by.seen_in(package) or (registry and program.downloaded_by.seen_in(package)))

    def study_entries(self) -> tuple[str, ...]:
        """The file that a simulator must write, and what it may be instead: the same in another language."""
        own = PurePosixPath(self.study_entry)
        others = _DRAWING if own.suffix in _DRAWING else ()
        return tuple(dict.fromkeys((self.study_entry, *(str(own.with_suffix(ending)) for ending in others))))

    def classify(self, path: str) -> PathClass:
        """The class of the first rule that matches; a path that could escape the tree is refused."""
        if not is_plain_path(path):
            raise InputRefused(f"{path!r} is not a plain relative path", todo="name files relative to the repository")
        for rule in self.paths:
            if any(glob_matches(glob, path) for glob in rule.globs):
                return rule.cls
        return PathClass.OTHER


@cache
def _common_rules() -> tuple[PathRule, ...]:
    return tuple(PathRule.model_validate(rule) for rule in _read("common")["paths"])


def add_languages(folder: Path) -> None:
    """Languages of a person's own: `ID.toml`, a profile, and beside it `ID.py`, if its packages can be asked."""
    if folder not in _FURTHER:
        _FURTHER.append(folder)
        load_profile.cache_clear()


def language_folders() -> tuple[Path, ...]:
    return tuple(_FURTHER)


def profile_ids() -> tuple[str, ...]:
    """The program's own, then a person's."""
    further = (path.stem for folder in _FURTHER for path in sorted(folder.glob("*.toml")))
    return tuple(dict.fromkeys((*BUILT_IN, *further)))


def _read(name: str) -> dict[str, Any]:
    further = next((path for folder in _FURTHER if (path := folder / f"{name}.toml").is_file()), None)
    place = files("statsclaw.profiles") / f"{name}.toml" if further is None or name in BUILT_IN else further
    return tomllib.loads(place.read_text(encoding="utf-8"))


def _engine_first(rules: Iterable[PathRule]) -> tuple[PathRule, ...]:
    return tuple(sorted(rules, key=lambda rule: rule.cls is not PathClass.ENGINE))


@cache
def load_profile(id: str) -> Profile:
    """The profile of that id, its path table led by the rules all languages share."""
    if id not in profile_ids():
        raise InputRefused(f"there is no profile {id!r}", todo=one_of(id, profile_ids()))
    table = _read(id)
    own = (PathRule.model_validate(rule) for rule in table.pop("paths"))
    return Profile.model_validate({**table, "paths": _engine_first((*_common_rules(), *own))})


def all_profiles() -> tuple[Profile, ...]:
    """Every profile, in the order of profile_ids()."""
    return tuple(load_profile(id) for id in profile_ids())


def with_overrides(profile: Profile, table: Mapping[str, object]) -> Profile:
    """The profile with a project's `[profile]` table applied.

    Command lists are replaced; path rules come before the profile's own, but after those that protect the engine.
    """
    known = (*COMMAND_LISTS, "paths")
    if unknown := sorted(set(table) - set(known)):
        raise InputRefused(
            f"[profile] in statsclaw.toml has the unknown key {unknown[0]!r}", todo=f"use {', '.join(known)}"
        )
    try:
        added = _Rules.model_validate({"paths": table.get("paths", ())}).paths
        protected = [rule for rule in profile.paths if rule.cls is PathClass.ENGINE]
        rest = [rule for rule in profile.paths if rule.cls is not PathClass.ENGINE]
        lists = {key: table[key] for key in COMMAND_LISTS if key in table}
        return Profile.model_validate({**profile.model_dump(), "paths": (*protected, *added, *rest), **lists})
    except ValidationError as error:
        raise InputRefused(_first_problem(error), todo="correct the [profile] table") from error


class _Rules(_Frozen):
    paths: tuple[PathRule, ...]


def _first_problem(error: ValidationError) -> str:
    first = error.errors()[0]
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"])
    return f"[profile]{where} in statsclaw.toml: {first['msg'].removeprefix('Value error, ')}"
