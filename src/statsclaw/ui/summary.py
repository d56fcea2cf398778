"""The last words of a run: what was built, what was checked with which figures, where everything is."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import shorten

from rich.console import Console
from rich.table import Table
from rich.text import Text

from statsclaw.runlog.events import CommandExecuted, CriteriaJudged, Criterion
from statsclaw.runlog.fold import RunView
from statsclaw.ui.contract_lines import describe
from statsclaw.ui.line import plain
from statsclaw.ui.lines import question_lines, withdrawal_text
from statsclaw.verify.criteria.stated import stated_lines, stated_rows
from statsclaw.workspace.layout import RunFolder

_MOST_STATED = 20
_MOST_CARRIERS = 6
_LONGEST_STATED = 80


def print_summary(console: Console, folder: RunFolder, run: RunView, where: str = "") -> None:
    """`where` is the option that leads the next command to this workspace."""
    console.print()
    if run.finished is None:
        _print_waiting(console, folder, run, where)
        return
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    last = ""
    for label, text in _rows(folder, run):
        table.add_row("" if label == last else label, Text(text))
        last = label
    console.print(table)
    console.print("\nNext:", style="dim")
    audit = " audit.md" if run.artifact("audit.md") else ""
    for command in (
        f"show {folder.id}",
        f"artifacts {folder.id}{audit}",
        f"barrier show {folder.id}",
        f"log verify {folder.id}",
    ):
        console.print(Text(f"  statsclaw {command}{where}", style="dim"), soft_wrap=True)


def _rows(folder: RunFolder, run: RunView) -> Iterator[tuple[str, str]]:
    evidence = run.evidence_for(run.tree_sha256)
    if run.overlay:
        paths = sorted(path for path, change in run.overlay.items() if change.sha256)
        yield "built", f"{len(paths)} files: {', '.join(plain(path) for path in paths[:12])}{' …' * (len(paths) > 12)}"
    for command in evidence:
        yield "checked", f"{'✓' if command.passed else '✗'} {command.name}: {plain(command.summary)}"
    for row in (row for command in evidence for row in command.criteria):
        yield "study", criterion_line(row)
    judged = run.judged.get((run.tree_sha256, "after"))
    if judged:
        passed = sum(row.verdict == "PASS" for row in judged.judgements)
        left_open = [row for row in judged.judgements if row.counts_as == "OPEN"]
        text = f"{passed} of {len(judged.judgements)} frozen criteria PASS"
        if left_open:
            made, planned = left_open[0].replications, left_open[0].planned
            text += f", {len(left_open)} left open: {made:,} of {planned:,} replications were made"
        yield "criteria", text
        yield from (("demanded", text) for text in _demanded(judged))
    for judgement in judged.judgements if judged else ():
        if judgement.verdict == "PASS" and judgement.mcse is None:
            continue
        mark = {"PASS": "✓", "FAIL": "✗", "UNDECIDED": "?"}[judgement.verdict]
        yield "criterion", f"{mark} {describe(judgement)}"
    if run.readings:
        same = sum(row.agrees is True for row in run.readings.rows)
        yield "readings", f"two readings of the sources agree on {same} of {len(run.readings.rows)} definitions"
    if before := _validation_passes(run.evidence_for(run.tree_sha256, "before")):
        now = _validation_passes(evidence) or (0, 0)
        first = f"{before[0]}" if before[1] == now[1] else f"{before[0]} of {before[1]}"  # some may not even begin
        yield "before → after", f"validation suite: {first} → {now[0]} of {now[1]} tests pass"
    for signal, seq in run.signals:
        if signal.signal != "HOLD":
            yield "sent back", f"{signal.signal} to {signal.route_to}: {_why(run, seq) or plain(signal.message, 160)}"
    for withdrawn in run.withdrawals:
        yield "taken back", withdrawal_text(withdrawn)
    for question in run.questions.values():
        if question.asked.topic not in ("workflow", "profile", "ship"):
            by = " (unattended)" if question.answer and question.answer.by == "default" else ""
            asked = plain(question.asked.text.partition("\n")[0], 60)
            yield "decided", f"{asked} → {plain(question.answer_text)}{by}"
    for dispatch in run.dispatches.values():
        if dispatch.finished and dispatch.finished.note:
            yield "note", f"{dispatch.id}: {plain(dispatch.finished.note)}"
    if leaks := [signal.leak for signal, _ in run.signals if signal.leak]:
        told = sum(leak.behaviours for leak in leaks)
        bits = sum(leak.bits for leak in leaks)
        yield "told", f"at most {bits:.0f} bits about {told} failing behaviours, in {len(leaks)} report(s)"
    if run.head.barrier == "none":
        yield "unsafe", "made without a sandbox"
    for amended, _ in run.amendments:
        yield "amended", f"{amended.what}: {plain(amended.before)} → {plain(amended.after)}: {plain(amended.why)}"
    for override in run.overrides.values():
        yield "overridden", f"{plain(override.message, 160)}: {plain(override.why)}"
    if run.verdict:
        yield "review", run.verdict
    if run.pushed:
        yield "shipped", f"{run.pushed.commit[:10]} on {run.pushed.branch} of {run.pushed.remote}"
    elif run.commit:
        yield "result", f"git fetch {folder.target} {run.commit.branch}"
    elapsed = f"{(run.last_at - run.created_at).total_seconds():.0f} s" if run.last_at and run.created_at else "–"
    yield "cost", f"{elapsed} · {run.usage.tokens:,} tokens · ${run.usage.cost_usd:.2f} · {run.seq} events"
    if (report := folder.path / "report.html").is_file():
        yield "report", str(report)
    yield "artifacts", str(folder.path)


def _demanded(judged: CriteriaJudged) -> Iterator[str]:
    """What the sources demand, by their names: a line for each source, then each criterion with what carries it."""
    rows = stated_rows(judged.stated, judged.judgements)
    yield from (plain(line) for line in stated_lines(rows))
    for row in rows[:_MOST_STATED]:
        carriers = [f"{c.id}{'' if c.state == 'met' else f' ({c.verdict})'}" for c in row.carriers]
        shown = ", ".join(carriers[:_MOST_CARRIERS])
        more = f" and {len(carriers) - _MOST_CARRIERS} more" if len(carriers) > _MOST_CARRIERS else ""
        mark = {"met": "✓", "not met": "✗", "open": "?"}[row.state]
        words = shorten(plain(row.text), _LONGEST_STATED, placeholder=" …")
        yield f"{mark} {plain(row.name)} {words} ← {plain(shown) or 'no frozen criterion'}{more}"
    if len(rows) > _MOST_STATED:
        yield f"… {len(rows) - _MOST_STATED} more in audit.md"


def _why(run: RunView, seq: int) -> str:
    """What the last verification before line `seq` had found: the author's own tests beside the independent ones."""
    trees = [tree for tree, at in run.verified_at.items() if at < seq]
    if not trees:
        return ""
    evidence = run.evidence_for(max(trees, key=lambda tree: run.verified_at[tree]))
    parts = []
    for command in evidence:
        bad = sum(test.outcome in ("failed", "error") for test in command.tests)
        if command.tests:
            parts.append(f"{command.name} {bad} of {len(command.tests)} failed")
        elif command.criteria:
            missed = sum(not row.met for row in command.criteria)
            parts.append(f"{missed} of {len(command.criteria)} criteria of the study missed")
        elif not command.passed:
            parts.append(f"{command.name} failed")
    return ", ".join(parts)


