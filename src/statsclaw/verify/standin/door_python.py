"""A Python package with the names of an interface that forwards every call to the real one in another process."""

from __future__ import annotations

from pathlib import Path

from statsclaw.specs.interface import Interface
from statsclaw.templates import render
from statsclaw.verify.standin.python_text import package_files, support_file, written

#: Run as `python -I -B WORKER SOCKET SITE PACKAGE`. It holds the real package.
WORKER = Path(__file__).parent / "door" / "worker.py"
_SUPPORT = tuple(f"_statsclaw_{part}.py" for part in ("door", "connection", "plain", "conditions"))


def door_python(interface: Interface) -> dict[str, str]:
    """Files of the package by path; it finds the worker's socket in STATSCLAW_DOOR. Raises Unwritable."""
    source = render("statsclaw.verify.standin", "door/package.py.jinja", it=written(interface, "_door"))
    return package_files(interface.package, source, {name: support_file(f"door/{name}") for name in _SUPPORT})
