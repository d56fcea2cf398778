"""What a person may change after the freeze: a frozen value, or a finding that is to stand. The log keeps both."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from statsclaw.engine.contracts import contract_of, texts_of
from statsclaw.engine.run import Run
from statsclaw.errors import InputRefused
from statsclaw.runlog.events import FindingOverridden, SpecAmended
from statsclaw.runlog.store import sha256, write_durably
from statsclaw.specs.blocks import Malformed
from statsclaw.specs.contract import SIM_SPEC, TEST_SPEC, read_contract

_WAITING: TypeAdapter[SpecAmended | FindingOverridden] = TypeAdapter(SpecAmended | FindingOverridden)
#: Where a criterion, a scenario or the study itself stands.
_BLOCKS = ((TEST_SPEC, "criteria"), (TEST_SPEC, "scenarios"), (SIM_SPEC, "study"))


def amendment(run: Run, name: str, key: str, value: str, why: str) -> tuple[SpecAmended, bytes]:
    """`name`: a criterion, a scenario or the study; `key`: what of it, dotted; `value`: as YAML writes it."""
    if not run.view.frozen:
        raise InputRefused(
            "nothing is frozen yet", kept="nothing was changed", todo="the planner's documents can still change"
        )
    contract, texts = contract_of(run), texts_of(run)
    for file, block in _BLOCKS:
        found = (contract.values or {}).get((file, block))
        if found is None:
            continue
        path = _path(found.data, name, key)
        if path is None:
            continue
        if path not in found.spans:
            raise InputRefused(f"{name} has no {key} in {file}", todo="name a value that stands in the specification")
        start, end = found.spans[path]
        changed = texts[file][:start] + value + texts[file][end:]
        try:
            read_contract(texts | {file: changed})
        except Malformed as malformed:
            raise InputRefused(f"the amended {file} is not valid: {malformed.faults[0]}") from None
        data = changed.encode("utf-8")
        event = SpecAmended(
            document=file,
            what=f"{name}.{key}",
            before=texts[file][start:end],
            after=value,
            why=why,
            before_sha256=sha256(texts[file].encode("utf-8")),
            after_sha256=sha256(data),
        )
        return event, data
    raise InputRefused(
        f"there is no criterion, scenario or study {name!r}", todo="`statsclaw artifacts RUN contract.md`"
    )


def _path(data: object, name: str, key: str) -> tuple[str | int, ...] | None:
    keys = tuple(int(part) if part.isdecimal() else part for part in key.split("."))
    if isinstance(data, list):
        rows: list[tuple[tuple[str | int, ...], object]] = [((n,), row) for n, row in enumerate(data)]
    elif isinstance(data, dict):
        criteria = data.get("criteria")
        nested = criteria if isinstance(criteria, list) else []
        rows = [((), data), *((("criteria", n), row) for n, row in enumerate(nested))]
    else:
        return None
    for where, row in rows:
        if isinstance(row, dict) and row.get("id") == name:
            return (*where, *keys)
    return None


def override(run: Run, key: str, why: str) -> FindingOverridden:
    """A finding of the lint, of the checks of questions and study or of the review is to stand."""
    view = run.view
    found = [
        *(view.checked.findings if view.checked else ()),
        *(view.suite.findings if view.suite else ()),
        *(view.reviewed.findings if view.reviewed else ()),
    ]
    for finding in found:
        if finding.key == key:
            return FindingOverridden(key=key, message=finding.message, why=why)
    known = ", ".join(sorted({f.key for f in found if f.severity == "error"})) or "none"
    raise InputRefused(f"run {run.folder.id} has no finding {key!r}", todo=f"errors that stand: {known}")


def leave(run: Run, event: SpecAmended | FindingOverridden, data: bytes = b"") -> None:
    """Put it where the run, alive or not, will find it."""
    run.folder.inbox.mkdir(parents=True, exist_ok=True)
    name = sha256(event.model_dump_json().encode())[:16]
    if data:
        run.store.put(data)
    place = run.folder.inbox / f"change-{time.time_ns():020d}-{name}.json"
    write_durably(place, event.model_dump_json().encode())


def take_changes(run: Run) -> None:
    """Take every change that a person has left, once, in the order in which they were written."""
    for place in _waiting(run.folder.inbox) if run.view.finished is None else []:
        event = _read(place)
        if isinstance(event, FindingOverridden) and (event.key, event.message) not in run.view.overrides:
            run.log.append(event)
        elif isinstance(event, SpecAmended) and not _taken(run, event):
            try:
                run.log.append(_on_top(run, event))
            except InputRefused:
                place.rename(place.with_suffix(".refused"))
                continue
        place.unlink(missing_ok=True)


def _waiting(inbox: Path) -> list[Path]:
    return sorted(inbox.glob("change-*.json"), key=lambda place: (_written_at(place), place.name))


def _written_at(place: Path) -> int:
    """In nanoseconds, by its name; earlier versions named a change by its content alone."""
    named = re.fullmatch(r"change-(\d{20})-[0-9a-f]{16}", place.stem)
    return int(named[1]) if named else place.stat().st_mtime_ns


def _taken(run: Run, event: SpecAmended) -> bool:
    """It is the last change of this value in the log: the run was killed before its file was gone."""
    same = [e for e, _ in run.view.amendments if e.what == event.what]
    return bool(same) and (same[-1].after, same[-1].why) == (event.after, event.why)


def _on_top(run: Run, event: SpecAmended) -> SpecAmended:
    """The change made to the document as it is now: another may have been taken since the person typed it."""
    current = run.view.artifact(event.document)
    if current is not None and current.sha256 == event.before_sha256:
        return event
    name, _, key = event.what.partition(".")
    again, data = amendment(run, name, key, event.after, event.why)
    run.store.put(data)
    return again


def _read(place: Path) -> SpecAmended | FindingOverridden | None:
    try:
        return _WAITING.validate_python(json.loads(place.read_bytes()))
    except (OSError, ValueError, ValidationError):
        return None
