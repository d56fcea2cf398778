"""The interface is written once; every specification shows it, byte for byte the same."""

from __future__ import annotations

from collections.abc import Mapping

from statsclaw.artifacts.check import section, with_section
from statsclaw.specs.contract import INTERFACE, SPECIFICATIONS


def with_interface(documents: Mapping[str, bytes]) -> dict[str, bytes]:
    """The documents with the body of interface.md in the section "Interface" of each specification.

    Whatever stood there is replaced, so that doing it twice changes nothing.
    """
    rendered = {name: data.replace(b"\r\n", b"\n") for name, data in documents.items()}
    try:
        shared = section(rendered.get(INTERFACE, b"").decode("utf-8"), "Interface")
        for name in SPECIFICATIONS:
            if name in rendered and shared is not None:
                rendered[name] = with_section(rendered[name].decode("utf-8"), "Interface", shared).encode("utf-8")
    except UnicodeDecodeError:
        return dict(documents)  # refused elsewhere, with a reason
    return rendered
