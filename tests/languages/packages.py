"""A package in any language on a bench of its own: built, made ready to be asked, asked and judged, behind the barrier.

The material of a language is `tests/languages/ID/`:

    package/                    the honest package, as it would lie in its repository
    out/comprehension.md interface.md test-spec.md      what an honest planner wrote
    tests/validation/ask_*.py   what an honest tester wrote
    faults.toml                 [[fault]] name, file (below package/), old, new, criteria = [those that must fail]
"""

from __future__ import annotations

import shutil
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from statsclaw.engine.tools import language_tools
from statsclaw.languages import spoken
from statsclaw.profiles.profile import PathClass, load_profile
from statsclaw.runlog.events import CommandExecuted
from statsclaw.runlog.store import ContentStore
from statsclaw.sandbox.choose import make_barrier
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.toolchain import with_paths
from statsclaw.specs.contract import Contract, read_contract
from statsclaw.verify.blind.rooms import lay_out_scripts
from statsclaw.verify.blind.talking import Conversation
from statsclaw.verify.blind.validation import Validation
from statsclaw.verify.runner import Bench, verify_tree

HERE = Path(__file__).parent
Edit = tuple[str, str, str]


@dataclass(frozen=True)
class Fault:
    name: str
    edit: Edit
    criteria: tuple[str, ...]


def faults(id: str) -> list[Fault]:
    rows = tomllib.loads((HERE / id / "faults.toml").read_text(encoding="utf-8"))["fault"]
    return [Fault(row["name"], (row["file"], row["old"], row["new"]), tuple(row["criteria"])) for row in rows]


@dataclass(frozen=True)
class Package:
    """`edits`: file below package/, old text, new text. `documents`: of the planner, by name, in place of its own.

    `tools`: folders or programs that are shown beside what the profile finds.
    """

    id: str
    folder: Path
    edits: tuple[Edit, ...] = ()
    documents: Mapping[str, str] = field(default_factory=dict)
    tools: tuple[Path, ...] = ()

    @cached_property
    def contract(self) -> Contract:
        names = ("comprehension.md", "interface.md", "test-spec.md")
        texts = {name: (HERE / self.id / "out" / name).read_text(encoding="utf-8") for name in names}
        return read_contract({**texts, **self.documents})

    @cached_property
    def bench(self) -> Bench:
        profile = load_profile(self.id)

        def tools(python: str) -> Any:
            return with_paths(language_tools(profile, python or None), self.tools, "toolchain")

        bench = Bench(
            folder=self.folder / "verify", desk=self.folder / "desk", cache=self.folder / "cache", profile=profile,
            store=ContentStore(self.folder / "store"), barrier=make_barrier("bubblewrap"), tools=tools,
            limits=Limits(), scrub=lambda text: text, python=sys.executable, seed=7,
        )  # fmt: skip
        assert self.contract.interface is not None

        def validate(bench: Bench, subject: str, tree: str) -> Iterator[CommandExecuted]:
            made = Validation.of(bench, self.contract, "nobody knows")
            assert made is not None
            yield from made.judged(subject, tree)

        return replace(bench, validate=validate, adapt=partial(spoken(self.id).adapter, self.contract.interface))

    @cached_property
    def validation(self) -> Validation:
        found = Validation.of(self.bench, self.contract, "nobody knows")
        assert found is not None
        return found

    def lay_out(self, folder: Path, classes: frozenset[PathClass]) -> None:
        """As the engine lays out a tree: of each file its class decides."""
        folder.mkdir(parents=True, exist_ok=True)
        for base in (HERE / self.id / "package", HERE / self.id / "tests"):
            below = base if base.name == "package" else base.parent
            for source in sorted(path for path in base.rglob("*") if path.is_file()):
                path = source.relative_to(below).as_posix()
                if self.bench.profile.classify(path) in classes:
                    (folder / path).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(source, folder / path)
        for file, old, new in self.edits:
            place = folder / file
            if place.is_file():
                text = place.read_text(encoding="utf-8")
                assert text.count(old) == 1, (file, old, text.count(old))
                place.write_text(text.replace(old, new), encoding="utf-8")

    def verified(self, *phases: str) -> dict[str, CommandExecuted]:
        """The evidence of each command, by name."""
        rows = verify_tree(self.bench, self.lay_out, "0" * 64, "after", phases or ("build", "validation"))
        return {row.name: row for row in rows}

    def failed(self, evidence: Mapping[str, CommandExecuted]) -> dict[str, str]:
        """Criteria that are not met, with the first reason."""
        found: dict[str, str] = {}
        for row in evidence["validation"].tests:
            if row.outcome != "passed":
                found.setdefault(row.name.split("[")[0].split(" ")[0], row.error)
        return found

    @contextmanager
    def worker(self) -> Iterator[Conversation]:
        """A conversation with a worker that holds the package, after `verified("build")`."""
        lay_out_scripts(self.bench)
        talk = self.validation.start()
        try:
            yield talk
        finally:
            talk.finish()


def ask(talk: Conversation, function: str, *arguments: Any, **more: Any) -> dict[str, Any]:
    """One answer, as the worker wrote it. `more`: further keys of the request (named, on, fields, seed, what, id)."""
    request = {"do": "call", "id": 1, "what": "call", "function": function, "on": None}
    request |= {"arguments": list(arguments), "named": {}, "seed": 1, "fields": None, **more}
    found: dict[str, Any] = talk.ask(request, 60.0)
    return found
