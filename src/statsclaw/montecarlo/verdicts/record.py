"""Which criteria were judged when: kept with the results, so that an edit after the fact leaves a trace.

One JSON object a line in `verdicts.jsonl`, added whenever a verdict is made on criteria or replications that are not
those of the last line. Nothing is ever taken out of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from statsclaw.montecarlo.design import Criterion, Study
from statsclaw.montecarlo.own import OwnMetric
from statsclaw.montecarlo.storage.identity import fingerprint
from statsclaw.montecarlo.verdicts.judge import CriterionVerdict
from statsclaw.montecarlo.verdicts.wording import rule_of

FILE = "verdicts.jsonl"
#: What has no part in a verdict.
_OTHER = ("id", "source", "faults")


@dataclass(frozen=True, slots=True)
class Change:
    """`was`, `now`: values of the fields that differ; empty where the criterion is new, or gone. `verdict`: then."""

    criterion: str
    since: str
    kind: str  # "changed", "new", "gone"
    was: Mapping[str, Any]
    now: Mapping[str, Any]
    verdict: str
    text: str


def keep(folder: Path, verdicts: Sequence[CriterionVerdict], at: datetime | None = None) -> None:
    """Adds what was judged now, if anything is not as in the last line. Raises OSError where it cannot be written."""
    line = {
        "at": (at or datetime.now(UTC)).isoformat(timespec="seconds"),
        "replications": {row.id: row.replications for row in verdicts},
        "verdicts": {row.id: row.verdict for row in verdicts},
        "failures_allowed": verdicts[0].failures_allowed if verdicts else None,
        "criteria": {row.id: _plain(row.criterion) for row in verdicts},
    }
    kept = list(_kept(folder))
    if kept and all(kept[-1].get(key) == line[key] for key in line if key != "at"):
        return
    with (folder / FILE).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


def changes(folder: Path, study: Study) -> list[Change]:
    """How the criteria differ from those that were judged before: one row for each version there was of each."""
    found: list[Change] = []
    now = {row.id: _plain(row) for row in study.criteria}
    seen: set[str] = set()
    first: set[str] | None = None
    for line in _kept(folder):
        since, said = str(line["at"])[:10], line.get("verdicts", {})
        first = set(line["criteria"]) if first is None else first
        for name, was in line["criteria"].items():
            version = json.dumps([name, was], sort_keys=True)
            if version in seen:
                continue
            seen.add(version)
            if name not in now:
                text = f"criterion {name} of {since} is gone: {_rule(was)} ({said.get(name, '?')} then)"
                found.append(Change(name, since, "gone", was, {}, said.get(name, ""), text))
            elif now[name] != was:
                found.append(_changed(name, since, was, now[name], said.get(name, "")))
        allowed = line.get("failures_allowed")
        if allowed is not None and allowed != study.failures_allowed and f"failures {allowed}" not in seen:
            seen.add(f"failures {allowed}")
            text = f"failures_allowed changed since {since}: was {allowed:g}, is {study.failures_allowed:g}"
            fields = {"failures_allowed": allowed}, {"failures_allowed": study.failures_allowed}
            found.append(Change("", since, "changed", *fields, "", text))
    if first is not None:
        since = next(str(line["at"])[:10] for line in _kept(folder))
        for name in now:
            if name not in first:
                text = f"criterion {name} is new since {since}, when the first verdict was made"
                found.append(Change(name, since, "new", {}, now[name], "", text))
    return found


def _changed(name: str, since: str, was: Mapping[str, Any], now: Mapping[str, Any], verdict: str) -> Change:
    fields = [key for key in {**was, **now} if was.get(key) != now.get(key)]
    parts = [f"{key} was {_said(was.get(key))}, is {_said(now.get(key))}" for key in fields]
    then = f" ({verdict} then)" if verdict else ""
    text = f"criterion {name} changed since {since}: {'; '.join(parts)}{then}"
    pair = {key: was.get(key) for key in fields}, {key: now.get(key) for key in fields}
    return Change(name, since, "changed", *pair, verdict, text)


def _said(value: Any) -> str:
    if value is None or value == {}:
        return "none"
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _plain(criterion: Criterion) -> dict[str, Any]:
    """As it would be read back from JSON; what is not set is left out."""
    fields = {key: value for key, value in asdict(criterion).items() if key not in _OTHER and value not in (None, {})}
    for key in ("metric", "of"):
        if isinstance(own := fields.get(key), OwnMetric):
            fields[key] = f"{own} ({fingerprint(own.function)[:8]})"
    found: dict[str, Any] = json.loads(json.dumps(fields, default=list))
    return found


def _rule(was: Mapping[str, Any]) -> str:
    try:
        return rule_of(Criterion("", **was))
    except TypeError:  # written by another version
        return str(dict(was))


def _kept(folder: Path) -> Iterator[dict[str, Any]]:
    """The lines there are; one that was torn is passed over."""
    try:
        text = (folder / FILE).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for line in text.splitlines():
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict) and isinstance(found.get("criteria"), dict) and "at" in found:
            yield found
