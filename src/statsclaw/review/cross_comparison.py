"""Do the documents agree with each other, and the built package with the interface?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from statsclaw.artifacts.check import section
from statsclaw.review.case import Case
from statsclaw.review.findings import bounded, owes_contract
from statsclaw.review.own_reference import calls_its_reference
from statsclaw.review.python_signatures import built_python
from statsclaw.review.r_signatures import built_r
from statsclaw.review.signatures import Built, compare_arguments
from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.runlog.findings import finding
from statsclaw.specs.contract import INTERFACE, SIM_SPEC, SPEC, SPECIFICATIONS, TEST_SPEC, Contract
from statsclaw.specs.interface import Argument, Interface

_CHECK = "cross_comparison"
_OWED = {"builder": SPEC, "tester": TEST_SPEC, "simulator": SIM_SPEC}
_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)")
_FENCE = re.compile(r"(`{3,}|~{3,})")
_LONGEST_LINE = 2000
_LARGEST_SOURCE = 1_000_000


def check(case: Case) -> list[Finding]:
    if not owes_contract(case.roles):
        text = "no planner writes for a tester in this workflow, so there are no specifications to compare"
        return [finding(_CHECK, "note", text, key="not-applicable:specifications")]
    found = _sections(case)
    if case.contract is None or case.contract.interface is None:
        text = "there is no interface that can be read, so nothing could be compared with it"
        return [*found, _planner("error", text, INTERFACE, "no-interface")]
    found += bounded(_CHECK, list(_elements(case.contract, case.contract.interface)))
    found += bounded(_CHECK, list(_carried(case.contract, case.contract.interface)))
    found += bounded(_CHECK, list(calls_its_reference(case)))
    return [*found, *bounded(_CHECK, list(_package(case, case.contract.interface)))]


# --- the section that is the same in every specification -----------------------------------------------------------


def _sections(case: Case) -> list[Finding]:
    owed = {name for role, name in _OWED.items() if role in case.roles}
    found = [
        _planner("error", f"{name} is missing", name, f"missing:{name}")
        for name in sorted({*owed, INTERFACE} - set(case.documents))
    ]
    if INTERFACE not in case.documents:
        return found
    body = interface_body(case.documents[INTERFACE])
    if not body:
        return [*found, _planner("error", f"{INTERFACE} has no section Interface", INTERFACE, "interface-section")]
    for name in SPECIFICATIONS:
        if name not in case.documents:
            continue
        lines = case.documents[name].split("\n")
        spans = _interface_spans(lines, body)
        if len(spans) != 1:
            text = f"{name} has {len(spans)} sections called Interface, not one"
            found.append(_planner("error", text, name, f"interface-section:{name}"))
        elif "\n".join(lines[slice(*spans[0])]).strip() != body:
            text = f"the section Interface of {name} is not the text of {INTERFACE}"
            found.append(_planner("error", text, f"{name}:{spans[0][0]}", f"interface-differs:{name}"))
    return found


def interface_body(text: str) -> str:
    """What the specifications repeat: the section Interface of interface.md without the white space around."""
    return (section(text, "Interface") or "").strip()


def without_interface(text: str, documents: Mapping[str, str]) -> str:
    """The text with empty lines in place of the common section, so that line numbers stay what they are."""
    lines = text.split("\n")
    for start, end in _interface_spans(lines, interface_body(documents.get(INTERFACE, ""))):
        lines[start:end] = [""] * (end - start)
    return "\n".join(lines)


def _interface_spans(lines: list[str], body: str) -> list[tuple[int, int]]:
    """Lines below each heading Interface, up to the next heading as high or higher that is not the body's own."""
    heads = list(_headings(lines))
    spans: list[tuple[int, int]] = []
    for at, (number, level, title) in enumerate(heads):
        if title.strip("0123456789.:) \t").lower() != "interface":
            continue
        if spans and number < spans[-1][1]:
            continue
        end = next((n for n, other, _ in heads[at + 1 :] if other <= level), len(lines))
        first = next((n for n in range(number + 1, len(lines)) if lines[n].strip()), number + 1)
        size = body.count("\n") + 1
        if body and "\n".join(lines[first : first + size]).rstrip() == body:
            end = next((n for n, _, _ in heads if n >= first + size), len(lines))
        spans.append((number + 1, end))
    return spans


