"""A transcript for people: the events of agent programs, each in a few lines; whatever is no event, as it is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

_LONGEST = 1200
_OUTPUT_LINES = 12


def readable(text: str) -> Iterator[str]:
    for line in text.splitlines():
        event = _event(line)
        if event is None:
            yield line
            continue
        try:
            yield from _told(event)
        except (AttributeError, KeyError, TypeError):
            yield line  # an event that is not as expected is shown as it came


def _event(line: str) -> dict[str, Any] | None:
    try:
        found = json.loads(line) if line.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("type"), str) else None


def _told(event: Mapping[str, Any]) -> Iterator[str]:
    match event["type"]:
        case "assistant" | "user" if "message" in event:  # Claude Code
            content = event["message"]["content"]
            for part in content if isinstance(content, list) else [{"type": "text", "text": content}]:
                yield from _part(part)
        case "item.completed":  # Codex
            item = event["item"]
            if item["type"] == "command_execution":
                yield from _call("run", item["command"])
                yield from _output(item.get("aggregated_output") or "")
            elif item["type"] in ("agent_message", "reasoning", "error"):
                yield from _words(str(item.get("text") or item.get("message") or ""))
            else:
                yield from _call(item["type"], item)
        case "message" if event.get("role") == "assistant":  # Gemini CLI
            yield from _words(str(event.get("content") or ""))
        case "tool_use" | "tool":
            yield from _call(str(event.get("tool_name") or event.get("name")), event.get("parameters") or _rest(event))
        case "tool_result":
            yield from _output(str(event.get("output") or event.get("status") or ""))
        case "result" if event.get("said"):
            yield from _words(str(event["said"]))
        case "failed" | "turn.failed" | "error":
            yield f"✗ {event.get('reason') or event.get('error') or event.get('message')}"[:_LONGEST]


def _part(part: Mapping[str, Any]) -> Iterator[str]:
    match part["type"]:
        case "text" | "thinking":
            yield from _words(str(part.get("text") or part.get("thinking") or ""))
        case "tool_use":
            yield from _call(part["name"], part["input"])
        case "tool_result":
            content = part.get("content") or ""
            rows = content if isinstance(content, list) else [{"text": content}]
            yield from _output("\n".join(str(row.get("text", "")) for row in rows))


def _words(text: str) -> Iterator[str]:
    yield from (f"  {line}" for line in text.strip()[:_LONGEST].splitlines())


def _call(name: str, given: object) -> Iterator[str]:
    said = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    yield f"→ {name}: {' '.join(said.split())}"[:_LONGEST]


def _output(text: str) -> Iterator[str]:
    lines = text.strip().splitlines()
    yield from (f"  │ {line[:300]}" for line in lines[:_OUTPUT_LINES])
    if len(lines) > _OUTPUT_LINES:
        yield f"  │ … {len(lines) - _OUTPUT_LINES} more lines"


def _rest(event: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in event.items() if key not in ("type", "name", "timestamp")}
