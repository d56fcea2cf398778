"""Rules for testthat suites: assertions, swallowed conditions, skips, limits, rounding, vacuous comparisons, seeds."""

from __future__ import annotations

from collections.abc import Iterator

from statsclaw.runlog.events.finding import Finding
from statsclaw.verify.suite.found import found
from statsclaw.verify.suite.names import r_names, speaks_of
from statsclaw.verify.suite.python_limits import loosest
from statsclaw.verify.suite.r_code import Call, Code, RTest, Span
from statsclaw.verify.suite.r_values import (
    RUse,
    expectations,
    is_expectation,
    numbers,
    rounds,
    texts,
    touches,
    uses_of,
    whole_numbers,
)

_SLACK = 1.0 + 1e-9
_DEFAULT_TOLERANCE = 1.5e-8
_ANY_TEXT = set(".*+?^$|()[]{},\\sSdDwWbB")


def missing_assertions(test: RTest) -> Iterator[Finding]:
    if not any(True for _ in expectations(test)):
        message = f'The test "{test.name}" asserts nothing: it passes whatever the package returns.'
        yield found("no-assertion", test.name, message, test.call.where)


def swallowed(test: RTest) -> Iterator[Finding]:
    for call in test.calls:
        if call.name not in r_names("catching"):
            continue
        handlers = [span for name, span in call.named.items() if name in r_names("handlers")]
        if call.name == "tryCatch" and not handlers:
            continue
        again = [row for span in handlers for row in call.code.within(span) if is_expectation(row, test)]
        inside = [row for row in call.code.within(Span(call.at + 1, call.end)) if row not in again]
        asserts = any(is_expectation(row, test) for row in inside)
        bare = any(test.suite.from_package(row) for row in inside) and _is_statement(call)
        if (asserts or bare) and not again:
            message = f'"{test.name}" swallows errors: a failing comparison or an error of the package goes unnoticed.'
            yield found("swallowed-exception", f"{test.name}:{call.name}", message, call.where)


def _is_statement(call: Call) -> bool:
    """Whether the result of a call is dropped: nothing before it on its line."""
    at = call.at - (2 if call.package else 0) - 1
    before = call.code.tokens[at] if at >= 0 else None
    return before is None or before.kind == "newline" or before.text in ("{", ";")


def skips(test: RTest) -> Iterator[Finding]:
    reasons = {row.id: row.may_skip.strip() for row in test.spec.scenarios}
    if test.scenarios and all(reasons.get(name) for name in test.scenarios):
        return
    for call in (*test.calls, *test.call.code.top_calls):
        if (call.name == "skip" or call.name.startswith("skip_")) and test.suite.function(call.name) is None:
            message = f'"{test.name}" may be skipped ({call.name}); the specification gives no reason for that.'
            yield found("skip-without-reason", f"{test.name}:{call.name}", message, call.where)


# --- limits ----------------------------------------------------------------------------------------------------------


def loose_tolerances(test: RTest) -> Iterator[Finding]:
    allowed = loosest(test.criteria)
    if allowed is None:
        return
    for call, size, given in _limits(test):
        bound = max(allowed)
        if size > bound * _SLACK:
            how = "compares within" if given else "names no tolerance and so compares within"
            names = ", ".join(row.id for row in test.criteria if row.rule == "close")
            message = f'"{test.name}" {how} {size:.3g}, where {names} allows {bound:.3g} at most.'
            about = f"{test.name}:{size:.3g}"
            yield found("looser-tolerance", about, message, call.where, "error" if given else "warning")


