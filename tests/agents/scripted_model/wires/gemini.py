"""Google Gemini."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.agents.scripted_model.acts import Use
from tests.agents.scripted_model.asked import Asked

NAME = "gemini"


def speaks(path: str) -> bool:
    return "enerateContent" in path


def read(body: Mapping[str, Any], path: str, size: int) -> Asked:
    turns = [(turn.get("role", "user"), turn.get("parts", [])) for turn in body["contents"]]
    said = ["\n".join(p["text"] for p in parts if "text" in p) for role, parts in turns if role == "user"]
    said = [text for text in said if text]
    results = [
        json.dumps(p["functionResponse"].get("response", {})) for _, ps in turns for p in ps if "functionResponse" in p
    ]
    declared = [one for tool in body.get("tools") or () for one in tool.get("functionDeclarations", ())]
    return Asked(
        wire=NAME, model=path.rpartition("/")[2].partition(":")[0], stream="streamGenerateContent" in path, size=size,
        path=path, tools={one["name"]: one.get("parametersJsonSchema", {}) for one in declared},
        system="\n".join(p.get("text", "") for p in (body.get("systemInstruction") or {}).get("parts", ())),
        first="\n".join(said[:2]), last=said[-1] if said else "", results=tuple(results),
    )  # fmt: skip


def answer(asked: Asked, text: str, call: Use | None, number: int) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"text": text}] if text else []
    if call:
        parts.append({"functionCall": {"id": f"call_{number:06}", "name": call.tool, "args": dict(call.arguments)}})
    read_, written = asked.size // 4, len(json.dumps(parts)) // 4
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": read_, "candidatesTokenCount": written,
                          "totalTokenCount": read_ + written, "cachedContentTokenCount": asked.size // 8},
        "modelVersion": asked.model, "responseId": f"r{number:06}",
    }  # fmt: skip


def refusal(asked: Asked, text: str, number: int) -> dict[str, Any]:
    """Google says no words: the candidate is empty and names its reason."""
    rating = {"category": "HARM_CATEGORY_DANGEROUS_CONTENT", "probability": "HIGH", "blocked": True}
    whole = answer(asked, "", None, number)
    return {**whole, "candidates": [{"finishReason": "SAFETY", "index": 0, "safetyRatings": [rating]}]}


def events(whole: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "", dict(whole)


def error(status: int, message: str) -> dict[str, Any]:
    names = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}
    return {"error": {"code": status, "message": message, "status": names.get(status, "INTERNAL")}}
