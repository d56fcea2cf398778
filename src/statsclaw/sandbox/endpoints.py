"""Which model an agent in a sandbox may talk to: a name from endpoints.toml, or a URL."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from urllib.parse import urlsplit

from pydantic import SecretStr, ValidationError

from statsclaw.errors import InputRefused
from statsclaw.runlog.events import Fact
from statsclaw.sandbox.bridge import Route
from statsclaw.sandbox.outward import SHORTEST_KEY, printable, upstream_problem

#: What an agent holds in place of a key.
PLACEHOLDER = "statsclaw-placeholder-not-a-key"
CUSTOM = "custom"
NOTHING_STARTED = "nothing was started"


class Terms(Fact):
    """A table of endpoints.toml."""

    upstream: str
    header: str
    value: str
    key_env: tuple[str, ...]
    prefixes: tuple[str, ...]
    env: dict[str, str]
    serves: str = ""


class Endpoint(Fact):
    """A model endpoint with its key. `key_from` is the host variable that held it; empty if there is no key."""

    route: Route
    key_from: str
    told: dict[str, str]

    @property
    def name(self) -> str:
        return self.route.name

    def env(self, url: str) -> dict[str, str]:
        """The variables of the sandbox; `url` is where the forwarder listens, such as http://127.0.0.1:8001."""
        return {
            name: value.replace("{url}", url.rstrip("/")).replace("{placeholder}", PLACEHOLDER)
            for name, value in self.told.items()
        }


def endpoint_names() -> tuple[str, ...]:
    return tuple(sorted(name for name, terms in _table().items() if name != CUSTOM and not terms.serves))


def endpoint(name_or_url: str, environ: Mapping[str, str]) -> Endpoint:
    """`anthropic`, `http://127.0.0.1:11434` or `https://host/prefix#KEY_ENV`; the key is taken from `environ`."""
    if "://" in name_or_url:
        return _from_url(name_or_url, environ)
    if name_or_url not in endpoint_names():
        raise InputRefused(
            f"the model endpoint {printable(name_or_url, 40)!r} is not known",
            kept=NOTHING_STARTED,
            todo=f"use one of {', '.join(endpoint_names())}, or a URL such as https://host/prefix#KEY_VARIABLE",
        )
    ways = {name: terms for name, terms in _table().items() if name_or_url in (name, terms.serves)}
    variables = [(variable, name) for name, terms in ways.items() for variable in terms.key_env]
    held = [(variable, name) for variable, name in variables if environ.get(variable, "").strip()]
    if not held:
        raise InputRefused(
            f"there is no key for the model endpoint {name_or_url}",
            kept=NOTHING_STARTED,
            todo=f"set {' or '.join(variable for variable, _ in variables)}",
        )
    variable, way = held[0]
    return _made(way, ways[way].upstream, variable, environ)


def _from_url(url: str, environ: Mapping[str, str]) -> Endpoint:
    upstream, _, variable = url.partition("#")
    if problem := upstream_problem(upstream):
        raise InputRefused(
            f"the URL of the model endpoint cannot be used: {problem}",
            kept=NOTHING_STARTED,
            todo="use https://host/prefix#KEY_VARIABLE, or http:// for this machine; the key stands in the variable",
        )
    if not variable:
        return _made(CUSTOM, upstream, "", environ)
    if not re.fullmatch(r"[A-Z][A-Z0-9_]{0,63}", variable):
        raise InputRefused(
            f"what follows # in the URL of {urlsplit(upstream).hostname} is not the name of a variable",
            kept=NOTHING_STARTED,
            todo="put the name of the variable there that holds the key, not the key",
        )
    if not environ.get(variable, "").strip():
        raise InputRefused(
            f"there is no key for {urlsplit(upstream).hostname}", kept=NOTHING_STARTED, todo=f"set {variable}"
        )
    like = next((name for name, terms in _table().items() if variable in terms.key_env), CUSTOM)
    return _made(like, upstream, variable, environ)


def _made(name: str, upstream: str, variable: str, environ: Mapping[str, str]) -> Endpoint:
    terms = _table()[name]
    try:
        route = Route(
            name=terms.serves or name,
            upstream=upstream,
            header=terms.header,
            value=terms.value,
            key=SecretStr(environ[variable].strip() if variable else ""),
            prefixes=terms.prefixes,
        )
    except ValidationError:
        raise InputRefused(
            f"{variable} does not hold a key",
            kept=NOTHING_STARTED,
            todo=f"set it to at least {SHORTEST_KEY} visible characters without spaces",
        ) from None
    return Endpoint(route=route, key_from=variable, told=terms.env)


@cache
def _table() -> dict[str, Terms]:
    text = files("statsclaw.sandbox").joinpath("endpoints.toml").read_text(encoding="utf-8")
    return {name: Terms.model_validate(row) for name, row in tomllib.loads(text).items()}
