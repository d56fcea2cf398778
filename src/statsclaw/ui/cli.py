"""The command `statsclaw`."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

import typer

from statsclaw import __version__
from statsclaw.errors import MachineRefused, StatsClawError
from statsclaw.ui.exit_codes import EXIT_CODES, INTERRUPTED, SaidAlready
from statsclaw.ui.groups import Root

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(
    cls=Root,
    name="statsclaw",
    help="Agents write statistical software; the engine executes and judges. Start with: statsclaw demo",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: " + " · ".join(f"{code} {meaning}" for code, meaning in EXIT_CODES.items()),
)


def _version(value: bool) -> None:
    if value:
        print(f"statsclaw {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Options that stand before the command."""
    if folders := os.environ.get("STATSCLAW_LANGUAGES"):
        from statsclaw.ui.settings import add_language_folders

        add_language_folders(folders)


def main() -> None:
    """Run the command line; a person's mistake is one line, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a poor terminal shows less, it does not stop a run
    code = _run()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _stop_printing()
    sys.exit(code)


def _run() -> int | str | None:
    try:
        app()
    except SystemExit as ended:
        if ended.code == INTERRUPTED and not isinstance(ended, SaidAlready):  # typer has turned Ctrl-C into this
            of_study = sys.argv[1:2] == ["mc"]
            run = "Everything so far is kept; continue with `statsclaw resume RUN`."
            _errors().print(f"stopped. {'Results that were complete are kept.' if of_study else run}", markup=False)
        return ended.code
    except BrokenPipeError:
        _stop_printing()
    except StatsClawError as error:
        _errors().print(f"error: {error.line()}", style="red", markup=False)
        return error.exit_code
    except OSError as error:
        refused = MachineRefused(f"the machine refused: {error}", kept="everything up to the last event is kept")
        _errors().print(f"error: {refused.line()}", style="red", markup=False)
        return refused.exit_code
    except Exception as error:
        place = _keep_traceback()
        said = " ".join(str(error).split())[:200]
        _errors().print(f"internal error: {type(error).__name__}: {said}. Details: {place}", style="red", markup=False)
        return 1
    return 0


def _errors() -> Console:
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True)


def _stop_printing() -> None:
    """The reader has gone (`| head`): nobody wants to hear about it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _keep_traceback() -> str:
    import traceback
    from datetime import UTC, datetime

    from statsclaw.ui import settings

    text = traceback.format_exc()
    try:
        folder = settings.cache_folder() / "errors"
        folder.mkdir(parents=True, exist_ok=True)
        place = folder / f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}.txt"
        place.write_text(text, encoding="utf-8", errors="replace")
        return str(place)
    except OSError:
        return text
