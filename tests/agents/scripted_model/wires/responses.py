"""OpenAI Responses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.agents.scripted_model.acts import Use
from tests.agents.scripted_model.asked import Asked
from tests.agents.scripted_model.wires.parts import text_of

NAME = "responses"


def speaks(path: str) -> bool:
    return path.partition("?")[0].endswith("/responses")


def read(body: Mapping[str, Any], path: str, size: int) -> Asked:
    items = body["input"] if isinstance(body["input"], list) else [{"role": "user", "content": body["input"]}]
    said = [text_of(item.get("content", "")) for item in items if item.get("role") == "user"]
    results = [_output(item["output"]) for item in items if item.get("type") == "function_call_output"]
    return Asked(
        wire=NAME, model=body.get("model", ""), stream=bool(body.get("stream")), size=size, path=path,
        tools={tool["name"]: tool.get("parameters", {}) for tool in body.get("tools", ()) if "name" in tool},
        system=body.get("instructions") or "", first="\n".join(said[:3]), last=said[-1] if said else "",
        results=tuple(results),
    )  # fmt: skip


def answer(asked: Asked, text: str, call: Use | None, number: int) -> dict[str, Any]:
    output: list[dict[str, Any]] = []
    if text:
        part = {"type": "output_text", "text": text, "annotations": []}
        message = {"id": f"msg_{number:06}", "type": "message", "role": "assistant", "status": "completed"}
        output.append({**message, "content": [part]})
    if call:
        made = {"id": f"fc_{number:06}", "type": "function_call", "call_id": f"call_{number:06}", "status": "completed"}
        output.append({**made, "name": call.tool, "arguments": json.dumps(dict(call.arguments))})
    used = {"input_tokens": asked.size // 4, "input_tokens_details": {"cached_tokens": asked.size // 8}}
    written = len(json.dumps(output)) // 4
    usage = {**used, "output_tokens": written, "output_tokens_details": {"reasoning_tokens": 0}}
    return {
        "id": f"resp_{number:06}", "object": "response", "created_at": 0, "status": "completed", "model": asked.model,
        "output": output, "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
        "usage": {**usage, "total_tokens": asked.size // 4 + written},
    }  # fmt: skip


def refusal(asked: Asked, text: str, number: int) -> dict[str, Any]:
    whole = answer(asked, text, None, number)
    whole["output"][0]["content"] = [{"type": "refusal", "refusal": text}]
    return whole


def events(whole: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    begun = {**whole, "output": [], "status": "in_progress", "usage": None}
    yield "response.created", {"type": "response.created", "response": begun}
    for index, item in enumerate(whole["output"]):
        yield "response.output_item.added", {"type": "response.output_item.added", "output_index": index, "item": item}
        if item["type"] == "message":
            where = {"item_id": item["id"], "output_index": index, "content_index": 0}
            (part,) = item["content"]
            kind, said = ("output_text", "text") if part["type"] == "output_text" else ("refusal", "refusal")
            text = part[said]
            yield f"response.{kind}.delta", {"type": f"response.{kind}.delta", **where, "delta": text}
            yield f"response.{kind}.done", {"type": f"response.{kind}.done", **where, said: text}
        yield "response.output_item.done", {"type": "response.output_item.done", "output_index": index, "item": item}
    yield "response.completed", {"type": "response.completed", "response": dict(whole)}


def error(status: int, message: str) -> dict[str, Any]:
    full = "context" in message
    code = {400: "context_length_exceeded" if full else "invalid_request_error", 401: "invalid_api_key"}.get(status)
    return {"error": {"message": message, "type": code or "server_error", "code": code}}


def _output(output: Any) -> str:
    return output if isinstance(output, str) else text_of(output)
