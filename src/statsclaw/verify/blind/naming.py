"""Only what the interface names can be asked: no other function, method, argument or field."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from statsclaw.specs.interface import FIGURE_FIELDS, Argument
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.moving import Leaf
from statsclaw.verify.blind.questionnaire import Call

_LAYER = re.compile(r"layer[1-9]\d{0,2}")
#: What a formula may call. It is evaluated where the package runs, so anything else could mend or break the package.
FORMULA_WORDS = frozenset({
    "C", "Error", "I", "Surv", "abs", "acos", "as.character", "as.factor", "as.integer", "as.logical", "as.matrix",
    "as.numeric", "as.vector", "asin", "atan", "beta", "bs", "c", "cbind", "ceiling", "character", "cluster",
    "colSums", "cos", "cosh", "crossprod", "cumsum", "cut", "data.frame", "diff", "dnorm", "droplevels", "exp",
    "expm1", "factor", "floor", "gamma", "ifelse", "interaction", "is.finite", "is.na", "is.nan", "lag", "length",
    "levels", "lgamma", "list", "log", "log10", "log1p", "log2", "logical", "matrix", "max", "mean", "median", "min",
    "nchar", "nlevels", "ns", "numeric", "offset", "order", "ordered", "outer", "paste", "plogis", "pmax", "pmin",
    "pnorm", "poly", "prod", "pspline", "qlogis", "qnorm", "rank", "rbind", "relevel", "rep", "rev", "round",
    "rowMeans", "rowSums", "s", "scale", "sd", "seq", "seq_along", "seq_len", "sign", "sin", "sinh", "sort",
    "splines::bs", "splines::ns", "sqrt", "strata", "sum", "survival::Surv", "t", "tan", "tanh", "te", "ti", "trunc",
    "unique", "var", "which",
})  # fmt: skip
_CALLS = re.compile(r"((?:[A-Za-z.][\w.]*:::?)?[A-Za-z.][\w.]*|[`'\")\]])\s*\(")


def unnamed(call: Call, forms: Forms, *, refused: bool = False) -> str:
    """What a call needs that the interface does not name; "" where there is nothing.

    `refused`: an error is expected, so that arguments may be any.
    """
    if hidden := next((step for step in _steps(call) if step.startswith("_")), ""):
        return f"{hidden} is no public name"
    for text in _formulas_in([*call.arguments, *call.named.values()]):
        if "#" in text:  # a comment could stand between a name and its arguments
            return f"the formula {text[:80]} holds a comment"
        if other := next((name for name in _CALLS.findall(text) if not _may_stand(name, forms)), ""):
            return f"the formula {text[:80]} calls {other}: give what that computes as a column of the data"
    if call.what != "call" or call.function in forms.spoken.values.makers:
        return ""
    if call.on is not None:
        return _unnamed_method(call, forms)
    if call.function not in askable(forms):
        return f"the interface names no function {call.function}"
    names = arguments_of(call.function, forms)
    return "" if refused or names is None else _unnamed_argument(call, names)


def askable(forms: Forms) -> list[str]:
    """The functions that can be asked by their name."""
    return sorted({*forms.functions, *forms.classes, *forms.of_base, *forms.spoken.values.makers})


def arguments_of(name: str, forms: Forms) -> list[str] | None:
    """What such a function may be given; None where that may be anything."""
    function, cls = forms.functions.get(name), forms.classes.get(name)
    if function is not None and not function.extends:  # what it could be given before, it still can
        return _names(function.arguments)
    return _names(cls.arguments) if function is None and cls is not None else None


def _names(arguments: Sequence[Argument]) -> list[str] | None:
    names = [row.name for row in arguments]
    return None if any(name == "..." or name.startswith("*") for name in names) else names


def _unnamed_method(call: Call, forms: Forms) -> str:
    declared = forms.declared(call)
    if declared is not None:
        names = _names(declared.arguments)
        return "" if declared.extends or names is None else _unnamed_argument(call, names)
    generics = forms.spoken.values.generics
    generic = bool(generics) and (call.function in generics or call.function in forms.functions)
    if generic or call.function in forms.any_fields:
        return ""
    return f"the interface names no method {call.function}"


def _unnamed_argument(call: Call, names: Sequence[str]) -> str:
    if other := next((name for name in call.named if name not in names), ""):
        return f"the interface names no argument {other} of {call.function}"
    if len(call.arguments) > len(names):
        return f"the interface names {len(names)} arguments of {call.function}, and {len(call.arguments)} are given"
    return ""


def unnamed_field(leaf: Leaf, calls: Sequence[Call], forms: Forms) -> str:
    """The part of an answer that the interface does not name; "" where it does, or says nothing about parts."""
    number, path = leaf
    call = calls[number]
    if hidden := next((step for step in path if step.startswith("_")), ""):
        return f"{hidden} is no public name"
    declared, returned = forms.declared(call), forms.returned(call)
    if not path or returned is None or (declared is not None and declared.extends):
        return ""
    known = [part.name for part in returned.fields]
    if returned.type == "figure":
        known = [path[0]] if path[0] in FIGURE_FIELDS or _LAYER.fullmatch(path[0]) else []
    elif returned.type != "object" or not known:
        return ""
    return "" if path[0] in known else f"the interface names no part {path[0]} of what {call.function} returns"


def _may_stand(name: str, forms: Forms) -> bool:
    return name in FORMULA_WORDS or name in forms.functions


def _formulas_in(node: Any) -> Iterator[str]:
    if isinstance(node, Extra) and node.kind == "formula":
        yield str(node.value)
    inner = node.value if isinstance(node, Extra) else node
    parts = inner.values() if isinstance(inner, dict) else inner if isinstance(inner, list | tuple) else ()
    for part in parts:
        yield from _formulas_in(part)


def _steps(call: Call) -> Iterator[str]:
    yield from call.function.split(".")
    yield from (step for node in _answers_in([*call.arguments, *call.named.values(), call.on]) for step in node)


def _answers_in(node: Any) -> Iterator[list[str]]:
    if isinstance(node, Extra) and node.kind == "answer":
        yield [step for step in node.value["path"] if isinstance(step, str)]
    parts: Iterable[Any] = ()
    inner = node.value if isinstance(node, Extra) else node
    if isinstance(inner, dict):
        parts = inner.values()
    elif isinstance(inner, list | tuple):
        parts = inner
    for part in parts:
        yield from _answers_in(part)
