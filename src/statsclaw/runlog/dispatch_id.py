"""The name of a dispatch: which role, for the how many-th time."""

from __future__ import annotations

from typing import NamedTuple


class DispatchId(NamedTuple):
    role: str
    attempt: int | str

    def __str__(self) -> str:
        return f"{self.role}-{self.attempt}"

    @classmethod
    def parse(cls, text: str) -> DispatchId:
        role, _, attempt = text.rpartition("-")
        return cls(role, attempt)
