"""A scripted role for tests, played through the `command:` backend.

It hands in what an honest author would, from the folder named first (`honest/` beside it). The builder's first
attempt divides by n - 1 on purpose, so that every run has a BLOCK; the planner leaves one choice open first, so that
every run asks.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

ROLE, ATTEMPT = os.environ["STATSCLAW_ROLE"], int(os.environ["STATSCLAW_ATTEMPT"])
OUT = Path(os.environ["STATSCLAW_OUT"])
PROMPT = sys.stdin.read()
HONEST = Path(sys.argv[1])
OPEN = "    decided_by: person\n    decision: 0\n"


def hand_in(name: str, *sections: str, extra: str = "") -> None:
    text = f"# {name}\n\n" + "\n\n".join(f"## {s}\n\nWritten by the {ROLE}." for s in sections) + "\n" + extra
    (OUT / name).write_text(text, encoding="utf-8")


def write(path: str, text: str) -> None:
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


def honest(path: str) -> str:
    return (HONEST / path).read_text(encoding="utf-8")


def planner() -> None:
    comprehension = honest("out/comprehension.md")
    if ATTEMPT == 1 and "--no-hold" not in sys.argv:
        (OUT / "comprehension.md").write_text(comprehension.replace(OPEN, "    decided_by: nobody\n"))
        return
    if "--no-hold" in sys.argv:  # nobody was asked, so nobody but the planner can have decided
        comprehension = comprehension.replace(OPEN, OPEN.replace("person", "planner"))
    (OUT / "comprehension.md").write_text(comprehension)
    owed = PROMPT.rpartition("## What to hand in")[2].partition("\n## ")[0]
    for name in ("interface.md", "spec.md", "test-spec.md", "sim-spec.md"):
        if f"- `{name}`" in owed:
            shutil.copy(HONEST / "out" / name, OUT / name)


def reader() -> None:
    code = honest("out/comprehension.md").partition("```python definitions\n")[2].partition("```")[0]
    hand_in("reading.md", "Doubts", extra=f"\n## Definitions\n\n```python definitions\n{code}```\n")


def builder() -> None:
    code = honest("src/tinymean/__init__.py")
    if ATTEMPT == 1 and "--good" not in sys.argv:
        code = code.replace("return fsum(x) / len(x)", "return fsum(x) / (len(x) - 1)")
    write("src/tinymean/__init__.py", code)
    write("tests/test_unit.py", "from tinymean import mean\n\n\ndef test_runs():\n    assert mean([1, 2, 3]) > 0\n")
    hand_in("implementation.md", "Files changed", "Design choices", "Unit tests")


def tester() -> None:
    write("tests/validation/ask_tinymean.py", honest("tests/validation/ask_tinymean.py"))
    hand_in("audit-notes.md", "Suite", "Not tested")


def simulator() -> None:
    write("simulations/study.py", honest("simulations/study.py"))
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
