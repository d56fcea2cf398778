"""Any agent that speaks the Agent Client Protocol: opencode, goose and others."""

from __future__ import annotations

import importlib.util
import shlex
import shutil
import sys
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from statsclaw.backends.agent_program import AgentProgram, Stream
from statsclaw.backends.api import INSIDE, without_statsclaw
from statsclaw.errors import InputRefused
from statsclaw.sandbox.confinement import Confinement
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.toolchain import with_agent

_CLIENT = INSIDE / "acp_client.py"


class AcpBackend(AgentProgram):
    """`acp:PROGRAM ARGS`, as in `acp:opencode acp`; `acp:PROVIDER/MODEL@PROGRAM ARGS` tells the program its model."""

    program = sys.executable
    install = "`pip install 'statsclaw[acp]'`"
    endpoint = ""

    def __init__(self, model: str = "") -> None:
        chosen, at, command = model.rpartition("@")
        try:
            self.argv = shlex.split(command)
        except ValueError as error:
            raise InputRefused(f"the command of the backend acp cannot be read: {error}") from None
        if not self.argv:
            raise InputRefused("the backend `acp:` names no program", todo="write e.g. `acp:opencode acp`")
        if shutil.which(self.argv[0]) is None:
            raise InputRefused(f"the agent program {self.argv[0]!r} is not installed", kept="Nothing was started")
        if importlib.util.find_spec("acp") is None:
            raise InputRefused("the backend acp needs its SDK", kept="Nothing was started", todo=self.install)
        self.provider, _, name = chosen.partition("/") if at else ("", "", "")
        super().__init__(name)
        self.name = f"acp:{Path(self.argv[0]).name}" + (f":{name}" if name else "")

    def equip(self, tools: Enclosure) -> Enclosure:
        shown, _ = with_agent(tools, [self.program], [INSIDE])
        shown, _ = with_agent(shown, self.argv)
        return without_statsclaw(shown)

    def arguments(self, session: str, folders: Sequence[str]) -> list[str]:
        program = shutil.which(self.argv[0]) or self.argv[0]
        return ["-I", "-B", str(_CLIENT), session or "-", program, *self.argv[1:]]

    def settings(self, confinement: Confinement) -> dict[str, str]:
        known = tomllib.loads(files("statsclaw.backends").joinpath("acp_settings.toml").read_text(encoding="utf-8"))
        values = {"openai": confinement.env.get("OPENAI_BASE_URL", ""), "provider": self.provider, "model": self.model}
        values["anthropic"] = confinement.env.get("ANTHROPIC_BASE_URL", "")
        found = dict(known.get(Path(self.argv[0]).name, {})) if self.model else {}
        for name, text in found.items():
            for key, value in values.items():
                text = text.replace(f"{{{key}}}", value)
            found[name] = text
        return found

    def environment(self) -> dict[str, str]:
        """AGENTS.md, agents and skills of the target are data like its other files; opencode is told so."""
        return {"OPENCODE_DISABLE_PROJECT_CONFIG": "1", "OPENCODE_DISABLE_EXTERNAL_SKILLS": "1"}

    def take(self, event: Mapping[str, Any], stream: Stream) -> None:
        match event.get("type"):
            case "session":
                stream.session = str(event["session"])
            case "result":
                stream.ended = True
                stream.said = str(event["said"])
                stream.used(event, "input_tokens", "cached_tokens", "output_tokens")
                if event.get("stopped") not in ("end_turn", "max_turn_requests"):
                    stream.failure = f"it stopped: {event.get('stopped')}"
            case "failed":
                stream.failure = str(event.get("reason") or "without a reason")
