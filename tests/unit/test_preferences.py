"""Who plays which role, and who may say so."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from statsclaw.engine.dispatch import models_of
from statsclaw.errors import InputRefused
from statsclaw.intake.preferences import Chosen, alike, choose, read_backends
from statsclaw.roles.matrix import Role
from statsclaw.ui.cli import app
from statsclaw.ui.settings import endpoints, endpoints_for

ROLES = [str(role) for role in Role]


def chosen(**places: dict[str, str]) -> dict[str, Chosen]:
    tables = [places.get(name, {}) for name in ("command_line", "project", "person")]
    return choose(ROLES, *tables)


def test_the_nearest_word_counts_and_in_each_place_the_role_before_everybody():
    found = chosen(
        command_line={"tester": "human"}, project={"*": "codex", "builder": "claude"}, person={"reader": "gemini"}
    )
    assert found["tester"] == Chosen("human", "the command line")
    assert found["builder"] == Chosen("claude", "statsclaw.toml of the project")
    assert found["reader"].backend == "codex", "everybody in a nearer place counts before the role in a farther one"
    assert chosen(person={"reader": "gemini"}) == {"reader": Chosen("gemini", "your configuration")}


def test_one_maker_for_builder_and_tester_is_noticed():
    assert alike(chosen(person={"*": "claude:opus"})) == "Anthropic"
    assert alike(chosen(person={"*": "claude", "tester": "claude:haiku"})) == "Anthropic"
    assert alike(chosen(person={"*": "claude", "tester": "codex"})) == ""
    assert alike(chosen(person={"*": "command:./mine"})) == "", "nobody knows what is behind it"
    assert alike(chosen(person={"builder": "claude"})) == ""


@pytest.mark.parametrize("name", ["command:./steal", "human", "replay:/tmp/x", "api:x/y", "claudette", ""])
def test_a_repository_can_neither_start_a_program_nor_pretend_to_be_a_person(name):
    text = f'[backends]\nbuilder = "{name}"\n'
    with pytest.raises(InputRefused, match="may not choose"):
        read_backends(text, "statsclaw.toml", ROLES, trusted=False)
    assert read_backends(text, "config.toml", ROLES, trusted=True) == {"builder": name}


@pytest.mark.parametrize(
    "text", ["[backends", "backends = 3", "[backends]\nbuilder = 3", '[backends]\nbuild = "claude"', "[[backends]]"]
)
def test_what_makes_no_sense_is_refused(text):
    with pytest.raises(InputRefused):
        read_backends(text, "config.toml", ROLES, trusted=True)


def test_a_file_about_other_things_chooses_nobody():
    assert read_backends("[profile]\n", "statsclaw.toml", ROLES, trusted=False) == {}


# --- at the terminal --------------------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    config = tmp_path / "config" / "statsclaw" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[backends]\n"*" = "claude"\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    place = tmp_path / "project"
    place.mkdir()
    (place / "statsclaw.toml").write_text('[backends]\ntester = "codex"\n')
    return place


def test_config_says_who_plays_and_who_says_so(project):
    done = CliRunner().invoke(app, ["config", "--target", str(project), "--role-backend", "reader=human", "--json"])
    found = json.loads(done.stdout)
    assert found["tester"] == {"backend": "codex", "from": "statsclaw.toml of the project"}
    assert found["builder"] == {"backend": "claude", "from": "your configuration"}
    assert found["reader"] == {"backend": "human", "from": "the command line"}


def test_a_run_goes_by_it(project, monkeypatch):
    """Refused for want of a key: only the configured agents need these endpoints."""
    for name in ("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    done = CliRunner().invoke(app, ["run", "Fix the mean", "--target", str(project)])
    assert isinstance(done.exception, InputRefused) and "no key for the model endpoint" in str(done.exception)


def test_a_role_that_does_not_exist_is_refused_wherever_it_is_named(project):
    argv = ["run", "Fix the mean", "--target", str(project), "--backend", "human", "--role-backend", "bilder=human"]
    done = CliRunner().invoke(app, argv)
    assert isinstance(done.exception, InputRefused) and "bilder" in str(done.exception)


def test_a_hosted_mind_and_a_model_of_this_machine_can_work_in_one_run(monkeypatch, tmp_path):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-a-key-of-the-tests")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    local = "http://127.0.0.1:11434"
    assert endpoints_for((local,), ["claude", "api:custom/qwen3:8b"]) == (local, "anthropic")
    assert endpoints_for((local,), ["claude"]) == (local,), "a gateway that serves everybody"
    run = SimpleNamespace(endpoints=endpoints((local, "anthropic")))
    reached = {
        name: [row.name for row in models_of(run, SimpleNamespace(executes=True, endpoint=name))]  # type: ignore[arg-type]
        for name in ("anthropic", "custom", "openai", "")
    }
    assert reached == {
        "anthropic": ["anthropic"],
        "custom": ["custom"],
        "openai": ["custom"],
        "": ["custom", "anthropic"],
    }
    assert models_of(run, SimpleNamespace(executes=False, endpoint="")) == ()  # type: ignore[arg-type]
