"""The mark that every document of a run without a sandbox carries."""

from __future__ import annotations

MARK = (
    b"\n\n> **Made without a sandbox** (`--unsafe-no-sandbox`): nothing but folders kept the roles of this run apart.\n"
)


def marked(data: bytes) -> bytes:
    return unmarked(data) + MARK


def unmarked(data: bytes) -> bytes:
    """The document as its author wrote it; what it says does not depend on how it was made."""
    return data[: -len(MARK)] if data.endswith(MARK) else data
