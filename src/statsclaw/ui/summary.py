"""The last words of a run: what was built, what was checked with which figures, where everything is."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from statsclaw.runlog.events import CommandExecuted, Criterion
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
    last = ""
    for label, text in _rows(folder, run):
        table.add_row("" if label == last else label, Text(text))
        last = label
    console.print(table)
    console.print(Text(f"\nNext: statsclaw show {folder.id} · statsclaw artifacts {folder.id} audit.md", style="dim"))


def _rows(folder: RunFolder, run: RunView) -> Iterator[tuple[str, str]]:
    evidence = run.evidence_for(run.tree_sha256)
    if run.overlay:
        paths = sorted(path for path, change in run.overlay.items() if change.sha256)
        yield "built", f"{len(paths)} files: {', '.join(plain(path) for path in paths[:12])}{' …' * (len(paths) > 12)}"
    for command in evidence:
        yield "checked", f"{'✓' if command.passed else '✗'} {command.name}: {plain(command.summary)}"
    for row in (row for command in evidence for row in command.criteria):
        yield "study", criterion_line(row)
    if before := _validation_passes(run.evidence_for(run.tree_sha256, "before")):
        now = _validation_passes(evidence)
        yield "before → after", f"validation suite: {before[0]} → {now[0] if now else 0} of {before[1]} tests pass"
    for signal, _ in run.signals:
        if signal.signal != "HOLD":
            first = plain(signal.message.partition("\n")[0], 120)
            yield "sent back", f"{signal.signal} to {signal.route_to}: {first} ({len(signal.about)} behaviours)"
    for question in run.questions.values():
        if question.asked.topic in ("hold", "escalation"):
            yield "decided", f"{question.asked.asked_by}'s question → {plain(question.answer_text)}"
    for dispatch in run.dispatches.values():
        if dispatch.finished and dispatch.finished.note:
            yield "note", f"{dispatch.id}: {plain(dispatch.finished.note)}"
    if run.review_verdict:
        yield "review", run.review_verdict
    if run.pushed:
        yield "shipped", f"{run.pushed.commit[:10]} on {run.pushed.branch} of {run.pushed.remote}"
    elapsed = f"{(run.last_at - run.created_at).total_seconds():.0f} s" if run.last_at and run.created_at else "–"
    yield "cost", f"{elapsed} · {run.usage.tokens:,} tokens · ${run.usage.cost_usd:.2f} · {run.seq} events"
    yield "artifacts", str(folder.path)


def criterion_line(row: Criterion) -> str:
    error = f" ± {row.mcse:.2g}" if row.mcse is not None else ""
    low, high = ("−∞" if row.low is None else f"{row.low:g}"), ("∞" if row.high is None else f"{row.high:g}")
    mark = "✓" if row.met else "✗"
    return f"{mark} {plain(row.id)} {plain(row.quantity)}: {row.value:.4g}{error}, bounds [{low}, {high}]"


def _validation_passes(evidence: list[CommandExecuted]) -> tuple[int, int] | None:
    tests = [test for command in evidence if command.phase == "validation" for test in command.tests]
    return (sum(test.outcome == "passed" for test in tests), len(tests)) if tests else None


def _print_waiting(console: Console, folder: RunFolder, run: RunView) -> None:
    for question in run.open_questions:
        name = f" --question {question.question}" if len(run.open_questions) > 1 else ""
        console.print(Text(f"waits for an answer: statsclaw answer {folder.id}{name} --choose K   or   --text WORDS"))
    for dispatch in run.running:
        if dispatch.backend == "human":
            console.print(Text(f"waits for the {dispatch.role}: {folder.room(dispatch.id)}/README.md"))
    console.print(Text(f"continue later with: statsclaw resume {folder.id}", style="dim"))
