"""The same call in other words: a default that was left out is given, one that was given is left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from statsclaw.specs.interface import Argument
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.questionnaire import Call

#: In R a result may show its own call, which is then another one.
_SHOWS_CALLS = ("text", "list", "table", "any")


def respelled(chain: Sequence[Call], forms: Forms) -> tuple[Call, ...]:
    """The calls with the defaults of the interface turned round, as far as those can be read."""
    if forms.spoken.values.shows_calls and any(_may_show_its_call(call, forms) for call in chain):
        return tuple(chain)
    return tuple(_respelled(call, forms) for call in chain)


def _may_show_its_call(call: Call, forms: Forms) -> bool:
    declared = forms.declared(call)
    if declared is None:
        return call.what in ("call", "text")
    returned = forms.returned(call)
    return returned is None or any(part.type in _SHOWS_CALLS for part in (returned, *returned.fields))


def _respelled(call: Call, forms: Forms) -> Call:
    declared = forms.declared(call)
    rows = declared.arguments if declared is not None else ()
    names = [row.name for row in rows]
    places = [row.name for row in rows if not row.keyword_only and row.name not in call.named]
    places = places[: len(call.arguments)]
    if "..." in names or len(places) < len(call.arguments) or not set(names).issuperset(call.named):
        return call  # who is given what cannot be told
    defaults = _defaults(rows, forms)
    arguments = list(call.arguments)
    while arguments and _is_default(defaults, places[len(arguments) - 1], arguments[-1]):
        arguments.pop()
    last = names.index(places[len(arguments) - 1]) if arguments else -1
    named = {
        name: value
        for name, value in call.named.items()
        # R gives what comes by position to the first that has no name: none of those may lose its name
        if names.index(name) < last or not _is_default(defaults, name, value)
    }
    named |= {name: value for name, value in defaults.items() if name not in places and name not in call.named}
    same = len(arguments) == len(call.arguments) and named.keys() == call.named.keys()
    return call if same else replace(call, arguments=tuple(arguments), named=named)


def bound(call: Call, forms: Forms) -> dict[str, Any] | None:
    """Its arguments by name, without those that are left at their default; None where that cannot be told."""
    declared = forms.declared(call)
    if declared is None or len(call.arguments) > len(declared.arguments):
        return None
    defaults = _defaults(declared.arguments, forms)
    given = dict(zip([row.name for row in declared.arguments], call.arguments, strict=False)) | dict(call.named)
    return {name: given[name] for name in sorted(given) if not _is_default(defaults, name, given[name])}


def turned_round(chains: Iterable[Sequence[Call]], forms: Forms) -> set[int]:
    """The numbers of the calls that are asked again in other words."""
    pairs = [(old, new) for chain in chains for old, new in zip(chain, respelled(chain, forms), strict=True)]
    return {new.id for old, new in pairs if old is not new}


def _is_default(defaults: Mapping[str, Any], name: str, value: Any) -> bool:
    return name in defaults and type(defaults[name]) is type(value) and bool(defaults[name] == value)


def _defaults(rows: Sequence[Argument], forms: Forms) -> dict[str, Any]:
    """Those that are plain literals, by name."""
    read = forms.spoken.literal
    return {row.name: found[0] for row in rows if row.default is not None and (found := read(row.default.strip()))}
