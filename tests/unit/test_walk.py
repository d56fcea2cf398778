"""Walking through a run, and what the demonstration asks of the machine."""

from __future__ import annotations

import io
import subprocess
from datetime import UTC, datetime
from typing import Any

import pytest
from rich.console import Console

from statsclaw.demo import debian, demo
from statsclaw.errors import MachineRefused
from statsclaw.runlog.chain import Record
from statsclaw.runlog.events import GateChecked, StateEntered
from statsclaw.runlog.fold import RunView
from statsclaw.states import State
from statsclaw.ui.screen import Screen
from statsclaw.ui.walk import Walk


def record(event: Any) -> Record:
    return Record(seq=1, at=datetime.now(UTC), prev="", event=event, hash="")


class Walked:
    def __init__(self) -> None:
        self.text, self.stops = io.StringIO(), 0
        self.walk = Walk(Screen("plain", Console(file=self.text, width=100)), self._stop)
        self.view = RunView()

    def _stop(self) -> None:
        self.stops += 1

    def see(self, *events: Any) -> str:
        for event in events:
            self.walk.observe(record(event), self.view)
        return self.text.getvalue()


def test_it_stops_at_each_state_that_applies_and_shows_what_its_gate_demanded() -> None:
    walked = Walked()
    shown = walked.see(
        GateChecked(state=State.NEW, blockers=("request.md is missing",)),
        GateChecked(state=State.NEW, blockers=("request.md is missing", "nobody has said what to do")),
        StateEntered(state=State.NEW, applicable=True),
    )
    assert walked.stops == 1 and " NEW " in shown
    assert shown.count("request.md is missing") == 1 and "nobody has said what to do" in shown
    walked.see(StateEntered(state=State.DOCUMENTED, applicable=False, reason="no scriber"))
    assert walked.stops == 1
    later = walked.see(StateEntered(state=State.PLANNED, applicable=True)).partition(" PLANNED ")[2]
    assert "request.md is missing" not in later, "each gate shows its own demands"


def test_there_is_a_text_for_every_state() -> None:
    walked = Walked()
    shown = walked.see(*(StateEntered(state=state, applicable=True) for state in State))
    assert walked.stops == len(State) and all(f" {state} " in shown for state in State)


@pytest.mark.parametrize(("has_r", "name"), [(True, "probit-r"), (False, "probit-python")])
def test_the_demonstration_fits_the_machine(has_r: bool, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "_has_r", lambda: has_r)
    assert demo.fitting_demo() == name


@pytest.mark.parametrize(("status", "has_r"), [(0, True), (1, False)])
def test_r_counts_only_with_the_packages_that_are_needed(
    status: int, has_r: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo.shutil, "which", lambda program: f"/usr/bin/{program}")
    asked: list[Any] = []

    def run(argv: list[str], **more: Any) -> subprocess.CompletedProcess[bytes]:
        asked.append(argv)
        return subprocess.CompletedProcess(argv, status)

    monkeypatch.setattr(demo.subprocess, "run", run)
    assert demo._has_r() is has_r and "RcppArmadillo" in asked[0][-1]
    monkeypatch.setattr(demo.shutil, "which", lambda program: None)
    assert demo._has_r() is False


def test_r_is_installed_by_an_administrator_only_and_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debian.shutil, "which", lambda program: "/usr/bin/apt-get")
    monkeypatch.setattr(debian, "_is_installed", lambda name: name != "r-cran-rcpp")
    monkeypatch.setattr(debian.os, "geteuid", lambda: 1000)
    with pytest.raises(MachineRefused, match="needs an administrator") as refused:
        debian.install_debian_r(Console(file=io.StringIO()))
    assert "sudo apt-get install --no-install-recommends r-cran-rcpp" in refused.value.line()


def test_an_installation_that_fails_says_the_last_thing_it_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debian.shutil, "which", lambda program: "/usr/bin/apt-get")
    monkeypatch.setattr(debian, "_is_installed", lambda name: False)
    monkeypatch.setattr(debian.os, "geteuid", lambda: 0)
    failed = subprocess.CompletedProcess([], 100, stdout="", stderr="W: slow\nE: no network")
    monkeypatch.setattr(debian.subprocess, "run", lambda *words, **more: failed)
    with pytest.raises(MachineRefused, match="apt-get update failed: E: no network"):
        debian.install_debian_r(Console(file=io.StringIO()))


def test_without_apt_the_python_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debian.shutil, "which", lambda program: None)
    with pytest.raises(MachineRefused) as refused:
        debian.install_debian_r(Console(file=io.StringIO()))
    assert "statsclaw demo probit-python" in refused.value.line()
