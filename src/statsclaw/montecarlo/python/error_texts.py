"""The text that is kept of an exception."""

from __future__ import annotations

import traceback
from typing import Any

_LONGEST = 4000
_MOST_KEPT = 1000


class ErrorTexts:
    """Tracebacks from the study's own code on. Formatting is slow, so that of one place and message is kept."""

    def __init__(self) -> None:
        self._kept: dict[Any, str] = {}

    def of(self, error: BaseException) -> str:
        """`error` was caught one call above the study's code."""
        places = tuple((frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__))
        key = (type(error), message(error), places[:20], len(places))
        if key not in self._kept:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[key] = _shortened(_formatted(error))
        return self._kept[key]


def message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as broken:
        return f"(its message cannot be shown: {type(broken).__name__})"


def _formatted(error: BaseException) -> str:
    inner = error.__traceback__.tb_next if error.__traceback__ else None
    try:
        return "".join(traceback.format_exception(type(error), error, inner, limit=-8)).strip()
    except Exception:
        return f"{type(error).__name__}: {message(error)}"


def _shortened(text: str) -> str:
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}\n…\n{text[-half:]}"
