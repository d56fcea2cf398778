"""A demonstration played by Claude Code in every role: what each attempt handed in is scripted from its recording."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from pathlib import Path

from statsclaw.artifacts.catalogue import catalogue
from statsclaw.backends.replay import Recording
from statsclaw.demo.demo import prepare_demo
from statsclaw.engine.people import Unattended
from statsclaw.runlog.events import DispatchFailed, SignalRaised
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.log import read_view
from statsclaw.sandbox.network import hosts_of
from statsclaw.ui.settings import endpoints
from statsclaw.workspace.layout import RunFolder
from tests.agents.roles import ROLES
from tests.agents.scripted_model import Act, Say, ScriptedModel, Shell, Talk, Use, Write
from tests.support.runs import Bench

#: A command is one argument of a shell, and the kernel takes 128 KiB of that; Claude Code itself has no lower limit.
_PIECE = 90_000
_REFUSED = files("statsclaw.backends").joinpath("mend.md").read_text(encoding="utf-8").partition("\n")[0]
#: The suite that maintainers get; no role writes it.
_BY_THE_ENGINE = {
    "tests/validation/test_validation.py", "tests/validation/questions.json",
    "tests/testthat/test-validation.R", "tests/testthat/validation-questions.json",
}  # fmt: skip


@dataclass(frozen=True)
class Played:
    """The run, its log's view, the recorded one, and what the model was asked."""

    view: RunView
    folder: RunFolder
    recorded: RunView
    recording: Recording
    model: ScriptedModel
    remote: Path


def play(name: str, bench: Bench, *, replications: int | None = None) -> Played:
    """The order of the demonstration `name`, with Claude Code in place of the recording; the person answers as then."""
    prepared = prepare_demo(name, bench.folder)
    assert prepared.order.recording is not None
    hands = Hands(prepared.order.recording)
    with ScriptedModel(hands.scripts()) as model:
        reached = (f"{model.url}#ANTHROPIC_API_KEY",)
        order = replace(
            prepared.order,
            backends={"*": "claude"},
            endpoints=reached,
            network=hosts_of(endpoints(reached)),
            recording=None,
            replay_of=None,
            replications=replications or prepared.order.replications,
        )
        view = bench.start(order, person=Unattended(recorded=hands.recording.answer_to))
    folder = bench.workspace.find(view.head.run_id)
    remote = Path(prepared.order.target).with_suffix(".git")
    return Played(view, folder, hands.view, hands.recording, model, remote)


class Hands:
    """The recorded hands of every role, found by role and attempt."""

    def __init__(self, recording: Path) -> None:
        self.view, self.recording = read_view(recording), Recording(recording)

    def scripts(self) -> dict[str, Callable[[Talk], Iterator[Act]]]:
        return {f"# You are the {role}\n": partial(self._script, role) for role in ROLES}

    def _script(self, role: str, talk: Talk) -> Iterator[Act]:
        """Reads every document but the copy of its prompt, leaves what was left then, ends as it ended then.

        Told that its work cannot be taken as it is, it insists: when it was recorded, the next attempt mended it.
        """
        while True:
            if talk.now.last.startswith(_REFUSED):
                yield Say("It stands as it is.")
                continue
            attempt = re.search(r"this is attempt (\d+)", talk.now.last)
            assert attempt, f"nothing was recorded that answers {talk.now.last!r}"
            yield Shell("find /in -type f -not -name prompt.md | sort")
            for path in talk.last.splitlines():
                yield Use("Read", {"file_path": path})
                said, _, page = talk.last.partition("</system-reminder>")  # of a long document its first page
                shown = page.lstrip() if "PARTIAL view" in said else talk.last
                assert shown.startswith("1\t"), f"{path}: {talk.last[:200]}"
            yield from self._hand(f"{role}-{attempt[1]}", talk)

    def _hand(self, dispatch: str, talk: Talk) -> Iterator[Act]:
        ending = self.recording.endings[self.view.dispatches[dispatch].started.task_sha256]
        assert not isinstance(ending, DispatchFailed), f"{dispatch} failed when it was recorded: {ending.reason}"
        for name, digest in ending.artifacts.items():
            yield Write(f"/out/{name}", self.recording.store.get(digest).decode())
            assert "created" in talk.last, talk.last
        if isinstance(ending, SignalRaised):
            fields = {"signal", "message", "options", "default", "route_to"}
            yield Say(json.dumps(ending.model_dump(mode="json", include=fields)))
            return
        in_repository = {name for name, kind in catalogue().items() if kind.in_repo} | _BY_THE_ENGINE
        for change in ending.files:
            if change.path in in_repository:
                continue  # put there by the engine, not by the role
            data = None if change.sha256 is None else self.recording.store.get(change.sha256)
            for command in left_by_shell(f"/repo/{change.path}", data, executable=change.executable):
                yield Shell(command)
                assert talk.last == "left", talk.last
        yield Say("Everything is handed in.")


def left_by_shell(path: str, data: bytes | None, *, executable: bool = False) -> Iterator[str]:
    """Commands that leave a file of any size, or none, each short enough for a shell."""
    if data is None:
        yield f"rm -f '{path}' && echo left"
        return
    text = base64.b64encode(data).decode()
    mode = 755 if executable else 644
    yield f"mkdir -p '{path.rpartition('/')[0]}' && : > '{path}' && chmod {mode} '{path}' && echo left"
    for start in range(0, len(text), _PIECE):
        yield f"echo {text[start : start + _PIECE]} | base64 -d >> '{path}' && echo left"
