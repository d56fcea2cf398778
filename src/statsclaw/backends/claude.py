"""Claude Code, headless."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from statsclaw.backends.agent_program import TRIED_AGAIN, AgentProgram, Stream

#: Of some thirty, whose descriptions would be sent with every request: 17,000 tokens against 2,000.
_TOOLS = ("Bash", "Edit", "Glob", "Grep", "Read", "Write")


class ClaudeBackend(AgentProgram):
    """`claude` or `claude:MODEL`. Its permissions are no barrier and are left open: the barrier is around it."""

    program = "claude"
    install = "`npm install -g @anthropic-ai/claude-code`"
    endpoint = "anthropic"

    def arguments(self, session: str, folders: Sequence[str]) -> list[str]:
        found = ["-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions"]
        found += ["--strict-mcp-config", "--setting-sources", "", "--tools", ",".join(_TOOLS)]
        found += [part for folder in folders for part in ("--add-dir", folder)]
        found += ["--model", self.model] if self.model else []
        return found + (["--resume", session] if session else [])

    def environment(self) -> dict[str, str]:
        found = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "IS_SANDBOX": "1"}
        return found | {"CLAUDE_CODE_MAX_RETRIES": str(TRIED_AGAIN)}

    def take(self, event: Mapping[str, Any], stream: Stream) -> None:
        stream.session = str(event.get("session_id") or stream.session)
        if event.get("type") != "result":
            return
        stream.ended = True
        stream.said = str(event.get("result") or "")
        used = dict(event.get("usage") or {})
        used["input_tokens"] = int(used.get("input_tokens") or 0) + int(used.get("cache_creation_input_tokens") or 0)
        names = ("input_tokens", "cache_read_input_tokens", "output_tokens")
        stream.used(used, *names, usd=event.get("total_cost_usd"))
        # An error of the model's server is a "success" with is_error.
        if event.get("is_error") or event.get("subtype") != "success":
            stream.failure = stream.said or str(event.get("subtype") or "without a reason")
