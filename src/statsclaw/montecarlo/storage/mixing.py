"""What is said of results that are of more than one version of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from statsclaw.montecarlo.storage.chunks import Chunk
from statsclaw.montecarlo.storage.versions import cell_names

if TYPE_CHECKING:
    from statsclaw.montecarlo.storage.store import Store


def mixed_in(store: Store) -> list[str]:
    """One sentence about each earlier version of the study that replications are of: which, and what has changed."""
    found, names = [], cell_names(store.design)
    held = [chunk for chunk in store.chunks() if chunk.cell >= 0 and set(store.methods) & chunk.methods]
    for number, version in store.versions.items():
        later = [each for other, each in store.versions.items() if other >= number]
        changed = list(dict.fromkeys([*(text for each in later for text in each.until), *store.since]))
        unknown = not version.is_recorded and any(each.is_recorded for each in later)
        mine = [chunk for chunk in held if chunk.version == number]
        if not mine or not (changed or unknown):
            continue
        count, total = (sum(chunk.count for chunk in some) for some in (mine, held))
        where = _where(mine, names)
        if changed:
            share = f"{count:,} of {total:,} stored replications are of an earlier version ({number})"
            found.append(f"{share}, before {'; '.join(changed)}: {where}")
        else:
            found.append(
                f"{count:,} replications were stored before R and packages were recorded: whether these are the "
                f"same now cannot be said: {where}"
            )
    return found


def _where(held: Sequence[Chunk], names: Sequence[str]) -> str:
    """Replications 0–299 in all cells; or of which cells they are, those with the same numbers together."""
    of_cell: dict[int, list[list[int]]] = {}
    for chunk in sorted(held, key=lambda chunk: (chunk.cell, chunk.first)):
        ranges = of_cell.setdefault(chunk.cell, [])
        if ranges and chunk.first <= ranges[-1][1]:
            ranges[-1][1] = max(ranges[-1][1], chunk.stop)
        else:
            ranges.append([chunk.first, chunk.stop])
    cells_of: dict[str, list[int]] = {}
    for cell, ranges in of_cell.items():
        cells_of.setdefault(", ".join(f"{first}–{stop - 1}" for first, stop in ranges), []).append(cell)
    return "; ".join(f"replications {numbers} {_cells(cells, names)}" for numbers, cells in cells_of.items())


def _cells(cells: Sequence[int], names: Sequence[str]) -> str:
    if len(cells) == len(names):
        return "in every cell"
    return "in " + " and ".join(names[cell] for cell in cells)


def note_of(results: object) -> list[str]:
    """The same of whatever results there are: those in memory are of one version."""
    told = getattr(results, "mixed", None)
    return list(told()) if callable(told) else []


def versions_of_cell(results: object, cell: int, method: str) -> str:
    """1; or 1, 2 where both gave replications. Empty where results do not know."""
    told = getattr(results, "versions_in", None)
    numbers: Mapping[int, None] = dict.fromkeys(number for number, *_ in told(cell, method)) if callable(told) else {}
    return ", ".join(map(str, numbers))
