"""A drawing as part of a page: stripped of everything that names something outside."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from markupsafe import Markup

#: What a drawing is made of. Metadata, style sheets and whatever else there may be is left out.
_DRAWN = (
    "svg", "g", "defs", "clipPath", "path", "use", "text", "tspan", "rect", "circle", "line", "polyline", "polygon",
)  # fmt: skip
_USED = re.compile(r"url\(#([^)]+)\)")
_LINK = "href"


def inline(text: str, prefix: str) -> Markup:
    """A drawing without name spaces. Names that it uses itself begin with `prefix`; all other names are left out."""
    root = ElementTree.fromstring(text)
    _strip(root)
    used = {link[1:] for part in root.iter() if (link := part.get(_LINK, ""))}
    used |= {name for part in root.iter() for value in part.attrib.values() for name in _USED.findall(value)}
    for part in root.iter():
        _rename(part, used, prefix)
    size = (root.attrib.pop("width", ""), root.attrib.pop("height", ""))
    if size[0]:
        root.set("style", f"width:{size[0]}")
    root.set("role", "img")
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _strip(part: ElementTree.Element) -> None:
    part.tag = _local(part.tag)
    part.attrib = {_local(name): value for name, value in part.attrib.items() if _harmless(_local(name), value)}
    for child in list(part):
        if isinstance(child.tag, str) and _local(child.tag) in _DRAWN:
            _strip(child)
        else:
            part.remove(child)


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _harmless(name: str, value: str) -> bool:
    """No handler of events, and no reference to anything but a part of the same drawing."""
    if name == _LINK:
        return value.startswith("#")
    return not name.startswith("on") and ":" not in name and not re.search(r"url\((?!#)", value)


def _rename(part: ElementTree.Element, used: set[str], prefix: str) -> None:
    name = part.attrib.pop("id", None)
    if name in used:
        part.set("id", f"{prefix}{name}")
    for key, value in list(part.attrib.items()):
        part.set(key, f"#{prefix}{value[1:]}" if key == _LINK else _USED.sub(rf"url(#{prefix}\1)", value))
