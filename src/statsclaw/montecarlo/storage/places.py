"""In which folder the results of a study as it is now are, and what is said where they are in none."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from statsclaw.errors import InputRefused
from statsclaw.montecarlo.design import Study
from statsclaw.montecarlo.storage import loaded
from statsclaw.montecarlo.storage.identity import Description, describe, identity_of
from statsclaw.montecarlo.storage.store import DESCRIPTION, read_description
from statsclaw.montecarlo.storage.versions import Changes, changes

_APART = "apart-"
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Place:
    """A folder with results, what it says of itself, and what of the study is not as it was then."""

    folder: Path
    kept: Description
    found: Changes


def compare(kept: Description, study: Study) -> Changes:
    """What is not as it was when the results in a folder were computed."""
    return changes(kept, describe(study, kept.get("format", 1)))


def look_at(folder: Path, study: Study) -> Place | None:
    """This folder and no other; None where it holds no results."""
    kept = read_description(folder)
    return None if kept is None else Place(folder, kept, compare(kept, study))


def place_of(folder: Path, study: Study) -> Place | None:
    """Where results of the study as it is now are, or can be added to: the folder, or one that was kept apart in it.

    The folder itself, with what it differs in, where there is none; None where there are no results at all.
    """
    own = look_at(folder, study)
    if own is None or not own.found.refused:
        return own
    apart = sorted(folder.glob(f"{_APART}*/{DESCRIPTION}"), key=lambda path: path.stat().st_mtime, reverse=True)
    fitting = [each for path in apart if (each := look_at(path.parent, study)) and not each.found.refused]
    return min(fitting, key=lambda each: each.found.extended, default=own)


def apart_folder(folder: Path, study: Study, kept: Description) -> Path:
    """Where the results of a study are kept apart from those in the folder."""
    identity = identity_of(describe(study, kept.get("format", 1)))
    text = "".join((identity.design, identity.code, identity.environment))
    record = loaded.present(kept.get("loaded", {}))
    if loaded.compared(kept.get("loaded", {}), record).changed:
        text += json.dumps({name: [each["version"], each["hash"]] for name, each in sorted(record.items())})
    return folder / f"{_APART}{hashlib.sha256(text.encode()).hexdigest()[:12]}"


WAYS_OUT = (
    "--redo (compute the replications concerned again; the old ones are set aside), --apart (keep new results apart) "
    "or --accept (go on; tables and verdicts then say what is mixed)"
)


def refused(place: Place, *, reading: bool = False) -> InputRefused:
    """Of a folder whose results are not of the study as it is now."""
    shown = "; ".join(place.found.refused[:_SHOWN]) + ("; …" if len(place.found.refused) > _SHOWN else "")
    if place.found.design:
        said = f"{place.folder} holds results of another study ({shown})"
        todo = (
            "undo the change, or run it with --apart (keep new results apart) or --redo (compute all again; the old "
            "results are set aside), or give another folder with --out"
        )
        return InputRefused(said, kept="nothing was changed", todo=todo)
    said = f"the study is not as it was when {place.folder} was computed: {shown}"
    if new := place.found.new_methods:
        listed = " and ".join(new)
        todo = f"if that is all that is new in the file, run it with --accept: only {listed} is computed; else with "
        return InputRefused(f"{said}; new: {listed}", kept="nothing was changed", todo=f"{todo}{WAYS_OUT}")
    todo = f"undo the change, or run it with {WAYS_OUT}"
    if reading:
        todo += f"; to look at these results as they are: --out {place.folder}"
    return InputRefused(said, kept="nothing was changed", todo=todo)
