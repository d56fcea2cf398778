"""Anthropic Messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.agents.scripted_model.acts import Use
from tests.agents.scripted_model.asked import Asked
from tests.agents.scripted_model.wires.parts import text_of

NAME = "anthropic"


def speaks(path: str) -> bool:
    return path.partition("?")[0].endswith("/messages")


def read(body: Mapping[str, Any], path: str, size: int) -> Asked:
    turns = [(m["role"], _parts(m["content"])) for m in body["messages"]]
    said = [part["text"] for role, parts in turns if role == "user" for part in parts if part["type"] == "text"]
    results = [
        text_of(part.get("content", "")) for _, parts in turns for part in parts if part["type"] == "tool_result"
    ]
    return Asked(
        wire=NAME, model=body.get("model", ""), stream=bool(body.get("stream")), size=size, path=path,
        tools={tool["name"]: tool.get("input_schema", {}) for tool in body.get("tools", ()) if "name" in tool},
        system=text_of(body.get("system", "")), first="\n".join(_first_turn(turns)), last=said[-1] if said else "",
        results=tuple(results),
    )  # fmt: skip


def answer(asked: Asked, text: str, call: Use | None, number: int) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    if call:
        content.append(
            {"type": "tool_use", "id": f"toolu_{number:06}", "name": call.tool, "input": dict(call.arguments)}
        )
    return {
        "id": f"msg_{number:06}", "type": "message", "role": "assistant", "model": asked.model, "content": content,
        "stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None,
        "usage": {"input_tokens": asked.size // 8, "cache_read_input_tokens": asked.size // 8,
                  "cache_creation_input_tokens": 0, "output_tokens": len(json.dumps(content)) // 4},
    }  # fmt: skip


def refusal(asked: Asked, text: str, number: int) -> dict[str, Any]:
    return {**answer(asked, text, None, number), "stop_reason": "refusal"}


def events(whole: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "message_start", {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for index, part in enumerate(whole["content"]):
        start = {"type": "text", "text": ""} if part["type"] == "text" else {**part, "input": {}}
        yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": start}
        delta = (
            {"type": "text_delta", "text": part["text"]}
            if part["type"] == "text"
            else {"type": "input_json_delta", "partial_json": json.dumps(part["input"])}
        )
        yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": index}
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"type": "message_delta", "delta": end, "usage": whole["usage"]}
    yield "message_stop", {"type": "message_stop"}


def error(status: int, message: str) -> dict[str, Any]:
    names = {
        400: "invalid_request_error",
        401: "authentication_error",
        429: "rate_limit_error",
        529: "overloaded_error",
    }
    return {"type": "error", "error": {"type": names.get(status, "api_error"), "message": message}}


def _first_turn(turns: list[tuple[str, list[dict[str, Any]]]]) -> list[str]:
    return [part["text"] for role, parts in turns[:1] for part in parts if part["type"] == "text"]


def _parts(content: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
