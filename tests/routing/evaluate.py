"""How well the offline router does on labelled prompts: `python tests/routing/evaluate.py [file.toml ...]`.

`dev*.toml` were used to build the router, `heldout*.toml` were not: only those measure anything.
`wrong_and_not_doubted` is the share of all prompts whose wrong reading Enter would start. Nothing starts unseen:
where nobody sees the reading, a model or a person is asked.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from statsclaw.intake.routing import Routing, route

HERE = Path(__file__).resolve().parent
Prompt = dict[str, Any]


def load(path: Path) -> list[Prompt]:
    return list(tomllib.loads(path.read_text(encoding="utf-8"))["prompt"])


def right(prompt: Prompt, routing: Routing) -> bool:
    """The label; where a person would ask back, asking or either of the labelled workflows."""
    if routing.workflow == prompt["workflow"]:
        return True
    return bool(prompt.get("ask")) and (routing.ask is not None or routing.workflow == prompt.get("also"))


def _share(values: Iterable[bool]) -> float:
    found = list(values)
    return round(sum(found) / len(found), 4) if found else float("nan")


def evaluate(prompts: list[Prompt]) -> dict[str, float]:
    """Accuracy per label, and how often and how rightly the router asks back."""
    pairs = [(prompt, route(prompt["text"])) for prompt in prompts]
    clear = [(p, r) for p, r in pairs if not p.get("ask")]
    loops = [(p, r) for p, r in pairs if p["workflow"] == "loop"]
    out = {
        "prompts": float(len(pairs)),
        "workflow": _share(right(p, r) for p, r in pairs),
        "workflow_top_choice": _share(r.workflow == p["workflow"] for p, r in pairs),
        "workflow_or_also": _share(r.workflow in (p["workflow"], p.get("also")) for p, r in pairs),
        "among_the_two_shown": _share(p["workflow"] in (r.workflow, r.runner_up) or right(p, r) for p, r in pairs),
        "ship": _share(r.ship == p["ship"] for p, r in pairs),
        "interval": _share(r.interval_s == p.get("interval_s") for p, r in pairs),
        "interval_of_loops": _share(r.interval_s == p.get("interval_s") for p, r in loops),
        "inner_of_loops": _share(r.inner_workflow == p.get("inner") for p, r in loops),
        "issue": _share(r.issue == p.get("issue") for p, r in pairs),
        "language": _share(r.language == p["lang"] for p, r in pairs),
        "ask_share": _share(r.ask is not None for _, r in pairs),
        "ask_where_needed": _share(r.ask is not None for p, r in pairs if p.get("ask")),
        "ask_needless": _share(r.ask is not None for _, r in clear),
        "ask_justified": _share(bool(p.get("ask")) or not right(p, r) for p, r in pairs if r.ask is not None),
        "workflow_when_not_asking": _share(right(p, r) for p, r in pairs if r.ask is None),
        "wrong_and_not_doubted": _share(r.ask is None and not right(p, r) for p, r in pairs),
        "mean_confidence": round(sum(r.confidence for _, r in clear) / max(1, len(clear)), 4),
    }
    for workflow in sorted({p["workflow"] for p in prompts}):
        out[f"workflow[{workflow}]"] = _share(right(p, r) for p, r in pairs if p["workflow"] == workflow)
    for language in sorted({p["lang"] for p in prompts}):
        out[f"workflow[{language}]"] = _share(right(p, r) for p, r in pairs if p["lang"] == language)
    return out


def main(arguments: list[str]) -> int:
    paths = [Path(a) for a in arguments] or [HERE / "dev.toml", HERE / "heldout.toml"]
    for path in paths:
        if not path.exists():
            print(f"{path.stem}: missing")
            continue
        for name, value in evaluate(load(path)).items():
            print(f"{path.stem}.{name}: {value:g}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
