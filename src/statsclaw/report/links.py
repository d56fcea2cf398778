"""Links from a figure to the line of the log it comes from. What was linked to is listed at the end of the page."""

from __future__ import annotations

from markupsafe import Markup, escape

from statsclaw.report.wording import one_line

_LONGEST = 1_500


class Cited:
    """The lines of a log that a page refers to. `known`: how many lines there are."""

    def __init__(self, known: int) -> None:
        self.known = known
        self.seqs: set[int] = set()

    def link(self, seq: int, text: object) -> Markup:
        """`text`, leading to line `seq`. What comes from no line of the log (0) stays bare."""
        shown = escape(one_line(text, _LONGEST))
        if not 1 <= seq <= self.known:
            return Markup("<span>{}</span>").format(shown)
        self.seqs.add(seq)
        return Markup('<a class="n" href="#event-{}">{}</a>').format(seq, shown)
