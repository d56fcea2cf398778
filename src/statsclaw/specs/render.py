"""The interface is written once; every specification shows it, byte for byte the same."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from statsclaw.artifacts.check import section_lines, spliced
from statsclaw.runlog.events.finding import Finding
from statsclaw.specs.blocks import Fault
from statsclaw.specs.contract import INTERFACE, SPECIFICATIONS

#: The file and the line, counted from 1, that an author wrote.
Origin = tuple[str, int]
_PLACE = re.compile(r"([\w.-]+\.md):(\d+)")


@dataclass(frozen=True)
class Assembled:
    """The planner's documents as their readers get them. `origins`: for each line of a specification, its origin."""

    documents: dict[str, bytes]
    origins: Mapping[str, Sequence[Origin]] = field(default_factory=dict)

    def written_at(self, file: str, line: int) -> Origin:
        """Where the author wrote what stands in a line of an assembled document."""
        rows = self.origins.get(file, ())
        return rows[line - 1] if 0 < line <= len(rows) else (file, line)

    def fault(self, fault: Fault) -> Fault:
        file, line = self.written_at(fault.file, fault.line)
        return replace(fault, file=file, line=line)

    def finding(self, finding: Finding) -> Finding:
        """The finding with the place that the author knows; its key and its words stay."""
        if not (place := _PLACE.fullmatch(finding.where)):
            return finding
        file, line = self.written_at(place[1], int(place[2]))
        return finding.model_copy(update={"where": f"{file}:{line}"})


def assemble(documents: Mapping[str, bytes]) -> Assembled:
    """The documents with the body of interface.md in the section "Interface" of each specification.

    Whatever stood there is replaced, so that doing it twice changes nothing.
    """
    rendered = {name: data.replace(b"\r\n", b"\n") for name, data in documents.items()}
    origins: dict[str, list[Origin]] = {}
    try:
        interface = rendered.get(INTERFACE, b"").decode("utf-8")
        place = section_lines(interface, "Interface")
        if place is None:
            return Assembled(rendered)
        body = interface.split("\n")[place.start : place.stop]
        for name in (name for name in SPECIFICATIONS if name in rendered):
            text = rendered[name].decode("utf-8")
            lines = text.split("\n")
            rendered[name] = "\n".join(spliced(text, "Interface", lines, body)).encode("utf-8")
            own = [(name, number) for number in range(1, len(lines) + 1)]
            origins[name] = spliced(text, "Interface", own, [(INTERFACE, number + 1) for number in place])
    except UnicodeDecodeError:
        return Assembled(dict(documents))  # refused elsewhere, with a reason
    return Assembled(rendered, origins)
