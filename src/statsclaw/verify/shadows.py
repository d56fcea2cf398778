"""A package that brings a module of the interpreter or of the test framework could judge itself."""

from __future__ import annotations

import sys
from pathlib import Path

_PROTECTED = frozenset(sys.stdlib_module_names) | {
    "_pytest",
    "conftest",
    "numpy",
    "pytest",
    "pluggy",
    "scipy",
    "sitecustomize",
    "statsmodels",
    "usercustomize",
}


def why_unfit(site: Path) -> str:
    """Why what a build left in `site` cannot be judged; empty where it can."""
    try:
        names = shadowed_modules(site)
    except OSError as error:
        return f"the built package cannot be read ({error.strerror})"
    return f"the package would replace {', '.join(names)}" if names else ""


def shadowed_modules(site: Path) -> list[str]:
    """Top-level modules in `site` that would hide one the verification relies on."""
    names = {entry.name.split(".")[0] for entry in site.iterdir() if not entry.name.endswith((".dist-info", ".data"))}
    return sorted(names & _PROTECTED)
