"""The validation of this package: calls, what is expected of their answers, and how far they may be off.

Made from the frozen criteria of the package's specification; all numbers stand in questions.json beside this file.
A change of the package that breaks a test here changes results. It needs numpy, and pandas for tables. pytest runs it
with other tests, whose hooks reach it there. Started as a program it is alone with the package, and needs no pytest:

    python -P tests/validation/test_validation.py
"""

from __future__ import annotations

import builtins
import contextlib
import copy
import importlib
import inspect
import io
import json
import random
import re
import sys
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

if __name__ != "__main__":
    import pytest

    pytest.importorskip("numpy", reason="the questions hold arrays of numpy")
import numpy as np

QUESTIONS = json.loads((Path(__file__).parent / "questions.json").read_text(encoding="utf-8"))
CALLS = {row["id"]: row for row in QUESTIONS["calls"]}
ADDRESS = re.compile(r"(<\w+:| at) 0x[0-9a-fA-F]{6,16}>")


class NoValue(Exception):
    """There is nothing to compare; the message says why."""


# --- asking ----------------------------------------------------------------------------------------------------------


class Chain:
    """Calls that follow each other. `kept`: what they returned; `answers`: what was seen of it at once."""

    def __init__(self, number: int) -> None:
        self.kept: dict[int, Any] = {}
        self.generators: dict[str, Any] = {}
        self.answers = {row["id"]: self.ask(row) for row in CALLS.values() if row["chain"] == number}

    def ask(self, row: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = {"value": None, "error": None, "changed": False}
        printed = io.StringIO()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                try:
                    self.perform(row, answer)
                except KeyboardInterrupt:
                    raise
                except BaseException as error:
                    answer["error"] = (called(type(error)), str(error))
        said = [(called(warning.category), str(warning.message)) for warning in caught]
        return answer | {"warnings": said, "printed": printed.getvalue().strip()}

    def perform(self, row: dict[str, Any], answer: dict[str, Any]) -> None:
        given = [made(part, self.further) for part in row["arguments"]]
        named = {name: made(part, self.further) for name, part in row["named"].items()}
        before = copied([given, named])
        random.seed(row["seed"])
        np.random.seed(row["seed"] % 2**32)
        value = self.kept[row["id"]] = self.returned(row, given, named)
        answer["changed"] = not identical(before, [given, named])
        answer["value"] = copied(value if row.get("fields") is None else fields_of(value, row["fields"]))

    def returned(self, row: dict[str, Any], given: list[Any], named: dict[str, Any]) -> Any:
        package = importlib.import_module(QUESTIONS["package"])
        what = row["what"]
        if what == "exports":
            public = [name for name in vars(package) if name[0] != "_" and not inspect.ismodule(vars(package)[name])]
            return sorted(getattr(package, "__all__", public))
        if what == "text":
            return str(given[0])
        returned_class(row)
        function = getattr(made(row["on"], self.further) if "on" in row else package, row["function"])
        return signature_of(function) if what == "signature" else function(*given, **named)

    def further(self, kind: str, node: dict[str, Any]) -> Any:
        if kind == "answer":
            fields = CALLS[node["answer"]].get("fields")
            value = self.kept[node["answer"]]
            return value if fields is None or "path" not in node else fields_of(value, fields)
        new = np.random.default_rng(node["generator"])
        return self.generators.setdefault(node["name"], new) if "name" in node else new


def returned_class(row: dict[str, Any]) -> Any:
    """The class of what a call returns, where it has one. Only what the interface declares is ever called."""
    table = QUESTIONS["functions"]
    if "on" in row:
        whole = "path" not in row["on"]
        table = QUESTIONS["methods"].get(returned_class(CALLS[row["on"]["answer"]]), {}) if whole else {}
    if row["what"] not in ("call", "signature") or row["function"] not in table:
        raise NoValue(f"the interface does not declare {row['function']}")
    return table[row["function"]]


chain = lru_cache(maxsize=None)(Chain)


def answered(call: int) -> dict[str, Any]:
    return chain(CALLS[call]["chain"]).answers[call]


def called(kind: type) -> str:
    """A class that is called like one of Python's own and is another one does not go by that name."""
    same = getattr(builtins, kind.__name__, kind) is kind
    return kind.__name__ if same else f"{kind.__module__}.{kind.__qualname__}"


def fields_of(value: Any, wanted: list[Any]) -> dict[str, Any]:
    """The declared fields; of those that are objects themselves, theirs."""
    below = {row["name"]: row["fields"] for row in wanted if isinstance(row, dict)}
    names = [row if isinstance(row, str) else row["name"] for row in wanted]
    held = value if isinstance(value, dict) else {name: getattr(value, name) for name in names if hasattr(value, name)}
    found = {name: held[name] for name in names if name in held}
    return {name: fields_of(part, below[name]) if below.get(name) else part for name, part in found.items()}


def signature_of(function: Any) -> list[dict[str, Any]]:
    return [
        {"name": row.name, "default": None if row.default is row.empty else repr(row.default),
         "keyword_only": row.kind is row.KEYWORD_ONLY}
        for row in inspect.signature(function).parameters.values()
    ]  # fmt: skip


def copied(value: Any) -> Any:
    try:
        return copy.deepcopy(value)
    except Exception:
        return value


# --- from questions.json to values -----------------------------------------------------------------------------------


def seen(kind: str, node: dict[str, Any]) -> Any:
    """An answer, where expectations are about it."""
    answer = answered(node["answer"])
    if answer["error"] is not None:
        raise NoValue("{} raised {}: {}".format(CALLS[node["answer"]]["function"], *answer["error"]))
    return answer["value"]


def made(node: Any, further: Any) -> Any:
    if isinstance(node, list):
        return [made(part, further) for part in node]
    if not isinstance(node, dict):
        return node
    kind, inner = next(iter(node.items()))
    if kind in ("answer", "generator"):
        found = further(kind, node)
        for step in node.get("path", []):
            found = part_of(found, step)
        return found
    if kind == "do":
        return calculated(inner, [made(part, further) for part in node["of"]], node["with"])
    if kind == "dict":
        return {name: made(part, further) for name, part in inner.items()}
    if kind == "data":
        return made(QUESTIONS["data"][inner], further)
    return array_of(node) if kind == "array" else KINDS[kind](made(inner, further))


def array_of(node: dict[str, Any]) -> Any:
    if node["dtype"].startswith("complex"):
        parts = np.array(node["array"], dtype=float).reshape([*node["shape"], 2])
        return (parts[..., 0] + 1j * parts[..., 1]).astype(node["dtype"])
    found = np.array(node["array"], dtype=node["dtype"])
    return found.reshape(node["shape"]) if "shape" in node else found


def read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


def table(parts: Any) -> Any:
    return importlib.import_module("pandas").DataFrame(parts["columns"], index=parts["index"])


def series(parts: Any) -> Any:
    return importlib.import_module("pandas").Series(parts["values"], index=parts["index"], name=parts["name"])


KINDS: dict[str, Any] = {
    "tuple": tuple, "set": set, "frozenset": frozenset, "complex": lambda parts: complex(*parts),
    "bytes": bytes.fromhex, "bytearray": bytearray.fromhex, "pairs": lambda rows: {row[0]: row[1] for row in rows},
    "scalar": lambda array: array[()], "named": lambda parts: parts["value"], "formula": str,
    "factor": lambda of: [of["levels"][int(code) - 1] if code else None for code in of["codes"]],
    "fortran": np.asfortranarray, "readonly": read_only, "masked": lambda parts: np.ma.MaskedArray(*parts),
    "table": table, "series": series,
}  # fmt: skip


def part_of(value: Any, step: str) -> Any:
    if not (isinstance(value, dict) or hasattr(value, "columns")) or step not in value:
        raise NoValue(f"the answer has no {step}")
    return value[step]


# --- calculating with answers ----------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """Numbers, texts, arrays, lists and dicts; of anything else its type."""
    if isinstance(value, np.ma.MaskedArray):
        return np.where(np.ma.getmaskarray(value), np.nan, value.data)
    if isinstance(value, np.ndarray | list | dict | str | bytes | bytearray | int | float | complex) or value is None:
        return value
    if isinstance(value, np.generic):
        return np.asarray(value)
    if isinstance(value, tuple | set | frozenset):
        return list(value) if isinstance(value, tuple) else sorted(value, key=repr)
    if hasattr(value, "columns") and hasattr(value, "to_dict"):
        return {str(name): value[name] for name in value.columns}
    return plain(value.to_numpy()) if hasattr(value, "to_numpy") else type(value)


def numbers(value: Any) -> Any:
    value = plain(value)
    if isinstance(value, list) and value:
        parts = [numbers(part) for part in value]
        if len({part.shape for part in parts}) > 1:
            raise NoValue("a ragged list where numbers are expected")
        return np.stack(parts)
    found = np.empty(0) if isinstance(value, list) else np.asarray(value)
    if found.dtype.kind not in "biufc":
        raise NoValue(f"{type(value).__name__} where numbers are expected")
    return found if found.dtype.kind == "c" else found.astype(float)


def calculated(name: str, of: list[Any], settings: dict[str, Any]) -> Any:
    try:
        with np.errstate(all="ignore"):
            return KNOWN[name](*of, **settings)
    except (ValueError, TypeError, IndexError, np.linalg.LinAlgError) as error:
        raise NoValue(f"{name} cannot be calculated from it: {error}") from None


def element(of: Any, at: list[Any]) -> Any:
    if len(at) == 1 and isinstance(at[0], str):
        return part_of(of, at[0])
    places = [slice(*part["slice"]) if isinstance(part, dict) else part for part in at]
    places = [np.array(part, dtype=None if part else int) if isinstance(part, list) else part for part in places]
    values = plain(of)
    if isinstance(values, list) and len(at) == 1 and isinstance(places[0], int | slice):
        return values[places[0]]
    values = values if isinstance(values, np.ndarray) else numbers(values)
    if len(at) > values.ndim:
        raise NoValue("more places than dimensions")
    return values[tuple(places)]


def length(of: Any) -> int:
    of = plain(of)
    return len(of) if isinstance(of, list | str | dict) else len(np.atleast_1d(of))


def shape(of: Any) -> list[int]:
    return list(of.shape if isinstance(of, np.ndarray) else numbers(of).shape)


def names(of: Any) -> Any:
    return list(of.index) if hasattr(of, "to_frame") else list(of) if isinstance(plain(of), dict) else None


def equal(left: Any, right: Any) -> Any:
    if isinstance(left, str) or isinstance(right, str):
        return plain(left) == plain(right)
    return numbers(left) == numbers(right)


def reduced(function: Any) -> Any:
    def work(of: Any, axis: Any = None, **settings: Any) -> Any:
        if not numbers(of).size:
            raise NoValue("there are no numbers to reduce")
        return function(numbers(of), axis=axis, **settings)

    return work


def of_numbers(function: Any) -> Any:
    return lambda *of: function(*map(numbers, of))


KNOWN: dict[str, Any] = {
    "part": element, "length": length, "shape": shape, "names": names, "equal": equal,
    "different": lambda left, right: np.logical_not(equal(left, right)),
    "sd": reduced(lambda of, axis, divisor=1: np.std(of, axis=axis, ddof=divisor)),
    "var": reduced(lambda of, axis, divisor=1: np.var(of, axis=axis, ddof=divisor)),
    "quantile": reduced(lambda of, axis, probability=0.5: np.quantile(of, made(probability, seen), axis=axis)),
    "cov": lambda of: np.cov(numbers(of), rowvar=False), "cor": lambda of: np.corrcoef(numbers(of), rowvar=False),
    "sorted": lambda of: np.sort(numbers(of), axis=None), "transposed": lambda of: numbers(of).T,
} | {name: reduced(function) for name, function in [
    ("mean", np.mean), ("median", np.median), ("total", np.sum), ("smallest", np.min), ("largest", np.max),
]} | {name: of_numbers(function) for name, function in [
    ("diag", np.diag), ("abs", np.abs), ("sqrt", np.sqrt), ("exp", np.exp), ("log", np.log), ("plus", np.add),
    ("eigenvalues", np.linalg.eigvalsh), ("solve", np.linalg.solve), ("minus", np.subtract), ("times", np.multiply),
    ("over", np.divide), ("power", np.power), ("matmul", np.matmul), ("below", np.less), ("at most", np.less_equal),
]}  # fmt: skip


# --- comparing -------------------------------------------------------------------------------------------------------


ATOMS = (str, bytes, bytearray, type, type(None))


def identical(left: Any, right: Any) -> bool:
    left, right = plain(left), plain(right)
    if isinstance(left, dict) and isinstance(right, dict):
        return list(left) == list(right) and all(identical(left[name], right[name]) for name in left)
    if isinstance(left, ATOMS) or isinstance(right, ATOMS):
        return bool(type(left) is type(right) and left == right)
    try:
        one, other = numbers(left), numbers(right)
    except NoValue:
        lists = [part.tolist() if isinstance(part, np.ndarray) else part for part in (left, right)]
        if not all(isinstance(part, list) for part in lists) or len(lists[0]) != len(lists[1]):
            return False
        return all(map(identical, *lists))
    if one.shape != other.shape and not one.size == other.size == 1:
        return False
    one, other = one.reshape(-1), other.reshape(-1)
    return bool(((one == other) | ((one != one) & (other != other))).all())


def paired(left: Any, right: Any) -> tuple[Any, Any]:
    """All numbers of both sides, in one order; lists may hold parts of different shapes."""
    left, right = plain(left), plain(right)
    try:
        one, other = numbers(left), numbers(right)
    except NoValue:
        if not (isinstance(left, list) and isinstance(right, list) and len(left) == len(right)):
            raise
        pairs = [paired(*pair) for pair in zip(left, right, strict=True)]
        return np.concatenate([pair[0] for pair in pairs]), np.concatenate([pair[1] for pair in pairs])
    if one.shape != other.shape and not one.size == other.size == 1:
        raise NoValue(f"its shape is {one.shape}, and {other.shape} is expected")
    if not one.size:
        raise NoValue("there is nothing to compare")
    if "c" in (one.dtype.kind, other.dtype.kind):
        one, other = (np.stack([part.real, part.imag]) for part in (one, other))
    return one.reshape(-1), other.reshape(-1)


def far_off(observed: Any, expected: Any, rule: dict[str, Any]) -> str:
    left, right = paired(observed, expected)
    with np.errstate(all="ignore"):
        same = (left == right) | (np.isnan(left) & np.isnan(right))
        gap = np.abs(left - right)
        if "lre" in rule:
            digits = -np.log10(gap / np.where(right == 0, 1.0, np.abs(right)))
            near = np.minimum(15.0, digits) >= rule["lre"]
        else:
            near = gap - rule["absolute"] - rule["relative"] * np.abs(right) <= 0
    beyond = ~(same | (near & np.isfinite(left) & np.isfinite(right)))
    where = int(np.argmax(beyond))
    return f"{left[where]!r} where {right[where]!r} is expected" if beyond.any() else ""


def beyond(values: Any, rule: dict[str, Any]) -> str:
    values = numbers(values).reshape(-1)
    low, high = rule.get("low", -np.inf), rule.get("high", np.inf)
    held = np.isfinite(values) & (low <= values) & (values <= high)
    return "" if everywhere(held) else f"{values} is not between {low} and {high}"


def everywhere(held: Any) -> bool:
    return bool(np.size(held)) and bool(np.all(held))


def all_numbers(value: Any) -> Any:
    """Of an object all the numbers in its fields, of a list those of its parts; of anything else itself."""
    found = plain(value)
    parts = []
    for part in found.values() if isinstance(found, dict) else found if isinstance(found, list) else ():
        with contextlib.suppress(*([NoValue] if isinstance(found, dict) else [])):
            parts.append(all_numbers(part))
    return np.concatenate([np.empty(0), *parts]) if isinstance(found, dict | list) else numbers(found).reshape(-1)


def condition(claim: dict[str, Any], rule: dict[str, Any], came: list[tuple[str, str]]) -> str:
    own = claim.get("error") is None and claim.get("message") is None
    error = claim.get("error") or rule.get("error", "")
    message = rule.get("message", "") if own else claim.get("message") or ""
    held = any((not error or name == error) and message in text for name, text in came)
    return "" if held else f"{came or 'nothing'} came where {error} with {message!r} is expected"


def settled(answer: dict[str, Any]) -> list[Any]:
    """What must be the same when it is asked again; a text may name an object by its address."""
    value, said = answer["value"], repr([answer["error"], answer["warnings"]])
    return [ADDRESS.sub(r"\1>", part) if isinstance(part, str) else part for part in (value, said)]


def about_call(claim: dict[str, Any], rule: dict[str, Any]) -> str:
    kind, answer = claim["rule"], answered(claim["call"])
    if kind == "raises":
        return condition(claim, rule, [answer["error"]] if answer["error"] else [])
    if kind == "repeatable":
        again = Chain(CALLS[claim["call"]]["chain"]).answers[claim["call"]]
        return "" if identical(settled(answer), settled(again)) else "asked again, it answers something else"
    if answer["error"]:
        stated = any(row[0] == answer["error"][0] and row[1] in answer["error"][1] for row in claim.get("refusals", ()))
        return "" if stated else "it raised {}: {}".format(*answer["error"])
    if kind == "warns":
        return condition(claim, rule, answer["warnings"])
    if kind == "untouched":
        return "an argument was changed" if answer["changed"] else ""
    if kind == "silent" and (answer["warnings"] or answer["printed"]):
        return f"it said {answer['warnings'] or answer['printed']}"
    return ""


def problem(claim: dict[str, Any], rule: dict[str, Any]) -> str:
    """What is wrong, in words; nothing where the claim is true."""
    kind = claim["rule"]
    if "call" in claim:
        return about_call(claim, rule)
    observed, expected = (made(claim.get(name), seen) for name in ("observed", "expected"))
    if kind == "close":
        return far_off(observed, expected, rule)
    if kind == "value":
        return beyond(observed, rule)
    if kind == "between":
        low, high, values = numbers(expected[0]), numbers(expected[1]), numbers(observed)
        held = everywhere((low <= values) & (values <= high))
    elif kind == "less":
        held = everywhere(numbers(observed) < numbers(expected))
    elif kind == "contains":
        found = plain(observed)
        found = found.tolist() if isinstance(found, np.ndarray) else found
        held = isinstance(found, str | list) and expected in found
    else:
        held = everywhere(np.isfinite(all_numbers(observed))) if kind == "finite" else identical(observed, expected)
    return "" if held else f"not {kind}: {observed!r}" + ("" if expected is None else f" and {expected!r}")


def judged(criterion: str, claims: list[Any]) -> str:
    """What is wrong with any of the claims, in words."""
    wrong = []
    for claim in claims:
        try:
            wrong.append(problem(claim, QUESTIONS["criteria"][criterion]))
        except Exception as nothing:
            wrong.append(str(nothing))
    return "; ".join(filter(None, wrong))


def cases() -> dict[tuple[str, ...], list[Any]]:
    """The claims of each scenario, case and criterion; the last word is why they are left out, or nothing."""
    found: dict[tuple[str, ...], list[Any]] = {}
    for claim in QUESTIONS["claims"]:
        key = (claim["scenario"], claim["case"], claim["criterion"], claim.get("left_out", ""))
        found.setdefault(key, []).append(claim)
    return found


def program() -> int:
    """One line for each case and criterion; 1 where something failed, or where nothing was compared."""
    counts = {"PASSED": 0, "FAILED": 0, "SKIPPED": 0}
    for (_, case, criterion, left_out), claims in cases().items():
        why = left_out or judged(criterion, claims)
        outcome = "SKIPPED" if left_out else "FAILED" if why else "PASSED"
        counts[outcome] += 1
        print(outcome, f"{case}-{criterion}" + (f": {why}" if why else ""))
    print(", ".join(f"{count} {outcome.lower()}" for outcome, count in counts.items()))
    return 0 if counts["PASSED"] and not counts["FAILED"] else 1


if __name__ == "__main__":
    sys.exit(program())


def parameters() -> list[Any]:
    rows = []
    for (_, case, criterion, left_out), claims in cases().items():
        marks = [pytest.mark.skip(reason=left_out)] if left_out else []
        rows.append(pytest.param(criterion, claims, id=f"{case}-{criterion}", marks=marks))
    return rows


@pytest.mark.parametrize(("criterion", "claims"), parameters())
def test_validation(criterion: str, claims: list[Any]) -> None:
    wrong = judged(criterion, claims)
    assert not wrong, f"{QUESTIONS['criteria'][criterion]['quantity']}: {wrong}"
