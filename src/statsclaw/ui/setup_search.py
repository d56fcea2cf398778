"""What could play roles on this machine: programs, keys, model servers, and what each of them still lacks."""

from __future__ import annotations

import importlib.util
import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from statsclaw.errors import InputRefused
from statsclaw.intake.casting import Candidate
from statsclaw.intake.preferences import FAMILIES
from statsclaw.sandbox.endpoints import CUSTOM
from statsclaw.ui import settings
from statsclaw.ui.doctor import version_of
from statsclaw.ui.local_servers import LocalServer, listening

_MODELS_SHOWN = 3


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Program(_Table):
    name: str
    program: str
    backend: str = ""
    endpoint: str = ""
    install: str = ""
    login_file: str = ""
    login_todo: str = ""
    todo: str = ""


class Provider(_Table):
    endpoint: str
    name: str
    maker: str
    model: str
    keys: tuple[str, ...]


class Server(_Table):
    name: str
    port: int


class Remedy(_Table):
    words: tuple[str, ...]
    todo: str


class Known(_Table):
    """setup.toml."""

    prompt: str
    time_limit_s: float
    program: tuple[Program, ...]
    provider: tuple[Provider, ...]
    server: tuple[Server, ...]
    extras: dict[str, str]
    impatience: dict[str, str]
    models: dict[str, tuple[str, ...]]
    remedy: tuple[Remedy, ...]
    ways: dict[str, str]

    def remedy_for(self, reason: str, candidate: Candidate) -> str:
        found = next(row.todo for row in self.remedy if any(words in reason.lower() for words in row.words))
        named = re.sub(r"/[^@]*", "/MODEL", candidate.backend)
        named = named if ":" in named else f"{named}:MODEL"
        return found.format(key=candidate.key_from or "its variable", named=named)


@cache
def known() -> Known:
    return Known.model_validate(tomllib.loads(files("statsclaw.ui").joinpath("setup.toml").read_text(encoding="utf-8")))


@dataclass(frozen=True, slots=True)
class Row:
    """One line of what was found; `candidate` where it can play."""

    name: str
    version: str
    said: str
    candidate: Candidate | None = None


@dataclass(frozen=True, slots=True)
class _Login:
    key_from: str
    todo: str = ""


def search(table: Known) -> list[Row]:
    """Everything that is here, in the order in which it would be proposed."""
    servers = listening([(row.name, row.port) for row in table.server])
    logins = {row.endpoint: _login(row.endpoint) for row in table.provider}
    with ThreadPoolExecutor() as pool:
        versions = dict(zip(table.program, pool.map(_version, table.program), strict=True))
    rows = [row for program in table.program if program.endpoint for row in _own(program, versions[program], logins)]
    able = {row.candidate.maker for row in rows if row.candidate}
    rows += [row for provider in table.provider if provider.maker not in able for row in _bare(table, provider, logins)]
    rows += [
        _speaking_acp(table, program, version, logins, servers)
        for program, version in versions.items()
        if not program.endpoint and version is not None
    ]
    return rows + [_served(table, server) for server in servers]


def _version(program: Program) -> str | None:
    """Its number; empty where it is there and does not say; None where it is not there."""
    if shutil.which(program.program) is None:
        return None
    number = re.search(r"\d+(\.\d+)+", version_of(program.program, ["--version"]) or "")
    return number[0] if number else ""


def _login(endpoint: str) -> _Login:
    try:
        return _Login(settings.endpoints((endpoint,))[0].key_from)
    except InputRefused as refused:
        missing = refused.todo.startswith("set ") and not refused.todo.startswith("set it ")
        return _Login("", f"no key: {refused.todo}" if missing else f"{refused.happened}: {refused.todo}")


def _own(program: Program, version: str | None, logins: Mapping[str, _Login]) -> Iterator[Row]:
    """An agent program that talks to the models of its makers."""
    login = logins[program.endpoint]
    if version is None:
        yield Row(program.name, "", f"not installed: {program.install}")
    elif login.key_from:
        maker = FAMILIES[program.backend]
        candidate = Candidate(program.name, program.backend, maker, program.endpoint, login.key_from)
        yield Row(program.name, version, f"with {login.key_from}", candidate)
    else:
        has_file = bool(program.login_file) and (settings.home() / program.login_file).is_file()
        yield Row(program.name, version, program.login_todo if has_file else login.todo)


def _bare(table: Known, provider: Provider, logins: Mapping[str, _Login]) -> Iterator[Row]:
    """A key without a program for it: our own loop can use it."""
    key = logins[provider.endpoint].key_from
    if key not in provider.keys:
        return
    if importlib.util.find_spec("pydantic_ai") is None:
        yield Row(provider.name, "", f"{key} is set: {table.extras['api']} would use it")
        return
    backend = f"api:{provider.endpoint}/{provider.model}"
    candidate = Candidate(provider.name, backend, provider.maker, provider.endpoint, key)
    yield Row(provider.name, "", f"{provider.model}, with {key} and no program", candidate)


def _speaking_acp(
    table: Known, program: Program, version: str, logins: Mapping[str, _Login], servers: Sequence[LocalServer]
) -> Row:
    if not program.backend:
        return Row(program.name, version, program.todo)
    if importlib.util.find_spec("acp") is None:
        return Row(program.name, version, f"needs {table.extras['acp']}")
    for provider in table.provider:
        if (key := logins[provider.endpoint].key_from) in provider.keys:
            backend = program.backend.format(provider=provider.endpoint, model=provider.model)
            candidate = Candidate(program.name, backend, provider.maker, provider.endpoint, key, True)
            return Row(program.name, version, f"{provider.model}, with {key}", candidate)
    for server in servers:
        for model in _talkers(table, server)[:1]:
            backend = program.backend.format(provider=CUSTOM, model=model)
            candidate = Candidate(program.name, backend, "", server.url, must_name_endpoint=True)
            return Row(program.name, version, f"with {model} of {server.name}", candidate)
    keys = [provider.keys[0] for provider in table.provider]
    return Row(program.name, version, f"no key: set {', '.join(keys[:-1])} or {keys[-1]}")


def _talkers(table: Known, server: LocalServer) -> list[str]:
    return [name for name in server.models if not any(word in name.lower() for word in table.models["no_talkers"])]


def _served(table: Known, server: LocalServer) -> Row:
    """A model of this machine, through our own loop."""
    talkers, place = _talkers(table, server), f":{server.port}"
    if not talkers:
        return Row(server.name, place, "serves no model that could play a role")
    shown = ", ".join(talkers[:_MODELS_SHOWN])
    shown += f" and {len(talkers) - _MODELS_SHOWN} more" if len(talkers) > _MODELS_SHOWN else ""
    if importlib.util.find_spec("pydantic_ai") is None:
        return Row(server.name, place, f"{shown}: {table.extras['api']} would use it")
    candidate = Candidate(server.name, f"api:{CUSTOM}/{talkers[0]}", "", server.url, must_name_endpoint=True)
    return Row(server.name, place, shown, candidate)
