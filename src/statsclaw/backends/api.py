"""A model without an agent program: our own small tool loop, behind the barrier like any other."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from statsclaw.backends.agent_program import AgentProgram, Stream
from statsclaw.errors import InputRefused
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.endpoints import CUSTOM, endpoint_names
from statsclaw.sandbox.toolchain import hide, installed_copies, with_agent

INSIDE = Path(__file__).parent / "inside"
_LOOP = INSIDE / "api_loop.py"
_CONVERSATION = ".conversation.json"
_COPIES = ("lib/python*/site-packages/{name}", "lib/python*/site-packages/{name}-*")


def without_statsclaw(shown: Enclosure) -> Enclosure:
    """Its own environment is shown for the libraries in it; what it carries of recorded roles is not."""
    return hide(shown, installed_copies(shown, _COPIES, ["statsclaw"]))


class ApiBackend(AgentProgram):
    """`api:PROVIDER/MODEL`: anthropic, openai, google, or custom for whatever an endpoint given by its URL serves."""

    program = sys.executable
    install = "`pip install 'statsclaw[api]'`"

    def __init__(self, model: str = "") -> None:
        provider, _, name = model.partition("/")
        known = (*endpoint_names(), CUSTOM)
        if provider not in known or not name:
            raise InputRefused(
                f"there is no backend 'api:{model}'", todo=f"write api:PROVIDER/MODEL with {', '.join(known)}"
            )
        if importlib.util.find_spec("pydantic_ai") is None:
            raise InputRefused("the backend api needs pydantic-ai", kept="Nothing was started", todo=self.install)
        super().__init__(name)
        self.provider = self.endpoint = provider
        self.name = f"api:{model}"

    @classmethod
    def endpoint_of(cls, rest: str) -> str:
        return rest.partition("/")[0]

    def equip(self, tools: Enclosure) -> Enclosure:
        return without_statsclaw(with_agent(tools, [self.program], [INSIDE])[0])

    def arguments(self, session: str, folders: Sequence[str]) -> list[str]:
        return ["-I", "-B", str(_LOOP), self.provider, self.model, _CONVERSATION]

    def take(self, event: Mapping[str, Any], stream: Stream) -> None:
        stream.session = _CONVERSATION
        match event.get("type"):
            case "result":
                stream.ended = True
                stream.said = str(event["said"])
                stream.used(event, "input_tokens", "cached_tokens", "output_tokens", cached_within=True)
            case "failed":
                stream.failure = str(event.get("reason") or "without a reason")
