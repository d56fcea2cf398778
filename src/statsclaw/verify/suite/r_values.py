"""What a piece of R code stands for: numbers and texts, uses of criteria, outputs of the package."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from statsclaw.verify.suite.bookkeeping import METHODS
from statsclaw.verify.suite.names import r_names
from statsclaw.verify.suite.r_code import Call, Code, RTest, Span

_DEEPEST = 5
_MOST_PARTS = 200
_MOST_VALUES = 50
_EPSILON = 2.0**-52


@dataclass(frozen=True, eq=False)
class RUse:
    """`criterion("C1")$close(…)`."""

    ids: tuple[str, ...]
    method: str
    call: Call


def uses_of(test: RTest) -> list[RUse]:
    return [use for call in test.calls if (use := _use(call, test)) is not None]


def _use(call: Call, test: RTest) -> RUse | None:
    """The method of a criterion, also of one under a name: `c <- criterion("C1"); c$close(…)`."""
    if call.receiver < 0:
        return None
    code = call.code
    token = code.tokens[call.receiver]
    makers: list[Call] = []
    if token.text == ")" and token.kind == "close":
        opened = code.partner[call.receiver]
        makers = [row for row in code.calls if row.at == opened - 1 and _makes_a_criterion(row, test)]
    elif token.kind == "name":
        values = values_of(token.text, test, code, call.receiver)
        makers = [row for where, span in values for row in where.within(span) if _makes_a_criterion(row, test)]
    if not makers:
        return None
    ids = [text for row in makers for text in texts(row.code, row.argument(0), test)]
    return RUse(tuple(dict.fromkeys(ids)), call.name, call)


def _makes_a_criterion(call: Call, test: RTest) -> bool:
    if call.name == "criterion":
        return True
    rows = values_of(call.name, test, call.code, call.at)
    return any(code.words(span) == ("ncriterion",) for code, span in rows)


def values_of(name: str, test: RTest, code: Code, at: int) -> list[tuple[Code, Span]]:
    """What a name may hold at a place: assigned before it, handed over as a parameter, or assigned at the top.

    Of what was assigned before, only the last counts, since tests use one name for one thing after another.
    """
    around = sorted(
        (row for here, row in test.reach if here is code and at in row), key=lambda row: row.end - row.start
    )
    for span in around:
        rows = [value for value in code.values.get(name, []) if value.start in span and value.start <= at]
        if rows and name not in code.filled:
            rows = [value for value in rows if at not in value][-1:]
        if rows:
            return [(code, value) for value in rows[-_MOST_VALUES:]]
        if handed := _handed_over(name, test, code, span):
            return handed[:_MOST_VALUES]
    return [(here, value) for here in test.suite.codes for value in here.top_values.get(name, [])]


def _handed_over(name: str, test: RTest, code: Code, span: Span) -> list[tuple[Code, Span]]:
    """What callers within reach give to a parameter of the function that is this span, and its default."""
    names = [known for known, where in code.functions.items() if where == span]
    opened = next((at for at in range(span.start, min(span.start + 4, span.end)) if code.tokens[at].text == "("), -1)
    if not names or opened < 0:
        return []
    rows: list[tuple[Code, Span]] = []
    for number, part in enumerate(code.split(Span(opened + 1, code.partner[opened]))):
        words = [at for at in range(part.start, part.end) if code.tokens[at].kind != "newline"]
        if not words or code.tokens[words[0]].text != name:
            continue
        if len(words) > 2:
            rows.append((code, Span(words[2], part.end)))
        given = [(call.code, call.argument(number, name)) for call in test.calls if call.name in names]
        rows += [(where, value) for where, value in given if value is not None]
    return rows


def texts(code: Code, span: Span | None, test: RTest, depth: int = 0) -> list[str]:
    """Constant texts an expression may be, through names and c(…)."""
    if span is None or depth > _DEEPEST:
        return []
    words = [row for row in code.tokens[span.start : span.end] if row.kind != "newline"]
    if len(words) == 1 and words[0].kind == "text":
        return [words[0].text]
    if len(words) == 1 and words[0].kind == "name":
        rows = values_of(words[0].text, test, code, span.start)
        return [text for where, value in rows[:_MOST_VALUES] for text in texts(where, value, test, depth + 1)]
    return [row.text for row in words if row.kind == "text"] if words and words[0].text == "c" else []


def numbers(code: Code, span: Span | None, test: RTest, depth: int = 0) -> list[float]:
    """Constant numbers an expression may be: a number, also with a sign, 10^-3, or under a name."""
    if span is None or depth > _DEEPEST:
        return []
    words = [row for row in code.tokens[span.start : span.end] if row.kind != "newline"]
    while len(words) > 2 and words[0].text == "(" and words[-1].text == ")":
        words = words[1:-1]
    plain = [row.text for row in words]
    if len(words) == 1 and words[0].kind == "number":
        return _number(plain[0])
    if len(words) == 1 and words[0].kind == "name":
        rows = values_of(plain[0], test, code, span.start)
        return [n for where, value in rows[:_MOST_VALUES] for n in numbers(where, value, test, depth + 1)]
    if len(words) == 2 and plain[0] == "-":
        return [-n for n in _number(plain[1])]
    if plain[:2] == ["10", "^"]:
        exponent = "".join(plain[2:]).strip("()")
        return [10.0**n for n in _number(exponent) if abs(n) < 300]
    if plain[-2:] == ["$", "double.eps"]:
        return [_EPSILON]
    return []


def _number(text: str) -> list[float]:
    try:
        return [float(int(text.rstrip("Li"), 16)) if "x" in text.lower() else float(text.rstrip("Li"))]
    except (ValueError, OverflowError):
        return []


def parts_of(code: Code, span: Span, test: RTest) -> Iterator[tuple[Code, Span]]:
    """An expression and every value that its names may hold, each once."""
    seen: set[tuple[str, Span]] = set()
    queue = [(code, span)]
    while queue and len(seen) < _MOST_PARTS:
        here, part = queue.pop()
        if (here.file, part) in seen:
            continue
        seen.add((here.file, part))
        yield here, part
        names: set[str] = set()
        for at in range(part.start, part.end):
            token = here.tokens[at]
            if token.kind == "name" and token.text not in names:
                names.add(token.text)
                queue += values_of(token.text, test, here, at)


def whole_numbers(code: Code, span: Span, test: RTest) -> set[int]:
    """Every whole number an expression is made of, through names; also as text, as a default of Sys.getenv."""
    numbers_found: set[int] = set()
    for here, part in parts_of(code, span, test):
        for token in here.tokens[part.start : part.end]:
            if token.kind == "number":
                numbers_found |= {int(n) for n in _number(token.text) if abs(n) < 2**63 and n == int(n)}
            elif token.kind == "text" and token.text.isascii() and token.text.isdigit() and len(token.text) < 20:
                numbers_found.add(int(token.text))
    return numbers_found


def touches(code: Code, span: Span, test: RTest) -> bool:
    """Whether a value comes out of the package: by a call in it, or under a name; the suite's functions count."""
    calls = [(here, call) for here, part in parts_of(code, span, test) for call in here.within(part)]
    return any(test.suite.from_package(call) or _hands_over(here, call, test) for here, call in calls)


