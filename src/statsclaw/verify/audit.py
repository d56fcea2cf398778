"""audit.md: every command, test and figure, rendered from evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from statsclaw.artifacts.check import section
from statsclaw.runlog.events import CommandExecuted, Judgement
from statsclaw.runlog.store import ContentStore
from statsclaw.templates import inert, render
from statsclaw.verify.criteria.moved import Moved
from statsclaw.verify.criteria.stated import StatedRow, stated_lines
from statsclaw.verify.criteria.tally import tally

_LONGEST_OUTPUT = 6000
_WANTED = "Whoever started the run wanted no more replications than that."


def render_audit(
    after: list[CommandExecuted],
    before: list[CommandExecuted],
    store: ContentStore,
    notes: str = "",
    found_failing: tuple[str, ...] = (),
    seeds: Mapping[str, str] = MappingProxyType({}),
    judgements: Sequence[Judgement] = (),
    changes: Sequence[Moved] = (),
    policy: str = "",
    stated: Sequence[StatedRow] = (),
) -> str:
    """`found_failing`: what the verification as a whole found, beyond the commands it ran. `policy`: what the study
    does about failed replications. `stated`: what the sources demand."""
    after = [c for c in after if not c.passed or c.name != "environment"]  # that there was a download is of the machine
    failed = [c for c in after if not c.passed]
    partly = asked_in_part(notes, judgements)
    return render(
        "statsclaw.verify",
        "audit.md",
        verdict=_verdict(after, failed, found_failing, judgements),
        after=after,
        telling=[(c, "\n".join(c.said).replace("```", "'''")) for c in after if c.said],
        tests=[(c.phase, t) for c in after for t in c.tests],
        criteria=[row for c in after for row in c.criteria],
        seeds=seeds,
        judgements=judgements,
        partly=partly,
        tally=tally(judgements),
        changes=changes,
        policy=policy,
        stated=stated,
        demanded=stated_lines(stated),
        compared=list(compare(before, after)),
        notes=_quoted(notes) if notes.strip() else "",
        outputs=[(c, _shortened(store.get_text(c.output_sha256))) for c in after],
    )


def asked_in_part(notes: str, judgements: Sequence[Judgement]) -> list[str]:
    """Criteria that are met, and of which their tester says below "Not tested" that something was not asked."""
    said = set(re.findall(r"[A-Za-z][\w.-]*", section(notes, "Not tested") or ""))
    names = {word.rstrip(".-") for word in said}
    return [row.id for row in judgements if row.verdict == "PASS" and row.id in names]


def _verdict(
    after: list[CommandExecuted],
    failed: list[CommandExecuted],
    found_failing: tuple[str, ...],
    judgements: Sequence[Judgement],
) -> str:
    if not after:
        return "Nothing was executed: the profile has no command for this tree."
    if failed:
        return f"FAIL: {len(failed)} of {len(after)} commands did not pass ({', '.join(c.name for c in failed)})."
    if found_failing:
        return f"FAIL: {', '.join(found_failing)}."
    tests = sum(t.outcome == "passed" for c in after for t in c.tests)
    text = f"PASS: {len(after)} commands, {tests} tests passed, none failed."
    left_open = any(row.counts_as == "OPEN" for row in judgements)
    return text + (f" Not decided is a part of it: {tally(judgements)}. {_WANTED}" if left_open else "")


def compare(before: Iterable[CommandExecuted], after: Iterable[CommandExecuted]) -> Iterable[tuple[str, str, str]]:
    """Per test of the validation: its outcome on the old and on the new package."""
    old, new = _validation(before), _validation(after)
    built = any(c.phase == "build" and c.passed for c in before)
    for name, outcome in new.items():
        yield name, old.get(name, "not run" if built else "package not built"), outcome


def _validation(evidence: Iterable[CommandExecuted]) -> Mapping[str, str]:
    return {t.name: t.outcome for c in evidence if c.phase == "validation" for t in c.tests}


def _quoted(notes: str) -> str:
    """An included document as a quotation, so that its headings and fences stay its own."""
    return "\n".join(f"> {line}".rstrip() for line in inert(notes).strip().split("\n"))


def _shortened(text: str) -> str:
    text = text.strip().replace("```", "'''")
    if len(text) <= _LONGEST_OUTPUT:
        return text
    half = _LONGEST_OUTPUT // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[-half:]}"
