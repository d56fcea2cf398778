"""What the flagship costs in tokens when Claude Code plays every role: by role, and in all.

The run is that of `tests/agents/test_probit.py`: the demonstration `probit-r`, from directive to push, with the real
Claude Code behind the real barrier and a scripted model. Every role reads each document it is given once with the Read
tool, leaves what was recorded, one call of a tool an answer, and ends. A real model also thinks, looks around in the
repository, runs things and mends them: `requests`, `sent` and `repeated` are a lower bound; the rest is what it is.

Tokens are estimated as StatsClaw does it (`count_tokens`): bytes / 3.6. Tried once on the vocabulary that came with
anthropic 0.34, this is 7 % too many for the prompts, 7 % too few for the documents, 11 % too many for Claude Code's
tools. A request is counted as the provider caches it: tools, system prompt, messages, as compact JSON in this order,
without marks for the cache; the few hundred bytes of settings beside them are not counted. For each role, over all of
its attempts:

  prompt       what StatsClaw tells it, on standard input
  documents    what lies in /in, without the copy of the prompt
  program      what Claude Code adds: its first request less the prompt; sent again with every request
  handed_in    documents and files it left
  requests     requests to the model; side requests without tools are left out
  sent         all that was sent in them
  repeated     of this, what was the same as in the request before, from its beginning on: what a cache can serve

The prompt-based predecessor took 121,000 tokens of instructions, and 265,000 tokens in all, over its dispatches (given
figures, not measured here). Its instructions are compared with our prompts; all of it with prompts and documents, each
once for an attempt, then with what was handed in added, then with what Claude Code adds, also once for an attempt. A
ratio above 1 says how many times less it is here. What it sent request by request is not known.

With `--table` it also writes, by role, what the estimate before a first run goes by. With `--smallest` it plays runs
about one function instead, the package of `tests/support`, and writes what those took: the other end of the same
estimate.

Run: python benchmarks/agents/bench_tokens.py      (needs R as the demonstration does, and Claude Code; minutes)
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from statsclaw.demo.demo import fitting_demo
from statsclaw.engine.breach import with_canaries
from statsclaw.intake.workflow import workflow
from statsclaw.roles.matrix import Role
from statsclaw.roles.prompt import count_tokens
from statsclaw.roles.view import view_of
from statsclaw.runlog import chain
from statsclaw.runlog.events import DispatchStarted
from statsclaw.runlog.fold import DispatchView, RunView
from statsclaw.runlog.log import EVENTS
from statsclaw.runlog.store import ContentStore
from statsclaw.workspace.layout import RunFolder
from tests.agents.conftest import CACHE, SECRET
from tests.agents.recorded import Played, play
from tests.agents.roles import ROLES, honest_files
from tests.agents.scripted_model import Act, Asked, Say, ScriptedModel, Shell, Talk, Use, Write
from tests.support.runs import Bench, make_target, order_for

ENGINE = Path(__file__).parents[2] / "src" / "statsclaw" / "engine"
FIRST_RUNS, SMALLEST_RUNS = ENGINE / "first_runs.toml", ENGINE / "smallest_runs.toml"
PREDECESSOR_INSTRUCTIONS, PREDECESSOR_IN_ALL = 121_000, 265_000
#: Few, to save time: prompts do not depend on it, and the documents of scriber and reviewer by 0.3 %.
REPLICATIONS = 4
#: What a role works with; every other tool of Claude Code is described to it for nothing.
NEEDED = ("Bash", "Edit", "Read", "Write")


def as_cached(asked: Asked) -> str:
    """Tools, system prompt and messages in the order of the provider's cache, without the marks that wander."""
    body = json.loads(asked.body)
    return _compact({part: body.get(part) for part in ("tools", "system", "messages")})


def same_beginning(one: str, other: str) -> str:
    both = zip(one, other, strict=False)
    return one[: next((n for n, (a, b) in enumerate(both) if a != b), min(len(one), len(other)))]


