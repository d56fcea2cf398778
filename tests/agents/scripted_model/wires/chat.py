"""OpenAI Chat Completions, which most local servers speak."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.agents.scripted_model.acts import Use
from tests.agents.scripted_model.asked import Asked
from tests.agents.scripted_model.wires.parts import text_of

NAME = "chat"

SYSTEM = ("system", "developer")


def speaks(path: str) -> bool:
    return path.partition("?")[0].endswith("/chat/completions")


def read(body: Mapping[str, Any], path: str, size: int) -> Asked:
    turns = body["messages"]
    said = [text_of(turn.get("content") or "") for turn in turns if turn["role"] == "user"]
    tools = [tool["function"] for tool in body.get("tools") or () if tool.get("type") == "function"]
    return Asked(
        wire=NAME, model=body.get("model", ""), stream=bool(body.get("stream")), size=size, path=path,
        tools={tool["name"]: tool.get("parameters", {}) for tool in tools},
        system="\n".join(text_of(turn.get("content") or "") for turn in turns if turn["role"] in SYSTEM),
        first=said[0] if said else "", last=said[-1] if said else "",
        results=tuple(text_of(turn.get("content") or "") for turn in turns if turn["role"] == "tool"),
    )  # fmt: skip


def answer(asked: Asked, text: str, call: Use | None, number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if call:
        made = {"name": call.tool, "arguments": json.dumps(dict(call.arguments))}
        message["tool_calls"] = [{"id": f"call_{number:06}", "type": "function", "function": made}]
    read_, written = asked.size // 4, len(json.dumps(message)) // 4
    return {
        "id": f"chatcmpl-{number:06}", "object": "chat.completion", "created": 0, "model": asked.model,
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if call else "stop"}],
        "usage": {"prompt_tokens": read_, "completion_tokens": written, "total_tokens": read_ + written,
                  "prompt_tokens_details": {"cached_tokens": asked.size // 8}},
    }  # fmt: skip


def refusal(asked: Asked, text: str, number: int) -> dict[str, Any]:
    whole = answer(asked, "", None, number)
    whole["choices"][0]["message"]["refusal"] = text
    return whole


def events(whole: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    (choice,) = whole["choices"]
    base = {key: whole[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    delta = {**choice["message"]}
    if "tool_calls" in delta:
        delta["tool_calls"] = [{"index": n, **one} for n, one in enumerate(delta["tool_calls"])]
    yield "", {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield "", {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    yield "", {**base, "choices": [], "usage": whole["usage"]}
    yield "", "[DONE]"


def error(status: int, message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error" if status == 400 else "server_error"}}
