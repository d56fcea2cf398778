"""Codex CLI, headless."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from statsclaw.backends.agent_program import TRIED_AGAIN, AgentProgram, Stream, events_in
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
            "project_doc_max_bytes = 0",  # AGENTS.md of the target is data like its other files, and so are skills
            "[analytics]",
            "enabled = false",
            "[features]",
            "plugins = false",  # they are looked for in a network that is not there, for five seconds
            "[skills]",
            "include_instructions = false",
            "[model_providers.bridge]",
            'name = "bridge"',
            f"base_url = {url}",
            'env_key = "OPENAI_API_KEY"',
            'wire_api = "responses"',
            f"request_max_retries = {TRIED_AGAIN}",
            f"stream_max_retries = {TRIED_AGAIN}",
        ]
        return {".codex/config.toml": "\n".join(lines) + "\n"}

    def understood(self, transcript: str) -> Stream:
        """Codex passes over a refusal of the model without a word: a turn in which nothing was said or done."""
        stream = super().understood(transcript)
        made = [event["item"] for event in events_in(transcript) if isinstance(event.get("item"), dict)]
        if stream.ended and not stream.failure and all(item.get("type") == "error" for item in made):
            stream.failure = "the model answered nothing; it may have refused"
        return stream

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
