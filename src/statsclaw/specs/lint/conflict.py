"""Requirements that contradict each other, where that can be computed."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from statsclaw.runlog.events.finding import Finding
from statsclaw.specs.contract import INTERFACE, SIM_SPEC, TEST_SPEC, Contract
from statsclaw.specs.interface import Argument, Interface
from statsclaw.specs.lint.distributions import t_quantile
from statsclaw.specs.lint.found import clip, finding, show
from statsclaw.specs.lint.numbers import plain
from statsclaw.specs.sim_spec import Study
from statsclaw.specs.test_spec import Criterion, TestSpec

_LEVEL = 0.999
_MOST_IN_A_GROUP = 200
_NUMBER = r"(-?\d{1,12}(?:\.\d{1,12})?(?:e[-+]?\d{1,3})?)"
_BOTH_SIDES = re.compile(rf"{_NUMBER}\s*([<≤])\s*([a-z\\]\w{{0,40}})\s*([<≤])\s*{_NUMBER}")
_ONE_SIDE = re.compile(rf"(?:^|\s)([a-z\\]\w{{0,40}})?\s*([<≤>≥])\s*{_NUMBER}")

Range = tuple[float, float]


def conflict_findings(contract: Contract) -> Iterator[Finding]:
    if contract.tests is not None:
        yield from _disjoint_tests(contract, contract.tests)
        yield from _raises_and_returns(contract, contract.tests)
    if contract.study is not None:
        yield from _disjoint_study(contract, contract.study)
    if contract.interface is not None:
        yield from _defaults(contract, contract.interface)


def _range(low: float | None, high: float | None) -> Range:
    return (-math.inf if low is None else low, math.inf if high is None else high)


def _disjoint(one: Range, other: Range) -> bool:
    return one[1] < other[0] or other[1] < one[0]


def _shown(range_: Range) -> str:
    low, high = range_
    if math.isinf(low) or math.isinf(high):
        return f"at most {show(high)}" if math.isinf(low) else f"at least {show(low)}"
    return f"{show(low)} to {show(high)}"


def _disjoint_tests(contract: Contract, tests: TestSpec) -> Iterator[Finding]:
    """Beyond doubt where both name the quantity in the same words; otherwise for a person to look at."""
    groups: dict[tuple[str, str, str], list[tuple[int, Criterion]]] = defaultdict(list)
    for number, row in enumerate(tests.criteria):
        if row.of is not None and (row.low is not None or row.high is not None):
            for scenario in set(row.scenarios):
                groups[row.of, row.decided_by, scenario].append((number, row))
    pairs = {
        (a[0], b[0]): (a[1], b[1]) for rows in groups.values() for a, b in combinations(rows[:_MOST_IN_A_GROUP], 2)
    }
    for (_, number), (first, second) in pairs.items():
        ranges = _range(first.low, first.high), _range(second.low, second.high)
        if not _disjoint(*ranges):
            continue
        same = " ".join(first.quantity.lower().split()) == " ".join(second.quantity.lower().split())
        doubt = "" if same else ", if both are about the same quantity"
        message = (
            f"{first.id} demands {_shown(ranges[0])} of {first.of} and {second.id} demands "
            f"{_shown(ranges[1])}; nothing meets both{doubt}."
        )
        where = f"{TEST_SPEC}:{contract.line_of(TEST_SPEC, 'criteria', number)}"
        key = f"contradiction:{first.id}:{second.id}"
        yield finding("conflict", "error" if same else "warning", message, where, key)


def _disjoint_study(contract: Contract, study: Study) -> Iterator[Finding]:
    groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for number, row in enumerate(study.criteria):
        groups[row.metric, row.parameter, row.method, row.field].append(number)
    pairs = [pair for numbers in groups.values() for pair in combinations(numbers[:_MOST_IN_A_GROUP], 2)]
    for one, number in pairs:
        first, second = study.criteria[one], study.criteria[number]
        ranges = _range(first.low, first.high), _range(second.low, second.high)
        if not _disjoint(*ranges):
            continue
        shared = set(study.selected(first)) & set(study.selected(second))
        if shared:
            message = (
                f"{first.id} demands {first.metric} {_shown(ranges[0])} and {second.id} {_shown(ranges[1])} in the "
                f"cell {clip(min(shared))}; nothing meets both."
            )
            where = f"{SIM_SPEC}:{contract.line_of(SIM_SPEC, 'study', 'criteria', number)}"
            yield finding("conflict", "error", message, where, f"contradiction:{first.id}:{second.id}")


def _raises_and_returns(contract: Contract, tests: TestSpec) -> Iterator[Finding]:
    raising: dict[str, list[Criterion]] = defaultdict(list)
    for row in tests.criteria:
        if row.rule == "raises":
            for scenario in set(row.scenarios):
                raising[scenario].append(row)
    for number, row in enumerate(tests.criteria):
        if row.rule not in ("close", "between", "at most", "at least") or row.decided_by != "test":
            continue
        for scenario in dict.fromkeys(row.scenarios):
            other = next((one for one in raising[scenario][:100] if _same_call(one.of, row.of)), None)
            if other is None:
                continue
            certain = len(set(row.scenarios)) == 1 and None not in (other.of, row.of)
            message = (
                f"In the scenario {scenario}, {other.id} demands {other.error} and {row.id} a value "
                f"of {row.of or other.of or 'the same call'}; a call that raises returns nothing."
            )
            where = f"{TEST_SPEC}:{contract.line_of(TEST_SPEC, 'criteria', number)}"
            key = f"raises-and-returns:{other.id}:{row.id}:{scenario}"
            yield finding("conflict", "error" if certain else "warning", message, where, key)


def _same_call(one: str | None, other: str | None) -> bool:
    """The same function, whichever of its fields; a criterion that names none may be about any."""
    if one is None or other is None:
        return True
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


def _defaults(contract: Contract, interface: Interface) -> Iterator[Finding]:
    """A default that lies outside of the domain that the comprehension states for a symbol of that name."""
    if contract.comprehension is None:
        return
    domains: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in contract.comprehension.symbols:
        for name, sign, bound in _limits(row.symbol, plain(row.domain)):
            domains[name].append((sign, bound))
    for function, argument in interface.arguments():
        value = _default(argument)
        for sign, bound in domains.get(argument.name.lower(), ()) if value is not None else ():
            if value is not None and not _satisfies(value, sign, float(bound)):
                message = (
                    f"The default {show(value)} of {function}({argument.name}) lies outside of its own domain, "
                    f"{argument.name} {sign} {clip(bound, 20)}."
                )
                where = f"{INTERFACE}:{contract.line_of(INTERFACE, 'interface')}"
                yield finding("conflict", "error", message, where, f"default-outside:{function}:{argument.name}")
                break


def _limits(symbol: str, domain: str) -> Iterator[tuple[str, str, str]]:
    """(name, sign, number) for every limit; a limit without a name is of the symbol itself."""
    turned = {"<": ">", "≤": "≥"}
    rest = domain[:500]
    if both := _BOTH_SIDES.search(rest):
        yield both[3], turned[both[2]], both[1]
        yield both[3], both[4], both[5]
        rest = rest.replace(both[0], " ")
    for hit in _ONE_SIDE.finditer(rest):
        name = hit[1] if hit[1] and hit[1] not in ("number", "numbers", "integer", "real", "value") else symbol.lower()
        yield name, hit[2], hit[3]


def _default(argument: Argument) -> float | None:
    try:
        value = float(argument.default or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _satisfies(value: float, sign: str, bound: float) -> bool:
    return {"<": value < bound, "≤": value <= bound, ">": value > bound, "≥": value >= bound}[sign]


def pilot_finding(criterion_id: str, low: float | None, high: float | None, values: Sequence[float]) -> Finding | None:
    """Whether cheap draws of a criterion's quantity under the specification agree with what the criterion demands.

    By a 99.9 % t-interval of their mean: disjoint from [low, high] is an error, inside is nothing, else a note.
    """
    demanded = _shown(_range(low, high))
    key = f"specification-contradicts-itself:{criterion_id}"
    if len(values) < 2 or not all(math.isfinite(value) for value in values):
        message = f"The pilot of {criterion_id} gave no numbers to compare with {demanded}."
        return finding("conflict", "error", message, criterion_id, f"pilot-without-numbers:{criterion_id}")
    count = len(values)
    mean = math.fsum(values) / count
    error = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1) / count)
    half = t_quantile((1.0 + _LEVEL) / 2.0, count - 1) * error
    interval, band = (mean - half, mean + half), _range(low, high)
    gives = f"a pilot of {count} draws gives {show(mean)} ± {error:.2g}"
    if _disjoint(interval, band):
        message = f"The specification contradicts itself: {gives}; the criterion {criterion_id} demands {demanded}."
        return finding("conflict", "error", message, criterion_id, key)
    if band[0] <= interval[0] and interval[1] <= band[1]:
        return None
    message = f"It is not clear that {criterion_id} can be met: {gives}; the criterion demands {demanded}."
    return finding("conflict", "note", message, criterion_id, f"pilot-undecided:{criterion_id}")