def _limits(test: RTest) -> Iterator[tuple[Call, float, bool]]:
    for call in test.calls:
        code = call.code
        if call.name in r_names("with_tolerance") and call.receiver < 0:
            given = call.named.get("tolerance") or call.named.get("tol")
            sizes = numbers(code, given, test)
            if sizes:
                yield call, max(sizes), True
            elif given is None and any(touches(code, part, test) for part in call.positional):
                exact = [row for part in call.positional for row in code.words(part)]
                if not all(row.startswith("t") for row in exact):
                    yield call, _DEFAULT_TOLERANCE, False
        elif call.name in r_names("ordered") and len(call.positional) > 1:
            if _difference(code, call.positional[0]):
                yield from ((call, size, True) for size in numbers(code, call.positional[1], test)[:1])
        elif call.name == "abs" and _difference(code, Span(call.at, call.end)):
            after = code.tokens[call.end].text if call.end < len(code.tokens) else ""
            if after in ("<", "<="):
                bound = code.statement(call.end + 1)
                yield from ((call, size, True) for size in numbers(code, bound, test)[:1])


def _difference(code: Code, span: Span) -> bool:
    """`abs(a - b)` somewhere in it."""
    for call in code.within(span):
        if call.name == "abs" and call.positional:
            inner = call.positional[0]
            at = inner.start
            while at < inner.end:
                token = code.tokens[at]
                if token.kind == "open":
                    at = code.partner[at]
                elif token.text == "-" and at > inner.start:
                    return True
                at += 1
    return False


def wide_exceptions(test: RTest) -> Iterator[Finding]:
    for call in test.calls:
        rule = {"expect_error": "raises", "expect_warning": "warns", "expect_condition": "raises"}.get(call.name)
        if rule is None:
            continue
        pattern, kind = call.argument(1, "regexp"), call.argument(2, "class")
        wanted = [row for row in test.criteria if row.rule == rule]
        patterns = texts(call.code, pattern, test)
        if pattern is not None and call.code.words(pattern) == ("nNA",):
            continue  # says that there is no error
        classes = texts(call.code, kind, test)
        said = pattern is not None and (not patterns or any(set(text) - _ANY_TEXT for text in patterns))
        classed = kind is not None and not set(classes) <= r_names("broad_classes")
        if not said and not classed:
            message = f'"{test.name}" uses {call.name} without class or message: any mistake would do.'
            yield found("wider-exception", f"{test.name}:{call.name}", message, call.where)
        elif not said and any(row.message for row in wanted):
            message = f'"{test.name}" does not look at the message, which must hold "{wanted[0].message}".'
            yield found("exception-without-message", f"{test.name}:{call.name}", message, call.where)


# --- comparisons -----------------------------------------------------------------------------------------------------


def compared(test: RTest, uses: list[RUse]) -> Iterator[tuple[Call, Span, Span | None]]:
    """What is observed and what is expected."""
    for use in uses:
        observed = use.call.argument(0, "observed")
        if observed is not None and use.method in ("close", "value", "holds"):
            yield use.call, observed, use.call.argument(1, "expected") if use.method == "close" else None
    for call in test.calls:
        if call.receiver < 0 and call.name in r_names("equal"):
            observed, expected = call.argument(0, "object", "target"), call.argument(1, "expected", "current")
            if observed is not None:
                yield call, observed, expected
        elif call.receiver < 0 and call.name in r_names("truth") and call.positional:
            yield call, call.positional[0], None


def comparisons(test: RTest) -> Iterator[Finding]:
    uses = uses_of(test)
    for call, observed, expected in compared(test, uses):
        code = call.code
        if rounds(code, observed, test):
            message = f'"{test.name}" rounds what the package returned before comparing it, which hides differences.'
            yield found("rounded-before-comparing", test.name, message, call.where)
        if expected is None:
            if code.words(observed)[-1:] in (("nTRUE",), ("nT",)) and _always_true(code, observed):
                message = f'"{test.name}" asserts something that is always true.'
                yield found("always-true", test.name, message, call.where)
            continue
        same = code.words(observed) == code.words(expected)
        if same and not (touches(code, observed, test) and speaks_of("repeated", test.behaviour)):
            message = f'"{test.name}" compares a value with itself.'
            yield found("vacuous-comparison", test.name, message, call.where)
        elif _is_literal(code, observed) and _is_literal(code, expected):
            message = f'"{test.name}" compares a constant with a constant.'
            yield found("vacuous-comparison", test.name, message, call.where)
    yield from _outside_the_package(test, uses)