def _hands_over(code: Code, call: Call, test: RTest) -> bool:
    """Whether a function of the package is an argument: `fitted_by(probit_mh)`, `lapply(sets, probit_mle)`."""
    for span in (*call.positional, *call.named.values()):
        rows = [at for at in range(span.start, span.end) if code.tokens[at].kind != "newline"]
        name = code.tokens[rows[0]].text if len(rows) == 1 and code.tokens[rows[0]].kind == "name" else ""
        if name in test.suite.exported and not test.suite.function(name) and not values_of(name, test, code, rows[0]):
            return True
    return False


def rounds(code: Code, span: Span, test: RTest) -> bool:
    """Whether an output of the package is rounded in a value; arguments of the package are its own affair."""
    seen: set[tuple[str, Span]] = set()
    queue = [(code, span)]
    while queue and len(seen) < _MOST_PARTS:
        here, part = queue.pop()
        if (here.file, part) in seen:
            continue
        seen.add((here.file, part))
        own = [call for call in here.within(part) if test.suite.from_package(call)]
        for call in here.within(part):
            inside = any(row is not call and row.at < call.at < row.end for row in own)
            if call.name not in r_names("rounding") or inside:
                continue
            spans = (*call.positional, *call.named.values())
            if any(touches(here, row, test) and not _is_whole(here, call, row, test) for row in spans):
                return True
        for at in range(part.start, part.end):
            token = here.tokens[at]
            if token.kind == "name" and not any(row.at < at < row.end for row in own):
                queue += values_of(token.text, test, here, at)
    return False


def _is_whole(code: Code, call: Call, span: Span, test: RTest) -> bool:
    """`as.integer(fit$iterations)`, where the interface says that these are whole numbers."""
    words, depth = [], 0
    for token in code.tokens[span.start : span.end]:
        depth -= token.kind == "close"
        if not depth:
            words.append(token)
        depth += token.kind == "open"
    operators = {token.text for token in words if token.kind == "op"}
    part = words[-1].text if words else ""
    return call.name == "as.integer" and operators <= {"$", "@"} and bool(operators) and part in test.suite.whole


def expectations(test: RTest) -> Iterator[Call]:
    return (call for call in test.calls if is_expectation(call, test))


def is_expectation(call: Call, test: RTest) -> bool:
    """A call that fails where something is not as expected."""
    if test.suite.function(call.name) is not None and call.receiver < 0:
        return False
    if call.receiver >= 0:
        return call.name in METHODS and _use(call, test) is not None
    return call.name.startswith("expect_") or call.name in r_names("failing")
