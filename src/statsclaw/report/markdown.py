"""The short form of a report, to be pasted into a pull request or an e-mail: the first screen and the criteria."""

from __future__ import annotations

import re
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from statsclaw.report.ledger import read_ledger
from statsclaw.report.page import Facts
from statsclaw.report.wording import count, number, one_line
from statsclaw.workspace.layout import RunFolder

#: More criteria than this are folded where the reader of Markdown can fold.
_MOST_ROWS = 30
#: What Markdown would act on anywhere, at the beginning of a text, and in an address.
_ACTIVE = re.compile(r"[\\`*_{}\[\]|~$]|^[#+\-=](?=[\s#=-]|$)|(?<=^\d)[.)](?=\s|$)|(?<=:)/(?=/)|(?<=\bwww)\.")
#: What a forge would act on: it would notify @somebody, and close issue #12.
_CALLS = re.compile(r"[@#](?=\w)")


def render_markdown(folder: RunFolder) -> str:
    facts = Facts(read_ledger(folder))
    text = _environment().get_template("report.md").render(**facts.named, most_rows=_MOST_ROWS)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def inert(text: str) -> str:
    """Words of somebody else, on one line, as words: no tag, link, heading, table, mention or picture in them."""
    plain = one_line(text, 1_000).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    escaped = _ACTIVE.sub(lambda found: f"\\{found[0]}", plain)
    return _CALLS.sub(lambda found: f"{found[0]}<!-- -->", escaped)


@cache
def _environment() -> Environment:
    """Everything that the template prints is made inert: it cannot forget it."""
    env = Environment(
        loader=PackageLoader(__package__, "templates"),
        autoescape=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value if isinstance(value, int) else inert(str(value)),
    )
    env.filters |= {"line": one_line, "figure": number}
    env.globals["count"] = count
    return env
