"""Bytes to text, bounded. What is not text, or too much of it, is said in one sentence."""

from __future__ import annotations

LARGEST_TEXT = 2_000_000
_CONTROLS = frozenset(range(32)) - {9, 10, 12, 13}


def decode(data: bytes, *, largest: int = LARGEST_TEXT) -> tuple[str, str]:
    """The text with `\\n` as the only end of line, and what is wrong with it (then the text is empty)."""
    if len(data) > largest:
        return "", f"the file has {len(data):,} bytes; files of more than {largest:,} bytes are not read"
    if not data.strip():
        return "", "the file is empty"
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = data.decode("utf-16", errors="replace")
    elif _is_binary(data):
        return "", "the file is binary, not text"
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", ""), ""


def _is_binary(data: bytes) -> bool:
    head = data[:20_000]
    return b"\x00" in data or sum(byte in _CONTROLS for byte in head) > len(head) // 50
