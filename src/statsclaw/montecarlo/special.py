"""scipy.special, loaded when the first of its functions is used: it takes a third of a second."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    from scipy import special  # type: ignore[import-untyped]

    found = getattr(special, name)
    globals()[name] = found
    return found
