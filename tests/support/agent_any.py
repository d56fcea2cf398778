"""A scripted role in any language, played through the `command:` backend: it hands in what lies in a folder.

The folder named first holds `out/` (the planner's documents) and, for each role that writes into the repository, a
folder of its name with the files as they are to stand there (`builder/src/…`). Nothing is wrong on purpose.
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
MATERIAL = Path(sys.argv[1])
PLANNED = ("comprehension.md", "interface.md", "spec.md", "test-spec.md", "sim-spec.md")
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


def planner() -> None:
    owed = PROMPT.rpartition("## What to hand in")[2].partition("\n## ")[0]
    for name in PLANNED:
        if f"- `{name}`" in owed:
            shutil.copy(MATERIAL / "out" / name, OUT / name)


def reader() -> None:
    comprehension = (MATERIAL / "out" / "comprehension.md").read_text(encoding="utf-8")
    code = comprehension.partition("```python definitions\n")[2].partition("```")[0]
    hand_in("reading.md", "Doubts", extra=f"\n## Definitions\n\n```python definitions\n{code}```\n")


def scriber() -> None:
    diagram = "\n```mermaid\ngraph TD; a-->b\n```\n"
    titles = ("Module structure", "Function calls", "Data flow")
    text = "# Architecture\n\n" + "".join(f"## {t}\n{diagram}\n" for t in titles)
    text += "## Reference\n\n| function | does |\n|---|---|\n| the only one | what the notes say |\n"
    (OUT / "ARCHITECTURE.md").write_text(text, encoding="utf-8")
    Path("README.md").write_text("# A package\n\nIt does what the notes say.\n", encoding="utf-8")


for source in sorted((MATERIAL / ROLE).rglob("*")):
    if source.is_file():
        place = Path(source.relative_to(MATERIAL / ROLE))
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, place)
for document, (author, *titles) in SECTIONS.items():
    if author == ROLE:
        verdict = "\n## Verdict\n\nAll seven hold.\n\nVerdict: PASS\n" if document == "review.md" else ""
        hand_in(document, *titles, extra=verdict)
if ROLE in globals():
    globals()[ROLE]()
print(json.dumps({"usage": {"input_tokens": 1000, "output_tokens": 100, "cost_usd": 0.01}}))
