"""The page: its parts are rendered first, then the first screen and the evidence that they have referred to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from statsclaw.report.checking import Checking, checking_of
from statsclaw.report.decisions import Decisions, decisions_of
from statsclaw.report.demand import Demand, demand_of
from statsclaw.report.evidence import entries
from statsclaw.report.first import FirstScreen, first_of
from statsclaw.report.ledger import Ledger, read_ledger
from statsclaw.report.links import Cited
from statsclaw.report.outcome import Outcome, outcome_of
from statsclaw.report.reviewed import Reviewed, reviewed_of
from statsclaw.report.study import StudyPart, study_of
from statsclaw.report.understanding import Understanding, understanding_of
from statsclaw.report.wording import count, duration, number, one_line, shortened
from statsclaw.report.work import Work, work_of
from statsclaw.workspace.layout import RunFolder

#: The parts before the lines of the log, in their order: name of the template, title.
PARTS = {
    "asked": "What was asked",
    "understood": "What was understood",
    "demanded": "What the source demands",
    "checked": "Criteria and their verdicts",
    "study": "The study",
    "decided": "What a person decided",
    "ran": "What the engine ran",
    "reviewed": "What the review found",
    "built": "Files, and what was sent back",
    "seen": "Who saw what",
    "cost": "Who worked, and what it cost",
    "provenance": "Where this comes from",
}
#: Folded on the screen; on paper these are open, and of the others there is the title.
PRINTED = ("demanded", "checked", "decided", "reviewed")
#: The reviewer's document is read here rather than in its file, so more of it is shown than of other texts.
_LONGEST_DOCUMENT = 30_000
#: What no template lets through; more than any of them asks for, so that nothing is cut twice.
_LONGEST_PRINTED = 2 * _LONGEST_DOCUMENT


@dataclass(frozen=True)
class Facts:
    """Everything that a report says about a run, each part computed once."""

    ledger: Ledger

    @cached_property
    def outcome(self) -> Outcome:
        return outcome_of(self.ledger)

    @cached_property
    def understanding(self) -> Understanding:
        return understanding_of(self.ledger)

    @cached_property
    def demand(self) -> Demand:
        return demand_of(self.ledger)

    @cached_property
    def checking(self) -> Checking:
        return checking_of(self.ledger)

    @cached_property
    def study(self) -> StudyPart | None:
        return study_of(self.ledger)

    @cached_property
    def decisions(self) -> Decisions:
        return decisions_of(self.ledger)

    @cached_property
    def reviewed(self) -> Reviewed:
        return reviewed_of(self.ledger)

    @cached_property
    def work(self) -> Work:
        return work_of(self.ledger)

    @cached_property
    def first(self) -> FirstScreen:
        return first_of(self.ledger, self.checking, self.decisions, self.demand, self.understanding, self.study)

    @property
    def named(self) -> dict[str, object]:
        """By the names that the templates have for them."""
        return {
            "asked": self.ledger.view.head,
            "view": self.ledger.view,
            "o": self.outcome,
            "u": self.understanding,
            "d": self.demand,
            "c": self.checking,
            "s": self.study,
            "a": self.decisions,
            "r": self.reviewed,
            "w": self.work,
            "f": self.first,
            "longest": _LONGEST_DOCUMENT,
        }


def render_page(folder: RunFolder) -> str:
    facts = Facts(read_ledger(folder))
    cited, named = Cited(len(facts.ledger.records)), facts.named
    parts = {name: html for name in PARTS if (html := _render(name, cited, **named)).strip()}
    first = _render("first", cited, parts=parts, **named)
    lines = entries(facts.ledger, cited.seqs)
    page = _render(
        "page",
        cited,
        css=_css(),
        first=first,
        parts=[(name, PARTS[name], _gist(name, facts), name in PRINTED, html) for name, html in parts.items()],
        evidence=_render("evidence", cited, entries=lines),
        entries=len(lines),
        o=facts.outcome,
    )
    return str(page)


def _gist(name: str, facts: Facts) -> str:
    """What a folded part holds, in a line."""
    match name:
        case "understood":
            rows = facts.understanding.comprehension
            return count(len(rows.equations), "equation") if rows else ""
        case "demanded":
            return "; ".join(facts.demand.lines)
        case "checked":
            return facts.first.tally or count(facts.first.frozen, "criterion", "criteria")
        case "study":
            return facts.study.made + " replications in each cell" if facts.study else ""
        case "decided":
            return count(len(facts.decisions.questions), "question")
        case "ran":
            return count(sum(len(row.rows) for row in facts.checking.verifications), "command")
        case "reviewed":
            return facts.reviewed.verdict
        case "built":
            return count(sum(len(role.rows) for role in facts.work.files), "file")
        case "cost":
            return count(len(facts.work.dispatches), "piece of work", "pieces of work")
        case "provenance":
            return "the log verifies" if facts.outcome.intact else "the log does not verify"
        case _:
            return ""


def _render(name: str, cited: Cited, **values: object) -> Markup:
    return Markup(_environment().get_template(f"{name}.html").render(at=cited.link, **values))


def _css() -> Markup:
    return Markup(files(__package__).joinpath("templates", "page.css").read_text(encoding="utf-8"))


@cache
def _environment() -> Environment:
    """Everything that a template prints is escaped, and first cleaned and cut: no template can forget it."""
    env = Environment(
        loader=PackageLoader(__package__, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printed,
    )
    env.filters |= {"line": one_line, "short": shortened, "figure": number, "duration": duration}
    env.globals["count"] = count
    return env


def _printed(value: object) -> object:
    return value if isinstance(value, Markup | int) else shortened(str(value), _LONGEST_PRINTED)
