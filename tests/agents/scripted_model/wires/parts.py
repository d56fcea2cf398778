"""Parts of messages that several wires have."""

from __future__ import annotations

from typing import Any


def text_of(content: Any) -> str:
    """A message's text, given as such or in pieces."""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content if isinstance(part, dict))
