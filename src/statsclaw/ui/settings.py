"""The only place that reads the environment."""

from __future__ import annotations

import getpass
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from statsclaw.backends.registry import AGENTS
from statsclaw.errors import InputRefused
from statsclaw.intake.casting import configured_endpoints
from statsclaw.intake.preferences import Chosen, choose, read_backends
from statsclaw.intake.project import SETTINGS
from statsclaw.profiles.profile import add_languages
from statsclaw.roles.matrix import Role
from statsclaw.sandbox.endpoints import CUSTOM, Endpoint, endpoint
from statsclaw.workspace.layout import Workspace
from statsclaw.workspace.scrub import Scrubber

_SECRET_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL")


def home() -> Path:
    return Path(os.path.expanduser("~"))  # noqa: PTH111  Path.home() raises where there is no home


def workspace_from(option: Path | None) -> Workspace:
    """--workspace, else STATSCLAW_WORKSPACE, else the user's data folder."""
    chosen = option or os.environ.get("STATSCLAW_WORKSPACE")
    if chosen:
        return Workspace(Path(chosen).expanduser().resolve())
    data = Path(os.environ.get("XDG_DATA_HOME") or home() / ".local" / "share")
    return Workspace((data / "statsclaw" / "workspace").resolve())


def cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or home() / ".cache") / "statsclaw"


def configuration() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or home() / ".config") / "statsclaw" / "config.toml"


def add_language_folders(text: str) -> None:
    """Folders with languages of the person's own, separated as in PATH. Their code runs with the person's rights."""
    for folder in map(Path, filter(None, text.split(os.pathsep))):
        if not folder.is_dir():
            raise InputRefused(f"STATSCLAW_LANGUAGES names {folder}, which is no folder", kept="Nothing was started")
        add_languages(folder.resolve())


def backends_for(command_line: Mapping[str, str], target: str) -> dict[str, Chosen]:
    """Who plays each role, and who says so. Of a project that is not on this machine, only what is typed counts."""
    roles, files = [str(role) for role in Role], {configuration(): True, Path(target) / SETTINGS: False}
    person, project = (
        read_backends(text_of(place), place.name, roles, trusted=trusted) if place.is_file() else {}
        for place, trusted in files.items()
    )
    return choose(roles, command_line, project, person)


def text_of(place: Path) -> str:
    """A file of the person's or the project's settings."""
    try:
        return place.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise InputRefused(f"{place.name} cannot be read: {error}", todo="mend it or remove it") from None


def endpoints(names: Sequence[str]) -> tuple[Endpoint, ...]:
    """Model endpoints with the keys that the environment holds."""
    return tuple(endpoint(name, os.environ) for name in names)


def endpoints_for(given: Sequence[str], backends: Iterable[str]) -> tuple[str, ...]:
    """Those that were named, else configured, and for every agent program without one, its makers' own."""
    kinds = [name.partition(":") for name in backends]
    wanted = dict.fromkeys(AGENTS[kind].endpoint_of(rest) for kind, _, rest in kinds if kind in AGENTS)
    given = given or _configured_for(wanted)
    named = {endpoint(name, os.environ).name for name in given}
    if CUSTOM in wanted and CUSTOM not in named:
        raise InputRefused("the backend api:custom needs a URL", kept="Nothing was started", todo="--endpoint http://…")
    serves_all = CUSTOM in named and CUSTOM not in wanted  # a gateway, not somebody's own model
    return (*given, *(name for name in wanted if name and name not in named and not serves_all))


def _configured_for(wanted: Collection[str]) -> tuple[str, ...]:
    """Of the person's configuration, what these agents talk to; "" stands for one that must be told."""
    place = configuration()
    if not wanted or not place.is_file():
        return ()
    found = configured_endpoints(text_of(place), place.name)
    return tuple(name for name in found if "" in wanted or endpoint(name, os.environ).name in wanted)


def registry_env() -> dict[str, str]:
    """Where the person's package managers look and whom they trust, for a build that may reach a registry.

    An address with credentials in it is left out, and so is a file of certificates outside the system's folders.
    """
    names = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "NPM_CONFIG_REGISTRY")
    found = {name: os.environ[name] for name in names if "@" not in os.environ.get(name, "@")}
    trust = ("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
    return found | {n: os.environ[n] for n in trust if os.environ.get(n, "").startswith(("/etc/ssl/certs/", "/usr/"))}


def scrubber(workspace: Workspace) -> Scrubber:
    """Knows this machine's folders, user and secrets, so that none of them is ever stored."""
    secrets = [
        value for name, value in os.environ.items() if len(value) >= 8 and any(s in name.upper() for s in _SECRET_NAMES)
    ]
    paths = {str(workspace.root): "<workspace>", str(home()): "~", str(Path.cwd()): "."}
    return Scrubber(paths=paths, user=_user(), secrets=tuple(secrets))


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


def is_root() -> bool:
    return os.geteuid() == 0


def can_ask() -> bool:
    return os.isatty(0) and os.isatty(1)
