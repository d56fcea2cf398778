"""Lines about what was understood, agreed and judged."""

from __future__ import annotations

from statsclaw.runlog import events as e
from statsclaw.ui.line import Line, plain
from statsclaw.verify.criteria.tally import tally

_SHOWN = 4


def contract_lines(event: e.Event) -> list[Line]:
    match event:
        case e.ComprehensionChecked():
            text = f"{event.accounted}/{event.equations} equations, {event.symbols} symbols"
            text += f", {event.definitions} executable definitions"
            return [Line("understood", text), *_assumed(event.assumed), *_findings(event.findings)]
        case e.ReadingsCompared():
            same = sum(row.agrees is True for row in event.rows)
            style = "green" if same == len(event.rows) else "bold red"
            tried = sum(row.tried for row in event.rows)
            text = f"two readings agree on {same} of {len(event.rows)} definitions ({tried} inputs tried)"
            return [Line("readings", text, style)]
        case e.ContractChecked():
            errors = sum(f.severity == "error" for f in event.findings)
            warnings = sum(f.severity == "warning" for f in event.findings)
            text = f"specifications checked: {_count(errors, 'error')}, {_count(warnings, 'warning')}"
            return [Line("lint", text, "red" if errors else "green"), *_findings(event.findings)]
        case e.SpecAmended():
            text = f"{event.what}: {plain(event.before)} → {plain(event.after)} · {plain(event.why)}"
            return [Line("amended", text, "bold yellow")]
        case e.FindingOverridden():
            return [Line("override", f"{plain(event.message)} · {plain(event.why)}", "bold yellow")]
        case e.SuiteChecked():
            errors = sum(f.severity == "error" for f in event.findings)
            text = f"{_count(errors, 'error')} in tests and study" if errors else "tests and study can fail"
            return [Line("judges", text, "red" if errors else "green"), *_findings(event.findings)]
        case e.CriteriaJudged():
            return _judged(event)
        case e.ReviewComputed():
            style = {"PASS": "green", "PASS WITH NOTE": "yellow", "STOP": "bold red"}[event.verdict]
            text = f"seven checks computed: {event.verdict}"
            return [Line("review", text, style), *_findings(event.findings, notes=event.verdict == "PASS WITH NOTE")]
        case _:
            return []


def _assumed(rows: tuple[e.Assumed, ...]) -> list[Line]:
    """Of what no source states, what was tried."""
    tried = [row for row in rows if row.function]
    words = {True: "results change", False: "the same results", None: "it could not be tried"}
    return [Line("assumed", f"{plain(row.text, 160)} · otherwise: {words[row.differs]}", "dim") for row in tried]


def _judged(event: e.CriteriaJudged) -> list[Line]:
    count = {kind: sum(row.verdict == kind for row in event.judgements) for kind in ("PASS", "FAIL", "UNDECIDED")}
    if event.subject == "null":
        text = f"on meaningless answers {count['FAIL']} of {len(event.judgements)} criteria fail"
        return [Line("judges", text, "dim")]
    if event.subject == "disturbed":
        text = f"on moved answers {count['FAIL']} of {len(event.judgements)} criteria fail"
        return [Line("judges", text, "dim")]
    if event.subject == "before":
        return [Line("", f"before: {count['PASS']} of {len(event.judgements)} of these criteria pass", "dim")]
    missed = [row for row in event.judgements if row.verdict != "PASS"]
    rows = [Line("", f"{row.verdict} {describe(row)}", "dim") for row in missed[:_SHOWN]]
    rows += [Line("", f"… {len(missed) - _SHOWN} more in audit.md", "dim")] if len(missed) > _SHOWN else []
    return [Line("judge", tally(event.judgements), "red" if count["FAIL"] else "green"), *rows]


def describe(row: e.Judgement) -> str:
    """A judgement in one line: what, how much, against what."""
    value = "" if row.observed is None else f" {row.observed:.4g}"
    error = "" if row.mcse is None else f" ± {row.mcse:.1g}"
    return plain(f"{row.id}{value}{error} · {row.quantity} · {row.rule} · {row.where}", 200)


def _findings(findings: tuple[e.Finding, ...], *, notes: bool = False) -> list[Line]:
    wanted = [f for f in findings if f.severity in ("error", "warning") or (notes and f.severity == "note")]
    wanted.sort(key=lambda f: ("error", "warning", "note").index(f.severity))
    rows = [
        Line("", f"{f.severity}: {plain(f.message, 240)}", "red" if f.severity == "error" else "dim") for f in wanted
    ]
    return rows[:_SHOWN] + ([Line("", f"… {len(rows) - _SHOWN} more", "dim")] if len(rows) > _SHOWN else [])


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
