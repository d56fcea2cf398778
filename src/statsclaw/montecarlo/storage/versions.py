"""The versions of a study whose replications lie in one folder: of its grid, its code, and what workers had loaded.

`study.json` holds the present version and, in `earlier`, those before it. Each chunk says which version it is of, and
numbers its cell as that version did.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from statsclaw.montecarlo.design import cell_name, cells_of
from statsclaw.montecarlo.storage import loaded
from statsclaw.montecarlo.storage.identity import FORMAT, Description, Identity, differences, identity_of

#: A change of these leaves the replications there are as they were: cells are found by their levels, methods by name.
_EXTENDED = ("grid", "leave_out", "truth", "methods")
Design = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Version:
    number: int
    identity: Identity
    design: Design
    #: What changed between this version and the next.
    until: tuple[str, ...] = ()
    is_recorded: bool = True  # what workers had loaded


@dataclass(frozen=True, slots=True)
class Changes:
    """`design`: what makes other results of the same cells. `rest`: of code, environment, what is loaded. `extended`:
    cells or methods came or went. `unknown`: what cannot be compared. `new_methods`: those that came."""

    design: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()
    extended: bool = False
    unknown: tuple[str, ...] = ()
    new_methods: tuple[str, ...] = ()

    @property
    def refused(self) -> tuple[str, ...]:
        return (*self.design, *self.rest)


def versions_of(description: Description) -> dict[int, Version]:
    """By number, the present one last."""
    all_of_them = [*description.get("earlier", ()), description]
    found = {}
    for each in all_of_them:
        until = tuple(each.get("until", ()))
        version = Version(number_of(each), identity_of(each), each["design"], until, "loaded" in each)
        found[version.number] = version
    return found


def number_of(description: Description) -> int:
    return int(description.get("version", 1))


def changes(kept: Description, now: Description, present: loaded.Record | None = None) -> Changes:
    """Between the present version of a folder and a study as it is. `present`: how what was recorded is now."""
    design, extended = _of_design(kept["design"], now["design"])
    new = {*now["design"]["methods"]} - {*kept["design"]["methods"]}
    gone = {*kept["design"]["methods"]} - {*now["design"]["methods"]}
    coming = {f"method {name}" for name in new | gone}
    rest = [
        text
        for text in differences({**kept, "design": {}}, {**now, "design": {}})
        if not (text.endswith((" (new)", " (gone)")) and text.removeprefix("code: ").rpartition(" ")[0] in coming)
    ]
    recorded = kept.get("loaded", {})
    compared = loaded.compared(recorded, loaded.present(recorded) if present is None else present)
    come = tuple(name for name in now["design"]["methods"] if name in new)
    return Changes(tuple(design), (*rest, *compared.changed), extended, compared.unknown, come)


def _of_design(kept: Design, now: Design) -> tuple[list[str], bool]:
    fixed = [{key: value for key, value in each.items() if key not in _EXTENDED} for each in (kept, now)]
    found = differences({"design": fixed[0]}, {"design": fixed[1]})
    if kept["grid"].keys() != now["grid"].keys() or not _truths(kept, now):
        found += differences({"design": {"grid": kept["grid"]}}, {"design": {"grid": now["grid"]}})
    elif any(_text(one) != _text(other) for one, other in _truths(kept, now)):
        found += differences({"design": {"truth": kept["truth"]}}, {"design": {"truth": now["truth"]}}) or [
            "design: truth"
        ]
    return found, any(_text(kept.get(key)) != _text(now.get(key)) for key in _EXTENDED)


def _truths(kept: Design, now: Design) -> list[tuple[Any, Any]]:
    """Of the cells that both have."""
    if _same_cells(kept, now):
        return list(zip(kept["truth"], now["truth"], strict=True))
    before = dict(zip(cell_keys(kept), kept["truth"], strict=True))
    return [(before[key], truth) for key, truth in zip(cell_keys(now), now["truth"], strict=True) if key in before]


def _text(value: Any) -> str:
    """5 is not 5.0; the order of levels counts, for it numbers the cells."""
    return json.dumps(list(value.items()) if isinstance(value, Mapping) else value)


def _same_cells(one: Design, other: Design) -> bool:
    return all(_text(one.get(key)) == _text(other.get(key)) for key in ("grid", "leave_out"))


def _cells(design: Design) -> list[dict[str, Any]]:
    return cells_of(design["grid"], design.get("leave_out", ()))


def cell_keys(design: Design) -> list[str]:
    """What names a cell whatever its number, as it names its streams."""
    return [json.dumps(sorted(cell.items())) for cell in _cells(design)]


def cell_names(design: Design) -> list[str]:
    return [cell_name(cell) for cell in _cells(design)]


def places(design: Design, now: Design) -> list[int | None] | None:
    """Where the cells of a design are in the present one; None where all are at their places."""
    if _same_cells(design, now):
        return None
    there = {key: number for number, key in enumerate(cell_keys(now))}
    return [there.get(key) for key in cell_keys(design)]


def begun(now: Description, record: loaded.Record | None = None) -> Description:
    """What is written for results of the study as it is."""
    return {"version": 1, "format": FORMAT, **now, "loaded": record or {}}


def following(kept: Description, now: Description, until: tuple[str, ...], record: loaded.Record) -> Description:
    """The study as it is becomes the present version, the present one an earlier."""
    last = {key: value for key, value in kept.items() if key != "earlier"} | {"version": number_of(kept)}
    earlier = [*kept.get("earlier", ()), {**last, "until": list(until)}]
    return {**begun(now, record), "version": number_of(kept) + 1, "earlier": earlier}