def _compact(part: object) -> str:
    return json.dumps(_unmarked(part), ensure_ascii=False, separators=(",", ":"))


def _unmarked(part: object) -> object:
    if isinstance(part, dict):
        return {name: _unmarked(value) for name, value in part.items() if name != "cache_control"}
    return [_unmarked(value) for value in part] if isinstance(part, list) else part


@dataclass(frozen=True)
class Smallest:
    view: RunView
    folder: RunFolder
    model: ScriptedModel


#: Without a contract there is nobody to ask: the tester writes an ordinary test.
ORDINARY = {
    "/repo/tests/validation/ask_tinymean.py": (
        "/repo/tests/validation/test_tinymean.py",
        "from tinymean import mean\n\n\ndef test_mean():\n    assert mean([1, 2, 3]) == 2\n",
    )
}


def play_smallest(bench: Bench, workflow: str) -> Smallest:
    """Every role reads each file that it is given, hands in what the honest author does, and errs nowhere."""

    def script(role: str, talk: Talk) -> Iterator[Act]:
        yield Shell("find /in /repo -type f -not -name prompt.md -not -path '*/.git/*' | sort")
        for path in talk.last.splitlines():
            yield Use("Read", {"file_path": path})
        for path, text in honest_files(role, talk.now.first, "--good", "--no-hold").items():
            yield Write(*(ORDINARY.get(path, (path, text)) if workflow == "quick-fix" else (path, text)))
        yield Say("Everything is handed in.")

    with ScriptedModel({f"# You are the {role}\n": partial(script, role) for role in ROLES}) as model:
        target, endpoints = make_target(bench.folder), (f"{model.url}#ANTHROPIC_API_KEY",)
        order = order_for(target, backend="claude", endpoints=endpoints, workflow=workflow)
        view = bench.start(order)
    return Smallest(view, bench.workspace.find(view.head.run_id), model)


def documents_of(played: Played | Smallest) -> dict[str, int]:
    """Tokens of the documents of every dispatch, computed again from the log as `statsclaw barrier verify` does."""
    store, view, found = ContentStore(played.folder.store), RunView(), dict[str, int]()
    for record in chain.read(played.folder.path / EVENTS).records:
        if isinstance(record.event, DispatchStarted):
            role, roles = Role(record.event.role), workflow(view.workflow or "full").roles
            given = with_canaries(view, role, view_of(role, view, roles, store).documents)
            found[record.event.dispatch] = sum(count_tokens(data.decode("utf-8", "replace")) for data in given.values())
        view.apply(record)
    return found


def costs_of(played: Played | Smallest) -> Iterator[tuple[DispatchView, Counter[str]]]:
    """Every dispatch with what it cost."""
    store, documents = ContentStore(played.folder.store), documents_of(played)
    for dispatch in played.view.dispatches.values():
        prompt = store.get_text(dispatch.started.prompt_sha256)
        rows = [asked for asked in played.model.asked if prompt.strip() in asked.first and not asked.is_side_request]
        texts = [as_cached(asked) for asked in rows]
        left = dispatch.finished
        digests = [*left.artifacts.values(), *(row.sha256 for row in left.files if row.sha256)] if left else []
        yield (
            dispatch,
            Counter(
                attempts=1,
                prompt_characters=len(prompt),
                prompt_tokens=count_tokens(prompt),
                documents_tokens=documents[dispatch.id],
                program_tokens=count_tokens(texts[0]) - count_tokens(prompt),
                handed_in_tokens=sum(count_tokens(store.get_text(digest)) for digest in set(digests)),
                requests=len(texts),
                sent_tokens=sum(map(count_tokens, texts)),
                repeated_tokens=sum(count_tokens(same_beginning(*pair)) for pair in pairwise(texts)),
            ),
        )


