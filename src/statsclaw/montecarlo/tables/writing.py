"""A table as text. Names of others are escaped for the language that they stand in, and stay on one line."""

from __future__ import annotations

import csv
import io
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from statsclaw.montecarlo.metrics.rendering import latex as escaped_for_latex
from statsclaw.montecarlo.tables.content import Entry, PaperTable
from statsclaw.words import one_line

FORMATS = ("latex", "html", "markdown", "csv")
_TEX_ONLY = {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "†": r"\textsuperscript{\dag}",
             "−": "$-$"}  # fmt: skip
#: What LaTeX sets with its own fonts and the encoding T1; all else needs XeLaTeX or LuaLaTeX and a font.
_LATIN_ENDS = 0x180
_MARKDOWN = r"\`*_{}[]<>#|~$"


def write_table(table: PaperTable, format: str) -> str:
    """ "latex", "html" (a page of its own), "markdown" or "csv" (values and errors in columns of their own)."""
    if format not in FORMATS:
        raise ValueError(f"there is no format {format!r}: one of {', '.join(FORMATS)}")
    if format == "csv":
        return _csv(table)
    suffix = {"latex": "table.tex", "html": "page.html", "markdown": "table.md"}[format]
    foreign = sorted({one for one in _all_text(table) if ord(one) >= _LATIN_ENDS and one not in "†−–"})
    return _environment(format).get_template(suffix).render(t=table, foreign="".join(foreign)) + "\n"


def html_fragment(table: PaperTable) -> str:
    """The table alone, for a page that has the styles."""
    return _environment("html").get_template("table.html").render(t=table)


def _all_text(table: PaperTable) -> str:
    names = [name for line in table.lines for name in line.names]
    return "".join([table.title, *table.stub, *(title for title, _ in table.spans), *table.heads, *names, *table.notes])


def _tex(text: str) -> str:
    escaped = escaped_for_latex(one_line(text))
    return "".join(_TEX_ONLY.get(one, one) for one in escaped)


def _markdown(text: str) -> str:
    return "".join(f"\\{one}" if one in _MARKDOWN else one for one in one_line(text))


def _plain(entry: Entry) -> str:
    error = f" ({entry.error})" if entry.error else ""
    return f"{entry.value.replace('-', '−')}{error}{'†' if entry.failed else ''}"


def _csv(table: PaperTable) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    over = [title for title, span in table.spans for _ in range(span)] or [""] * len(table.heads)
    heads = [f"{title} {head}".strip() for title, head in zip(over, table.heads, strict=True)]
    versions = [
        ", ".join(dict.fromkeys(filter(None, (each.versions for each in line.entries)))) for line in table.lines
    ]
    mixed = len({*versions, ""}) > 2 or any("," in each for each in versions)
    last = ["Versions"] if mixed else []
    writer.writerow([*table.stub, *(name for head in heads for name in (head, f"{head} MCSE")), *last])
    for line, of in zip(table.lines, versions, strict=True):
        values = [part for entry in line.entries for part in (entry.value.replace("–", ""), entry.error)]
        writer.writerow([*line.names, *values, *([of] if mixed else [])])
    return out.getvalue()


@cache
def _environment(format: str) -> Environment:
    marks: dict[str, Any] = (
        {"variable_start_string": "<<", "variable_end_string": ">>", "block_start_string": "<%",
         "block_end_string": "%>", "comment_start_string": "<#", "comment_end_string": "#>"}
        if format == "latex"
        else {}
    )  # fmt: skip
    env = Environment(
        loader=PackageLoader("statsclaw.montecarlo.tables", "templates"), undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, autoescape=format == "html", **marks,
    )  # fmt: skip
    env.filters |= {"tex": _tex, "md": _markdown, "line": one_line, "entry": _plain}
    return env
