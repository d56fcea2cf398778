"""What it takes to send somebody back: as a new dispatch, and told in the same conversation at hand-in.

In every recording here each dispatch of a role that is checked at hand-in is taken as one that is sent back once
more. `again`: the new dispatch is given prompt and documents and writes everything again. `told`: the engine's words,
of those errors for which a planner of a recording was really sent back; what the author then mends comes on top of
both. Tokens are estimated as StatsClaw does it (bytes / 3.6). What the author thinks and looks up is not in it; of
live runs that are played through `human`, tokens are not known.

Run: python benchmarks/honest/bench_send_backs.py
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median

from bench_honest import MATERIAL

from statsclaw.engine.breach import with_canaries
from statsclaw.intake.workflow import workflow
from statsclaw.roles.matrix import Role
from statsclaw.roles.prompt import count_tokens
from statsclaw.roles.view import view_of
from statsclaw.runlog import chain
from statsclaw.runlog.events import DispatchFinished, DispatchStarted, SignalRaised
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.store import ContentStore

CHECKED = ("planner", "builder", "tester", "simulator")


def dispatches(recording: Path) -> Iterator[tuple[str, int]]:
    """(role, tokens that its dispatch was given and handed in); (role "told", tokens of what the engine said)."""
    store, view = ContentStore(recording / "store"), RunView()
    given: dict[str, int] = {}
    for record in chain.read(recording / "events.jsonl").records:
        match event := record.event:
            case DispatchStarted():
                role, roles = Role(event.role), workflow(view.workflow or "full").roles
                documents = with_canaries(view, role, view_of(role, view, roles, store).documents)
                texts = [
                    store.get_text(event.prompt_sha256),
                    *(row.decode("utf-8", "replace") for row in documents.values()),
                ]
                given[event.dispatch] = sum(map(count_tokens, texts))
            case DispatchFinished() if event.dispatch in given:
                digests = {*event.artifacts.values(), *(row.sha256 for row in event.files if row.sha256)}
                written = sum(count_tokens(store.get(digest).decode("utf-8", "replace")) for digest in digests)
                yield view.dispatches[event.dispatch].role, given[event.dispatch] + written
            case SignalRaised() if event.raised_by in ("contract", "suite"):
                yield "told", count_tokens(event.message)
            case _:
                pass
        view.apply(record)


def main() -> None:
    rows = [row for place in sorted(MATERIAL.values()) for row in dispatches(place / "recording")]
    for role in CHECKED:
        found = [tokens for name, tokens in rows if name == role]
        print(f"{role}_dispatches: {len(found)}")
        print(f"{role}_again_tokens: {median(found):.0f}")
    told = [tokens for name, tokens in rows if name == "told"]
    print(f"told: {len(told)}")
    print(f"told_tokens: {median(told):.0f}" if told else "told_tokens: nobody was sent back")


if __name__ == "__main__":
    main()
