"""A request of an agent in words that do not depend on the provider, and the conversation a script sees."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.agents.scripted_model.acts import Say, Shell, Use, Write

#: The tools that run commands and write files, as the agents call them, and the names of their arguments.
SHELLS = {
    "Bash": ("command", {}), "exec_command": ("cmd", {}), "shell": ("command", {}),
    "run_shell_command": ("command", {}), "bash": ("command", {"description": "a step"}), "run": ("command", {}),
}  # fmt: skip
WRITERS = {"Write": ("file_path", "content"), "write_file": ("file_path", "content"), "write": ("path", "content")}


def written_by_shell(path: str, text: str) -> Shell:
    data = base64.b64encode(text.encode()).decode()
    folder = path.rpartition("/")[0] or "."
    return Shell(f"mkdir -p '{folder}' && echo {data} | base64 -d > '{path}' && echo written")


@dataclass(frozen=True)
class Asked:
    """`first`: the first thing a user said, which names the conversation. `results`: what tools gave back since."""

    wire: str
    model: str
    tools: Mapping[str, Mapping[str, Any]]
    system: str
    first: str
    last: str
    results: tuple[str, ...]
    stream: bool
    size: int
    headers: Mapping[str, str] = field(default_factory=dict)
    path: str = ""
    body: bytes = b""

    @property
    def is_side_request(self) -> bool:
        """A title, a summary, a check of the quota: agents ask these without their tools."""
        return not self.tools

    def call(self, act: Say | Use | Shell | Write) -> Use | None:
        """The act as a call of a tool that this agent has; None for mere words."""
        if isinstance(act, Say):
            return None
        if isinstance(act, Use):
            return act
        if isinstance(act, Write):
            for name, (path, content) in WRITERS.items():
                if name in self.tools:
                    known = self.tools[name].get("properties", {})
                    where = path if path in known or not known else "filePath"
                    return Use(name, {where: act.path, content: act.text})
            return self.call(written_by_shell(act.path, act.text))
        for name, (argument, more) in SHELLS.items():
            if name in self.tools:
                return Use(name, {argument: act.command, **more})
        raise LookupError(f"this agent has no tool that runs commands: {sorted(self.tools)}")


@dataclass
class Talk:
    """What a script sees of the conversation it is in; `last` is what the last tool gave back."""

    asked: list[Asked] = field(default_factory=list)

    @property
    def now(self) -> Asked:
        return self.asked[-1]

    @property
    def last(self) -> str:
        return self.now.results[-1] if self.now.results else ""
