"""A Python package with the names, signatures and shapes of an interface and values that mean nothing."""

from __future__ import annotations

from statsclaw.specs.interface import Interface
from statsclaw.templates import render
from statsclaw.verify.standin.python_text import package_files, support_file, written


def null_python(interface: Interface) -> dict[str, str]:
    """Files of the package by path. Raises Unwritable if the interface has no form in Python."""
    source = render("statsclaw.verify.standin", "null/package.py.jinja", it=written(interface, "_null"))
    return package_files(interface.package, source, {"_statsclaw_null.py": support_file("null/_statsclaw_null.py")})
