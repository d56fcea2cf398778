"""Does a document contain what its kind must contain? Each fault is one line for its author."""

from __future__ import annotations

import itertools
import re

from statsclaw.artifacts.catalogue import ArtifactKind

_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
_FENCE = re.compile(r"^\s*(```+|~~~+)\s*(\S*)")
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-{3,}:?\s*(\|\s*:?-{3,}:?\s*)*\|?\s*$")
VERDICT = re.compile(r"^\W*verdict\W*\s*[:—-]\W*(pass with note|pass|stop)\b", re.IGNORECASE | re.MULTILINE)


def sections_of(text: str) -> list[tuple[str, str]]:
    """(heading, everything up to the next heading of the same or a higher level), fences respected."""
    lines = text.splitlines()
    heads: list[tuple[int, int, str]] = []
    fence = ""
    for number, line in enumerate(lines):
        if mark := _FENCE.match(line):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        elif not fence and (head := _HEADING.match(line)):
            heads.append((number, len(head[1]), head[2]))
    found = []
    for index, (number, level, title) in enumerate(heads):
        end = next((n for n, other, _ in heads[index + 1 :] if other <= level), len(lines))
        found.append((title, "\n".join(lines[number + 1 : end])))
    return found


def section(text: str, title: str) -> str | None:
    """The body under the heading `title`, or None. Numbering and case of the heading do not matter."""
    wanted = _plain(title)
    bodies = [body for head, body in sections_of(text) if _plain(head) == wanted]
    return bodies[0] if bodies else None


def _plain(title: str) -> str:
    return re.sub(r"[^a-z]+", " ", re.sub(r"^[\d.)\s]+", "", title).lower()).strip()


def diagrams(text: str) -> int:
    return len(re.findall(r"^\s*(?:```+|~~~+)\s*mermaid\s*\n\s*\S", text, re.MULTILINE))


def tables(text: str) -> int:
    lines = text.splitlines()
    return sum(
        1 for above, line in itertools.pairwise(lines) if "|" in above and "|" in line and _TABLE_RULE.match(line)
    )


def faults(kind: ArtifactKind, data: bytes) -> list[str]:
    """What is missing in the document, in words its author can act on; empty if nothing is."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return [f"{kind.name} is not UTF-8 text"]
    if "\0" in text:
        return [f"{kind.name} is not text"]
    if not text.strip():
        return [f"{kind.name} is empty"]
    found = []
    for title in kind.sections:
        body = section(text, title)
        if body is None:
            found.append(f'{kind.name} has no section "{title}"')
        elif not body.strip():
            found.append(f'section "{title}" of {kind.name} is empty')
        elif title in kind.mermaid and not diagrams(body):
            found.append(f'section "{title}" of {kind.name} has no Mermaid diagram')
    if tables(text) < kind.tables:
        found.append(f"{kind.name} needs {kind.tables} table(s), has {tables(text)}")
    if kind.name == "review.md" and len(verdicts(text)) != 1:
        found.append('review.md needs exactly one line "Verdict: PASS", "Verdict: PASS WITH NOTE" or "Verdict: STOP"')
    return found


def verdicts(text: str) -> list[str]:
    return [match.upper() for match in VERDICT.findall(text)]
