"""Codex CLI, headless."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from statsclaw.backends.agent_program import TRIED_AGAIN, AgentProgram, Stream
from statsclaw.sandbox.confinement import Confinement


class CodexBackend(AgentProgram):
    """`codex` or `codex:MODEL`. Its own sandbox, which shows the whole disk, is off: the barrier is around it."""

    program = "codex"
    install = "`npm install -g @openai/codex`"
    endpoint = "openai"

    def arguments(self, session: str, folders: Sequence[str]) -> list[str]:
        found = ["exec", "--json", "--skip-git-repo-check", "--sandbox", "danger-full-access"]
        found += ["--model", self.model] if self.model else []
        return [*found, "resume", session, "-"] if session else [*found, "-"]

    def settings(self, confinement: Confinement) -> dict[str, str]:
        url = json.dumps(confinement.env.get("OPENAI_BASE_URL", "https://api.openai.com/v1"))
        lines = [
            'model_provider = "bridge"',
            'approval_policy = "never"',
            'web_search = "disabled"',
            "check_for_update_on_startup = false",
            "[analytics]",
            "enabled = false",
            "[model_providers.bridge]",
            'name = "bridge"',
            f"base_url = {url}",
            'env_key = "OPENAI_API_KEY"',
            'wire_api = "responses"',
            f"request_max_retries = {TRIED_AGAIN}",
            f"stream_max_retries = {TRIED_AGAIN}",
        ]
        return {".codex/config.toml": "\n".join(lines) + "\n"}

    def take(self, event: Mapping[str, Any], stream: Stream) -> None:
        match event.get("type"):
            case "thread.started":
                stream.session = str(event.get("thread_id") or "")
            case "item.completed" if event["item"].get("type") == "agent_message":
                stream.said = str(event["item"].get("text") or "")
            case "turn.completed":
                stream.ended = True
                names = ("input_tokens", "cached_input_tokens", "output_tokens")
                stream.used(event.get("usage") or {}, *names, cached_within=True)
            case "turn.failed":
                stream.failure = str((event.get("error") or {}).get("message") or "without a reason")
