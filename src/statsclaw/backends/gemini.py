"""Gemini CLI, headless."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from statsclaw.backends.agent_program import TRIED_AGAIN, AgentProgram, Stream
from statsclaw.sandbox.confinement import Confinement

_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"disableAutoUpdate": True, "maxAttempts": 1 + TRIED_AGAIN},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "skills": {"enabled": False},  # those of the target are data like its other files; GEMINI.md cannot be left out
}


class GeminiBackend(AgentProgram):
    """`gemini` or `gemini:MODEL`."""

    program = "gemini"
    install = "`npm install -g @google/gemini-cli`"
    endpoint = "google"

    def arguments(self, session: str, folders: Sequence[str]) -> list[str]:
        found = ["--approval-mode", "yolo", "--output-format", "stream-json", "--prompt", ""]
        found += ["--include-directories", ",".join(folders)]
        found += ["--model", self.model] if self.model else []
        return found + (["--resume", "latest"] if session else [])

    def settings(self, confinement: Confinement) -> dict[str, str]:
        return {".gemini/settings.json": json.dumps(_SETTINGS)}

    def environment(self) -> dict[str, str]:
        return {"GEMINI_CLI_TRUST_WORKSPACE": "true"}

    def take(self, event: Mapping[str, Any], stream: Stream) -> None:
        match event.get("type"):
            case "init":
                stream.session = str(event.get("session_id") or "latest")
            case "message" if event.get("role") == "assistant":
                stream.said += str(event.get("content") or "")
            case "tool_use":
                stream.said = ""  # what was said before is not the last word
            case "error":
                stream.failure = str(event.get("message") or "")
            case "result":
                stream.ended = True
                names = ("input_tokens", "cached", "output_tokens")
                stream.used(event.get("stats") or {}, *names, cached_within=True)
                why = (event.get("error") or {}).get("message") or stream.failure or "without a reason"
                stream.failure = str(why) if event.get("status") != "success" else ""
