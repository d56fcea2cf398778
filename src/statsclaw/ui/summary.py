"""The last words of a run: what was built, what was checked with which figures, where everything is."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from statsclaw.runlog.fold import RunView
from statsclaw.ui.lines import plain
from statsclaw.workspace.layout import RunFolder


def print_summary(console: Console, folder: RunFolder, run: RunView) -> None:
    console.print()
    if run.finished is None:
        _print_waiting(console, folder, run)
        return
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in _rows(folder, run):
        table.add_row(label, text)
    console.print(table)
    console.print(Text(f"\nNext: statsclaw show {folder.id} · statsclaw artifacts {folder.id} audit.md", style="dim"))


def _rows(folder: RunFolder, run: RunView) -> list[tuple[str, str]]:
    evidence = run.evidence_for(run.tree_sha256)
    tests = [t for c in evidence for t in c.tests]
    before = [t for c in run.evidence_for(run.tree_sha256, "before") for t in c.tests if c.phase == "validation"]
    criteria = [row for c in evidence for row in c.criteria]
    rows = []
    if run.overlay:
        lines = [f"{path}" for path, change in sorted(run.overlay.items()) if change.sha256]
        rows.append(("built", f"{len(lines)} files: {', '.join(plain(line) for line in lines[:12])}{' …' if len(lines) > 12 else ''}"))
    for command in evidence:
        rows.append(("checked", f"{'✓' if command.passed else '✗'} {command.name}: {plain(command.summary)}"))
    for row in criteria:
        error = f" ± {row.mcse:.2g}" if row.mcse is not None else ""
        bounds = f"[{'−∞' if row.low is None else f'{row.low:g}'}, {'∞' if row.high is None else f'{row.high:g}'}]"
        rows.append(("", f"{'✓' if row.met else '✗'} {plain(row.id)} {plain(row.quantity)}: {row.value:.4g}{error} in {bounds}"))
    if before:
        passed = sum(t.outcome == "passed" for t in before)
        now = sum(t.outcome == "passed" for c in evidence if c.phase == "validation" for t in c.tests)
        rows.append(("before → after", f"validation suite: {passed} → {now} of {len(before)} tests pass"))
    blocks = [signal for signal, _ in run.signals if signal.signal != "HOLD"]
    for signal in blocks:
        rows.append(("sent back", f"{signal.signal} to {signal.route_to}: {plain(signal.message, 160)}"))
    for question in run.questions.values():
        if question.asked.topic in ("hold", "escalation"):
            rows.append(("decided", f"{plain(question.asked.text, 160)} → {plain(question.answer_text)}"))
    if run.review_verdict:
        rows.append(("review", run.review_verdict))
    if run.pushed:
        rows.append(("shipped", f"{run.pushed.commit[:10]} on {run.pushed.branch} of {run.pushed.remote}"))
    rows.append(("cost", f"{run.usage.tokens:,} tokens, ${run.usage.cost_usd:.2f}, {len(tests)} tests, {run.seq} events"))
    rows.append(("artifacts", str(folder.path)))
    return rows


def _print_waiting(console: Console, folder: RunFolder, run: RunView) -> None:
    for question in run.open_questions:
        console.print(Text(f"waits for an answer: statsclaw answer {folder.id} --choose K   (question {question.question})"))
    for dispatch in run.running:
        if dispatch.backend == "human":
            console.print(Text(f"waits for the {dispatch.role}: {folder.room(dispatch.id)}/README.md"))
    console.print(Text(f"continue later with: statsclaw resume {folder.id}", style="dim"))
