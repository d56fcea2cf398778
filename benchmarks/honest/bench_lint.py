"""False alarms of the lint on honest documents: of demonstrations, of live runs, and of the examples that tests play.

Run: python benchmarks/honest/bench_lint.py             counts, one `name: value` per line
     python benchmarks/honest/bench_lint.py --findings  every error and warning as well

An error here would stop an honest planner. Run it before and after you add a check.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from statsclaw.profiles.profile import load_profile
from statsclaw.runlog import chain
from statsclaw.runlog.events import ContractChecked, RunCreated
from statsclaw.runlog.store import ContentStore
from statsclaw.sources.extract import criteria_of_request, read_sources
from statsclaw.sources.index import Extracted, Index
from statsclaw.specs.contract import read_contract
from statsclaw.specs.lint import lint

ROOT = Path(__file__).parents[2]
DEMOS = ROOT / "src/statsclaw/demo"
LIVE = ROOT / "benchmarks/honest/live"
EXAMPLES = ROOT / "tests/support"


@dataclass(frozen=True)
class Documents:
    """What one planner handed in at one time, with the sources and the request that it was written from."""

    name: str
    texts: dict[str, str]
    sources: dict[str, bytes]
    profile: str
    directive: str = ""
    #: Errors of the recorded lint, for which the planner was sent back: those are no false alarms.
    known: frozenset[str] = frozenset()

    @property
    def checks(self) -> list[str]:
        found = load_profile(self.profile)
        return [command.name for command in (*found.build, *found.checks, *found.unit_tests)]

    def index(self) -> Index:
        found = read_sources(self.sources)
        stated = criteria_of_request(self.directive)
        asked = (Extracted("request", "0" * 64, "text", text=self.directive, criteria=stated),) if stated else ()
        return Index((*found.sources, *asked))


def recorded(folder: Path) -> Iterator[Documents]:
    """Every version of the documents that the lint of the recorded run was shown."""
    store = ContentStore(folder / "recording/store")
    sources: dict[str, bytes] = {}
    directive, profile = "", ""
    for number, record in enumerate(chain.read(folder / "recording/events.jsonl").records):
        match record.event:
            case RunCreated() as event:
                sources = {source.name: store.get(source.sha256) for source in event.sources}
                directive, profile = event.directive, event.profile or ""
            case ContractChecked() as event:
                texts = {name: store.get_text(digest) for name, digest in event.specs.items()}
                known = frozenset(finding.key for finding in event.findings if finding.severity == "error")
                yield Documents(f"{folder.name}@{number}", texts, sources, profile, directive, known)
            case _:
                pass


def example(folder: Path) -> Documents:
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted((folder / "out").glob("*.md"))}
    sources = {path.name: path.read_bytes() for path in sorted((folder / "sources").iterdir())}
    return Documents(folder.name, texts, sources, "r" if folder.name.endswith("_r") else "python")


def honest() -> list[Documents]:
    """All honest material of the repository."""
    places = [*sorted(DEMOS.glob("*/recording")), *sorted(LIVE.glob("*/recording"))]
    demos = [row for place in places for row in recorded(place.parent)]
    return [*demos, *(example(folder) for folder in sorted(EXAMPLES.glob("honest*")) if (folder / "out").is_dir())]


def main(arguments: list[str]) -> int:
    rows = honest()
    counts: Counter[str] = Counter()
    for documents in rows:
        rows_found = lint(read_contract(documents.texts), documents.texts, documents.index(), checks=documents.checks)
        found = [row for row in rows_found if row.severity != "error" or row.key not in documents.known]
        own = Counter(finding.severity for finding in found)
        counts += own
        for severity in ("error", "warning", "note"):
            print(f"{documents.name}_{severity}s: {own[severity]}")
        if "--findings" in arguments:
            shown = [finding for finding in found if finding.severity != "note"]
            print("\n".join(f"  {f.severity} {f.key}: {f.message}" for f in shown))
    print(f"documents_read: {sum(len(documents.texts) for documents in rows)}")
    for severity in ("error", "warning", "note"):
        print(f"{severity}s: {counts[severity]}")
    return 1 if counts["error"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
