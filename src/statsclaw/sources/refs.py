"""The names by which a reading accounts for what is in a source; no two things have the same one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from statsclaw.sources.index import Algorithm, Equation, StatedCriterion, Table

Named = TypeVar("Named", Equation, Algorithm, Table, StatedCriterion)


def equation_ref(name: str, number: str | None, label: str | None, place: str) -> str:
    """`notes.md(3)`, `notes.md#eq:score` or `notes.md@41`; `place` is the last of these without anything else."""
    if number is not None:
        return f"{name}({number})"
    return f"{name}#{label}" if label else place


def distinct(found: Sequence[Named]) -> tuple[tuple[Named, ...], tuple[str, ...]]:
    """The second use of a name gets its place appended, and a sentence says so."""
    seen: set[str] = set()
    kept: list[Named] = []
    said: list[str] = []
    for one in found:
        ref = one.ref
        if ref in seen:
            page = one.page if isinstance(one, Equation) else None
            ref = f"{ref}@{one.line}" if one.line is not None else f"{ref}@page {page}"
            said.append(f"{one.ref} stands in the source more than once; the later one is listed as {ref}")
        if ref in seen:
            ref = f"{ref}.{len(kept)}"
        seen.add(ref)
        kept.append(replace(one, ref=ref))
    return tuple(kept), tuple(said[:20])
