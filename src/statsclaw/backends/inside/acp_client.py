"""The client's side of the Agent Client Protocol. Runs inside the sandbox and starts the agent there.

    python acp_client.py SESSION PROGRAM ARGS… < message

SESSION is "-" for a new conversation. Every event is a line of JSON. The agent reads, writes and executes by itself:
it is offered neither files nor terminals of ours, and whatever it asks leave for it may do, since the barrier is
around it.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import acp
from acp.schema import AllowedOutcome, ClientCapabilities, DeniedOutcome, RequestPermissionResponse

MOST_BYTES = 64 * 2**20


def tell(kind: str, **facts: Any) -> None:
    print(json.dumps({"type": kind, **facts}, ensure_ascii=False), flush=True)


class Watching:
    """Takes note of what the agent says and does, and lets it."""

    def __init__(self) -> None:
        self.said: list[str] = []

    async def request_permission(self, session_id: str, tool_call: Any, options: list[Any], **_: Any) -> Any:
        kinds = {option.kind: option.option_id for option in options}
        chosen = kinds.get("allow_always") or kinds.get("allow_once")
        if chosen is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=chosen))

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        kind = update.session_update
        if kind == "agent_message_chunk":
            self.said.append(getattr(update.content, "text", ""))
        elif kind == "tool_call":
            self.said.clear()  # what was said before is not the last word
            tell("tool", name=str(update.title)[:300], input=json.dumps(update.raw_input, default=str)[:2000])
        elif kind == "tool_call_update" and update.status in ("completed", "failed"):
            tell("tool_result", status=update.status, output=json.dumps(update.raw_output, default=str)[:2000])

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        raise acp.RequestError.method_not_found(method)

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None: ...

    def on_connect(self, conn: Any) -> None: ...


async def converse(session: str, argv: list[str], message: str) -> int:
    client = Watching()
    limits = {"limit": MOST_BYTES}
    async with acp.spawn_agent_process(client, *argv, env=dict(os.environ), transport_kwargs=limits) as (agent, _):  # type: ignore[arg-type]
        await agent.initialize(protocol_version=acp.PROTOCOL_VERSION, client_capabilities=ClientCapabilities())
        here = str(Path.cwd())
        if session == "-":
            session = (await agent.new_session(cwd=here, mcp_servers=[])).session_id
        else:
            await agent.load_session(cwd=here, session_id=session, mcp_servers=[])
            client.said.clear()  # a session that is loaded is told once more
        tell("session", session=session)
        done = await agent.prompt(session_id=session, prompt=[acp.text_block(message)])
        used = getattr(done, "usage", None)
        tell(
            "result",
            said="".join(client.said),
            stopped=str(done.stop_reason),
            input_tokens=getattr(used, "input_tokens", 0) or 0,
            cached_tokens=getattr(used, "cached_read_tokens", 0) or 0,
            output_tokens=getattr(used, "output_tokens", 0) or 0,
        )
    return 0


def main() -> int:
    session, *argv = sys.argv[1:]
    try:
        return asyncio.run(converse(session, argv, sys.stdin.read()))
    except acp.RequestError as error:
        tell("failed", reason=f"{error}: {json.dumps(error.data, default=str)}"[:1000])
    except (OSError, EOFError, ConnectionError) as error:
        tell("failed", reason=f"{type(error).__name__}: {error}"[:1000])
    return 1


if __name__ == "__main__":
    sys.exit(main())
