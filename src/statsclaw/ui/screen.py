"""What a person sees while a run goes on: a live view on a terminal, plain lines elsewhere, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from statsclaw.runlog.chain import Record
from statsclaw.runlog.events import QuestionAsked, Usage
from statsclaw.runlog.fold import Live as LiveUse
from statsclaw.runlog.fold import RunView
from statsclaw.ui.line import Line, plain
from statsclaw.ui.lines import lines_for
from statsclaw.verify.progress import Step

_LABEL_WIDTH = 20


class Screen:
    """`kind` is live, plain or json; `brief` shortens questions that somebody else has answered."""

    def __init__(self, kind: str, console: Console | None = None, *, brief: bool = False) -> None:
        self.kind, self.brief = kind, brief
        self.console = console or Console(highlight=False, soft_wrap=kind == "plain")
        self._live: Live | None = None
        self._view: RunView | None = None
        self.asked: set[str] = set()
        #: What dispatches that are at work have spent so far.
        self.live: Callable[[], Mapping[str, LiveUse]] = dict
        #: What the engine itself is doing.
        self.steps: Callable[[], list[Step]] = list

    @contextmanager
    def showing(self) -> Iterator[Callable[[Record, RunView], None]]:
        """Observe a run; on a terminal a table of the roles at work stays at the bottom."""
        if self.kind != "live":
            yield self.observe
            return
        with Live(get_renderable=self._status, console=self.console, refresh_per_second=4, transient=True) as live:
            self._live = live
            try:
                yield self.observe
            finally:
                self._live = None

    def observe(self, record: Record, view: RunView) -> None:
        self._view = view
        if isinstance(record.event, QuestionAsked):
            self.asked.add(record.event.question)
        if self.kind == "json":
            event = record.event.model_dump(mode="json")
            print(json.dumps({"seq": record.seq, "at": record.at.isoformat(), **event}), flush=True)
            return
        for line in lines_for(record, view, brief=self.brief):
            self.say(line)

    def say(self, line: Line) -> None:
        if self.kind == "json":
            print(f"{line.label} {line.text}".strip(), file=sys.stderr, flush=True)
            return
        label = Text(line.label, style=line.style)
        if not self.console.is_terminal:
            self.console.print(Text(f"  {line.label:<{_LABEL_WIDTH}}  {line.text}".rstrip()))
            return
        row = Table.grid(padding=(0, 0, 0, 2))
        row.add_column(width=_LABEL_WIDTH, no_wrap=True)
        row.add_column(overflow="fold")
        row.add_row(label, Text(line.text, style="" if line.label else line.style))
        self.console.print(row)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Give the terminal to a prompt."""
        if self._live:
            self._live.stop()
        try:
            yield
        finally:
            if self._live:
                self._live.start()

    def _status(self) -> Table:
        table = Table.grid(padding=(0, 2))
        view = self._view
        if view is None or view.created_at is None:
            return table
        now, live = datetime.now(UTC), self.live()
        elapsed = int((now - view.created_at).total_seconds())
        used = sum((more.usage for more in live.values()), start=view.usage)
        tokens = f" · {used.tokens:,} tokens · ${used.cost_usd:.2f}" if used.tokens else ""
        table.add_row(Text(f"  {view.state or 'starting'} · {elapsed // 60}:{elapsed % 60:02d}{tokens}", style="bold"))
        everybody = list(view.dispatches.values())  # another thread adds to it
        for dispatch in (row for row in everybody if row.status == "running"):
            at = int((now - (dispatch.went_on_at or dispatch.started_at)).total_seconds())
            who = f"{dispatch.role} · attempt {dispatch.attempt} · {dispatch.backend}"
            own = live[dispatch.id].usage if dispatch.id in live else Usage()
            spent = f" · {own.tokens:,} tokens" + (f" · ${own.cost_usd:.2f}" if own.cost_usd else "")
            table.add_row(Text(f"    {who} · {at} s{spent if own.tokens else ''}", style="cyan"))
        for dispatch in (row for row in everybody if row.status == "paused"):
            left = dispatch.paused.until - now if dispatch.paused and dispatch.paused.until else None
            seconds = max(0, int(left.total_seconds())) if left else 0
            clock = f" · goes on in {seconds // 60}:{seconds % 60:02d}" if left else ""
            table.add_row(Text(f"    {dispatch.role} · rests: {plain(dispatch.reason, 60)}{clock}", style="yellow"))
        steps = self.steps()
        usual = {row.name: row.elapsed_s for row in list(view.evidence.values())} if steps else {}
        for step in steps:
            table.add_row(Text(f"    {_told(step, usual.get(step.name))}", style="cyan"))
        if view.missing and not view.running and not view.paused and not steps:
            table.add_row(Text(f"    next: {view.missing[0]}", style="dim"))
        return table


def _told(step: Step, usual_s: float | None) -> str:
    """Its name, how far it is, how long it has taken, and how long it will take where that can be told."""
    parts = f" · {step.done:,} of {step.total:,}" if step.total else ""
    left = step.left(usual_s)
    return f"{step.name}{parts} · {_clock(step.seconds())}" + (f" · about {_clock(left)} left" if left else "")


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
