"""What a package keeps of its validation: questions, expectations and tolerances as data, and a runner for them.

The runner is one for pytest or testthat and needs nothing of StatsClaw. The data are read by it and never executed.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any

import numpy as np

from statsclaw.languages import Case, Unfit, spoken
from statsclaw.runlog.events.finding import Finding
from statsclaw.specs.interface import Function, Interface
from statsclaw.specs.test_spec import Criterion, TestSpec, Tolerance
from statsclaw.verify.blind.answering import request_for
from statsclaw.verify.blind.comparing import expectation
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.questionnaire import Call, Claim, Questionnaire
from statsclaw.verify.blind.trying import finding

#: Bytes that the data of a suite may take together.
LARGEST = 2_000_000
#: Values whose text is longer stand in a place of their own, once.
_LONG = 160
_PARTS = ("observed", "expected", "call", "error", "message")


@dataclass(frozen=True)
class _Suite:
    """What ships. `left_out`: why a claim does not, by its number; `dropped`: calls that are not made."""

    questions: Questionnaire
    tests: TestSpec
    interface: Interface
    language: str
    left_out: Mapping[int, str]
    dropped: frozenset[int] = frozenset()

    def calls(self) -> Iterator[tuple[int, Call]]:
        """With the number of the chain: all of a chain about which something is claimed."""
        claimed = {call for _, claim in self.claims() for call in claim.uses()}
        for number, chain in enumerate(self.questions.chains()):
            if any(call.id in claimed for call in chain):
                yield from ((number, call) for call in chain if call.id not in self.dropped)

    def claims(self) -> Iterator[tuple[int, Claim]]:
        return ((number, claim) for number, claim in enumerate(self.questions.claims) if number not in self.left_out)

    def cases(self) -> list[Case]:
        """The tests of the suite, in the order in which its runner finds them in the data."""
        rows = ((row, self.left_out.get(number, "")) for number, row in enumerate(self.questions.claims))
        found = {(row.scenario, row.case, row.criterion, why): None for row, why in rows}
        return [Case(case, criterion, why) for _, case, criterion, why in found]

    def criteria(self) -> dict[str, dict[str, Any]]:
        claimed = {claim.criterion for claim in self.questions.claims}
        return {row.id: _rule(row) for row in self.tests.criteria if row.id in claimed}

    def without(self, calls: Iterable[int], why: str) -> _Suite:
        """Neither these calls nor what is given their answers, nor what is claimed of them."""
        dropped = self.dropped.union(calls)
        for later in self.questions.calls:
            if dropped.intersection(later.uses()):
                dropped |= {later.id}
        gone = {number for number, claim in self.claims() if dropped.intersection(claim.uses())}
        return replace(self, left_out={**self.left_out, **dict.fromkeys(gone, why)}, dropped=dropped)


def native_suite(language: str, questions: Questionnaire, tests: TestSpec, interface: Interface) -> dict[str, str]:
    """The files of the suite by their paths in the repository. Raises where a value is not what its kind says."""
    criteria = {row.id: row for row in tests.criteria}
    reasons = {number: _left_out(claim, criteria) for number, claim in enumerate(questions.claims)}
    suite = _Suite(questions, tests, interface, language, {number: why for number, why in reasons.items() if why})
    suite = suite.without(_undeclared(suite), "the interface does not declare what it calls")
    alone = replace(suite, interface=spoken(language).known_alone(interface))
    suite = suite.without(_undeclared(alone), "only the sources of the package say how it is called")
    forms = Forms(interface, language)
    suite = suite.without((call.id for call in questions.calls if forms.is_figure(call)), "it is about a figure")
    data = _written(suite)
    while len(data) > LARGEST and any(suite.calls()):
        suite = suite.without(_largest(suite, len(data) - LARGEST), "its data are too large for a repository")
        data = _written(suite)
    own = spoken(language).native
    if own is None:
        return {}
    runner = (resources.files(__package__) / own.runner).read_text("utf-8")
    try:
        further = spoken(language).native_files(alone.interface, suite.cases())
    except Unfit:  # the package will be told the same when it is built
        return {}
    return {own.at: runner, **further, own.data: data}


def unwritable(error: Exception) -> Finding:
    """Who wrote a value can have written anything under the name of its kind."""
    text = f"a value in the questions is not what its kind says, and cannot be kept with the package: {error}"
    return finding("cannot-be-kept", "questions", text)


# --- what is left out ------------------------------------------------------------------------------------------------


def _left_out(claim: Claim, criteria: Mapping[str, Criterion]) -> str:
    criterion = criteria.get(claim.criterion)
    if claim.rule == "observe":
        return "only code that sees answers can tell"
    if claim.rule == "dialogue":
        return "the next call depends on the last answer"
    if claim.rule == "unchanged":
        return "the package as it was is not there to compare with"
    if criterion is None or criterion.decided_by == "check":
        return "it is not decided by a test"
    if criterion.decided_by == "timing" or _measured(list(claim.parts.values())):
        return "time and memory depend on the machine"
    return ""


def _measured(node: Any) -> bool:
    if isinstance(node, Extra):
        return node.kind == "measured" or _measured(node.value)
    parts = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return any(map(_measured, parts))


def _functions(suite: _Suite) -> dict[str, str | None]:
    """What can be called, and the class of what it returns. Python finds no name with a dot in a package itself."""
    found = {row.name: _class_of(row.name, row) for row in suite.interface.functions}
    found |= {row.name: row.name for row in suite.interface.classes}
    return {name: cls for name, cls in found.items() if not spoken(suite.language).is_python or "." not in name}


def _methods(suite: _Suite) -> dict[str, dict[str, str | None]]:
    found: dict[str, dict[str, str | None]] = {cls.name: {} for cls in suite.interface.classes}
    callables = dict(suite.interface.callables())
    for element, function in callables.items():
        owner = element.removesuffix(f".{function.name}")
        if owner != element:
            cls = _class_of(owner, callables[owner]) if owner in callables else owner
            found.setdefault(cls or owner, {})[function.name] = _class_of(element, function)
    return found


def _class_of(element: str, function: Function) -> str | None:
    """By the name of its class; an object whose class has no name goes by what returns it."""
    returned = function.returns
    return returned.class_name or (element if returned.methods else None)


def _undeclared(suite: _Suite) -> Iterator[int]:
    """Calls of what is no function of the interface, nor a method of the class that the earlier call returns."""
    functions, methods = _functions(suite), _methods(suite)
    returned: dict[int, str | None] = {}
    for call in suite.questions.calls:
        if call.what not in ("call", "signature"):
            continue
        table: Mapping[str, str | None] = functions
        if call.on is not None:
            whole = not call.on.value["path"]
            table = methods.get(returned.get(call.on.value["call"]) or "", {}) if whole else {}
        if call.function not in table:
            yield call.id
        elif call.what == "call":
            returned[call.id] = table[call.function]


def _largest(suite: _Suite, excess: int) -> Iterator[int]:
    """The calls with the most data, until enough is left out."""
    weights = {call.id: _weight([*call.arguments, *call.named.values()]) for _, call in suite.calls()}
    for _, claim in suite.claims():
        if uses := [call for call in claim.uses() if call in weights]:
            weights[uses[0]] += _weight([claim.parts.get("observed"), claim.parts.get("expected")])
    freed = 0
    for call, weight in sorted(weights.items(), key=lambda row: (-row[1], row[0])):
        if freed < excess:
            yield call
        freed += weight


def _weight(value: Any) -> int:
    """About how many bytes its text takes; at least 1, so that leaving out always frees something."""
    if isinstance(value, Extra):
        return 10 + _weight(value.value)
    if isinstance(value, np.ndarray):
        return 1 + 20 * value.size
    if isinstance(value, dict | list | tuple):
        return 1 + sum(map(_weight, value.values() if isinstance(value, dict) else value))
    return 1 + len(str(value))


# --- the data --------------------------------------------------------------------------------------------------------


def _written(suite: _Suite) -> str:
    values = _Json() if spoken(suite.language).values.single else _JsonForR()
    forms = Forms(suite.interface, suite.language)
    salt = suite.questions.sha256
    calls = [json.dumps(_call_row(chain, request_for(call, forms, salt), values)) for chain, call in suite.calls()]
    frozen = {row.id: row for row in suite.tests.criteria}
    claims = [
        json.dumps(
            _claim_row(claim, frozen.get(claim.criterion), suite.left_out.get(number, ""), values)
            | _refusals(claim, suite, forms)
        )
        for number, claim in enumerate(suite.questions.claims)
    ]
    criteria = {
        name: json.dumps({key: values.of(part) for key, part in row.items()}) for name, row in suite.criteria().items()
    }
    told = spoken(suite.language).told(suite.interface)
    blocks = [
        f'"package": {json.dumps(suite.interface.package)}',
        *([f'"interface": {json.dumps(told)}'] if told else []),
        f'"functions": {json.dumps(_functions(suite))}',
        f'"methods": {json.dumps(_methods(suite))}',
        '"criteria": ' + _lines(criteria),
        '"calls": [\n' + ",\n".join(calls) + "\n]",
        '"claims": [\n' + ",\n".join(claims) + "\n]",
        '"data": ' + _lines({name: text for text, name in values.data.items()}),
    ]
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def _lines(rows: Mapping[str, str]) -> str:
    return "{\n" + ",\n".join(f"{json.dumps(name)}: {text}" for name, text in rows.items()) + "\n}"


def _rule(criterion: Criterion) -> dict[str, Any]:
    """What decides a criterion, and the words for it."""
    found: dict[str, Any] = {"quantity": criterion.quantity, "rule": criterion.rule}
    if criterion.rule in ("close", "equals"):
        tolerance = criterion.tolerance or Tolerance()
        if tolerance.lre is not None:
            return found | {"lre": tolerance.lre}
        found |= {"absolute": tolerance.absolute, "relative": tolerance.relative}
    further = {name: getattr(criterion, name) for name in ("low", "high", "error", "message")}
    return found | {name: value for name, value in further.items() if value not in (None, "")}


def _claim_row(claim: Claim, criterion: Criterion | None, why: str, values: _Json) -> dict[str, Any]:
    own = {"scenario": claim.scenario, "case": claim.case, "criterion": claim.criterion, "rule": claim.rule}
    if why:
        return own | {"left_out": why}
    parts = dict(claim.parts)
    if criterion is not None and claim.rule == "close":
        parts["expected"] = expectation(claim, criterion)
    return own | {name: values.of(parts[name]) for name in _PARTS if parts.get(name) is not None}


def _refusals(claim: Claim, suite: _Suite, forms: Forms) -> dict[str, Any]:
    """By which errors of the interface a call may be refused whose arguments are to stay untouched."""
    declared = forms.declared(suite.questions.calls[claim.parts["call"]]) if claim.rule == "untouched" else None
    return {"refusals": [[row.error, row.message] for row in declared.raises]} if declared and declared.raises else {}


def _call_row(chain: int, request: Mapping[str, Any], values: _Json) -> dict[str, Any]:
    """As the worker is asked in a run, seed included."""
    row = {"chain": chain} | {name: request[name] for name in ("id", "what", "function", "seed")}
    row["fields"] = [name for name in request["fields"] or () if name != "*"] or None
    row["arguments"] = [values.of(part) for part in request["arguments"]]
    row["named"] = {values.of_text(name): values.of(part) for name, part in request["named"].items()}
    row |= {"on": values.of(request["on"])} if request["on"] is not None else {}
    return {name: part for name, part in row.items() if part is not None}


#: Kinds whose value is written by itself; what they are is for the runner.
_DRESSED = frozenset(
    ("tuple", "set", "frozenset", "scalar", "fortran", "readonly", "complex", "bytes", "bytearray", "pairs", "masked",
     "formula", "factor", "table", "series", "named")
)  # fmt: skip


class _Json:
    """Values as JSON. `data`: the text of long ones, with the names that stand in their places."""

    def __init__(self) -> None:
        self.data: dict[str, str] = {}

    def of(self, value: Any) -> Any:
        if isinstance(value, Extra):
            return self.of_extra(value.kind, value.value)
        if isinstance(value, np.ndarray):
            return self.kept(self.of_array(value))
        if isinstance(value, list | tuple):
            return self.kept(self.of_list(list(value)))
        if isinstance(value, dict):
            return {"dict": {self.of_text(name): self.of(part) for name, part in value.items()}}
        return self.of_text(value) if isinstance(value, str) else self.of_single(value)

    def of_extra(self, kind: str, inner: Any) -> Any:
        if kind == "answer":
            return {"answer": inner["call"]} | ({"path": inner["path"]} if inner["path"] else {})
        if kind == "generator":
            name = inner.get("name")
            return {"generator": inner["seed"]} | ({"name": name} if name is not None else {})
        if kind == "integer":
            return self.of_single(int(inner, 16))
        if kind == "logical":
            return self.of_extra("masked", [inner == 1, np.isnan(inner)])
        if kind == "do":
            settings = {name: self.setting(part) for name, part in (inner.get("with") or {}).items()}
            return {"do": inner["name"], "of": [self.of(part) for part in inner["of"]], "with": settings}
        if kind not in _DRESSED:
            raise ValueError(f"a value of the kind {kind!r} cannot be written down")
        return self.of_dressed(kind, inner)

    def of_dressed(self, kind: str, inner: Any) -> Any:
        return {kind: self.of(inner)}

    def of_list(self, values: list[Any]) -> Any:
        return [self.of(part) for part in values]

    def of_text(self, text: str) -> str:
        return text

    def of_single(self, value: Any) -> Any:
        return value

    def of_array(self, value: np.ndarray[Any, Any]) -> Any:
        kind = value.dtype.kind
        if kind == "c":
            pairs = np.stack([value.real, value.imag], axis=-1).tolist()
            return {"array": pairs, "dtype": value.dtype.name, "shape": list(value.shape)}
        found = {"array": value.tolist(), "dtype": {"U": "str", "O": "object"}.get(kind, value.dtype.name)}
        return found if value.size else found | {"shape": list(value.shape)}

    def setting(self, value: Any) -> Any:
        """Places stand as they are; only the runner knows what they are places of."""
        if isinstance(value, list):
            return [self.setting(part) for part in value]
        return value if isinstance(value, dict) else self.of(value)

    def kept(self, value: Any) -> Any:
        text = json.dumps(value)
        return value if len(text) <= _LONG else {"data": self.data.setdefault(text, f"d{len(self.data) + 1}")}


# --- as R has them ---------------------------------------------------------------------------------------------------

_R_MISSING = 1954  # what the low word of R's NA_real_ holds
_R_LARGEST = 2**31


class _JsonForR(_Json):
    """Numbers stand as texts that R reads exactly; what R has no form of stands as what it has."""

    def of_list(self, values: list[Any]) -> Any:
        """A list of single numbers, texts or truth values is a vector, as in the run."""
        values = [_bare(part) for part in values]
        if {_single_kind(part) for part in values} in (set(), {"number"}, {"character"}, {"logical"}):
            return self.of_array(np.array(values, dtype=object if values and isinstance(values[0], str) else None))
        return super().of_list(values)

    def of_text(self, text: str) -> str:
        """R has no text with a zero, nor half a character."""
        return "".join("\ufffd" if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in text)

    def of_single(self, value: Any) -> Any:
        if isinstance(value, bool) or value is None or (isinstance(value, int) and abs(value) < _R_LARGEST):
            return value
        return {"number": _r_number(float(value))}

    def of_array(self, value: np.ndarray[Any, Any]) -> Any:
        """Elements by columns, separated by blanks."""
        if value.ndim == 0:
            return self.of(value.item())
        kind = {"b": "logical", "i": "integer", "u": "integer", "f": "double", "c": "complex"}.get(value.dtype.kind, "")
        elements = value.ravel("F").tolist()
        found: dict[str, Any] = {"array": " ".join(map(_r_element, elements)), "dtype": kind}
        if not kind and any(isinstance(part, int) for part in elements):  # beyond what numpy counts
            found |= {"dtype": "double"}
        elif not kind:
            found = {"array": [None if part is None else self.of_text(str(part)) for part in elements], "dtype": "text"}
        return found if value.ndim == 1 else found | {"shape": list(value.shape)}

    def of_dressed(self, kind: str, inner: Any) -> Any:
        if kind in ("tuple", "set", "frozenset", "scalar", "fortran", "readonly"):
            return self.of(inner)
        if kind == "complex":
            return self.of_array(np.array([complex(*inner)]))
        if kind == "pairs":
            return self.of({str(_bare(key)): part for key, part in inner})
        if kind == "named":
            value = inner["value"]  # a list in here stays one
            own = {"list": super().of_list(value)} if isinstance(value, list) else self.of(value)
            further = {name: self.of(inner.get(name)) for name in ("names", "axes")}
            return {"named": {"dict": {"value": own} | further}}
        return super().of_dressed(kind, inner)


def _bare(value: Any) -> Any:
    """A single value without its dress."""
    while isinstance(value, Extra) and value.kind == "scalar":
        value = value.value
    return value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value


def _single_kind(value: Any) -> str:
    if isinstance(value, bool):
        return "logical"
    return "number" if isinstance(value, int | float) else "character" if isinstance(value, str) else ""


def _r_element(value: Any) -> str:
    if isinstance(value, complex):
        return f"{_r_number(value.real)} {_r_number(value.imag)}"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return "NA" if value == -_R_LARGEST else str(value) if abs(value) < _R_LARGEST else _r_number(float(value))
    return _r_number(value) if isinstance(value, float) else ""


def _r_number(value: float) -> str:
    """Whole numbers and short fractions of two as they are, others in hexadecimal: R reads decimals inexactly."""
    if value != value:
        return "NA" if struct.unpack("<I", struct.pack("<d", value)[:4])[0] == _R_MISSING else "NaN"
    if value in (float("inf"), float("-inf")):
        return "Inf" if value > 0 else "-Inf"
    if abs(value) < 2**31 and value * 1024 == int(value * 1024):
        return "-0" if value == 0 and str(value) == "-0.0" else repr(int(value) if value == int(value) else value)
    return value.hex()
