"""The documentation names what there is: links lead somewhere, commands exist, tables list what the code has."""

from __future__ import annotations

import ast
import hashlib
import re
import shlex
import subprocess
import sys
import typing
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import typer

from statsclaw import languages
from statsclaw.artifacts.catalogue import catalogue
from statsclaw.intake.workflow import all_workflows
from statsclaw.profiles.profile import Command, PathClass, Profile, all_profiles, profile_ids
from statsclaw.roles.matrix import MATRIX
from statsclaw.runlog.events import AnyEvent
from statsclaw.sandbox.limits import Limits
from statsclaw.sources.extract import read_sources
from statsclaw.sources.index import Index
from statsclaw.specs import comprehension, interface, sim_spec, test_spec
from statsclaw.specs.blocks import blocks_of
from statsclaw.specs.contract import COMPREHENSION, INTERFACE, SIM_SPEC, SPEC, TEST_SPEC, Contract, Step, read_contract
from statsclaw.specs.gate import comprehension_findings
from statsclaw.specs.lint import lint
from statsclaw.states import State
from statsclaw.ui.cli import app
from statsclaw.ui.exit_codes import EXIT_CODES
from statsclaw.verify.blind.rooms import asking_kit

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), ROOT / "README.md"])

#: Blocks in which a line that begins with `statsclaw` is something to type.
_SHELL = ("", "sh", "bash", "console")
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_INLINE = re.compile(r"(?<!`)`(statsclaw [^`]+)`(?!`)")


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """(language, content) of every fenced block."""
    for _, language, content in re.findall(r"^(```+)[ ]*(\S*)[^\n]*\n(.*?)^\1[ ]*$", text, re.MULTILINE | re.DOTALL):
        yield language, content


def _without_blocks(text: str) -> str:
    return re.sub(r"^(```+).*?^\1[ ]*$", "", text, flags=re.MULTILINE | re.DOTALL)


# --- links -----------------------------------------------------------------------------------------------------------


