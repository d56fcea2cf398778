"""Questions to a package, and what to expect of its answers, written before anybody has heard one.

    import statsclaw_ask as ask

    @ask.scenario("S1")
    def drawn_numbers(rng):                       # the frozen stream of S1
        x = rng.normal(size=30)
        fit = ask.call("interval", x, level=0.9)  # a promise: it has no value here
        ask.close("C1", fit.mean, x.mean())
        ask.raises("C4", ask.call("interval", []))

A promise can be taken apart (`fit.cov[0, 1]`), reduced (`ask.mean(fit.draws, axis=0)`), calculated with (`2 * fit.se`)
and passed on (`ask.call(fit, "predict", x)`). The engine asks the package later, elsewhere, and compares.
The whole list is in docs/reference/questions.md.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

from statsclaw_wire import Extra, encode

__all__ = [
    "between", "call", "close", "contains", "cor", "cov", "diag", "dialogue", "draw", "eigenvalues", "exp", "exports",
    "finite", "generator", "largest", "length", "less", "log", "matmul", "mean", "median", "method", "names",
    "observe", "peak", "quantile", "raises", "rate", "repeatable", "returns", "same", "scenario", "sd", "seconds",
    "seeded", "shape", "signature", "silent", "smallest", "solve", "sorted", "sqrt", "text", "total", "transposed",
    "unchanged", "untouched", "value", "var", "warns",
]  # fmt: skip


class Misasked(Exception):
    """What was written cannot be a question; the message says why."""


class Book:
    """All that was asked, in order."""

    def __init__(self) -> None:
        self.scenarios: list[tuple[str, Callable[..., Any], str]] = []
        self.calls: list[dict[str, Any]] = []
        self.claims: list[dict[str, Any]] = []
        self.scenario, self.case, self.file = "", "", ""
        self.draw: Callable[..., Any] | None = None
        self.methods: dict[str, Callable[..., Any]] = {}

    def add_call(self, row: dict[str, Any]) -> Answer:
        row |= {"id": len(self.calls), "scenario": self.scenario, "case": self.case, "at": self._written_at()}
        encode(row)
        self.calls.append(row)
        return Answer(Extra("answer", {"call": row["id"], "path": []}))

    def add_claim(self, criterion: str, rule: str, **parts: Any) -> None:
        if not self.scenario:
            raise Misasked(f"{criterion} is claimed outside of a scenario")
        where = {"criterion": str(criterion), "scenario": self.scenario, "case": self.case, "file": self.file}
        row = where | {"rule": rule, "at": self._written_at()} | {name: _node(part) for name, part in parts.items()}
        encode(row)
        self.claims.append(row)

    def _written_at(self) -> str:
        """The place in the file with the questions where the author wrote it; "" where it is not known."""
        frame: Any = sys._getframe(1) if self.scenario != "study" else None  # of which there are many
        while frame is not None:
            if self.file and frame.f_code.co_filename.endswith(f"/{self.file}"):
                return f"{self.file}:{frame.f_lineno}"
            frame = frame.f_back
        return ""


BOOK = Book()


class Answer:
    """What the package will answer, or a part of it, or what is calculated from it. Nobody knows it yet."""

    __slots__ = ("_node",)

    def __init__(self, node: Extra) -> None:
        object.__setattr__(self, "_node", node)

    def __getattr__(self, name: str) -> Answer:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._below(name)

    def __getitem__(self, at: Any) -> Answer:
        if isinstance(at, str) and self._node.kind == "answer":
            return self._below(at)
        return _do("part", self, at=[_place(part) for part in (at if isinstance(at, tuple) else (at,))])

    def _below(self, name: str) -> Answer:
        node = self._node
        if node.kind != "answer":
            raise Misasked(f"a calculated value has no field {name!r}")
        return Answer(Extra("answer", {"call": node.value["call"], "path": [*node.value["path"], name]}))

    def __setattr__(self, name: str, value: Any) -> None:
        raise Misasked("an answer cannot be changed")

    def __bool__(self) -> bool:
        raise Misasked("an answer is not known while questions are written: claim something about it instead")

    def __iter__(self) -> Any:
        raise Misasked("an answer is not known while questions are written: its length neither")

    __float__ = __int__ = __index__ = __len__ = __bool__
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Any) -> Answer:
        return _do("plus", self, other)

    def __radd__(self, other: Any) -> Answer:
        return _do("plus", other, self)

    def __sub__(self, other: Any) -> Answer:
        return _do("minus", self, other)

    def __rsub__(self, other: Any) -> Answer:
        return _do("minus", other, self)

    def __mul__(self, other: Any) -> Answer:
        return _do("times", self, other)

    def __rmul__(self, other: Any) -> Answer:
        return _do("times", other, self)

    def __truediv__(self, other: Any) -> Answer:
        return _do("over", self, other)

    def __rtruediv__(self, other: Any) -> Answer:
        return _do("over", other, self)

    def __pow__(self, other: Any) -> Answer:
        return _do("power", self, other)

    def __rpow__(self, other: Any) -> Answer:
        return _do("power", other, self)

    def __matmul__(self, other: Any) -> Answer:
        return _do("matmul", self, other)

    def __rmatmul__(self, other: Any) -> Answer:
        return _do("matmul", other, self)

    def __neg__(self) -> Answer:
        return _do("times", -1.0, self)

    def __abs__(self) -> Answer:
        return _do("abs", self)

    def __lt__(self, other: Any) -> Answer:
        return _do("below", self, other)

    def __le__(self, other: Any) -> Answer:
        return _do("at most", self, other)

    def __gt__(self, other: Any) -> Answer:
        return _do("below", other, self)

    def __ge__(self, other: Any) -> Answer:
        return _do("at most", other, self)

    def __eq__(self, other: object) -> Answer:  # type: ignore[override]
        return _do("equal", self, other)

    def __ne__(self, other: object) -> Answer:  # type: ignore[override]
        return _do("different", self, other)


def _place(part: Any) -> Any:
    if isinstance(part, slice):
        return {"slice": [part.start, part.stop, part.step]}
    if part is None or part is Ellipsis:
        return {"slice": [None, None, None]} if part is Ellipsis else None
    return part.tolist() if hasattr(part, "tolist") else part


def _do(name: str, *operands: Any, **settings: Any) -> Answer:
    return Answer(Extra("do", {"name": name, "of": [_node(part) for part in operands], "with": settings}))


def _node(value: Any) -> Any:
    """A value with the promises in it written out."""
    if isinstance(value, Answer):
        return value._node
    if isinstance(value, list):
        return [_node(part) for part in value]
    if type(value) is tuple:
        return tuple(_node(part) for part in value)
    return {key: _node(part) for key, part in value.items()} if type(value) is dict else value


# --- scenarios and calls ---------------------------------------------------------------------------------------------


def scenario(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The function below asks what the scenario of that id is about. It may take `rng`, the stream of the scenario."""

    def keep(function: Callable[..., Any]) -> Callable[..., Any]:
        BOOK.scenarios.append((str(name), function, BOOK.file))
        return function

    return keep


