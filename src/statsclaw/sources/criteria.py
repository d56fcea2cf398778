"""Criteria that prose states: named or numbered items and rows of tables, below words that speak of criteria."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from statsclaw.sources.criteria_labels import Kind, Label, follows, in_sequence, label_of, names_after
from statsclaw.sources.criteria_scope import Scope, begins_with, demands, ends_with, says, scope_after, scope_of
from statsclaw.sources.index import StatedCriterion

_MOST = 500
_LONGEST = 2_000
#: A line in bold, or a few words that end in a colon, is a heading below all others.
LOWEST = 9


@dataclass(frozen=True, slots=True)
class Line:
    """One line of prose. `level`: of a heading, 1 for the highest; 0: no heading. `cells`: of a row of a table."""

    number: int
    text: str
    level: int = 0
    cells: tuple[str, ...] = ()
    file: str = ""


def speaks_of_criteria(heading: str) -> bool:
    return scope_of(heading) > Scope.NOTHING


def criteria_in(source: str, lines: Iterable[Line]) -> list[StatedCriterion]:
    """The criteria of a source, in their order.

    A name that comes again is a mention of the first, a number that comes again is another list. Items with neither
    are `criterion-1`, `criterion-2`, so that nothing is lost for want of a name.
    """
    items = [item for item in _Walk().items(lines) if item.text.strip()]
    named = {item.name for item in items if item.name}
    later = {name for item in named for name in names_after(item)}
    kept: dict[str, _Item] = {}
    numbered: list[_Item] = []
    unnamed = 0
    for item in items:
        if item.kind is Kind.BULLET:
            unnamed += 1
            item.name = f"criterion-{unnamed}"
        if item.kind in (Kind.BULLET, Kind.NUMBERED):
            numbered.append(item)
        elif item.kind is Kind.BARE and item.name not in later and named.isdisjoint(names_after(item.name)):
            continue
        elif item.name not in kept or (kept[item.name].kind is Kind.BARE and item.kind is Kind.NAMED):
            kept[item.name] = item
    wanted = {id(item) for item in (*kept.values(), *numbered)}
    return [
        StatedCriterion(f"{source} {i.name}", i.line.file or source, i.name, i.text.strip()[:_LONGEST], i.line.number)
        for i in items
        if id(i) in wanted
    ][:_MOST]


@dataclass
class _Item:
    kind: Kind
    name: str
    text: str
    line: Line
    indent: int = 0
    #: False of an item of another list, which only says where that list goes on.
    counts: bool = True


@dataclass
class _Walk:
    """Reads lines one after another. `section`: what headings allow; `scope`: what holds for the list at hand."""

    above: list[tuple[int, Scope]] = field(default_factory=list)
    scope: Scope = Scope.NOTHING
    paragraph: list[str] = field(default_factory=list)
    begun: Line | None = None
    ended: bool = False
    item: _Item | None = None
    last_number: str = ""
    all_ones: bool = True
    table: list[Line] = field(default_factory=list)

    @property
    def section(self) -> Scope:
        return self.above[-1][1] if self.above else Scope.NOTHING

    def items(self, lines: Iterable[Line]) -> Iterator[_Item]:
        for line in lines:
            if line.cells:
                yield from self._close_item()
                self.table.append(line)
                continue
            yield from self._close_table()
            if line.level:
                yield from self._heading(line)
            elif not line.text.strip():
                yield from self._close_item()
                self.ended = True
            else:
                yield from self._text(line)
        yield from self._close_table()
        yield from self._close_item()
        yield from self._close_paragraph()

    def _heading(self, line: Line) -> Iterator[_Item]:
        """Below a heading of its own a part of a section about criteria keeps what has a name."""
        yield from self._close_item()
        yield from self._close_paragraph()
        while self.above and self.above[-1][0] >= line.level:
            self.above.pop()
        inherited = Scope.NOTHING if says("other", line.text) else min(self.section, Scope.NAMES)
        self.above.append((line.level, max(scope_of(line.text), inherited)))
        self.scope, self.last_number, self.all_ones = self.section, "", True

    def _text(self, line: Line) -> Iterator[_Item]:
        stripped = line.text.strip()
        indent = len(line.text) - len(line.text.lstrip())
        label = label_of(stripped)
        if label and self._goes_on(label, indent):
            label = None
        if label:
            yield from self._close_item()
            if self.paragraph:
                yield from self._close_paragraph(before_list=True)
            counts = self._counts(label)
            if counts or label.kind in (Kind.NUMBERED, Kind.BULLET):
                self.item = _Item(label.kind, label.name, label.text, line, indent, counts)
                self._number(label)
                return
        if self.item:
            self.item.text += " " + stripped[: max(0, _LONGEST - len(self.item.text))]
            return
        if self.ended:
            yield from self._close_paragraph()
            if not indent:
                self.scope = self.section
        self.ended = False
        self.begun = self.begun or line
        self.paragraph.append(stripped[:_LONGEST])

    def _goes_on(self, label: Label, indent: int) -> bool:
        """An item inside an item, or a name that the line before speaks of, is no item of its own."""
        inside = self.item is not None and indent > self.item.indent
        if inside and label.kind in (Kind.NUMBERED, Kind.BULLET):
            return True
        before = self.item.text if self.item else " ".join(self.paragraph[-1:]) if not self.ended else ""
        return label.kind in (Kind.NAMED, Kind.BARE) and ends_with("referring", before)

    def _counts(self, label: Label) -> bool:
        match label.kind:
            case Kind.NAMED | Kind.BARE:
                return self.scope >= Scope.NAMES
            case Kind.NUMBERED:
                first = follows(label.name, "")
                return self.scope >= Scope.LISTS and (first or follows(label.name, self.last_number))
            case Kind.BULLET:
                return self.scope >= Scope.ITEMS

    def _number(self, label: Label) -> None:
        """Items that are all written as 1 are counted, as Markdown does it."""
        if label.kind is not Kind.NUMBERED or self.item is None or not self.item.counts:
            return
        if label.name == "1" and self.last_number and self.all_ones:
            self.item.name = str(int(self.last_number) + 1)
        else:
            self.all_ones = label.name == "1"
        self.last_number = self.item.name

    def _close_item(self) -> Iterator[_Item]:
        """What was collected; one text may hold several: A1 … . A2 … ."""
        item, self.item = self.item, None
        if item is None or not item.counts:
            return
        parts = in_sequence(f"({item.name}) {item.text}", names_only=True) if item.name[:1].isupper() else []
        if parts and parts[0][0] == item.name:
            yield from (_Item(Kind.NAMED, name, text, item.line) for name, text in parts)
        else:
            yield item

    def _close_paragraph(self, *, before_list: bool = False) -> Iterator[_Item]:
        text, begun = " ".join(self.paragraph), self.begun
        self.paragraph, self.begun, self.ended = [], None, False
        if before_list:
            self.scope = scope_after(text, self.section)
            if text.endswith(":"):
                self.last_number, self.all_ones = "", True
        demanding = demands(text)
        if begun and (demanding or self.section):
            for name, words in in_sequence(text, names_only=not demanding):
                kind = Kind.NAMED if name[:1].isupper() else Kind.NUMBERED
                yield _Item(kind, name, words, begun)

    def _close_table(self) -> Iterator[_Item]:
        rows, self.table = self.table, []
        if not rows:
            return
        caption = " ".join(self.paragraph)
        yield from self._close_paragraph(before_list=True)
        yield from _of_table(rows, max(self.scope, scope_of(caption) if len(caption) < 200 else Scope.NOTHING))


def _of_table(rows: Sequence[Line], scope: Scope) -> Iterator[_Item]:
    """Rows that begin with a name; where the header says criterion below words about acceptance, every row."""
    header = () if _name_of(rows[0]) else rows[0].cells
    if header and begins_with("another_table", header[0]):
        return
    said = max((scope_of(cell) for cell in header), default=Scope.NOTHING)
    scope = max(scope, min(said, Scope.ITEMS if said is Scope.ITEMS else Scope.NAMES))
    for row in rows[1:] if header else rows:
        name = _name_of(row)
        rest = ", ".join(cell for cell in (row.cells[1:] if name else row.cells) if cell)
        if name and not name.isdigit() and scope >= Scope.NAMES:
            yield _Item(Kind.NAMED, name, rest, row)
        elif said and scope >= (Scope.LISTS if name else Scope.ITEMS):
            yield _Item(Kind.NUMBERED if name else Kind.BULLET, name, rest, row)


def _name_of(row: Line) -> str:
    """Of the first cell: an id, or a number."""
    first = row.cells[0].strip(" *_()[].:")
    label = label_of(f"{first}: x") if len(first) < 12 else None
    return label.name if label and label.kind is Kind.NAMED else first if first.isdigit() else ""
