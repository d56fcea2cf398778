"""What a package keeps of its validation: questions, expectations and tolerances as data, and a runner for them.

The runner is one for pytest or testthat and needs nothing of StatsClaw.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np

from statsclaw.specs.interface import Interface
from statsclaw.specs.test_spec import Criterion, TestSpec
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.questionnaire import Call, Claim, Questionnaire

#: Bytes that the data of a suite may take together.
LARGEST = 2_000_000
#: Values whose text is longer stand in a place of their own, once.
_LONG = 160
_PARTS = ("observed", "expected", "call", "error", "message")


@dataclass(frozen=True)
class _Suite:
    """What ships. `left_out`: why a claim does not, by its number."""

    questions: Questionnaire
    tests: TestSpec
    interface: Interface
    forms: Forms
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

    def criteria(self) -> dict[str, dict[str, Any]]:
        claimed = {claim.criterion for claim in self.questions.claims}
        return {row.id: _rule(row) for row in self.tests.criteria if row.id in claimed}


def native_suite(language: str, questions: Questionnaire, tests: TestSpec, interface: Interface) -> dict[str, str]:
    """The files of the suite by their paths in the repository."""
    python = language == "python"
    written = _python if python else _r
    forms = Forms(interface, language)
    criteria = {row.id: row for row in tests.criteria}
    reasons = {number: _left_out(claim, criteria) for number, claim in enumerate(questions.claims)}
    suite = _Suite(questions, tests, interface, forms, {number: why for number, why in reasons.items() if why})
    data = written(suite)
    while len(data) > LARGEST and any(suite.calls()):
        suite = _smaller(suite, len(data) - LARGEST)
        data = written(suite)
    runner = (resources.files(__package__) / ("native_python.py" if python else "native_r.R")).read_text("utf-8")
    if python:
        return {"tests/validation/test_validation.py": runner, "tests/validation/questions.json": data}
    return {"tests/testthat/test-validation.R": runner, "tests/testthat/validation-questions.R": data}


# --- what is left out ------------------------------------------------------------------------------------------------


def _left_out(claim: Claim, criteria: Mapping[str, Criterion]) -> str:
    criterion = criteria.get(claim.criterion)
    if claim.rule == "observe":
        return "only code that sees answers can tell"
    if claim.rule == "dialogue":
        return "the next call depends on the last answer"
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


def _smaller(suite: _Suite, excess: int) -> _Suite:
    """Without the largest calls, what is given their answers, and what is claimed of them."""
    weights = {call.id: _weight([*call.arguments, *call.named.values()]) for _, call in suite.calls()}
    for _, claim in suite.claims():
        if uses := [call for call in claim.uses() if call in weights]:
            weights[uses[0]] += _weight([claim.parts.get("observed"), claim.parts.get("expected")])
    dropped, freed = set(suite.dropped), 0
    for call, weight in sorted(weights.items(), key=lambda row: (-row[1], row[0])):
        if freed >= excess:
            break
        dropped.add(call)
        freed += weight
    for later in suite.questions.calls:
        if dropped.intersection(later.uses()):
            dropped.add(later.id)
    gone = {number for number, claim in suite.claims() if dropped.intersection(claim.uses())}
    left_out = {**suite.left_out, **dict.fromkeys(gone, "its data are too large for a repository")}
    return _Suite(suite.questions, suite.tests, suite.interface, suite.forms, left_out, frozenset(dropped))


def _weight(value: Any) -> int:
    """About how many bytes its text takes; at least 1, so that leaving out always frees something."""
    if isinstance(value, Extra):
        return 10 + _weight(value.value)
    if isinstance(value, np.ndarray):
        return 1 + 20 * value.size
    if isinstance(value, dict | list | tuple):
        return 1 + sum(map(_weight, value.values() if isinstance(value, dict) else value))
    return 1 + len(str(value))


def _rule(criterion: Criterion) -> dict[str, Any]:
    """What decides a criterion, and the words for it."""
    found: dict[str, Any] = {"quantity": criterion.quantity, "rule": criterion.rule}
    if criterion.rule == "close":
        tolerance = criterion.tolerance
        if tolerance is not None and tolerance.lre is not None:
            return found | {"lre": tolerance.lre}
        found |= {"absolute": tolerance.absolute, "relative": tolerance.relative} if tolerance else {}
    further = {name: getattr(criterion, name) for name in ("low", "high", "error", "message")}
    return found | {name: value for name, value in further.items() if value not in (None, "")}


def _claim_row(claim: Claim, why: str) -> dict[str, Any]:
    own = {"scenario": claim.scenario, "case": claim.case, "criterion": claim.criterion, "rule": claim.rule}
    if why:
        return own | {"left_out": why}
    return own | {name: claim.parts[name] for name in _PARTS if claim.parts.get(name) is not None}


# --- Python ----------------------------------------------------------------------------------------------------------


class _Json:
    """Values as JSON. `data`: long ones, by the names that stand in their places."""

    def __init__(self) -> None:
        self.data: dict[str, str] = {}

    def of(self, value: Any) -> Any:
        if isinstance(value, Extra):
            return self.of_extra(value.kind, value.value)
        if isinstance(value, np.ndarray):
            return self.kept(_json_array(value))
        if isinstance(value, list | tuple):
            return self.kept([self.of(part) for part in value])
        if isinstance(value, dict):
            return {"dict": {name: self.of(part) for name, part in value.items()}}
        return value

    def of_extra(self, kind: str, inner: Any) -> Any:
        if kind == "answer":
            return {"answer": inner["call"]} | ({"path": inner["path"]} if inner["path"] else {})
        if kind == "generator":
            name = inner.get("name")
            return {"generator": inner["seed"]} | ({"name": name} if name is not None else {})
        if kind == "integer":
            return int(inner, 16)
        if kind == "do":
            settings = {name: self.setting(part) for name, part in (inner.get("with") or {}).items()}
            return {"do": inner["name"], "of": [self.of(part) for part in inner["of"]]} | (
                {"with": settings} if settings else {}
            )
        return {kind: self.of(inner)}

    def setting(self, value: Any) -> Any:
        """Places stand as they are; only the runner knows what they are places of."""
        if isinstance(value, list):
            return [self.setting(part) for part in value]
        return value if isinstance(value, dict) else self.of(value)

    def kept(self, value: Any) -> Any:
        text = json.dumps(value)
        if len(text) <= _LONG or '"answer"' in text or '"generator"' in text:
            return value
        return {"data": self.data.setdefault(text, f"d{len(self.data) + 1}")}


def _json_array(value: np.ndarray[Any, Any]) -> dict[str, Any]:
    kind = value.dtype.kind
    if kind == "c":
        pairs = np.stack([value.real, value.imag], axis=-1).tolist()
        return {"array": pairs, "dtype": value.dtype.name, "shape": list(value.shape)}
    found = {"array": value.tolist(), "dtype": {"U": "str", "O": "object"}.get(kind, value.dtype.name)}
    return found if value.size else found | {"shape": list(value.shape)}


def _python(suite: _Suite) -> str:
    written = _Json()
    calls = [json.dumps(_call_row(chain, call, suite.forms, written.of)) for chain, call in suite.calls()]
    claims = []
    for number, claim in enumerate(suite.questions.claims):
        row = _claim_row(claim, suite.left_out.get(number, ""))
        parts = {name: written.of(row[name]) for name in ("observed", "expected") if name in row}
        claims.append(json.dumps(row | parts))
    criteria = _json_lines(suite.criteria())
    data = [f"{json.dumps(name)}: {text}" for text, name in written.data.items()]
    blocks = [
        f'"package": {json.dumps(suite.interface.package)}',
        f'"criteria": {{\n{criteria}\n}}',
        '"calls": [\n' + ",\n".join(calls) + "\n]",
        '"claims": [\n' + ",\n".join(claims) + "\n]",
        '"data": {\n' + ",\n".join(data) + "\n}",
    ]
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def _json_lines(rows: Mapping[str, Any]) -> str:
    return ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())


def _call_row(chain: int, call: Call, forms: Forms, of: Callable[[Any], Any]) -> dict[str, Any]:
    row: dict[str, Any] = {"id": call.id, "chain": chain, "function": call.function}
    if call.what != "call":
        row["what"] = call.what
    if call.on is not None:
        row["on"] = of(call.on)
    row["arguments"] = [of(part) for part in call.arguments]
    row["named"] = {name: of(part) for name, part in call.named.items()}
    if call.seed is not None:
        row["seed"] = call.seed
    if (fields := forms.fields(call)) is not None:
        row["fields"] = fields
    return row


# --- R ---------------------------------------------------------------------------------------------------------------

_R_MISSING = 1954  # what the low word of R's NA_real_ holds
_R_LARGEST = 2**31


class _R:
    """Values as R code. `data`: long ones, by the names that stand in their places."""

    def __init__(self) -> None:
        self.data: dict[str, str] = {}

    def of(self, value: Any) -> str:
        if isinstance(value, Extra):
            return self.of_extra(value.kind, value.value)
        if isinstance(value, np.ndarray):
            return self.kept(_r_array(value))
        if isinstance(value, list | tuple):
            return self.kept(self.of_list(list(value)))
        if isinstance(value, dict):
            return self.named_list(value)
        return _r_single(value)

    def of_list(self, values: list[Any]) -> str:
        """A list of single numbers, texts or truth values is a vector, as in the run."""
        if not values:
            return "numeric(0)"
        return f"{'c' if _are_single(values) else 'list'}({', '.join(map(self.of, values))})"

    def named_list(self, values: Mapping[str, Any]) -> str:
        if not values:
            return "structure(list(), names = character(0))"
        return f"list({', '.join(f'{_r_name(name)} = {self.of(part)}' for name, part in values.items())})"

    def of_extra(self, kind: str, inner: Any) -> str:
        if kind == "answer":
            return f"answer({', '.join([str(inner['call']), *map(_r_text, inner['path'])])})"
        if kind == "generator":
            return f"generator({_r_single(inner['seed'])})"
        if kind == "do":
            operands = ", ".join(map(self.of, inner["of"]))
            settings = ", ".join(f"{name} = {self.setting(part)}" for name, part in (inner.get("with") or {}).items())
            return f"do({_r_text(inner['name'])}, list({operands}), list({settings}))"
        if kind in ("tuple", "set", "frozenset", "scalar", "fortran", "readonly"):
            return self.of(inner)
        return self.of_dressed(kind, inner)

    def of_dressed(self, kind: str, inner: Any) -> str:
        if kind == "integer":
            return _r_number(float(int(inner, 16)))
        if kind == "complex":
            return _r_single(complex(*inner))
        if kind in ("bytes", "bytearray"):
            return f"as.raw(c({', '.join(f'{byte}L' for byte in bytes.fromhex(inner))}))"
        if kind == "pairs":
            return self.named_list({str(_bare(key)): part for key, part in inner})
        if kind == "masked":
            return f"replace({self.of(inner[0])}, which({self.of(inner[1])}), NA)"
        if kind == "formula":
            return f"stats::as.formula({_r_text(inner)}, env = globalenv())"
        if kind == "factor":
            codes = [int(code) or None for code in np.atleast_1d(inner["codes"])]
            ordered = "TRUE" if inner.get("ordered") is True else "FALSE"
            texts = ", ".join("NA_integer_" if code is None else f"{code}L" for code in codes)
            return (
                f"factor(c({texts}), seq_len({len(inner['levels'])}L), {self.of(inner['levels'])}, ordered = {ordered})"
            )
        return self.of_labelled(kind, inner)

    def of_labelled(self, kind: str, inner: Any) -> str:
        if kind == "table":
            columns = [f"{_r_name(name)} = {self.column(part)}" for name, part in inner["columns"].items()]
            index = inner.get("index")
            rows = [f"row.names = {self.of(index)}"] if index and len(set(map(str, index))) == len(index) else []
            return f"data.frame({', '.join([*columns, *rows, 'check.names = FALSE', 'stringsAsFactors = FALSE'])})"
        if kind == "series":
            labels, values = inner.get("index"), self.column(inner["values"])
            texts = isinstance(labels, list) and all(isinstance(label, str) for label in labels)
            return f"structure({values}, names = {self.of(labels)})" if texts else values
        if kind == "named":
            return self.of_names(inner["value"], inner.get("names"))
        raise ValueError(f"a value of the kind {kind!r} has no form in R")

    def of_names(self, value: Any, names: Any) -> str:
        """A list in here stays one."""
        found = f"list({', '.join(map(self.of, value))})" if isinstance(value, list) else self.of(value)
        if not names:
            return found
        if isinstance(value, np.ndarray) and value.ndim > 1:
            return f"structure({found}, dimnames = list({', '.join(map(self.of, names))}))"
        return f"structure({found}, names = {self.of([_bare(name) for name in names])})"

    def column(self, values: Any) -> str:
        if not isinstance(values, list):
            return self.of(values)
        absent = [part is None or part != part for part in map(_bare, values)]
        return f"c({', '.join('NA' if gone else self.of(part) for part, gone in zip(values, absent, strict=True))})"

    def setting(self, value: Any) -> str:
        """Places are counted as in the questions; only the runner knows what they are places of."""
        if isinstance(value, dict) and "slice" in value:
            return f"span({', '.join(map(_r_single, value['slice']))})"
        if isinstance(value, list):
            return f"list({', '.join(map(self.setting, value))})"
        return self.of(value)

    def kept(self, text: str) -> str:
        if len(text) <= _LONG or any(word in text for word in ("answer(", "generator(", "data(")):
            return text
        return f'data("{self.data.setdefault(text, f"d{len(self.data) + 1}")}")'


def _are_single(values: list[Any]) -> bool:
    kinds = {_single_kind(part) for part in map(_bare, values)}
    return len(kinds) == 1 and "" not in kinds


def _bare(value: Any) -> Any:
    """A single value without its dress."""
    while isinstance(value, Extra) and value.kind == "scalar":
        value = value.value
    return value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value


def _single_kind(value: Any) -> str:
    if isinstance(value, bool):
        return "logical"
    return "number" if isinstance(value, int | float) else "character" if isinstance(value, str) else ""


def _r_single(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return f"{value}L" if abs(value) < _R_LARGEST else _r_number(float(value))
    if isinstance(value, complex):
        return f"complex(real = {_r_number(value.real)}, imaginary = {_r_number(value.imag)})"
    return _r_number(value) if isinstance(value, float) else _r_text(str(value))


def _r_number(value: float) -> str:
    """Whole numbers and short fractions of two as they are, others in hexadecimal: R reads decimals inexactly."""
    if value != value:
        return "NA_real_" if struct.unpack("<I", struct.pack("<d", value)[:4])[0] == _R_MISSING else "NaN"
    if value in (float("inf"), float("-inf")):
        return "Inf" if value > 0 else "-Inf"
    if abs(value) < 2**31 and value * 1024 == int(value * 1024):
        return "-0" if value == 0 and str(value) == "-0.0" else repr(int(value) if value == int(value) else value)
    return value.hex()


def _r_text(text: str) -> str:
    """In ASCII, so that no machine reads it in another encoding."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + "".join(c if " " <= c <= "~" else f"\\U{{{ord(c):X}}}" for c in plain) + '"'