def _headings(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    fence = ""
    for number, line in enumerate(lines):
        text = line[:_LONGEST_LINE].strip()
        if mark := _FENCE.match(text):
            fence = "" if fence and text == mark[1] and mark[1].startswith(fence) else fence or mark[1]
        elif not fence and (head := _HEADING.match(text)):
            yield number, len(head[1]), head[2].rstrip("#").rstrip()


# --- the specifications with the interface and with each other -----------------------------------------------------


def _elements(contract: Contract, interface: Interface) -> Iterator[Finding]:
    known = set(interface.elements())
    used = [(SPEC, "steps", n, row.id, e) for n, row in enumerate(contract.steps) for e in row.yields]
    if contract.tests:
        rows = enumerate(contract.tests.scenarios)
        used += [(TEST_SPEC, "scenarios", n, row.id, e) for n, row in rows for e in row.exercises]
        of = enumerate(contract.tests.criteria)
        used += [(TEST_SPEC, "criteria", n, row.id, row.of) for n, row in of if row.of is not None]
    for file, block, number, row_id, element in used:
        if element not in known and not interface.is_of_base(element):
            where = f"{file}:{contract.line_of(file, block, number)}"
            yield _planner("error", f"{row_id} names {element}, which is not in the interface", where, f"no:{element}")


def _carried(contract: Contract, interface: Interface) -> Iterator[Finding]:
    yields = {element for row in contract.steps for element in row.yields}
    exercised = {e for row in contract.tests.scenarios for e in row.exercises} if contract.tests else set()
    if contract.steps and contract.tests:
        for element in sorted(yields):
            if not any(other == element or other.startswith(f"{element}.") for other in exercised):
                text = f"a step yields {element}, and no scenario exercises it"
                yield _planner("warning", text, TEST_SPEC, f"not-exercised:{element}")
        for element in sorted(exercised & set(interface.elements())):
            if not any(_related(element, other) for other in yields) and not interface.is_of_base(element):
                text = f"a scenario exercises {element}, and no step yields it"
                yield _planner("warning", text, SPEC, f"not-yielded:{element}")
    if contract.steps:
        for element in _quantities(interface):
            if not any(element == other or element.startswith(f"{other}.") for other in yields):
                text = f"the interface promises {element}, and no step yields it"
                yield _planner("warning", text, SPEC, f"no-step:{element}")


def _related(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


def _quantities(interface: Interface) -> Iterator[str]:
    """Everything a user gets: fields, or the value itself where there are none."""
    parts = [element for element, part in interface.parts() if not part.fields]
    yield from parts
    for element, function in interface.callables():
        has_parts = any(other.startswith(f"{element}.") for other in parts)
        if function.returns.type != "none" and not has_parts:
            yield element


# --- the package with the interface --------------------------------------------------------------------------------


def _package(case: Case, interface: Interface) -> Iterator[Finding]:
    if not case.changed_sources:
        text = "no changed source was handed in, so the package could not be compared with the interface"
        yield finding(_CHECK, "note", text, key="not-computed:signatures")
        return
    built = _built(interface.package, case.changed_sources)
    unread = []
    for name, arguments in _callables(interface):
        signature = built.find(name)
        if built.surely_lacks(name):
            yield _missing(name, built)
        elif signature is not None:
            for severity, text, key in compare_arguments(name, arguments, signature):
                route = "builder" if severity != "note" else ""
                yield finding(_CHECK, severity, text, where=signature.where, route_to=route, key=key)
        elif not built.has(name):
            unread.append(name)
    if unread:
        text = f"not in the changed sources, so not compared with the interface: {', '.join(unread)}"
        yield finding(_CHECK, "note", text, key="not-read:signatures")


def _built(package: str, sources: Mapping[str, str]) -> Built:
    """In whichever language: only one has files that end in R."""
    small = {path: text for path, text in sources.items() if len(text) <= _LARGEST_SOURCE}
    in_r = any(path.endswith((".R", ".r")) for path in small)
    return built_r(small) if in_r else built_python(package, small)


def _missing(name: str, built: Built) -> Finding:
    text = f"{name} is in the interface and not in the package"
    return finding(_CHECK, "error", text, where=built.entry, route_to="builder", key=f"not-in-package:{name}")


def _callables(interface: Interface) -> Iterator[tuple[str, tuple[Argument, ...] | None]]:
    """Every public name with its arguments; of a class without declared ones, only the name.

    Of a function that is only extended, those that are not declared are nobody's business here.
    """
    for function in interface.functions:
        yield function.name, function.arguments if function.extends is None else None
    for cls in interface.classes:
        yield cls.name, cls.arguments or None
        for method in cls.methods:
            yield f"{cls.name}.{method.name}", method.arguments


def _planner(severity: Severity, message: str, where: str, key: str) -> Finding:
    return finding(_CHECK, severity, message, where=where, route_to="planner", key=key)
