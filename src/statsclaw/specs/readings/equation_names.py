"""By which names an equation may be called: its number, its label, its line."""

from __future__ import annotations

from collections.abc import Iterator

from statsclaw.sources.index import Equation, Index


class Named:
    """Equations by any of their names, spaces aside."""

    def __init__(self, index: Index) -> None:
        self._by_name: dict[str, Equation] = {}
        for equation in index.equations:
            for name in _names(equation):
                self._by_name.setdefault(_key(name), equation)

    def get(self, ref: str) -> Equation | None:
        return self._by_name.get(_key(ref))


def _names(equation: Equation) -> Iterator[str]:
    yield equation.ref
    if equation.number is not None:
        yield f"{equation.source}({equation.number})"
    if equation.label is not None:
        yield f"{equation.source}#{equation.label}"
    if equation.line is not None:
        yield f"{equation.source}@{equation.line}"


def _key(name: str) -> str:
    return "".join(name.split())
