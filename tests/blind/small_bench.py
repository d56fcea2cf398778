"""The honest example on a bench of its own: asked, answered and compared in about a second, behind the barrier."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from statsclaw.engine.tools import language_tools
from statsclaw.profiles.profile import load_profile
from statsclaw.runlog.events import CommandExecuted, Finding
from statsclaw.runlog.store import ContentStore
from statsclaw.sandbox.choose import make_barrier
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.limits import Limits
from statsclaw.specs.contract import Contract, read_contract
from statsclaw.verify.blind.result import Result, kept
from statsclaw.verify.blind.rooms import lay_out_scripts
from statsclaw.verify.blind.study import Simulation
from statsclaw.verify.blind.validation import Validation
from statsclaw.verify.runner import Bench

HONEST = Path(__file__).parents[1] / "support" / "honest"
PACKAGE, QUESTIONS, STUDY = "site/tinymean/__init__.py", "validation/ask_tinymean.py", "simulation/simulations/study.py"
_MATERIAL = {
    PACKAGE: "src/tinymean/__init__.py",
    QUESTIONS: "tests/validation/ask_tinymean.py",
    STUDY: "simulations/study.py",
}
_DOCUMENTS = ("comprehension.md", "interface.md", "test-spec.md", "sim-spec.md")


@cache
def tools(python: str) -> Enclosure:
    return language_tools(load_profile("python"), python)


@cache
def contract(changes: tuple[tuple[str, str], ...] = ()) -> Contract:
    """What the honest planner wrote; `changes`: texts of its documents that stand there otherwise."""
    texts = {name: (HONEST / "out" / name).read_text(encoding="utf-8") for name in _DOCUMENTS}
    for old, new in changes:
        assert any(old in text for text in texts.values()), old
        texts = {name: text.replace(old, new) for name, text in texts.items()}
    return read_contract(texts)


@dataclass(frozen=True)
class Small:
    """`changes`: of the planner's documents."""

    folder: Path
    changes: tuple[tuple[str, str], ...] = ()

    def lay_out(self, replaced: Mapping[str, str], added: Mapping[str, str]) -> None:
        """The honest material, with some files replaced and something added to the end of others."""
        for place, source in _MATERIAL.items():
            text = replaced.get(place) or (HONEST / source).read_text(encoding="utf-8")
            (self.folder / place).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / place).write_text(text + added.get(place, ""), encoding="utf-8")

    @cached_property
    def bench(self) -> Bench:
        profile = load_profile("python")
        return Bench(
            folder=self.folder, desk=self.folder / "desk", cache=self.folder / "cache", profile=profile,
            store=ContentStore(self.folder / "store"), barrier=make_barrier("bubblewrap"), tools=tools,
            limits=Limits(), scrub=lambda text: text, python=sys.executable, seed=7,
        )  # fmt: skip

    @cached_property
    def validation(self) -> Validation:
        found = Validation.of(self.bench, contract(self.changes), "nobody knows")
        assert found is not None
        return found

    @cached_property
    def evidence(self) -> list[CommandExecuted]:
        """As the log would keep it."""
        rows = list(self.validation.judged("after", "0" * 64))
        return [CommandExecuted.model_validate_json(row.model_dump_json()) for row in rows]

    @property
    def failed(self) -> dict[str, str]:
        """What failed, and why."""
        return {row.name: row.error for row in self.evidence[-1].tests if row.outcome != "passed"}

    @cached_property
    def result(self) -> Result:
        """What was asked and answered, as the evidence has it."""
        ask, answers = (kept(self.bench.folder.parent, row.kept_sha256) or b"" for row in self.evidence)
        return self.validation.recalled(ask, answers)

    def findings(self) -> list[Finding]:
        """Of the author's questions: before the package is asked, and tried on its answers."""
        _, found, _ = self.validation.checked()
        return [*found, *self.validation.findings(self.result)]

    @cached_property
    def simulation(self) -> Simulation:
        made = contract(self.changes)
        assert made.study is not None
        lay_out_scripts(self.bench)
        start = self.validation.start
        forms, entry = self.validation.forms, self.bench.profile.study_entry
        return Simulation(self.bench, made.study, entry, forms, start, self.folder / "study")


def small(
    folder: Path,
    *,
    changes: tuple[tuple[str, str], ...] = (),
    package: str = "",
    questions: str = "",
    study: str = "",
    added: Mapping[str, str] | None = None,
) -> Small:
    """The honest example, with what somebody did otherwise."""
    made = Small(folder, changes)
    made.lay_out({PACKAGE: package, QUESTIONS: questions, STUDY: study}, added or {})
    return made
