"""One language: a profile (TOML) says what is data, a class like the one below what is behaviour."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from statsclaw.profiles.profile import Command
from statsclaw.specs.interface import Interface

#: Folders of a verification that a worker may be shown beside its own.
Shown = Literal["site", "tree", "adapter"]


class Unfit(Exception):
    """The package lacks what its language needs to be asked; the message says what, for whoever builds it."""


@dataclass(frozen=True)
class Places:
    """Paths inside the barrier, "" of what is not shown. `scripts`: the engine's own files.

    `adapter`: what `Language.adapter` laid out, and what its commands have made of it.
    """

    python: str
    scripts: str
    site: str = ""
    tree: str = ""
    adapter: str = ""


@dataclass(frozen=True)
class Adapter:
    """What is made before a package can be asked. `files`: text by path below {adapter}, written by the engine.

    `build`: run after the package was built, with {tree} {site} {scratch} {adapter}; one that fails is a failed build.
    `counted`: run behind them where lines are counted.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    build: tuple[Command, ...] = ()
    counted: tuple[Command, ...] = ()


@dataclass(frozen=True)
class Worker:
    """How a worker begins; INPUT, OUTPUT, SITE and PACKAGE are added."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Values:
    """What answers are like.

    `single`: a number is something else than a vector of one. `whole`: whole numbers have a type of their own.
    `by_any_class`: a condition counts as each of its classes, not only as the first. `generics`: functions that every
    answer may be given to; `makers`: functions of the language that make arguments. `shows_calls`: what is returned may
    show its own call.
    """

    single: bool = True
    whole: bool = True
    by_any_class: bool = False
    generics: frozenset[str] = frozenset()
    makers: frozenset[str] = frozenset()
    shows_calls: bool = False


@dataclass(frozen=True)
class Native:
    """The suite that ships. `runner`: a file beside `verify/blind/native.py`; `at`, `data`: paths in the repository."""

    runner: str
    at: str
    data: str


@dataclass(frozen=True)
class Case:
    """One test of the suite that ships. `left_out`: why it cannot be made, or nothing."""

    name: str
    criterion: str
    left_out: str


class Language(ABC):
    """`how`: the worker looks at the package itself (automatic), or is made from its interface (generated)."""

    id: str
    how: Literal["automatic", "generated"] = "automatic"
    #: What a worker is shown, read-only.
    sees: tuple[Shown, ...] = ("site",)
    values = Values()
    #: Programs without which no worker can be made, beside those of the profile's commands.
    needs: tuple[str, ...] = ()
    native: Native | None = None
    #: Its packages run on the Python that verifies them.
    is_python = False
    #: Below {adapter}, a script that starts a second worker, which ends where memory is misused; it need not be there.
    careful: str | None = None
    #: Its worker tells which lines were executed, see docs/reference/worker-protocol.md.
    traces = False
    #: Below {adapter}, a script that starts a worker which does, made by `Adapter.counted`; None: every worker can.
    counting: str | None = None

    @abstractmethod
    def worker(self, at: Places) -> Worker: ...

    def adapter(self, interface: Interface, tree: Path) -> Adapter:
        """`tree`: the built package, on this machine. Roles wrote it: read with care. Raises Unfit."""
        return Adapter()

    def told(self, interface: Interface) -> Mapping[str, Any]:
        """What the runner of the native suite needs of the interface, where the package cannot tell it by itself."""
        return {}

    def known_alone(self, interface: Interface) -> Interface:
        """Without what only the sources of the package say how to call: their calls do not ship."""
        return interface

    def native_files(self, interface: Interface, cases: Sequence[Case]) -> Mapping[str, str]:
        """What the runner of the native suite compiles, by path in the repository."""
        return {}

    def literal(self, text: str) -> tuple[Any, ...]:
        """The value of a default as the interface writes it; empty where it is no plain value."""
        words = {"true": True, "false": False, "null": None, "nil": None, "NULL": None, "None": None}
        if text.strip() in words:
            return (words[text.strip()],)
        try:
            found = ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return ()
        return (found,) if isinstance(found, int | float | str) else ()

    def imported_names(self, sources: Collection[str], names: Collection[str]) -> Collection[str]:
        """Names by which the package may be loaded. `sources`: its source paths; `names`: those of its metadata."""
        return ()
