"""LaTeX: equations with the numbers LaTeX would give them, algorithms, tables and stated criteria."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from statsclaw.sources import latex_parts as parts
from statsclaw.sources.criteria import LOWEST, Line, criteria_in, speaks_of_criteria
from statsclaw.sources.displays import HEADINGS, ROWS, Display, DisplayScanner, Event, Row, rows_of, trailing_number
from statsclaw.sources.index import Algorithm, Equation, Extracted, StatedCriterion, Table
from statsclaw.sources.latex_counters import LEVELS, counters_for
from statsclaw.sources.latex_files import Joined, join_files
from statsclaw.sources.latex_lines import prose_lines
from statsclaw.sources.latex_macros import take_macros
from statsclaw.sources.latex_scan import braces_of
from statsclaw.sources.markdown import read_markdown
from statsclaw.sources.readable import readable
from statsclaw.sources.refs import distinct, equation_ref
from statsclaw.sources.symbols import symbols_of

_MOST_EQUATIONS = 5_000
_DEEPEST = 60
_RANKS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
_LONGEST_SECTION = 200_000
_MOST_HEADINGS = 5_000
_TITLE = re.compile(r"\s{0,20}(?:\[[^\[\]]{0,400}\])?\s{0,20}(?=\{)")
_GROUPS = re.compile(
    r"\s{0,9}\{?\s{0,9}\\?([A-Za-z@]{1,40})\s{0,9}\}?\s{0,9}\{([^{}]{0,200}(?:\{[^{}]{0,60}\}[^{}]{0,60}){0,5})\}"
)
_BOLD_HEADING = re.compile(r"^[ \t]{0,20}(?:\\noindent\s?)?\\textbf\s?\{([^{}\n]{1,200})\}", re.MULTILINE)


def read_latex(name: str, text: str, others: Mapping[str, bytes]) -> tuple[Extracted, frozenset[str]]:
    """What the document holds, and the names of the files that its \\input and \\include commands took in."""
    joined = join_files(name, text, others)
    document = _Document(name, joined)
    document.walk()
    document.read_passages()
    return document.result(), frozenset(joined.taken_in)


@dataclass
class _Document:
    name: str
    joined: Joined
    equations: list[Equation] = field(default_factory=list)
    algorithms: list[Algorithm] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    criteria: list[StatedCriterion] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.closing = braces_of(self.joined.text)
        self.macros, self.text = take_macros(self.joined.text, self.closing)
        self.counters = counters_for(self.text)
        self.open: list[tuple[str, int, int]] = []
        self.spans: list[parts.Span] = []
        self.headings: list[tuple[int, int, str, int]] = []
        self.float_numbers: dict[int, str] = {}
        self.too_many = False

    def walk(self) -> None:
        scanner = DisplayScanner(self.text, self.macros.edges, self.macros.environments)
        for one in scanner.scan():
            if isinstance(one, Display):
                self._display(one)
            elif one.environment:
                self._environment(one)
            else:
                self._command(one)
        self.too_many |= scanner.full
        for environment, start in scanner.unclosed[:20]:
            file, line = self.joined.place(start)
            self.said.append(f"{environment} is opened in {file}:{line} and not closed; it was not read as an equation")
        self._parts()
        self._criteria()

    # --- equations

    def _display(self, display: Display) -> None:
        body = self.text[display.first : display.last]
        if re.search(r"#\d", body):
            return  # the body of a definition that could not be read as one
        starred = display.environment.endswith("*") or display.environment in ("$$", "\\[", "displaymath")
        for row in rows_of(self.text, display, split=display.base in ROWS):
            self._row(display, row, starred=starred)

    def _row(self, display: Display, row: Row, *, starred: bool) -> None:
        number, text = row.number, row.text
        if number is None and not starred and not row.silent:
            self.counters.step("equation")
            number = self.counters.the("equation")
        elif number is None and display.environment in ("$$", "\\["):
            text, number = trailing_number(text)
        if not text or len(self.equations) >= _MOST_EQUATIONS:
            self.too_many |= bool(text)
            return
        file, line = self.joined.place(min(row.start, display.last) if display.base in ROWS else display.start)
        numbered = number is not None or row.label is not None
        ref = equation_ref(self.name, number, row.label, f"{file}@{line}")
        symbols = symbols_of(self.macros.expand(text))
        self.equations.append(Equation(ref, file, text, numbered, line, None, number, row.label, symbols))

    # --- what changes the numbers, and what is read afterwards

    def _environment(self, event: Event) -> None:
        name = event.environment
        if name == "subequations" and event.word == "begin" and not self.counters.in_subequations:
            self.counters.begin_subequations()
        elif name == "subequations" and event.word == "end":
            self.counters.end_subequations()
        elif event.word == "begin":
            if len(self.open) < _DEEPEST:
                self.open.append((name, event.start, event.end))
        else:
            for depth in range(len(self.open) - 1, -1, -1):
                if self.open[depth][0] == name:
                    _name, start, first = self.open[depth]
                    del self.open[depth:]
                    self._keep(name, start, first, event.start)
                    break

    def _keep(self, name: str, start: int, first: int, last: int) -> None:
        if name in parts.ALGORITHMS | parts.STEPS | parts.TABLES | parts.CELLS and len(self.spans) < 2_000:
            self.spans.append(parts.Span(name, start, self.text[first:last][:100_000]))

    def _command(self, event: Event) -> None:
        word = event.word
        if word in HEADINGS:
            self._heading(event)
        elif word == "appendix":
            self.counters.appendix()
        elif word == "caption":
            self._caption()
        elif word in (
            "numberwithin",
            "counterwithin",
            "setcounter",
            "addtocounter",
            "renewcommand",
            "def",
            "@addtoreset",
        ):
            self._counter(word, event.end)

    def _caption(self) -> None:
        """Floats are numbered by their captions."""
        for name, start, _first in reversed(self.open):
            kind = "table" if name in parts.TABLES else "algorithm" if name in parts.ALGORITHMS else ""
            if kind and start not in self.float_numbers:
                self.counters.step(kind)
                self.float_numbers[start] = self.counters.the(kind)
            if kind:
                break

    def _heading(self, event: Event) -> None:
        opened = _TITLE.match(self.text, event.end)
        if len(self.headings) >= _MOST_HEADINGS:
            return
        start = opened.end() if opened else event.end
        end = self.closing[start] if opened else 0
        title = readable(self.text[start + 1 : end]) if end else ""
        self.headings.append((event.start, max(end, event.end), title, 1 + _RANKS.index(event.word.rstrip("*"))))
        if event.word in LEVELS and not self.text.startswith("*", event.end - 1):
            self.counters.step(event.word)

    def _counter(self, word: str, position: int) -> None:
        match = _GROUPS.match(self.text, position)
        if not match:
            return
        name, value = match[1], match[2].strip()
        if word in ("numberwithin", "counterwithin") and name == "equation" and value in LEVELS:
            self.counters.number_within(value)
        elif word == "@addtoreset" and name == "equation" and value in LEVELS:
            self.counters.within = value
        elif word in ("setcounter", "addtocounter") and re.fullmatch(r"-?\d{1,6}", value):
            before = self.counters.values.get(name, 0) if word == "addtocounter" else 0
            self.counters.values[name] = before + int(value)
        elif name.startswith("the") and word in ("renewcommand", "def"):
            self.counters.formats[name.removeprefix("the")] = value

    # --- algorithms, tables, criteria

    def _parts(self) -> None:
        inside = 0
        for span in sorted(self.spans, key=lambda span: span.start):
            file, line = self.joined.place(span.start)
            within, inside = span.start < inside, max(inside, span.start + len(span.content))
            if span.name in parts.ALGORITHMS or (span.name in parts.STEPS and not within):
                self._algorithm(span, file, line)
            elif span.name in parts.TABLES or (span.name in parts.CELLS and not within):
                self._table(span, file, line)

    def _algorithm(self, span: parts.Span, file: str, line: int) -> None:
        number = self.float_numbers.get(span.start)
        ref = f"{self.name} Algorithm {number}" if number else f"{file} algorithm@{line}"
        title = parts.caption_of(span.content)
        self.algorithms.append(Algorithm(ref, file, title, parts.steps_of(span.content), line))

    def _table(self, span: parts.Span, file: str, line: int) -> None:
        caption = parts.caption_of(span.content)
        number = self.float_numbers.get(span.start)
        ref = f"{self.name} Table {number}" if number else f"{file} table@{line}"
        opened = re.search(r"\\begin\s{0,9}\{(?:tabular\w?\*?)\}", span.content)
        content = span.content[opened.end() :] if opened else span.content
        closed = content.find("\\end{tabular")
        rows = parts.cells_of(content[:closed] if closed >= 0 else content)
        self.tables.append(Table(ref, file, caption, rows, line))

    def _criteria(self) -> None:
        """All sections, each below its heading or line in bold."""
        marks = self.headings + [
            (bold.start(), bold.end(), readable(bold[1]), LOWEST) for bold in self._bold_headings()
        ]
        marks.sort()
        first, *ends = [*(mark[0] for mark in marks), len(self.text)]
        lines = list(prose_lines(self.text, 0, min(first, _LONGEST_SECTION), self.joined.place))
        for (start, end, title, level), following in zip(marks, ends, strict=True):
            lines.append(Line(self.joined.place(start)[1], title, level))
            lines += prose_lines(self.text, end + 1, min(following, end + _LONGEST_SECTION), self.joined.place)
        for found in criteria_in(self.name, lines):
            self.criteria.append(replace(found, text=readable(found.text)))

    def _bold_headings(self) -> list[re.Match[str]]:
        return [match for match in _BOLD_HEADING.finditer(self.text) if speaks_of_criteria(match[1])]

    # --- Markdown in the LaTeX, and the end

    def read_passages(self) -> None:
        for file, passage in self.joined.passages[:50]:
            found = read_markdown(self.name, "\n" * (passage.line - 1) + passage.text)
            self.equations += found.equations
            self.algorithms += found.algorithms
            self.tables += found.tables
            self.criteria += found.criteria
            self.said += [f"{file}: {sentence}" for sentence in found.not_extracted]

    def result(self) -> Extracted:
        equations, same_equations = distinct(self.equations)
        algorithms, same_algorithms = distinct(self.algorithms)
        tables, same_tables = distinct(self.tables)
        criteria, same_criteria = distinct(self.criteria)
        said = [*self.joined.said, *self.said, *same_equations, *same_algorithms, *same_tables, *same_criteria]
        if self.too_many:
            said.append(f"there are more than {_MOST_EQUATIONS:,} displayed equations; the rest was not read")
        if self.macros.overflows:
            said.append("commands of the author expand without end; symbols were taken from the text as written")
        return Extracted(
            self.name, "", "latex", self.joined.text, equations, algorithms, tables, criteria, (), tuple(said[:60])
        )
