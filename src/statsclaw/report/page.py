"""The page: its parts are rendered first, then the evidence that they have referred to."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from statsclaw.report.checking import checking_of
from statsclaw.report.decisions import decisions_of
from statsclaw.report.evidence import entries
from statsclaw.report.ledger import Ledger, read_ledger
from statsclaw.report.links import Cited
from statsclaw.report.outcome import outcome_of
from statsclaw.report.reviewed import reviewed_of
from statsclaw.report.study import study_of
from statsclaw.report.understanding import understanding_of
from statsclaw.report.wording import count, duration, number, one_line, shortened
from statsclaw.report.work import work_of
from statsclaw.workspace.layout import RunFolder

#: The parts before the evidence, in their order: name of the template, title.
PARTS = {
    "asked": "What was asked",
    "understood": "What was understood",
    "decided": "What a person decided",
    "built": "What was built",
    "checked": "What was checked",
    "study": "The study",
    "reviewed": "What the review found",
}
#: The reviewer's document is read here rather than in its file, so more of it is shown than of other texts.
_LONGEST_DOCUMENT = 30_000
#: What no template lets through; more than any of them asks for, so that nothing is cut twice.
_LONGEST_PRINTED = 2 * _LONGEST_DOCUMENT


def render_page(folder: RunFolder) -> str:
    ledger = read_ledger(folder)
    cited = Cited(len(ledger.records))
    parts = [
        (name, title, Markup(html))
        for name, title in PARTS.items()
        if (html := _render(name, cited, **_values(name, ledger))).strip()
    ]
    evidence = _render("evidence", cited, entries=entries(ledger, cited.seqs))
    return _render("page", cited, css=_css(), o=outcome_of(ledger), parts=parts, evidence=Markup(evidence))


def _values(name: str, ledger: Ledger) -> dict[str, object]:
    match name:
        case "asked":
            return {"asked": ledger.view.head, "view": ledger.view}
        case "understood":
            return {"u": understanding_of(ledger)}
        case "decided":
            return {"d": decisions_of(ledger)}
        case "built":
            return {"w": work_of(ledger)}
        case "checked":
            return {"c": checking_of(ledger)}
        case "study":
            return {"s": study_of(ledger)}
        case _:
            return {"r": reviewed_of(ledger), "longest": _LONGEST_DOCUMENT}


def _render(name: str, cited: Cited, **values: object) -> str:
    return _environment().get_template(f"{name}.html").render(at=cited.link, **values)


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