def report(played: Played | Smallest) -> None:
    roles: dict[str, Counter[str]] = {}
    for dispatch, cost in costs_of(played):
        roles.setdefault(dispatch.role, Counter()).update(cost)
    total = sum(roles.values(), Counter[str]())
    for name, cost in [*roles.items(), ("all", total)]:
        for what, value in cost.items():
            print(f"{name}_{what}: {value}")
        print(f"{name}_repeated_share: {cost['repeated_tokens'] / cost['sent_tokens']:.3f}")
    body = json.loads(played.model.asked[0].body)
    tools = {tool["name"]: count_tokens(_compact(tool)) for tool in body["tools"]}
    print(f"claude_code_tools_tokens: {sum(tools.values())}")
    print(f"claude_code_tools_without_use_here_tokens: {sum(n for name, n in tools.items() if name not in NEEDED)}")
    print(f"claude_code_system_prompt_tokens: {count_tokens(_compact(body['system']))}")
    once = total["prompt_tokens"] + total["documents_tokens"]
    print(f"all_once_tokens: {once}")
    print(f"ratio_instructions: {PREDECESSOR_INSTRUCTIONS / total['prompt_tokens']:.2f}")
    print(f"ratio_in_all_prompts_and_documents: {PREDECESSOR_IN_ALL / once:.2f}")
    once += total["handed_in_tokens"]
    print(f"ratio_in_all_with_what_was_handed_in: {PREDECESSOR_IN_ALL / once:.2f}")
    print(f"ratio_in_all_with_claude_codes_own: {PREDECESSOR_IN_ALL / (once + total['program_tokens']):.2f}")


def table(played: Played | Smallest, above: str = "") -> str:
    """What each role read afresh, from a cache, and wrote, over all of its attempts."""
    roles: dict[str, Counter[str]] = {}
    for dispatch, cost in costs_of(played):
        roles.setdefault(dispatch.role, Counter()).update(cost)
    lines = []
    for role, cost in roles.items():
        fresh = cost["sent_tokens"] - cost["repeated_tokens"]
        lines += ["", f"[{above}{role}]", f"input_tokens = {fresh}", f"cached_tokens = {cost['repeated_tokens']}"]
        lines += [f"output_tokens = {cost['handed_in_tokens']}"]
    return "\n".join(lines) + "\n"


def written_by(option: str) -> str:
    return f"# Written by `python benchmarks/agents/bench_tokens.py {option}`, which says what was counted and how.\n"


def finished(played: Played | Smallest) -> Played | Smallest:
    if played.model.failures or not played.view.finished or played.view.finished.outcome != "shipped":
        raise SystemExit(f"error: the run was not shipped: {played.model.failures or played.view.missing}")
    report(played)
    return played


def main() -> None:
    parser = argparse.ArgumentParser(description="What the flagship costs in tokens, by role.")
    parser.add_argument("--table", action="store_true", help=f"write {FIRST_RUNS.name} as well")
    parser.add_argument("--smallest", action="store_true", help=f"play one function, write {SMALLEST_RUNS.name}")
    asked = parser.parse_args()
    if not asked.smallest and fitting_demo() != "probit-r":
        raise SystemExit("error: R with Rcpp, RcppArmadillo, testthat and xml2 is not installed")
    os.environ["PATH"] = f"{CACHE / 'node_modules' / '.bin'}:{os.environ['PATH']}"
    os.environ["ANTHROPIC_API_KEY"] = SECRET
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if asked.smallest:
            text = written_by("--smallest")
            for workflow_id in ("full", "quick-fix"):
                (folder / workflow_id).mkdir()
                played = finished(play_smallest(Bench(folder / workflow_id), workflow_id))
                text += table(played, f"{workflow_id}.")
            SMALLEST_RUNS.write_text(text, encoding="utf-8")
            return
        probit = finished(play("probit-r", Bench(folder), replications=REPLICATIONS))
        if asked.table:
            FIRST_RUNS.write_text(written_by("--table") + table(probit), encoding="utf-8")


if __name__ == "__main__":
    main()
