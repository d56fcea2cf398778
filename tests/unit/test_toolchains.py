"""Programs that a language needs: always, for some packages, or beside others that stand in for them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from statsclaw.engine import tools
from statsclaw.errors import MachineRefused
from statsclaw.profiles import Package, all_profiles, load_profile
from statsclaw.sandbox.toolchain import system
from statsclaw.ui.cli import app
from statsclaw.ui.doctor import rows
from tests.support.runs import Bench, order_for

Machine = Callable[..., Path]
RUSTUP = "echo \"error: 'cargo-clippy' is not installed for the toolchain\" >&2\nexit 1"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine with these programs and no others; each is given as a script, or taken from this one."""

    def made(*real: str, **scripts: str) -> Path:
        folder = tmp_path / "machine" / "bin"
        for place in (folder, folder.parent / "lib"):  # a prefix, as programs are installed into
            place.mkdir(parents=True)
        for name in real:
            if (found := shutil.which(name)) is None:
                pytest.skip(f"{name} is not installed")
            (folder / name).symlink_to(found)
        for name, script in scripts.items():
            path = folder / name.replace("_", "-")
            path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
            path.chmod(0o755)
        monkeypatch.setenv("PATH", str(folder))
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setattr(tools, "system", lambda: replace(system(), search_path=()))
        monkeypatch.setattr(tools, "_plain_python", lambda: sys.executable)
        return folder

    return made


def said_of(language: str) -> Mapping[str, object]:
    done = CliRunner().invoke(app, ["languages", "--json"])
    assert done.exit_code == 0, done.output
    return next(row for row in json.loads(done.stdout) if row["id"] == language)


# --- what `statsclaw languages` and `statsclaw doctor` say -----------------------------------------------------------


def test_typescript_is_not_ready_without_its_compiler(machine: Machine) -> None:
    machine(node="", npm="", sh="")
    row = said_of("typescript")
    assert (row["contract"], row["missing"], row["sometimes"]) == (False, ["tsc"], ["tsc"])
    assert "npm install --global typescript" in str(row["get"])


def test_typescript_is_ready_with_its_compiler(machine: Machine) -> None:
    machine(node="", npm="", sh="", tsc="")
    row = said_of("typescript")
    assert (row["contract"], row["missing"], row["checks_missing"]) == (True, [], [])


@pytest.mark.parametrize("lacking", ["cargo_clippy", "rustfmt"])
def test_rust_is_not_ready_where_rustup_stands_in_for_a_missing_component(lacking: str, machine: Machine) -> None:
    machine(**dict.fromkeys(("cargo", "cc", "sh", "cargo_clippy", "rustfmt"), "echo 1.0") | {lacking: RUSTUP})
    row = said_of("rust")
    assert (row["contract"], row["missing"]) == (False, [])
    assert row["checks_missing"] == [lacking.replace("_", "-")]


def test_c_is_not_ready_without_the_compiler_of_its_worker(machine: Machine) -> None:
    machine(**dict.fromkeys(("make", "cc", "sh", "cp", "find"), ""))
    row = said_of("c")
    assert (row["contract"], row["missing"], row["checks_missing"]) == (False, [], ["c++"])


def test_doctor_looks_for_every_program_of_every_profile(machine: Machine) -> None:
    machine(node="echo v20", npm="echo 9", cc="echo cc 12", cargo_clippy=RUSTUP)
    found = {row.tool.program: row for row in rows()}
    named = {name for profile in all_profiles() for command in profile.commands() for name in command.needs}
    assert named - set(found) == {"sh", "cp", "find"}
    assert found["npm"].found == "9" and found["cc"].found == "cc 12"
    for name in ("tsc", "make", "c++", "ctest", "cargo-clippy", "rustfmt"):
        assert found[name].found is None and found[name].tool.get, name
    assert found["cc"].tool.needed_for == "Rust packages, C packages"


# --- what a package needs --------------------------------------------------------------------------------------------


ASKS = '{"scripts": {"build": "tsc -p ."}, "devDependencies": {"typescript": "5.4.5"}}'


@pytest.mark.parametrize(
    ("files", "registry", "needed"),
    [
        ({"package.json": '{"scripts": {"build": "tsc"}}', "src/index.ts": ""}, False, True),
        ({"package.json": '{"scripts": {"build": "rm -rf dist && tsc -p ."}}', "src/index.ts": ""}, False, True),
        ({"package.json": "{}", "tsconfig.json": "{}", "src/index.ts": ""}, False, True),
        ({"package.json": "{}"}, False, True),
        ({"package.json": ASKS, "src/index.ts": ""}, False, True),
        ({"package.json": ASKS, "src/index.ts": ""}, True, False),
        ({"package.json": ASKS, "src/index.ts": "", "node_modules/.bin/tsc": ""}, False, False),
        ({"package.json": '{"scripts": {"build": "node make.js", "test": "mytsc"}}', "index.js": ""}, False, False),
        ({"package.json": '{"description": "no tsc here"}', "index.js": ""}, False, False),
    ],
)
def test_tsc_is_needed_by_packages_that_call_it_and_do_not_bring_it(
    files: dict[str, str], registry: bool, needed: bool
) -> None:
    profile = load_profile("typescript")
    found = profile.needed(profile.build, Package(files.keys(), files.__getitem__), registry=registry)
    assert ("tsc" in found) is needed


def test_a_run_whose_package_needs_tsc_is_not_started_without_it(tmp_path: Path, machine: Machine) -> None:
    target = tmp_path / "wmean"
    (target / "src").mkdir(parents=True)
    (target / "package.json").write_text('{"name": "wmean", "scripts": {"build": "tsc"}}', encoding="utf-8")
    (target / "src" / "index.ts").write_text("export const one = 1;\n", encoding="utf-8")
    own = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    for argv in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "first")):
        subprocess.run(["git", *own, *argv], cwd=target, check=True)
    machine("git", "bwrap", "prlimit", node="", npm="", sh="")
    bench = Bench(tmp_path)
    with pytest.raises(MachineRefused) as refusal:
        bench.start(order_for(target, workflow="quick-fix"))
    line = refusal.value.line()
    said = "TypeScript packages cannot be built here: tsc not found. Nothing was started. Fix: npm install"
    assert line.startswith(said), line
    assert list(bench.workspace.runs()) == []
