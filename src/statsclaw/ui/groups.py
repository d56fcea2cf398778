"""Groups of commands that import a command when it is called, and for the help none at all."""

from __future__ import annotations

import sys
from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from statsclaw.errors import InputRefused
from statsclaw.ui.exit_codes import OK
from statsclaw.ui.table import COMMANDS, LOG_COMMANDS, MC_COMMANDS, Entry


class _WhenCalled(MutableMapping[str, Any]):
    """Commands by name, in the order of the table; one is made when it is looked up."""

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        self._entries = {entry.name: entry for entry in entries}
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = _made(self._entries[name])
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._made or name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._entries, *self._made]))

    def __len__(self) -> int:
        return len({*self._entries, *self._made})

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        self._entries.pop(name, None)
        self._made.pop(name, None)


def _made(entry: Entry) -> Any:
    module, _, name = entry.place.partition(":")
    found = getattr(import_module(f"statsclaw.ui.{module}"), name)
    holder = typer.Typer(rich_markup_mode="rich", callback=_nothing)
    if isinstance(found, typer.Typer):
        holder.add_typer(found, name=entry.name, rich_help_panel=entry.panel)
    else:
        holder.command(entry.name, rich_help_panel=entry.panel)(found)
    return typer.main.get_group(holder).commands[entry.name]


def _nothing() -> None:
    """A Typer with a callback is a group, however few commands it has."""


class LazyGroup(TyperGroup):
    """Knows its commands from a table."""

    entries: ClassVar[tuple[Entry, ...]]

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _WhenCalled(self.entries)

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        with self._from_table():
            super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        with self._from_table():
            return super().shell_complete(ctx, incomplete)

    @contextmanager
    def _from_table(self) -> Iterator[None]:
        """What only shows names and their lines needs no command."""
        commands = self.commands
        self.commands = {
            entry.name: TyperCommand(entry.name, help=entry.help, rich_help_panel=entry.panel) for entry in self.entries
        }
        try:
            yield
        finally:
            self.commands = commands


class Root(LazyGroup):
    entries = COMMANDS

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """As typer's, but wrong usage is one line, like every other mistake."""
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        try:
            found = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        except Exception as error:  # typer 0.12 raises click's, later ones their own copy of it
            if not hasattr(error, "format_message"):
                raise
            sys.exit(_wrong_usage(error))
        sys.exit(found if isinstance(found, int) else OK)


class _MonteCarlo(LazyGroup):
    entries = MC_COMMANDS


class _Log(LazyGroup):
    entries = LOG_COMMANDS


def _wrong_usage(error: Any) -> int:
    """Tells it; the exit status."""
    if type(error).__name__ != "NoArgsIsHelpError":  # that has shown the help
        names: list[str] = []
        here = getattr(error, "ctx", None)
        while here is not None and here.parent is not None:
            names.insert(0, here.info_name or "")
            here = here.parent
        refused = InputRefused(error.format_message(), todo=f"see `{' '.join(['statsclaw', *names, '--help'])}`")
        print(f"error: {refused.line()}", file=sys.stderr)
    return int(error.exit_code)


_HELP = {entry.name: entry.help for entry in COMMANDS}
mc_app = typer.Typer(cls=_MonteCarlo, help=_HELP["mc"], no_args_is_help=True)
log_app = typer.Typer(cls=_Log, help=_HELP["log"], no_args_is_help=True)
