"""The comprehension gate: is everything in the sources accounted for, and does what was read hold together?

Checked by computation: names and hashes of sources, equations and references, executable definitions, symbols, declared
dimensions, ranges of stated criteria. Not checked here: whether an equation is read rightly; two readings show that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations

from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.runlog.findings import finding
from statsclaw.sources.index import Equation, Extracted, Index
from statsclaw.sources.quotation import words_in
from statsclaw.specs.comprehension import Comprehension
from statsclaw.specs.contract import COMPREHENSION
from statsclaw.specs.dimensions import dimension_findings
from statsclaw.specs.readings.equation_names import Named
from statsclaw.specs.readings.notation import USUAL, Symbol, symbols_in
from statsclaw.specs.readings.stated import demand_of
from statsclaw.words import one_line

_LONGEST_TEXT = 300


def comprehension_findings(comprehension: Comprehension, index: Index, hashes: Mapping[str, str]) -> list[Finding]:
    """`hashes`: name and sha256 of every source the run really has. Errors come first."""
    found = [
        *_verdict(comprehension),
        *_sources(comprehension, hashes),
        *_equations(comprehension, index),
        *_references(comprehension, index),
        *_quotations(comprehension, index),
        *_symbols(comprehension, index),
        *dimension_findings(comprehension),
        *_stated(index),
        *_choices(comprehension),
        *_assumptions(comprehension),
        *_followed(comprehension),
    ]
    rank: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}
    unique = {(finding.key, finding.message): finding for finding in found}
    return sorted(unique.values(), key=lambda finding: rank[finding.severity])


def _finding(severity: Severity, message: str, key: str, where: str = COMPREHENSION) -> Finding:
    return finding("comprehension", severity, message, where, "planner", key, longest=4_000)


def _verdict(comprehension: Comprehension) -> Iterator[Finding]:
    if comprehension.verdict == "partial":
        questions = " ".join(_short(question) for question in comprehension.questions)
        yield _finding(
            "error", f"the sources are understood only in part; to be answered by a person: {questions}", "partial"
        )


def _sources(comprehension: Comprehension, hashes: Mapping[str, str]) -> Iterator[Finding]:
    read = {source.name: source.sha256 for source in comprehension.sources}
    times = Counter(source.name for source in comprehension.sources)
    for name in sorted(hashes):
        if name not in read:
            yield _finding("error", f"the source {name} was not read", f"source-not-read:{name}")
        elif times[name] > 1:
            yield _finding("error", f"the source {name} is listed {times[name]} times", f"source-twice:{name}")
        elif read[name] != hashes[name]:
            text = (
                f"{name} was read in another version: sha256 {read[name][:12]}…, but the run has {hashes[name][:12]}…"
            )
            yield _finding("error", text, f"source-hash:{name}")
    for name in read:
        if name not in hashes:
            yield _finding("error", f"{_short(name)} is not a source of this run", f"source-unknown:{name}")


def _equations(comprehension: Comprehension, index: Index) -> Iterator[Finding]:
    names = Named(index)
    restated = _meant(names, (row.ref for row in comprehension.equations))
    computed = _meant(names, (row.ref for row in comprehension.definitions))
    excused = _meant(names, comprehension.not_computed)
    times = Counter(equation.ref for equation in index.equations)
    for equation in index.equations:
        where = f"{equation.source}:{equation.line}" if equation.line else equation.ref
        line = f"{equation.source}@{equation.line}"
        name = equation.ref if times[equation.ref] == 1 else line
        if equation not in restated:
            severity: Severity = "error" if equation.numbered else "warning"
            yield _finding(severity, f"{name} is not accounted for: {_short(equation.text)}", f"equation:{name}", where)
        elif equation.numbered and equation not in computed and equation not in excused:
            text = f"{name} has neither an executable definition nor a reason why not: {_short(equation.text)}"
            yield _finding("error", text, f"not-computed:{name}", where)
        if times[equation.ref] > 1:
            text = f"{times[equation.ref]} equations are called {equation.ref}; this one is also called {line}"
            yield _finding("warning", text, f"equation-name:{line}", where)


def _meant(names: Named, refs: Iterator[str] | Mapping[str, str]) -> set[Equation]:
    return {equation for ref in refs if (equation := names.get(ref)) is not None}


def _references(comprehension: Comprehension, index: Index) -> Iterator[Finding]:
    """A reference into a PDF may be to what no program could extract from it, so it is only doubted."""
    names = Named(index)
    others = {_squeezed(ref) for source in index.sources for ref in _other_refs(source)}
    unread = tuple(source.name for source in index.sources if source.kind == "pdf" and source.not_extracted)
    refs = [row.ref for row in comprehension.equations] + [row.ref for row in comprehension.definitions]
    quoted = {row.ref for row in comprehension.definitions if row.quote is not None}
    whole = {source.name for source in index.sources}
    for ref in dict.fromkeys([*refs, *comprehension.not_computed]):
        if ref in whole & quoted:
            continue
        if ref in whole:
            text = f"{_short(ref)} is a source, not an equation: quote the words that define it (quote)"
            yield _finding("error", text, f"reference:{_short(ref)}")
        elif names.get(ref) is None and _squeezed(ref) not in others:
            doubted = bool(unread) and ref.startswith(unread)
            text = f"{_short(ref)} is in no source" + (" as far as it could be extracted" if doubted else "")
            yield _finding("warning" if doubted else "error", text, f"reference:{_short(ref)}")


def _quotations(comprehension: Comprehension, index: Index) -> Iterator[Finding]:
    """A quotation stands in its source. Where no program could read all of the source, it is only doubted."""
    sources = {source.name: source for source in index.sources}
    for row in comprehension.definitions:
        source = sources.get(row.ref)
        if row.quote is None or (source is None and Named(index).get(row.ref) is None):
            continue
        key, said = f"quote:{row.function}", f"{row.function}: “{_short(row.quote)}”"
        if source is None:
            yield _finding("warning", f"{said} is not looked up: {_short(row.ref)} says where it stands", key)
            continue
        numbered = [e for e in source.equations if e.numbered and words_in(row.quote, e.text) is not None]
        if numbered:
            text = f"{said} is the equation {numbered[0].ref}: name it (ref) instead of quoting it"
            yield _finding("error", text, key)
        elif words_in(row.quote, source.text) is None:
            doubted = not source.text or (source.kind == "pdf" and bool(source.not_extracted))
            text = f"{said}: these words are not in {row.ref}" + (" as far as it could be extracted" if doubted else "")
            yield _finding("warning" if doubted else "error", text, key)


def _other_refs(source: Extracted) -> Iterator[str]:
    yield from (part.ref for part in source.algorithms)
    yield from (part.ref for part in source.tables)
    yield from (part.ref for part in source.criteria)
    yield from (part.ref for part in source.functions)


def _symbols(comprehension: Comprehension, index: Index) -> Iterator[Finding]:
    defined = {symbol for row in comprehension.symbols for symbol in symbols_in(row.symbol)}
    known = {(symbol.base, symbol.decorations) for symbol in defined}
    seen: set[tuple[str, frozenset[str]]] = set()
    for equation in index.equations:
        for text in equation.symbols[:200]:
            for symbol in symbols_in(text)[:1]:
                if (symbol.base, symbol.decorations) not in known | seen:
                    seen.add((symbol.base, symbol.decorations))
                    yield _undefined(symbol, text, equation, known)


def _undefined(symbol: Symbol, text: str, equation: Equation, known: set[tuple[str, frozenset[str]]]) -> Finding:
    marks = "-".join(sorted(symbol.decorations))
    key = f"symbol:{symbol.base}-{marks}" if marks else f"symbol:{symbol.base}"
    if symbol.decorations and symbol.decorations <= USUAL and (symbol.base, frozenset()) in known:
        return _finding("note", f"{text} in {equation.ref} is defined only without its {marks}", key, equation.ref)
    return _finding("warning", f"{text} in {equation.ref} is not defined", key, equation.ref)


def _stated(index: Index) -> Iterator[Finding]:
    for row in index.criteria:
        where = f"{row.source}:{row.line}" if row.line else row.ref
        yield _finding("note", f"{row.ref} is demanded: {_short(row.text)}", f"stated:{row.ref}", where)
    demands = [(row, demand) for row in index.criteria[:200] if (demand := demand_of(row.text)) is not None]
    for (one, first), (other, second) in combinations(demands, 2):
        if first.contradicts(second):
            text = f"{one.ref} and {other.ref} cannot both be met: {_short(one.text)} / {_short(other.text)}"
            yield _finding("warning", text, f"stated-conflict:{one.ref}:{other.ref}", one.ref)


def _choices(comprehension: Comprehension) -> Iterator[Finding]:
    for choice in comprehension.open_choices:
        text = f"nobody has decided {choice.id} ({choice.changes}): {_short(choice.question)}"
        yield _finding("note", text, f"undecided:{choice.id}")


def _assumptions(comprehension: Comprehension) -> Iterator[Finding]:
    """What is assumed without a source says what else could be meant, so that it can be tried."""
    rows = [row.text for row in comprehension.assumptions if not (row.stated or row.otherwise or row.why_not)]
    if rows:
        told = "; ".join(f"{number}. {_short(text)}" for number, text in enumerate(rows, start=1))
        how = "say what else could be meant (otherwise), or why nothing else can (why_not)"
        yield _finding("warning", f"assumed without a source and not tried; {how}: {told}", "assumed")


def _followed(comprehension: Comprehension) -> Iterator[Finding]:
    choices = {choice.id: choice for choice in comprehension.choices}
    for row in comprehension.definitions:
        for name in row.follows:
            if choices[name].decided_by == "planner":
                text = f"{row.function} follows {name}, which you decided: results hang on it, and the person is asked"
                yield _finding("note", text, f"follows:{row.function}")


def _squeezed(ref: str) -> str:
    return "".join(ref.split())


def _short(text: str) -> str:
    return one_line(text, _LONGEST_TEXT)
