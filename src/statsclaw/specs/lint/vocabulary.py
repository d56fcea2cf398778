"""The word lists of the lint, and how a text is searched for them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import cast


@cache
def vocabulary() -> dict[str, dict[str, object]]:
    return tomllib.loads(files("statsclaw.specs.lint").joinpath("vocabulary.toml").read_text(encoding="utf-8"))


def words_of(table: str, name: str) -> tuple[str, ...]:
    return tuple(cast("list[str]", vocabulary()[table][name]))


@cache
def pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """Any of the words or phrases, whole; `*` at the end stands for any ending."""
    made = [re.escape(word.removesuffix("*")) + (r"\w*" if word.endswith("*") else "") for word in _longest(words)]
    return re.compile(rf"(?<![\w-])(?:{'|'.join(made)})(?![\w-]|\.\w)")


def _longest(words: Sequence[str]) -> list[str]:
    return sorted(words, key=len, reverse=True)


def named(word: str, text: str) -> bool:
    """Whether an identifier stands in a text as a whole word."""
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-]|\.\w)", text) is not None
