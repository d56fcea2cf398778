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


def shadowed_modules(site: Path) -> list[str]:
    """Top-level modules in `site` that would hide one the verification relies on."""
    names = {entry.name.split(".")[0] for entry in site.iterdir() if not entry.name.endswith((".dist-info", ".data"))}
    return sorted(names & _PROTECTED)