def _r_name(name: str) -> str:
    return "`" + _r_text(name)[1:-1].replace("`", "\\`") + "`"


def _r_array(value: np.ndarray[Any, Any]) -> str:
    kind = value.dtype.kind
    elements = [_r_element(part, kind) for part in value.ravel("F").tolist()]
    empty = {"b": "logical(0)", "i": "integer(0)", "u": "integer(0)", "U": "character(0)", "O": "character(0)"}
    found = f"c({', '.join(elements)})" if elements else empty.get(kind, "numeric(0)")
    if value.ndim == 0:
        return elements[0]
    return found if value.ndim == 1 else f"array({found}, c({', '.join(f'{size}L' for size in value.shape)}))"


def _r_element(value: Any, kind: str) -> str:
    if value is None:
        return "NA_character_"
    return "NA_integer_" if kind == "i" and value == -_R_LARGEST else _r_single(value)


def _r(suite: _Suite) -> str:
    written = _R()
    calls = [_r_call(chain, call, suite.forms, written) for chain, call in suite.calls()]
    claims = []
    for number, claim in enumerate(suite.questions.claims):
        row = _claim_row(claim, suite.left_out.get(number, ""))
        claims.append(_r_row({name: _r_part(name, part, written) for name, part in row.items()}))
    criteria = [
        f"{_r_name(name)} = {_r_row({key: _r_single(part) for key, part in row.items()})}"
        for name, row in suite.criteria().items()
    ]
    data = [f"{name} = quote({text})" for text, name in written.data.items()]
    blocks = {"criteria": criteria, "calls": calls, "claims": claims, "data": data}
    lines = [f"package = {_r_text(suite.interface.package)}"]
    lines += [f"{name} = list(\n" + ",\n".join(rows) + "\n)" for name, rows in blocks.items()]
    return "list(\n" + ",\n".join(lines) + "\n)\n"


def _r_part(name: str, part: Any, written: _R) -> str:
    return f"quote({written.of(part)})" if name in ("observed", "expected") else _r_single(part)


def _r_row(parts: Mapping[str, str]) -> str:
    return f"list({', '.join(f'{name} = {part}' for name, part in parts.items())})"


def _r_call(chain: int, call: Call, forms: Forms, written: _R) -> str:
    given = [written.of(part) for part in call.arguments]
    given += [f"{_r_name(name)} = {written.of(part)}" for name, part in call.named.items()]
    row = {"id": str(call.id), "chain": str(chain), "what": _r_text(call.what), "`function`": _r_text(call.function)}
    if call.on is not None:
        row["on"] = f"quote({written.of(call.on)})"
    row["given"] = f"quote(list({', '.join(given)}))"
    if call.seed is not None:
        row["seed"] = _r_single(call.seed)
    if (fields := forms.fields(call)) is not None:
        row["fields"] = f"c({', '.join(map(_r_text, fields))})" if fields else "character(0)"
    return _r_row(row)