def _anchors(page: Path) -> set[str]:
    heads = re.findall(r"^#+\s+(.*?)\s*$", _without_blocks(page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_relative_link_resolves(page):
    for link in _LINK.findall(_without_blocks(page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            continue
        path, _, anchor = link.partition("#")
        place = (page.parent / path).resolve() if path else page
        assert place.exists(), f"{link} leads nowhere"
        assert not anchor or anchor in _anchors(place), f"{link} names no heading"


def test_every_page_can_be_reached_from_the_index():
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    linked = {(DOCS / link.partition("#")[0]).resolve() for link in _LINK.findall(index)}
    pages = {page for page in DOCS.rglob("*.md") if "decisions" not in page.parts} - {DOCS / "index.md"}
    assert pages <= linked


def test_no_page_names_a_folder_of_a_machine():
    for page in PAGES:
        found = re.findall(r"(?<![\w~.])/(?:tmp|home|root|work|Users)/\S+", page.read_text(encoding="utf-8"))
        assert not found, f"{_name(page)}: {found[0]}"


# --- commands --------------------------------------------------------------------------------------------------------


def _typed(page: Path) -> list[str]:
    """Every command line of the page that begins with `statsclaw`, in blocks and in running text."""
    text = page.read_text(encoding="utf-8")
    lines = []
    for language, content in _blocks(text):
        if language in _SHELL:
            whole = re.sub(r"\\\n\s*", " ", content)
            lines += [line.strip().removeprefix("$ ") for line in whole.splitlines()]
    lines += [" ".join(found.split()) for found in _INLINE.findall(_without_blocks(text))]
    return [line for line in lines if re.match(r"statsclaw\s", line)]


@cache
def _root() -> typing.Any:
    return typer.main.get_command(app)


def _complaint(line: str) -> str:
    """What is wrong with a command line, or nothing."""
    words = shlex.split(line, comments=True)[1:]
    ends = [n for n, word in enumerate(words) if re.fullmatch(r"\||&&|;|[<>]{1,2}|\d?>&?\S*", word)]
    words = words[: ends[0]] if ends else words
    command, options = _root(), {}
    arguments = 0
    words.reverse()
    while words:
        options = {name: p for p in command.params for name in (*p.opts, *p.secondary_opts) if name.startswith("-")}
        word = words.pop()
        if word == "…":
            continue
        if word.startswith("-") and word != "-":
            name, _, value = word.partition("=")
            if name in ("--help", "-h"):
                continue
            if name not in options:
                return f"there is no option {name}"
            if not options[name].is_flag and not value:
                if not words:
                    return f"{name} needs a value"
                words.pop()
        elif commands := getattr(command, "commands", None):
            if word not in commands and not word.isupper():
                return f"there is no command {word}"
            command = commands.get(word, command)
        else:
            arguments += 1
    taken = [p.nargs for p in command.params if p.param_type_name == "argument"]
    return f"at most {len(taken)} arguments, not {arguments}" if arguments > len(taken) and -1 not in taken else ""


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_command_line_names_an_existing_command_with_existing_options(page):
    for line in _typed(page):
        assert not _complaint(line), f"{line}: {_complaint(line)}"


def test_command_lines_are_found():
    """Guards the test above against finding nothing."""
    assert sum(len(_typed(page)) for page in PAGES) > 100
    assert _complaint("statsclaw fly") and _complaint("statsclaw run x --fast") and _complaint("statsclaw list a b")


def _all_commands(command: typing.Any = None, path: tuple[str, ...] = ("statsclaw",)) -> dict[str, typing.Any]:
    command = command or _root()
    found = {" ".join(path): command} if len(path) > 1 else {}
    for name, inner in getattr(command, "commands", {}).items():
        found |= _all_commands(inner, (*path, name))
    return found


def test_the_reference_lists_every_command_with_exactly_its_options():
    text = (DOCS / "reference/commands.md").read_text(encoding="utf-8")
    sections = {m[1]: m[2] for m in re.finditer(r"^## `(statsclaw[^`]*)`\n(.*?)(?=^## |\Z)", text, re.M | re.S)}
    assert sections.keys() == _all_commands().keys()
    for name, command in _all_commands().items():
        documented = re.findall(r"^\| `(--[a-z-]+)", sections[name], re.MULTILINE)
        there = [p.opts[0] for p in command.params if p.opts[0].startswith("--") and p.name != "help"]
        assert documented == there, name


# --- tables ----------------------------------------------------------------------------------------------------------


def _table(page: str, first_column: str) -> list[list[str]]:
    """The rows of the table whose first column has this title, without backticks."""
    lines = iter((DOCS / "reference" / page).read_text(encoding="utf-8").splitlines())
    for line in lines:
        if line.startswith(f"| {first_column} |".replace("|  |", "| |")):
            next(lines)
            rows = []
            for row in lines:
                if not row.startswith("|"):
                    return rows
                rows.append([cell.strip().replace("`", "") for cell in re.split(r"(?<!\\)\|", row)[1:-1]])
            return rows
    raise AssertionError(f"{page} has no table with the column {first_column!r}")


def test_exit_codes():
    assert _table("commands.md", "status") == [[str(code), meaning] for code, meaning in EXIT_CODES.items()]


def test_events_with_their_fields():
    kinds = typing.get_args(typing.get_args(AnyEvent)[0])
    there = [
        [kind.model_fields["kind"].default, ", ".join(f for f in kind.model_fields if f != "kind")] for kind in kinds
    ]
    assert [[row[0], row[2]] for row in _table("log.md", "kind")] == there


def test_artifacts():
    for row, kind in zip(_table("artifacts.md", "artifact"), catalogue().values(), strict=True):
        assert row[:3] == [kind.name, kind.producer, kind.state]
        assert row[4] == kind.purpose
        assert row[5].partition(";")[0].split(", ") == list(kind.sections)


def test_workflows():
    for row, found in zip(_table("workflows.md", "workflow"), all_workflows().values(), strict=True):
        stages = " → ".join(" ∥ ".join(stage) for stage in found.stages)
        assert row[:3] == [found.id, str(found.number), found.title]
        assert row[3] == stages or (found.repeats and row[3] == f"repeats {found.repeats} over {found.over}")
        assert row[4] == ("yes" if found.ship else "no")


def test_states():
    assert [row[0] for row in _table("states-gates-signals.md", "state")] == list(State)


def test_roles():
    def classes(found: frozenset[PathClass]) -> str:
        return "everything" if found == frozenset(PathClass) else ", ".join(c for c in PathClass if c in found)

    for row, (role, access) in zip(_table("roles.md", "role"), MATRIX.items(), strict=True):
        inbox = "all of the run" if access.artifacts == ("*",) else ", ".join(access.artifacts)
        request = "whole" if access.full_request else "without criteria"
        expected = [role, inbox, request, "yes" if access.sources else "no", classes(access.sees)]
        expected += [classes(access.writes) or "nothing", ", ".join(sorted(access.may_raise))]
        assert row == expected
    assert [row[0] for row in _table("roles.md", "class")] == list(PathClass)


def test_profiles_and_their_commands():
    rows = _table("profiles.md", "id")
    assert [row[0] for row in rows] == list(profile_ids())
    assert [row[5] for row in rows] == [profile.study_entry for profile in all_profiles()]

    def needs(profile: Profile, command: Command) -> str:
        always = profile.always_needed(command)
        return ", ".join(name if name in always else f"{name} (some)" for name in command.needs) or "–"

    there = [
        [profile.id, phase, command.name, command.parser, command.on, str(command.timeout_s), needs(profile, command)]
        for profile in all_profiles()
        for phase in ("build", "checks", "unit_tests", "validation", "study")
        for command in getattr(profile, phase)
    ]
    assert _table("profiles.md", "profile") == there


def test_languages_that_are_judged():
    there = [
        [
            profile.name,
            profile.id,
            asked.how,
            "yes" if asked.traces else "no",
            asked.native.at if asked.native else "–",
        ]
        for profile in all_profiles()
        if (asked := languages.language(profile.id))
    ]
    assert _table("profiles.md", "language") == there
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    *first, last = [row[0] for row in there]
    assert f"Frozen criteria judge packages in {', '.join(first)} and {last};" in readme


def test_suites_that_ship():
    there = [
        [profile.name, native.data, native.at]
        for profile in all_profiles()
        if (asked := languages.language(profile.id)) and (native := asked.native)
    ]
    assert sorted(row[:3] for row in _table("questions.md", "")) == sorted(there)


def test_limits():
    units = {"MiB": 1024 * 1024, "hours": 3600, "characters": 1}
    for row, (name, value) in zip(_table("limits.md", "limit"), Limits().model_dump().items(), strict=True):
        if name == "memory_bytes":  # three quarters of what the machine has
            assert row[1] == name and "three quarters" in row[2]
            continue
        number, _, unit = row[2].replace(",", "").partition(" ")
        assert (row[1], int(number) * units.get(unit, 1)) == (name, value)


# --- contracts -------------------------------------------------------------------------------------------------------

_CONTRACTS = (DOCS / "reference/contracts.md").read_text(encoding="utf-8")
_HOME = {
    "comprehension": COMPREHENSION,
    "definitions": COMPREHENSION,
    "interface": INTERFACE,
    "steps": SPEC,
    "scenarios": TEST_SPEC,
    "criteria": TEST_SPEC,
    "references": TEST_SPEC,
    "study": SIM_SPEC,
}


def _block(page: str, language: str) -> str:
    return next(content for found, content in _blocks(page) if found == language)


def _documents() -> dict[str, str]:
    """The examples of the page as the planner's documents; what the page asks for in words is added."""
    documents = {SPEC: "The person decided that fewer than two numbers are refused.\n"}
    for block in blocks_of("contracts.md", _CONTRACTS):
        fenced = f"```{block.language} {block.name}\n{block.text}\n```\n"
        documents[_HOME[block.name]] = documents.get(_HOME[block.name], "") + fenced
    return documents


@cache
def _example() -> tuple[Contract, Index, dict[str, str]]:
    note = _block(_CONTRACTS, "markdown").encode()
    index = read_sources({"notes.md": note})
    return read_contract(_documents()), index, {"notes.md": hashlib.sha256(note).hexdigest()}


def test_every_kind_of_block_has_one_example_that_parses():
    assert sorted(block.name for block in blocks_of("contracts.md", _CONTRACTS)) == sorted(_HOME)
    contract, _, _ = _example()
    assert contract.tests and contract.tests.references and contract.study and contract.steps and contract.interface


def test_the_examples_are_a_contract_that_nothing_is_wrong_with():
    contract, index, hashes = _example()
    assert contract.comprehension is not None
    found = comprehension_findings(contract.comprehension, index, hashes)
    found += lint(contract, _documents(), index)
    assert [row for row in found if row.severity != "note"] == []


def _tried(tmp_path: Path, page: str, mode: str, file: str, kit: dict[str, str]) -> str:
    """What the author's own trial says of the example of a page."""
    for name, text in kit.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    place = tmp_path / file
    place.parent.mkdir(parents=True)
    place.write_text(_block((DOCS / page).read_text(encoding="utf-8"), "python"), encoding="utf-8")
    about = place.parent if mode == "check" else place
    argv = [sys.executable, "-I", "-B", str(tmp_path / "ask_main.py"), mode, str(about)]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def test_the_example_of_questions_asks_and_claims_all_of_that_contract(tmp_path: Path):
    contract, _, _ = _example()
    kit = asking_kit(contract.tests, contract.definitions)
    said = _tried(tmp_path, "how-to/write-questions.md", "check", "tests/validation/ask_tinymean.py", kit)
    assert said == "1 files, 9 calls, 8 claims\n"


def test_the_example_of_a_study_is_one_of_that_contract(tmp_path: Path):
    contract, _, _ = _example()
    kit = asking_kit(None, "", contract.study)
    said = _tried(tmp_path, "how-to/write-a-study.md", "try", "simulations/study.py", kit)
    assert said == "{'n': 40} interval: asks interval; records mu.estimate, mu.se, mu.low, mu.high\n"


_MODELS = {
    "comprehension": comprehension.Comprehension,
    "a source": comprehension.SourceRead,
    "an equation": comprehension.EquationRead,
    "a symbol": comprehension.SymbolRead,
    "an assumption": comprehension.Assumption,
    "otherwise": comprehension.Otherwise,
    "a choice": comprehension.Choice,
    "a definition": comprehension.Definition,
    "an argument of a definition": comprehension.Variable,
    "a pilot": comprehension.Pilot,
    "an answer": comprehension.Answer,
    "interface": interface.Interface,
    "a function": interface.Function,
    "an argument": interface.Argument,
    "returns": interface.Returned,
    "a field": interface.FieldOf,
    "a condition": interface.Condition,
    "a class": interface.Class,
    "a step": Step,
    "a scenario": test_spec.Scenario,
    "a criterion": test_spec.Criterion,
    "a tolerance": test_spec.Tolerance,
    "an alternative": test_spec.Alternative,
    "a reference": test_spec.Reference,
    "study": sim_spec.Study,
    "a parameter": sim_spec.Parameter,
    "a study criterion": sim_spec.StudyCriterion,
}


@pytest.mark.parametrize("what", _MODELS)
def test_every_key_of_a_typed_block_is_described(what):
    rows = [key for row in _table("contracts.md", f"key of {what}") for key in row[0].split(", ")]
    assert rows == list(_MODELS[what].model_fields)


# --- findings --------------------------------------------------------------------------------------------------------

_SOURCE = ROOT / "src" / "statsclaw"


def _prefix(node: ast.expr) -> str:
    """The constant beginning of a text, up to its first colon."""
    if isinstance(node, ast.JoinedStr) and node.values:
        node = node.values[0]  # type: ignore[assignment]
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
    return text.partition(":")[0]


def _keys(folder: str, callers: set[str]) -> set[str]:
    """What findings made by `callers` in a folder are called: their last argument, or `key`."""
    found = set()
    for path in sorted((_SOURCE / folder).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in callers:
                given = [row.value for row in node.keywords if row.arg == "key"] or node.args[-1:]
                found |= {_prefix(part) for part in given}
    return {name for name in found if re.fullmatch(r"[a-z]+(-[a-z]+)*", name)}


def _told(page: str) -> set[str]:
    """The names in the first column of all tables of findings of a page."""
    text = (DOCS / "reference" / page).read_text(encoding="utf-8")
    tables = re.findall(r"^\| finding \|.*?(?=\n\n|\Z)", text, re.MULTILINE | re.DOTALL)
    cells = [row.split(" |")[0] for table in tables for row in table.split("\n")[2:]]
    return {name for cell in cells for name in re.findall(r"`([a-z-]+)`", cell)}


def test_every_finding_of_the_lint_is_described():
    made = _keys("specs/lint", {"finding"}) - {"too-many", "no-such"}
    assert {"scenario-without-criterion", "overlap", "false-alarm"} <= made
    written = "".join(path.read_text(encoding="utf-8") for path in (_SOURCE / "specs/lint").glob("*.py"))
    told = _told("lint.md") - {"usual"}
    assert made <= told
    assert [name for name in sorted(told - made) if name not in written and not name.startswith("no-such-")] == []


def test_every_finding_about_questions_and_studies_is_described():
    made = set()
    for path in sorted((_SOURCE / "verify/blind").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        made |= set(re.findall(r'\bfinding\(\s*"([a-z-]+)"', text))
        made |= set(re.findall(r'\b_finding\(\s*f?"([a-z-]+)', text))
    assert {"passes-on-null", "cannot-fail", "only-a-part", "incomplete", "stream-ignored"} <= made
    assert made == _told("question-checks.md")


def test_every_finding_of_the_review_is_described():
    made = _keys("review", {"finding", "_finding", "_error", "_planner"})
    assert {"not-approved", "never-called", "no-interface"} <= made
    assert made - {"more", "not-computed", "not-applicable"} <= _told("review.md")
