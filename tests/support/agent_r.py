"""A scripted role for an R package, played through the `command:` backend; see agent.py.

It hands in what an honest author would, from the folder named first (`honest_r/` beside it), nothing wrong on purpose.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

ROLE = os.environ["STATSCLAW_ROLE"]
OUT = Path(os.environ["STATSCLAW_OUT"])
PROMPT = sys.stdin.read()
HONEST = Path(sys.argv[1])
#: What each role writes into the repository, as it stands in the folder.
FILES = {
    "builder": ("R/**/*", "man/*", "NAMESPACE", ".Rbuildignore"),
    "tester": ("tests/validation/*",),
    "simulator": ("inst/simulations/*",),
}
SECTIONS = {
    "implementation.md": ("builder", "Files changed", "Design choices", "Unit tests"),
    "audit-notes.md": ("tester", "Suite", "Not tested"),
    "simulation.md": ("simulator", "Data-generating process", "Harness", "Smoke run", "Acceptance criteria"),
    "docs.md": ("scriber", "Documentation changes"),
    "log-entry.md": (
        "scriber", "What changed", "Implementation notes", "Validation results", "Problems encountered",
        "Review summary", "Design decisions", "Hand-off notes",
    ),
    "review.md": (
        "reviewer", "Comprehension", "Isolation", "Cross-comparison", "Convergence", "Coverage",
        "Tolerance integrity", "Evidence",
    ),
}  # fmt: skip


def hand_in(name: str, *sections: str, extra: str = "") -> None:
    text = f"# {name}\n\n" + "\n\n".join(f"## {s}\n\nWritten by the {ROLE}." for s in sections) + "\n" + extra
    (OUT / name).write_text(text, encoding="utf-8")


def write(path: str, text: str) -> None:
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


def planner() -> None:
    owed = PROMPT.rpartition("## What to hand in")[2].partition("\n## ")[0]
    for name in ("comprehension.md", "interface.md", "spec.md", "test-spec.md", "sim-spec.md"):
        if f"- `{name}`" in owed:
            shutil.copy(HONEST / "out" / name, OUT / name)


def reader() -> None:
    comprehension = (HONEST / "out" / "comprehension.md").read_text(encoding="utf-8")
    code = comprehension.partition("```python definitions\n")[2].partition("```")[0]
    hand_in("reading.md", "Doubts", extra=f"\n## Definitions\n\n```python definitions\n{code}```\n")


def builder() -> None:
    test = 'test_that("the interval holds the mean", { expect_equal(mean_interval(c(1, 3))$mean, 2) })\n'
    write("tests/testthat/test-interval.R", test)


def scriber() -> None:
    diagram = "\n```mermaid\ngraph TD; a-->b\n```\n"
    titles = ("Module structure", "Function calls", "Data flow")
    text = "# Architecture\n\n" + "".join(f"## {t}\n{diagram}\n" for t in titles)
    text += "## Reference\n\n| function | does |\n|---|---|\n| plain_mean | mean |\n"
    (OUT / "ARCHITECTURE.md").write_text(text, encoding="utf-8")
    write("README.md", "# rpkg\n\nThe mean.\n")


for pattern in FILES.get(ROLE, ()):
    for source in sorted(HONEST.glob(pattern)):
        if source.is_file():
            write(source.relative_to(HONEST).as_posix(), source.read_text(encoding="utf-8"))
for document, (author, *titles) in SECTIONS.items():
    if author == ROLE:
        verdict = "\n## Verdict\n\nAll seven hold.\n\nVerdict: PASS\n" if document == "review.md" else ""
        hand_in(document, *titles, extra=verdict)
if ROLE in globals():
    globals()[ROLE]()
print(json.dumps({"usage": {"input_tokens": 1000, "output_tokens": 100, "cost_usd": 0.01}}))
