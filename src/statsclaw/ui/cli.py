"""The command `statsclaw`."""

from __future__ import annotations

import io
import os
import sys
import traceback
from datetime import UTC, datetime

import typer
from rich.console import Console

from statsclaw import __version__
from statsclaw.errors import MachineRefused, StatsClawError
from statsclaw.ui import (
    barrier_commands,
    config_commands,
    contract_commands,
    cost_commands,
    look_commands,
    mc_commands,
    mc_result_commands,
    person_commands,
    prompt_commands,
    replay_commands,
    report_commands,
    run_commands,
    settings,
    setup_commands,
)
from statsclaw.ui.doctor import doctor
from statsclaw.ui.exit_codes import EXIT_CODES, INTERRUPTED, SaidAlready

app = typer.Typer(
    name="statsclaw",
    help="Agents write statistical software; the engine executes and judges. Start with: statsclaw demo",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: " + " · ".join(f"{code} {meaning}" for code, meaning in EXIT_CODES.items()),
)
log_app = typer.Typer(help="Look at and verify the log of a run.", no_args_is_help=True)
mc_app = typer.Typer(
    help="Monte Carlo studies: run, look at, judge. Start with: statsclaw mc new", no_args_is_help=True
)

_WORK, _PEOPLE, _LOOK = "Work", "Take part", "Look"
app.command(rich_help_panel=_WORK)(setup_commands.setup)
app.command(rich_help_panel=_WORK)(run_commands.run)
app.command(rich_help_panel=_WORK)(run_commands.resume)
app.command(rich_help_panel=_WORK)(replay_commands.replay)
app.command(rich_help_panel=_WORK)(run_commands.demo)
app.command(rich_help_panel=_WORK)(replay_commands.record)
app.command(rich_help_panel=_PEOPLE)(person_commands.answer)
app.command(rich_help_panel=_PEOPLE)(person_commands.done)
app.command("review-comprehension", rich_help_panel=_PEOPLE)(contract_commands.review_comprehension)
app.command(rich_help_panel=_PEOPLE)(contract_commands.amend)
app.command("override", rich_help_panel=_PEOPLE)(contract_commands.override_finding)
app.command(rich_help_panel=_LOOK)(look_commands.route)
app.command(rich_help_panel=_LOOK)(look_commands.sources)
app.command("list", rich_help_panel=_LOOK)(look_commands.list_runs)
app.command(rich_help_panel=_LOOK)(look_commands.show)
app.command(rich_help_panel=_LOOK)(report_commands.report)
app.command(rich_help_panel=_LOOK)(look_commands.artifacts)
app.command(rich_help_panel=_LOOK)(look_commands.transcript)
app.command(rich_help_panel=_LOOK)(cost_commands.cost)
app.command(rich_help_panel=_LOOK)(config_commands.config)
app.command(rich_help_panel=_LOOK)(doctor)
app.add_typer(mc_app, name="mc", rich_help_panel=_WORK)
app.add_typer(prompt_commands.app, name="prompts", rich_help_panel=_LOOK)
app.add_typer(log_app, name="log", rich_help_panel=_LOOK)
app.add_typer(barrier_commands.app, name="barrier", rich_help_panel=_LOOK)
for _command in (mc_commands.new, mc_commands.run, mc_commands.status, *mc_result_commands.COMMANDS):
    mc_app.command()(_command)
log_app.command("verify")(look_commands.log_verify)
log_app.command("show")(look_commands.log_show)
log_app.command("repair")(look_commands.log_repair)


def _version(value: bool) -> None:
    if value:
        print(f"statsclaw {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Options that stand before the command."""


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
    errors = Console(stderr=True, highlight=False, soft_wrap=True)
    try:
        app()
    except SystemExit as ended:
        if ended.code == INTERRUPTED and not isinstance(ended, SaidAlready):  # typer has turned Ctrl-C into this
            errors.print("stopped. Everything so far is kept; continue with `statsclaw resume RUN`.", markup=False)
        return ended.code
    except BrokenPipeError:
        _stop_printing()
    except StatsClawError as error:
        errors.print(f"error: {error.line()}", style="red", markup=False)
        return error.exit_code
    except OSError as error:
        refused = MachineRefused(f"the machine refused: {error}", kept="everything up to the last event is kept")
        errors.print(f"error: {refused.line()}", style="red", markup=False)
        return refused.exit_code
    except Exception as error:
        place = _keep_traceback()
        said = " ".join(str(error).split())[:200]
        errors.print(f"internal error: {type(error).__name__}: {said}. Details: {place}", style="red", markup=False)
        return 1
    return 0


def _stop_printing() -> None:
    """The reader has gone (`| head`): nobody wants to hear about it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _keep_traceback() -> str:
    text = traceback.format_exc()
    try:
        folder = settings.cache_folder() / "errors"
        folder.mkdir(parents=True, exist_ok=True)
        place = folder / f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}.txt"
        place.write_text(text, encoding="utf-8", errors="replace")
        return str(place)
    except OSError:
        return text