def criterion_line(row: Criterion) -> str:
    error = f" ± {row.mcse:.2g}" if row.mcse is not None else ""
    low, high = ("−∞" if row.low is None else f"{row.low:g}"), ("∞" if row.high is None else f"{row.high:g}")
    mark = "✓" if row.met else "✗"
    return f"{mark} {plain(row.id)} {plain(row.quantity)}: {row.value:.4g}{error}, bounds [{low}, {high}]"


def _validation_passes(evidence: list[CommandExecuted]) -> tuple[int, int] | None:
    tests = [test for command in evidence if command.phase == "validation" for test in command.tests]
    return (sum(test.outcome == "passed" for test in tests), len(tests)) if tests else None


def _print_waiting(console: Console, folder: RunFolder, run: RunView, where: str) -> None:
    for question in run.open_questions:
        for line in question_lines(question):
            console.print(Text(f"  {line.text}"), soft_wrap=True)
        name = f" --question {question.question}" if len(run.open_questions) > 1 else ""
        text = f"waits for an answer: statsclaw answer {folder.id}{name} --choose K{where}   (or --text WORDS)"
        console.print(Text(text), soft_wrap=True)
    for dispatch in run.running:
        if dispatch.backend == "human":
            console.print(Text(f"waits for the {dispatch.role}: {folder.room(dispatch.id)}/README.md"), soft_wrap=True)
    console.print(Text(f"continue later with: statsclaw resume {folder.id}{where}", style="dim"), soft_wrap=True)