def _always_true(code: Code, span: Span) -> bool:
    words = code.words(span)
    return len(words) == 1 or words[-2] in ("o||", "o|")


def _is_literal(code: Code, span: Span) -> bool:
    rows = [row for row in code.tokens[span.start : span.end] if row.kind != "newline"]
    return bool(rows) and all(row.kind in ("number", "text") or row.text in {*"c(),-", "TRUE", "FALSE"} for row in rows)


def _outside_the_package(test: RTest, uses: list[RUse]) -> Iterator[Finding]:
    about_values = [use for use in uses if use.method in ("close", "value")]
    if about_values and not any(touches(code, span, test) for code, span in test.reach):
        message = f'"{test.name}" judges a number and never uses the package under test.'
        yield found("without-the-package", test.name, message, test.call.where)
    for use in uses:
        expected = use.call.argument(1, "expected")
        references = any(row.reference for row in test.spec.criteria if row.id in use.ids)
        if use.method != "close" or expected is None or not touches(use.call.code, expected, test):
            continue
        if references or not speaks_of("invariant", test.behaviour):
            message = f'"{test.name}" takes the expected value of {", ".join(use.ids)} from the package under test.'
            about = f"{test.name}:{','.join(use.ids)}"
            yield found("expected-from-the-package", about, message, use.call.where, "warning")


# --- randomness ------------------------------------------------------------------------------------------------------


def _setting(test: RTest) -> list[Call]:
    tops = [call for code in test.suite.codes for call in code.top_calls]
    return [call for call in (*test.calls, *tops) if call.name in r_names("seeding")]


def draws(test: RTest) -> bool:
    """Whether the test, or what it calls, makes random numbers or sets a seed for them."""
    return any(call.name in (*r_names("drawing"), *r_names("seeding")) for call in test.calls)


def randomness(test: RTest) -> Iterator[Finding]:
    setting = _setting(test)
    seeds = [(call, call.argument(0, "seed")) for call in setting]
    for call, span in seeds:
        words = call.code.words(span) if span is not None else ()
        clock = any(row.name in r_names("clocks") for row in call.code.within(span)) if span is not None else False
        if words in ((), ("nNULL",)) or clock:
            message = f'"{test.name}" sets a seed that is another at every run.'
            yield found("unseeded-randomness", f"{test.name}:{call.name}", message, call.where)
    if not setting:
        for call in test.calls:
            if call.name in r_names("drawing") and test.suite.function(call.name) is None:
                message = f'"{test.name}" uses {call.name} without a seed: its numbers are others at every run.'
                yield found("unseeded-randomness", f"{test.name}:{call.name}", message, call.where)


def changed_seeds(test: RTest) -> dict[str, Finding]:
    """By scenario: its seed must take part in drawing, and does not."""
    findings: dict[str, Finding] = {}
    seeds = [(call, call.argument(0, "seed")) for call in _setting(test)]
    drawn = {n for call, span in seeds if span is not None for n in whole_numbers(call.code, span, test)}
    present = {n for code, span in test.reach for n in whole_numbers(code, span, test)}
    unread = any(span is not None and not whole_numbers(call.code, span, test) for call, span in seeds)
    for row in test.spec.scenarios:
        if row.id in test.scenarios and row.seed is not None:
            if (row.seed in present and (not drawn or unread)) or row.seed in drawn:
                continue
            message = f'"{test.name}" does not draw with the seed {row.seed} of the scenario {row.id}: changed seed.'
            findings[row.id] = found("changed-seed", f"{test.name}:{row.id}", message, test.call.where)
    return findings
