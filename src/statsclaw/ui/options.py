"""Options that several commands share. What reads them is imported when there is one to read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from statsclaw.errors import InputRefused

if TYPE_CHECKING:
    from statsclaw.runlog.events import BudgetSet

#: Parts of the help of commands with many options.
WHO, ISOLATION, COST, ANSWERING = "Who plays", "What keeps roles apart", "How much", "Answering and output"
RunArgument = Annotated[str, typer.Argument(help="The run, or the beginning of its name.")]
WorkspaceOption = Annotated[
    Path | None,
    typer.Option("--workspace", help="Where runs are kept (default: $STATSCLAW_WORKSPACE, else your data folder)."),
]
YesOption = Annotated[
    bool,
    typer.Option("--yes", help="Take safe defaults and authorise shipping without asking.", rich_help_panel=ANSWERING),
]
AnswersOption = Annotated[
    Path | None,
    typer.Option("--answers", help="TOML file with answers, for unattended use.", rich_help_panel=ANSWERING),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
BackendOption = Annotated[
    str | None,
    typer.Option(
        "--backend",
        help="Who plays every role: claude, codex, gemini, api:…, acp:…, human, command:…, replay:…",
        rich_help_panel=WHO,
    ),
]
BarrierOption = Annotated[
    str,
    typer.Option(
        "--barrier",
        help="What keeps the roles apart: bubblewrap, or a weaker kind you name.",
        rich_help_panel=ISOLATION,
    ),
]
UnsafeOption = Annotated[
    bool,
    typer.Option(
        "--unsafe-no-sandbox",
        help="Run agents and their code with nothing between them and this machine.",
        rich_help_panel=ISOLATION,
    ),
]
RevealOption = Annotated[
    bool,
    typer.Option(
        "--reveal",
        help="After a failed verification, let the role see tests and values in full. Logged.",
        rich_help_panel=ISOLATION,
    ),
]
ReplicationsOption = Annotated[
    int | None,
    typer.Option(
        "--replications",
        min=0,
        help="Make only so many in each cell of the study (0: as planned); what they leave undecided stays open.",
        rich_help_panel=COST,
    ),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        max=1024,
        help="Workers of the study, and of what else is asked side by side (default: the cores of this machine).",
        rich_help_panel=COST,
    ),
]
BudgetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--budget",
        help="Ask again when so much is spent: 5usd, 2000000tokens, 3h, tester=1usd, none. Repeatable.",
        rich_help_panel=COST,
    ),
]
EndpointOption = Annotated[
    list[str] | None,
    typer.Option(
        "--endpoint",
        help="The model roles may talk to: anthropic, openai, google, or URL#KEY_VARIABLE.",
        rich_help_panel=WHO,
    ),
]
RegistryOption = Annotated[
    list[str] | None,
    typer.Option(
        "--registry",
        help="Package registry a build may reach: a host, or `default`. Repeatable.",
        rich_help_panel=ISOLATION,
    ),
]
ToolOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--tool", help="File or folder that roles may read, e.g. of your agent. Repeatable.", rich_help_panel=ISOLATION
    ),
]
RoleBackendOption = Annotated[
    list[str] | None,
    typer.Option(
        "--role-backend", help="Who plays one role, e.g. builder=command:./agent. Repeatable.", rich_help_panel=WHO
    ),
]


def barrier_kind(barrier: str, unsafe: bool) -> str:
    return "none" if unsafe else barrier


def budgets_of(amounts: list[str] | None) -> tuple[BudgetSet, ...]:
    """`5usd`, `2000000tokens`, `3h`, for the run; `tester=2usd`, `dispatch=1usd`; `none` for as much as it takes."""
    from pydantic import ValidationError

    from statsclaw.roles.matrix import Role
    from statsclaw.runlog.events import BudgetSet
    from statsclaw.runlog.fold import EACH_DISPATCH

    fields = {"usd": "usd", "tokens": "tokens", "h": "hours"}
    scopes = (*(str(role) for role in Role), EACH_DISPATCH)
    found: dict[str, dict[str, float]] = {}
    for text in amounts or ():
        scope, _, amount = text.strip().lower().replace(" ", "").rpartition("=")
        read = re.fullmatch(r"(\d{1,15}(?:\.\d{1,6})?)(usd|tokens|h)", amount)
        if (amount != "none" and read is None) or (scope and scope not in scopes):
            todo = f"write e.g. 5usd, 2000000tokens, 3h, none, or for one of {', '.join(scopes)}: tester=2usd"
            raise InputRefused(f"--budget {text!r} is not an amount", todo=todo)
        found.setdefault(scope, {}).update({fields[read[2]]: float(read[1])} if read else {})
    try:
        return tuple(BudgetSet.model_validate({"scope": scope, **row}) for scope, row in found.items())
    except ValidationError:
        todo = "tokens are whole numbers"
        raise InputRefused(f"--budget {', '.join(amounts or ())} is not an amount", todo=todo) from None


def backend_table(backend: str | None, role_backends: list[str] | None) -> dict[str, str]:
    table = {"*": backend} if backend else {}
    for text in role_backends or []:
        role, equals, name = text.partition("=")
        if not equals:
            raise InputRefused(f"--role-backend {text!r} is not ROLE=BACKEND", todo="e.g. --role-backend builder=human")
        table[role] = name
    return {role: _from_here(name) for role, name in table.items()}


def _from_here(name: str) -> str:
    """A backend as named on the command line: `./agent` is meant from where the person stands."""
    kind, colon, rest = name.partition(":")
    if kind == "command" and colon:
        from statsclaw.backends.command import absolute_command

        return f"command:{absolute_command(rest, Path.cwd())}"
    if kind == "replay" and rest:
        return f"replay:{Path(rest).expanduser().resolve()}"
    if name == "replay":
        raise InputRefused("`replay` needs a recording", todo="`--backend replay:FOLDER`, or `statsclaw replay RUN`")
    return name
