"""A scripted role for tests, played through the `command:` backend.

It does what a small honest author would do on the tiny target. The builder's first attempt divides by n - 1 on
purpose, so that every run has a BLOCK; the planner asks one question first, so that every run has a HOLD.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

ROLE, ATTEMPT = os.environ["STATSCLAW_ROLE"], int(os.environ["STATSCLAW_ATTEMPT"])
OUT = Path(os.environ["STATSCLAW_OUT"])
PROMPT = sys.stdin.read()


def hand_in(name: str, *sections: str, extra: str = "") -> None:
    text = f"# {name}\n\n" + "\n\n".join(f"## {s}\n\nWritten by the {ROLE}." for s in sections) + "\n" + extra
    (OUT / name).write_text(text, encoding="utf-8")


def write(path: str, text: str) -> None:
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


def planner() -> None:
    if ATTEMPT == 1 and "--no-hold" not in sys.argv:
        options = [{"label": "n", "consequence": "the plain mean"}, {"label": "n - 1", "consequence": "not a mean"}]
        print(json.dumps({"signal": "HOLD", "message": "Which divisor?", "options": options, "default": 0}))
        sys.exit(0)
    owed = PROMPT.rpartition("## What to hand in")[2].partition("\n## ")[0]
    hand_in(
        "comprehension.md", "Sources", "Equations", "Symbols", "Assumptions", "Open choices", "Self-test", "Verdict"
    )
    for name, sections in {
        "spec.md": ("Interface", "Computation", "Input validation"),
        "test-spec.md": ("Interface", "Behaviours", "Tolerances", "Edge cases", "Invariants"),
        "sim-spec.md": ("Interface", "Data-generating process", "Scenarios", "Metrics", "Acceptance criteria"),
    }.items():
        if f"- `{name}`" in owed:
            hand_in(name, *sections)


def builder() -> None:
    divisor = "(len(x) - 1)" if ATTEMPT == 1 and "--good" not in sys.argv else "len(x)"
    write("src/tinymean/__init__.py", f"def mean(x):\n    return sum(x) / {divisor}\n")
    write("tests/test_unit.py", "from tinymean import mean\n\n\ndef test_runs():\n    assert mean([1, 2, 3]) > 0\n")
    hand_in("implementation.md", "Files changed", "Design choices", "Unit tests")


def tester() -> None:
    write(
        "tests/validation/test_mean.py",
        "from tinymean import mean\n\n\ndef test_mean_of_constants_is_the_constant():\n    assert mean([2, 2]) == 2\n",
    )
    hand_in("audit-notes.md", "Suite", "Not tested")


def simulator() -> None:
    criterion = {"id": "C1", "quantity": "bias", "value": 0.0, "mcse": 0.01, "low": -0.05, "high": 0.05}
    result = {"replications": 10, "failures": 0, "criteria": [criterion]}
    write(
        "simulations/study.py",
        "import json, sys\nfrom tinymean import mean\n\n"
        f"result = {result!r}\nresult['criteria'][0]['value'] = mean([1.0, -1.0])\n"
        "open(sys.argv[1], 'w').write(json.dumps(result))\n",
    )
    hand_in("simulation.md", "Data-generating process", "Harness", "Smoke run", "Acceptance criteria")


def scriber() -> None:
    diagram = "\n```mermaid\ngraph TD; a-->b\n```\n"
    titles = ("Module structure", "Function calls", "Data flow")
    text = "# Architecture\n\n" + "".join(f"## {t}\n{diagram}\n" for t in titles)
    text += "## Reference\n\n| function | does |\n|---|---|\n| mean | mean |\n"
    (OUT / "ARCHITECTURE.md").write_text(text)
    hand_in(
        "log-entry.md", "What changed", "Implementation notes", "Validation results", "Problems encountered",
        "Review summary", "Design decisions", "Hand-off notes",
    )  # fmt: skip
    hand_in("docs.md", "Documentation changes")
    write("README.md", "# tinymean\n\nThe mean.\n")


def reviewer() -> None:
    hand_in(
        "review.md", "Comprehension", "Isolation", "Cross-comparison", "Convergence", "Coverage",
        "Tolerance integrity", "Evidence", extra="\n## Verdict\n\nAll seven hold.\n\nVerdict: PASS\n",
    )  # fmt: skip


globals()[ROLE]()
print(json.dumps({"usage": {"input_tokens": 1000, "output_tokens": 100, "cost_usd": 0.01}}))
