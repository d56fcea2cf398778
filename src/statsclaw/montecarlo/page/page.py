"""The page as text: everything that a template prints is escaped, nothing in it runs or is loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from statsclaw import __version__
from statsclaw.montecarlo.design import Study
from statsclaw.montecarlo.figures import Theme
from statsclaw.montecarlo.page.content import study_page
from statsclaw.montecarlo.storage.results import Results
from statsclaw.montecarlo.tables.writing import html_fragment
from statsclaw.templates import without_control


def render_study_page(
    study: Study, results: Results, *, theme: Theme | None = None, note: Callable[[str], None] | None = None
) -> str:
    """One HTML file: design, verdicts, figures, table, failures, environment, how to run it again."""
    page = study_page(study, results, theme=theme, note=note)
    table = Markup(html_fragment(page.table)) if page.table is not None else None
    return without_control(_environment().get_template("study.html").render(p=page, table=table, version=__version__))


@cache
def _environment() -> Environment:
    return Environment(
        loader=ChoiceLoader(
            [PackageLoader("statsclaw.montecarlo", f"{part}/templates") for part in ("page", "tables")]
        ), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
