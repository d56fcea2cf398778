"""Documents are Markdown templates beside the code that fills them; a missing variable is an error."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from jinja2 import Environment, StrictUndefined, Template

#: What Markdown would act on: tags, characters written as entities, pictures, links and their definitions.
_ACTIVE = re.compile(r"<(?=[A-Za-z/!?])|&(?=#?\w+;)|(?<=!)\[|(?<=\])[(:]")
_INERT = {"<": "&lt;", "&": "&amp;"}


def inert(text: str) -> str:
    """Words of somebody else as words: nothing in them is a tag, a picture or a link."""
    return _ACTIVE.sub(lambda found: _INERT.get(found[0], f"\\{found[0]}"), text)


def cell(text: object) -> str:
    """Words of somebody else that stay inside one cell of a Markdown table."""
    line = re.sub(r"\s+", " ", inert(str(text)))
    return re.sub(r"(\\*)\|", lambda found: f"{2 * found[1]}\\|", line)


def fenced(text: str, language: str = "text") -> str:
    """Text by somebody else, in a fence longer than any run of backticks inside: nothing in it ends the fence."""
    mark = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    return f"{mark}{language}\n{text.rstrip()}\n{mark}"


#: A document is text: words of agents and packages may hold anything. Line ends of either kind stay.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")


def without_control(text: str) -> str:
    """Text with nothing in it that a terminal would obey, or that would show letters in another order."""
    return _CONTROL.sub("�", text)


@cache
def _template(package: str, name: str) -> Template:
    env = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False
    )
    env.filters |= {"cell": cell, "fenced": fenced, "inert": inert}
    return env.from_string(files(package).joinpath(name).read_text(encoding="utf-8"))


def render(package: str, name: str, **values: object) -> str:
    return without_control(_template(package, name).render(**values))
