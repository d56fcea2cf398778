"""Walking through a run: at each state the person sees what its gate demanded and what the engine has, and goes on."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from rich.panel import Panel
from rich.text import Text

from statsclaw.runlog.chain import Record
from statsclaw.runlog.events import GateChecked, StateEntered
from statsclaw.runlog.fold import RunView
from statsclaw.ui.line import plain
from statsclaw.ui.screen import Screen


class Walk:
    """An observer of the log. `go_on` asks the person; KeyboardInterrupt from it leaves the run where it is."""

    def __init__(self, screen: Screen, go_on: Callable[[], None]) -> None:
        self._screen, self._go_on = screen, go_on
        self._texts: dict[str, dict[str, Any]] = tomllib.loads(
            files(__package__).joinpath("walk.toml").read_text(encoding="utf-8")
        )
        self._demanded: list[str] = []

    def observe(self, record: Record, view: RunView) -> None:
        event = record.event
        if isinstance(event, GateChecked):
            self._demanded += [reason for reason in event.blockers if reason not in self._demanded]
        elif isinstance(event, StateEntered) and event.applicable:
            with self._screen.paused():
                self._screen.console.print(self._panel(event, view))
                self._go_on()
            self._demanded = []

    def _panel(self, event: StateEntered, view: RunView) -> Panel:
        known = self._texts[event.state]
        text = Text(known["means"])
        if self._demanded:
            text.append("\n\nthe gate demanded", style="bold")
            text.append("".join(f"\n  {plain(reason, 110)}" for reason in self._demanded[:12]))
        there = [name for name in known["look"] if view.artifact(name)]
        if there:
            text.append("\n\nread now, in another terminal", style="bold")
            text.append("".join(f"\n  statsclaw artifacts {view.head.run_id} {name}" for name in there))
        return Panel(text, title=f" {event.state} ", border_style="cyan", padding=(1, 2))