def draw(function: Callable[..., Any]) -> Callable[..., Any]:
    """Of a study: `draw(rng, cell)` gives the data of one replication, all methods the same."""
    BOOK.draw = function
    return function


def method(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Of a study: the function below asks the package about drawn data, `f(data, cell)` or `f(data, cell, seed)`.

    It returns what to record: {"slope": {"estimate": fit.coef[1], "se": …, "low": …, "high": …, "p": …}, "rate": …}.
    `seed` is a whole number, another one in every replication, for calls that draw at random.
    """

    def keep(function: Callable[..., Any]) -> Callable[..., Any]:
        BOOK.methods[str(name)] = function
        return function

    return keep


def call(what: Any, *arguments: Any, **named: Any) -> Answer:
    """`call("fit", y, X, lags=1)`, or of an answer one of its methods: `call(fit, "predict", X)`."""
    if isinstance(what, Answer):
        if not arguments or not isinstance(arguments[0], str):
            raise Misasked('a call on an answer names a method: call(fit, "predict", …)')
        what, on, arguments = arguments[0], what._node, arguments[1:]
        if on.kind != "answer":
            raise Misasked("a calculated value has no methods")
    else:
        on = None
    given = [_node(part) for part in arguments]
    row = {"what": "call", "function": str(what), "arguments": given, "named": {k: _node(v) for k, v in named.items()}}
    return BOOK.add_call(row | ({"on": on} if on is not None else {}))


def seeded(seed: int, answer: Answer) -> Answer:
    """The call is made with the language's own generator of random numbers seeded: set.seed, numpy.random.seed."""
    _row_of(answer)["seed"] = int(seed)
    return answer


def generator(seed: int, name: str | None = None) -> Any:
    """An argument: numpy.random.default_rng(seed). With a name it goes on in later calls of a dialogue."""
    return Extra("generator", {"seed": int(seed), "name": name})


def exports() -> Answer:
    """The public names of the package, sorted."""
    return BOOK.add_call({"what": "exports", "function": "", "arguments": [], "named": {}})


def signature(function: str) -> Answer:
    """The arguments of a function: a list of name, default (as text, None where it has none) and keyword_only."""
    return BOOK.add_call({"what": "signature", "function": function, "arguments": [], "named": {}})


def text(answer: Answer) -> Answer:
    """What a person sees of it: str() in Python, what print shows in R."""
    return BOOK.add_call({"what": "text", "function": "", "arguments": [answer._node], "named": {}})


def _row_of(answer: Answer) -> dict[str, Any]:
    if not isinstance(answer, Answer) or answer._node.kind != "answer" or answer._node.value["path"]:
        raise Misasked("this wants a whole call, not a part of its answer")
    return BOOK.calls[answer._node.value["call"]]


def _whole(answer: Answer) -> int:
    return int(_row_of(answer)["id"])


# --- calculating with answers ----------------------------------------------------------------------------------------


def mean(of: Any, axis: int | None = None) -> Answer:
    return _do("mean", of, axis=axis)


def sd(of: Any, axis: int | None = None, divisor: int = 1) -> Answer:
    """`divisor`: what is taken from the number of values, 1 as usual or 0."""
    return _do("sd", of, axis=axis, divisor=divisor)


def var(of: Any, axis: int | None = None, divisor: int = 1) -> Answer:
    return _do("var", of, axis=axis, divisor=divisor)


def median(of: Any, axis: int | None = None) -> Answer:
    return _do("median", of, axis=axis)


def quantile(of: Any, probability: Any, axis: int | None = None) -> Answer:
    """By linear interpolation (R's type 7); several probabilities come first in the shape."""
    return _do("quantile", of, axis=axis, probability=probability)


def cov(of: Any) -> Answer:
    """Of columns, with divisor n - 1."""
    return _do("cov", of)


def cor(of: Any) -> Answer:
    return _do("cor", of)


def rate(of: Any, axis: int | None = None) -> Answer:
    """The share that is true: rate(fit.draws < 0)."""
    return _do("mean", of, axis=axis)


def total(of: Any, axis: int | None = None) -> Answer:
    return _do("total", of, axis=axis)


def smallest(of: Any, axis: int | None = None) -> Answer:
    return _do("smallest", of, axis=axis)


def largest(of: Any, axis: int | None = None) -> Answer:
    return _do("largest", of, axis=axis)


def length(of: Any) -> Answer:
    return _do("length", of)


def shape(of: Any) -> Answer:
    return _do("shape", of)


def names(of: Any) -> Answer:
    """Of what has names: columns of a table, elements of a named vector or list."""
    return _do("names", of)


def sorted(of: Any) -> Answer:
    return _do("sorted", of)


def transposed(of: Any) -> Answer:
    return _do("transposed", of)


def diag(of: Any) -> Answer:
    return _do("diag", of)


def sqrt(of: Any) -> Answer:
    return _do("sqrt", of)


def exp(of: Any) -> Answer:
    return _do("exp", of)


def log(of: Any) -> Answer:
    return _do("log", of)


def eigenvalues(of: Any) -> Answer:
    """Of a symmetric matrix, the smallest first."""
    return _do("eigenvalues", of)


def solve(left: Any, right: Any) -> Answer:
    return _do("solve", left, right)


def matmul(left: Any, right: Any) -> Answer:
    return _do("matmul", left, right)


def seconds(answer: Answer) -> Answer:
    """How long the call took, as the engine measured it."""
    return Answer(Extra("measured", {"call": _whole(answer), "what": "seconds"}))


def peak(answer: Answer) -> Answer:
    """The largest memory of the process up to the end of the call, in bytes."""
    return Answer(Extra("measured", {"call": _whole(answer), "what": "peak"}))


# --- what is claimed -------------------------------------------------------------------------------------------------


def close(criterion: str, observed: Any, expected: Any = None, part: str = "") -> None:
    """Within the frozen tolerance, element by element. `part`: why it is enough to look at a part, where it is one.

    Where the criterion itself says what the source prints, `expected` is left out.
    """
    BOOK.add_claim(criterion, "close", observed=observed, expected=expected, part=str(part))


def value(criterion: str, observed: Any) -> None:
    """Every element within the frozen bounds."""
    BOOK.add_claim(criterion, "value", observed=observed)


def raises(criterion: str, answer: Answer, message: str | None = None, error: str | None = None) -> None:
    """The frozen error. Another message or class only where the interface names it for this function."""
    BOOK.add_claim(criterion, "raises", call=_whole(answer), message=message, error=error)


def warns(criterion: str, answer: Answer, message: str | None = None, error: str | None = None) -> None:
    """The frozen warning, and an answer."""
    BOOK.add_claim(criterion, "warns", call=_whole(answer), message=message, error=error)


def same(criterion: str, observed: Any, expected: Any) -> None:
    """Exactly equal: numbers, texts, names, shapes, lists of them."""
    BOOK.add_claim(criterion, "same", observed=observed, expected=expected)


def contains(criterion: str, observed: Any, fragment: str) -> None:
    BOOK.add_claim(criterion, "contains", observed=observed, expected=str(fragment))


def less(criterion: str, smaller: Any, larger: Any) -> None:
    """Every element of the first below that of the second."""
    BOOK.add_claim(criterion, "less", observed=smaller, expected=larger)


def between(criterion: str, low: Any, observed: Any, high: Any) -> None:
    BOOK.add_claim(criterion, "between", observed=observed, expected=[low, high])


def finite(criterion: str, observed: Any) -> None:
    BOOK.add_claim(criterion, "finite", observed=observed)


def untouched(criterion: str, answer: Answer) -> None:
    """The call left its arguments as they were."""
    BOOK.add_claim(criterion, "untouched", call=_whole(answer))


def repeatable(criterion: str, answer: Answer) -> None:
    """The same call in a fresh process gives the same answer, bit for bit."""
    row = _row_of(answer)
    row["again"] = True
    BOOK.add_claim(criterion, "repeatable", call=_whole(answer))


def silent(criterion: str, answer: Answer) -> None:
    """The call answers, prints nothing and warns of nothing."""
    BOOK.add_claim(criterion, "silent", call=_whole(answer))


def unchanged(criterion: str, answer: Answer) -> None:
    """The package as it was before answers the call alike: value, errors, warnings. What is new does not count."""
    BOOK.add_claim(criterion, "unchanged", call=_whole(answer))


def returns(criterion: str, answer: Answer) -> None:
    """The call answers, and its answer has the types and shapes of the interface."""
    BOOK.add_claim(criterion, "returns", call=_whole(answer))


def observe(criterion: str, function: Callable[..., Any], *arguments: Any) -> None:
    """Where only code can tell: `function` of answers and data, run later in a process of its own.

    It returns (observed, expected) for a criterion of rule close, a number for bounds, a truth value for holds. It
    stands at the top level of the file. The engine compares what it returns, for the real answers and for others.
    """
    BOOK.add_claim(criterion, "observe", function=_named(function), arguments=list(arguments))


def dialogue(criterion: Any, function: Callable[..., Any], *arguments: Any) -> None:
    """Where the next call depends on the last answer: `function(ask, rng, …)`, with ask("fit", y, X) giving the answer.

    It returns what `observe` would, or for several criteria a dict by their ids.
    """
    criteria = [str(name) for name in (criterion if isinstance(criterion, list | tuple) else [criterion])]
    for name in criteria:
        BOOK.add_claim(name, "dialogue", function=_named(function), arguments=list(arguments), together=criteria)


def _named(function: Callable[..., Any]) -> str:
    name = getattr(function, "__qualname__", "")
    if not inspect.isfunction(function) or not name.isidentifier():
        raise Misasked("give a function that stands at the top level of the file")
    return name
