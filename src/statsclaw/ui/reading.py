"""How a directive was read, shown before anything starts; one key changes it."""

from __future__ import annotations

from dataclasses import replace

import typer

from statsclaw.engine.directive_reading import ask_model, model_for
from statsclaw.engine.start import Order
from statsclaw.intake.routing import Routing
from statsclaw.intake.routing import route as read_directive
from statsclaw.intake.workflow import all_workflows, workflow
from statsclaw.sandbox.choose import make_barrier
from statsclaw.ui import settings
from statsclaw.ui.exit_codes import INTERRUPTED, SaidAlready
from statsclaw.ui.line import Line, plain
from statsclaw.ui.screen import Screen

WHY_ASK = {
    "close": "two readings are close",
    "small-fix": "a small fix could take the short way",
    "unclear": "the directive says too little",
    "unseen": "words alone start nothing",
}
_KEYS = "123456789abcdefgh"


def stages_of(name: str) -> str:
    """ "planner → builder ∥ tester → ..." """
    found = workflow(name)
    return " → ".join(" ∥ ".join(stage) for stage in found.stages) or f"repeats other workflows over {found.over}"


def ask_the_model(order: Order, screen: Screen) -> Order:
    """A reading that is unsure, or that nobody will see, is put to the planner's agent once; what it says is logged."""
    routing, backend = read_directive(order.directive), model_for(order.backends)
    is_seen = order.accepted or screen.kind == "live"
    if backend is None or (routing.ask is None and is_seen):
        return order
    screen.say(Line("workflow", f"not sure: {WHY_ASK[routing.ask or 'unseen']}; {backend} is asked once"))
    found = ask_model(order.directive, backend, settings.endpoints(order.endpoints), make_barrier(order.barrier))
    if found.failure:
        screen.say(Line("", f"it could not be asked: {plain(found.failure)}", "yellow"))
    elif found.workflow is None:
        screen.say(Line("", "it is not sure either", "yellow"))
    elif screen.kind != "live":
        screen.say(Line("", f"it reads {found.workflow}: {stages_of(found.workflow)}"))
    return replace(order, by_model=found)


def choose_workflow(order: Order, screen: Screen) -> Order:
    """Show the reading of the directive and wait for one key: start so, the runner-up, any other, or not at all."""
    routing, by_model = read_directive(order.directive), order.by_model and order.by_model.workflow
    if by_model:
        second = next(name for name in (routing.workflow, routing.runner_up) if name != by_model)
        routing = routing.model_copy(update={"workflow": by_model, "runner_up": second, "ask": None})
    names = [routing.workflow, *([routing.runner_up] if routing.runner_up else [])]
    _show(routing, names, screen, by_model=bool(by_model))
    while True:
        try:
            key = typer.getchar()
        except EOFError:
            key = "q"
        if key in ("\r", "\n") and routing.ask is None:
            return replace(order, accepted=True)
        if key in ("q", "Q", "\x03", "\x04", "\x1b"):
            screen.say(Line("stopped", "nothing was started"))
            raise SaidAlready(INTERRUPTED)
        if key in ("o", "O"):
            names = [*names, *(name for name in all_workflows() if name not in names)]
            _list(names, screen)
        elif key in _KEYS[: len(names)]:
            chosen = names[_KEYS.index(key)]
            screen.say(Line("workflow", f"{chosen}  {stages_of(chosen)}"))
            if chosen == routing.workflow and routing.ask is None:
                return replace(order, accepted=True)
            return replace(order, workflow=chosen)


def _show(routing: Routing, names: list[str], screen: Screen, *, by_model: bool) -> None:
    if by_model:
        screen.say(Line("workflow", f"{routing.workflow} (as the model reads it)", "bold"))
    elif routing.ask:
        screen.say(Line("workflow", f"not sure: {WHY_ASK[routing.ask]}", "bold yellow"))
    else:
        screen.say(Line("workflow", f"{routing.workflow} ({routing.confidence:.2f})", "bold"))
    _list(names, screen)
    start = "Enter starts 1; " if routing.ask is None else ""
    screen.say(Line("", f"{start}a number starts that one; o shows the others; q starts nothing"))


def _list(names: list[str], screen: Screen) -> None:
    for key, name in zip(_KEYS, names, strict=False):
        screen.say(Line("", f"{key}  {name}: {stages_of(name)}"))
