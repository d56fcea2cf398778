"""Profiles: globs, path tables, commands, overrides and detection. No toolchain is run here."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from pydantic import ValidationError

from statsclaw.errors import InputRefused
from statsclaw.languages import can_be_asked
from statsclaw.profiles import (
    Command,
    Marker,
    PathRule,
    Profile,
    all_profiles,
    detect_profile,
    load_profile,
    profile_ids,
    with_overrides,
)
from statsclaw.profiles.globs import compile_glob, glob_matches, is_plain_path

# --- globs ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("glob", "yes", "no"),
    [
        ("a.py", ["a.py"], ["b/a.py", "a.pyc", "aXpy", "A.py", "a.py/b"]),
        ("*.py", ["a.py", ".py", ".hidden.py"], ["b/a.py", "a.pyc"]),
        ("a?.py", ["ab.py"], ["a.py", "abc.py", "a/.py"]),
        ("src/*", ["src/a", "src/.b"], ["src/a/b", "src", "src/"]),
        ("src/**", ["src/a", "src/a/b", "src/.b"], ["src", "src/", "srca/b", "x/src/a"]),
        ("**/x", ["x", "a/x", "a/b/x"], ["ax", "x/a", "a/xx"]),
        ("**", ["a", "a/b"], []),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb", "x/a/b", "a/b/c"]),
        ("**/tests/**/test_*.py", ["tests/test_a.py", "p/tests/q/test_a.py"], ["tests/a.py", "ptests/test_a.py"]),
        ("**/.git*/**", [".github/workflows/ci.yml", "a/.git/config"], [".gitignore", "git/x"]),
        ("a+b(c)|d.$", ["a+b(c)|d.$"], ["aab(c)", "d.x"]),
        ("tests/testthat/test-validation-*.R", ["tests/testthat/test-validation-a.R"], ["tests/testthat/test-a.R"]),
    ],
)
def test_glob_semantics(glob: str, yes: list[str], no: list[str]) -> None:
    assert [path for path in yes if not glob_matches(glob, path)] == []
    assert [path for path in no if glob_matches(glob, path)] == []


def test_a_newline_in_a_name_does_not_end_the_match() -> None:
    assert glob_matches("src/**", "src/a\nb")
    assert not glob_matches("*.py", "a.py\n")


@pytest.mark.parametrize(
    "glob", ["", "/a", "a/", "a//b", "./a", "../a", "a/../b", "a**b", "**a/b", "[ab]", "{a,b}", "a\\b"]
)
def test_globs_that_are_refused(glob: str) -> None:
    with pytest.raises(ValueError, match="glob"):
        compile_glob(glob)


@pytest.mark.parametrize("path", ["", "/etc/passwd", "a/../b", "..", "./a", "a/", "a//b", "a\0b"])
def test_paths_that_are_not_plain(path: str) -> None:
    assert not is_plain_path(path)
    with pytest.raises(InputRefused, match="plain relative path"):
        load_profile("python").classify(path)


# --- path tables ---------------------------------------------------------------------------------------------------

COMMON = {
    "statsclaw.toml": "engine",
    ".github/workflows/ci.yml": "engine",
    ".gitlab-ci.yml": "engine",
    ".gitattributes": "engine",
    ".gitmodules": "engine",
    "sub/.gitignore": "engine",
    ".git/config": "engine",
    "docs/.gitignore": "engine",
    "tests/validation/.gitattributes": "engine",
    ".travis.yml": "engine",
    "CLAUDE.md": "engine",
    "src/AGENTS.md": "engine",
    "LICENSE": "metadata",
    "LICENSE.md": "metadata",
    "CITATION.cff": "metadata",
    "README.md": "docs",
    "CHANGELOG.md": "docs",
    "NEWS.md": "docs",
    "ARCHITECTURE.md": "docs",
    "docs/conf.py": "docs",
    "docs/guide/intro.md": "docs",
    "simulations/study.x": "simulation",
    "simulations/deep/data.csv": "simulation",
    "scratch.xyz": "other",
    "some/where/photo.png": "other",
}

TABLES: dict[str, dict[str, str]] = {
    "python": {
        "pyproject.toml": "metadata",
        "setup.py": "metadata",
        "src/pkg/__init__.py": "source",
        "src/pkg/t_test.py": "source",
        "src/pkg/test_statistic.py": "source",
        "src/pkg/data/table.csv": "source",
        "pkg/core.py": "source",
        "pkg/_fast.c": "source",
        "conftest.py": "unit_tests",
        "tests/conftest.py": "unit_tests",
        "tests/test_core.py": "unit_tests",
        "tests/validation.py": "unit_tests",
        "src/pkg/tests/test_core.py": "unit_tests",
        "tests/validation/test_core.py": "validation",
        "tests/validation/conftest.py": "validation",
        "tests/validation/data/ref.csv": "validation",
        "Tests/validation/test_core.py": "source",
        "examples/first.py": "docs",
    },
    "r": {
        "DESCRIPTION": "metadata",
        "NAMESPACE": "metadata",
        "inst/CITATION": "metadata",
        ".Rprofile": "engine",
        "R/fit.R": "source",
        "man/fit.Rd": "source",
        "src/fit.cpp": "source",
        "src/Makevars": "source",
        "data/d.rda": "source",
        "inst/extdata/x.csv": "source",
        "inst/simulations/study.R": "simulation",
        "vignettes/intro.Rmd": "docs",
        "tests/testthat.R": "unit_tests",
        "tests/testthat/test-fit.R": "unit_tests",
        "tests/testthat/helper.R": "unit_tests",
        "tests/testthat/test-validation.R": "validation",
        "tests/testthat/test-validation-fit.R": "validation",
        "tests/testthat/helper-validation.R": "validation",
        "tests/testthat/helper-validation-data.R": "validation",
        "tests/testthat/validation/test-deep.R": "validation",
        "tests/testthat/validation/ref.rds": "validation",
    },
    "typescript": {
        "package.json": "metadata",
        ".npmrc": "engine",
        "src/index.ts": "source",
        "src/index.test.ts": "unit_tests",
        "tests/a.ts": "unit_tests",
        "tests/validation/a.test.mjs": "validation",
        "test/validation/a.test.mjs": "validation",
    },
    "stata": {
        "stata.toc": "metadata",
        "xtfoo.pkg": "metadata",
        "profile.do": "engine",
        "xtfoo.ado": "source",
        "x/xtfoo.sthlp": "source",
        "tests/basic.do": "unit_tests",
        "validation/test_a.do": "validation",
        "tests/validation/ask_a.py": "validation",
    },
    "go": {
        "go.mod": "metadata",
        "fit/fit.go": "source",
        "fit/fit_test.go": "unit_tests",
        "fit/fit_validation_test.go": "validation",
        "fit_validation_test.go": "validation",
        "validation/all_test.go": "validation",
    },
    "rust": {
        "Cargo.toml": "metadata",
        ".cargo/config.toml": "engine",
        "src/lib.rs": "source",
        "examples/a.rs": "source",
        "tests/basic.rs": "unit_tests",
        "tests/validation.rs": "validation",
        "tests/validation_fit.rs": "validation",
        "tests/validation/main.rs": "validation",
    },
    "c": {
        "Makefile": "source",
        "src/fit.c": "source",
        "include/fit.h": "source",
        "tests/t.c": "unit_tests",
        "tests/validation/Makefile": "validation",
    },
    "cpp": {
        "CMakeLists.txt": "source",
        "src/fit.cpp": "source",
        "include/fit.hpp": "source",
        "tests/CMakeLists.txt": "unit_tests",
        "tests/validation/CMakeLists.txt": "validation",
    },
    "julia": {
        "Project.toml": "metadata",
        "src/Fit.jl": "source",
        "test/runtests.jl": "unit_tests",
        "test/validation/runtests.jl": "validation",
        "tests/validation/ask_a.py": "validation",
    },
}


@pytest.mark.parametrize("id", profile_ids())
def test_path_table(id: str) -> None:
    profile = load_profile(id)
    expected = {**COMMON, **TABLES[id]}
    assert {path: str(profile.classify(path)) for path in expected} == expected


@pytest.mark.parametrize("id", profile_ids())
def test_engine_rules_come_first(id: str) -> None:
    classes = [rule.cls == "engine" for rule in load_profile(id).paths]
    assert classes[0]
    assert classes == sorted(classes, reverse=True)


# --- the data ------------------------------------------------------------------------------------------------------


def test_every_profile_is_whole() -> None:
    profiles = all_profiles()
    assert tuple(profile.id for profile in profiles) == profile_ids()
    for profile in profiles:
        asked = can_be_asked(profile.id)  # their studies are drawn and asked, by no command of their own
        for commands, on in ((profile.validation, "validation"), (profile.study, "simulation")):
            assert commands or (asked and on == "simulation")
            assert {command.on for command in commands} <= {on}
        assert profile.build
        assert profile.checks
        assert profile.unit_tests
        assert all(command.parser == "study" for command in profile.study)
        for command in profile.commands():
            assert command.argv[0] == "{python}" or command.argv[0] in command.needs, (profile.id, command.name)


def test_the_shell_and_python_of_commands_parse() -> None:
    for profile in all_profiles():
        for command in profile.commands():
            if command.argv[:2] == ("sh", "-c"):
                assert subprocess.run(["sh", "-n", "-c", command.argv[2]], check=False).returncode == 0, command.name
            elif command.argv[0] == "{python}" and "-c" in command.argv[:4]:
                compile(command.argv[command.argv.index("-c") + 1], command.name, "exec")


def test_python_validation_keeps_the_package_out_of_its_own_judgement() -> None:
    (command,) = load_profile("python").validation
    assert command.cwd == "validation"
    assert command.env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] == "1"
    assert "-I" in command.argv
    assert "/dev/null" in command.argv
    assert "{tree}" not in "".join(command.argv)
    program = command.argv[command.argv.index("-c") + 1]
    assert program.index("pytest") < program.index("sys.path.insert")


def test_python_validation_runs_for_real(tmp_path: Any) -> None:
    """A failure stays a failure although the package ships a plugin, a sitecustomize and its own pytest and json."""
    site, work, report = tmp_path / "site", tmp_path / "nasty" / "validation", tmp_path / "report.xml"
    spoiler = (
        "import pytest\n@pytest.hookimpl(wrapper=True)\ndef pytest_runtest_makereport(item, call):\n"
        "    report = yield\n    report.outcome = 'passed'\n    return report\n"
    )
    written = {
        site / "nasty.py": "two = 3\n",
        site / "plug.py": spoiler,
        site / "conftest.py": spoiler,
        site / "nasty-1.dist-info" / "METADATA": "Name: nasty\nVersion: 1\n",
        site / "nasty-1.dist-info" / "entry_points.txt": "[pytest11]\nplug = plug\n",
        site / "sitecustomize.py": "raise SystemExit(0)\n",
        site / "pytest.py": "raise SystemExit(0)\n",
        site / "json.py": "raise SystemExit(0)\n",
        site / "colorsys.py": "raise SystemExit(0)\n",
        work.parent / "conftest.py": spoiler,
        work.parent / "pytest.ini": "[pytest]\naddopts = --collect-only\n",
        work / "tests" / "validation" / "test_two.py": "import colorsys, json\nimport nasty\n\n"
        "def test_two():\n    assert nasty.two == 2\n\ndef test_file():\n    assert 'site' in nasty.__file__\n",
    }
    for path, text in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (command,) = load_profile("python").validation
    argv, env = command.fill({"python": sys.executable, "site": str(site), "report": str(report)})
    done = subprocess.run(argv, cwd=work, env={**env, "PYTHONPATH": str(site)}, capture_output=True, check=False)
    assert done.returncode == 1, done.stderr
    assert 'tests="2"' in report.read_text()
    assert 'failures="1"' in report.read_text()


# --- commands ------------------------------------------------------------------------------------------------------


def command(**changes: Any) -> Command:
    return Command.model_validate({"name": "x", "argv": ["true"], "parser": "exit", "timeout_s": 1, **changes})


@pytest.mark.parametrize("argv", [["{seed}"], ["a", "--x={nope}"], ["{Tree}"], ["${HOME}"]])
def test_unknown_placeholders_are_refused(argv: list[str]) -> None:
    with pytest.raises(ValidationError, match="unknown placeholder"):
        command(argv=argv)


def test_unknown_placeholders_are_refused_in_env() -> None:
    with pytest.raises(ValidationError, match="unknown placeholder"):
        command(env={"A": "{home}"})


def test_braces_that_are_no_placeholder_stay() -> None:
    made = command(argv=["sh", "-c", "f() { echo {}; }; {tree}"], env={"A": "{site}/x"})
    argv, env = made.fill({"tree": "/t{site}", "site": "/s"})
    assert argv == ("sh", "-c", "f() { echo {}; }; /t{site}")
    assert env == {"A": "/s/x"}
    with pytest.raises(KeyError):
        made.fill({"tree": "/t"})


@pytest.mark.parametrize("parser", ["junit", "rcheck", "study"])
def test_a_parser_needs_a_report(parser: str) -> None:
    with pytest.raises(ValidationError, match="report"):
        command(parser=parser)
    assert command(parser=parser, argv=["x", "{report}"]).placeholders() == {"report"}


@pytest.mark.parametrize(
    "changes",
    [{"argv": []}, {"timeout_s": 0}, {"cwd": "home"}, {"parser": "tap"}, {"on": "docs"}, {"name": "a b"}, {"shell": 1}],
)
def test_commands_that_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        command(**changes)


def test_models_are_frozen() -> None:
    profile = load_profile("r")
    with pytest.raises(ValidationError):
        profile.priority = 1  # type: ignore[misc]
    with pytest.raises(ValidationError):
        PathRule.model_validate({"cls": "sources", "globs": ["a"]})
    with pytest.raises(ValidationError):
        Marker.model_validate({"file": "/DESCRIPTION"})
    with pytest.raises(ValidationError, match="two commands are called"):
        Profile.model_validate({**profile.model_dump(), "build": [command(), command()]})


def test_unknown_profile() -> None:
    with pytest.raises(InputRefused, match="no profile 'cobol'") as caught:
        load_profile("cobol")
    assert "python" in caught.value.todo


# --- overrides -----------------------------------------------------------------------------------------------------


def test_overrides_replace_lists_and_prepend_rules() -> None:
    base = load_profile("python")
    table = {
        "checks": [],
        "unit_tests": [{"name": "tox", "argv": ["tox", "{report}"], "parser": "junit", "timeout_s": 9}],
        "paths": [{"cls": "validation", "globs": ["verify/**"]}, {"cls": "source", "globs": ["**"]}],
    }
    changed = with_overrides(base, table)
    assert changed.checks == ()
    assert [made.name for made in changed.unit_tests] == ["tox"]
    assert changed.build == base.build
    assert changed.classify("verify/a.py") == "validation"
    assert changed.classify("README.md") == "source"
    assert base.classify("README.md") == "docs"
    assert with_overrides(base, {}) == base


def test_overrides_cannot_open_the_engine() -> None:
    changed = with_overrides(load_profile("r"), {"paths": [{"cls": "source", "globs": ["**", "statsclaw.toml"]}]})
    for path in ("statsclaw.toml", ".github/workflows/ci.yml", ".Rprofile"):
        assert changed.classify(path) == "engine"


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"biuld": []}, "unknown key 'biuld'"),
        ({"conventions": {}}, "unknown key 'conventions'"),
        ({"id": "r"}, "unknown key 'id'"),
        ({"build": "make"}, r"\[profile\].build"),
        ({"build": [{"name": "x", "argv": ["{seed}"], "parser": "exit", "timeout_s": 1}]}, "unknown placeholder"),
        ({"build": [{"name": "x", "argv": ["x"], "parser": "exit"}]}, r"build\[0\].timeout_s"),
        ({"paths": [{"cls": "secret", "globs": ["a"]}]}, r"paths\[0\].cls"),
        ({"paths": [{"cls": "docs", "globs": ["/a"]}]}, "must be relative"),
        ({"paths": 3}, r"\[profile\].paths"),
    ],
)
def test_overrides_that_are_refused(table: dict[str, Any], says: str) -> None:
    with pytest.raises(InputRefused, match=says) as caught:
        with_overrides(load_profile("python"), table)
    assert "\n" not in caught.value.line()
    assert "Fix: " in caught.value.line()


# --- detection -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("id", "paths"),
    [
        ("r", ["DESCRIPTION", "NAMESPACE", "R/a.R"]),
        ("python", ["pyproject.toml", "src/p/__init__.py"]),
        ("python", ["setup.py", "p/__init__.py"]),
        ("python", ["setup.cfg", "p/__init__.py"]),
        ("typescript", ["package.json", "src/index.ts"]),
        ("typescript", ["package.json", "index.js"]),
        ("stata", ["xtfoo.ado", "xtfoo.sthlp"]),
        ("stata", ["x/xtfoo.ado", "README.md"]),
        ("stata", ["src/ado/xtfoo.ado"]),
        ("go", ["go.mod", "fit.go"]),
        ("rust", ["Cargo.toml", "src/lib.rs"]),
        ("c", ["Makefile", "src/a.c"]),
        ("c", ["Makefile", "a.c", "CMakeLists.txt"]),
        ("cpp", ["CMakeLists.txt", "src/a.cpp"]),
        ("cpp", ["CMakeLists.txt", "include/p/a.hpp"]),
        ("cpp", ["CMakeLists.txt", "src/a.c"]),
        ("cpp", ["CMakeLists.txt", "Makefile", "src/a.c", "src/b.cpp"]),
        ("julia", ["Project.toml", "src/Fit.jl"]),
        # one package, other languages inside it
        ("r", ["DESCRIPTION", "src/a.cpp", "src/Makevars", "src/b.c", "Makefile", "CMakeLists.txt"]),
        ("r", ["DESCRIPTION", "package.json", "package-lock.json", "vite.config.ts", "docs/index.ts"]),
        ("r", ["DESCRIPTION", "setup.cfg"]),
        ("r", ["DESCRIPTION", "inst/python/pyproject.toml", "stata/a.ado", "src/rust/Cargo.toml"]),
        ("python", ["pyproject.toml", "Makefile", "src/p/_fast.c"]),
        ("python", ["pyproject.toml", "CMakeLists.txt", "src/a.cpp", "package.json"]),
        ("go", ["go.mod", "Makefile", "a.c"]),
        ("cpp", ["CMakeLists.txt", "src/a.cpp", "package.json"]),
    ],
)
def test_detection_at_the_root(id: str, paths: list[str]) -> None:
    detection = detect_profile(paths)
    assert (detection.profile_id, detection.candidates, detection.root) == (id, (id,), ".")
    assert set(detection.found) <= set(paths)
    assert detection.found
    assert detect_profile(list(reversed(paths))) == detection


@pytest.mark.parametrize(
    ("paths", "candidates"),
    [
        (["DESCRIPTION", "pyproject.toml"], ("r", "python")),
        (["DESCRIPTION", "package.json", "src/index.ts"], ("r", "typescript")),
        (["pyproject.toml", "Cargo.toml", "src/lib.rs"], ("python", "rust")),
        (["pyproject.toml", "a.ado"], ("python", "stata")),
        (["DESCRIPTION", "Project.toml", "src/A.jl", "go.mod"], ("r", "go", "julia")),
    ],
)
def test_two_packages_side_by_side_are_asked_about(paths: list[str], candidates: tuple[str, ...]) -> None:
    detection = detect_profile(paths)
    assert detection.profile_id is None
    assert detection.candidates == candidates
    assert detection.root == "."


def test_found_names_the_markers() -> None:
    assert detect_profile(["pyproject.toml", "DESCRIPTION", "R/a.R"]).found == ("DESCRIPTION", "pyproject.toml")
    assert detect_profile(["package.json", "DESCRIPTION"]).found == ("DESCRIPTION", "package.json")


@pytest.mark.parametrize("paths", [[], ["README.md"], ["Makefile"], ["CMakeLists.txt"], ["Project.toml"], ["a.c"]])
def test_nothing_is_detected(paths: list[str]) -> None:
    detection = detect_profile(paths)
    assert (detection.profile_id, detection.found, detection.candidates) == (None, (), ())


def test_a_subfolder_counts_only_when_the_root_has_no_marker() -> None:
    nested = detect_profile(["README.md", "python/pyproject.toml", "python/p/__init__.py"])
    assert (nested.profile_id, nested.root, nested.found) == ("python", "python", ("python/pyproject.toml",))
    assert detect_profile(["go.mod", "python/pyproject.toml"]).profile_id == "go"
    assert detect_profile(["stata/a.ado"]).root == "stata"
    deep = detect_profile(["a/b/DESCRIPTION", "a/b/c/pyproject.toml"])
    assert (deep.profile_id, deep.root) == ("r", "a/b")
    assert detect_profile(["a/b/c/d/DESCRIPTION"]).profile_id is None


def test_subfolders_with_several_packages_are_asked_about() -> None:
    both = detect_profile(["python/pyproject.toml", "r/DESCRIPTION"])
    assert (both.profile_id, both.candidates, both.root) == (None, ("r", "python"), ".")
    assert both.found == ("python/pyproject.toml", "r/DESCRIPTION")
    twice = detect_profile(["a/pyproject.toml", "b/pyproject.toml"])
    assert (twice.profile_id, twice.candidates) == (None, ("python",))
    same_folder = detect_profile(["pkg/pyproject.toml", "pkg/DESCRIPTION"])
    assert (same_folder.profile_id, same_folder.root) == (None, "pkg")


@pytest.mark.parametrize(
    "path", ["tests/fixtures/DESCRIPTION", "node_modules/x/package.json", ".venv/pyproject.toml", "docs/package.json"]
)
def test_packages_that_are_not_the_repositorys_own(path: str) -> None:
    assert detect_profile([path]).profile_id is None
    assert detect_profile([path, "r/DESCRIPTION"]).root == "r"


def test_weak_markers_in_subfolders_yield() -> None:
    assert detect_profile(["frontend/package.json", "r/DESCRIPTION"]).profile_id == "r"
