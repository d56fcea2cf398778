"""Keeping the person's machine and secrets out of everything that is stored."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath

from statsclaw.echoes import has_echo, without_echoes
from statsclaw.templates import without_control

_SECRETS = re.compile(
    r"""
    -----BEGIN[ A-Z]*PRIVATE\ KEY-----.*?(?:-----END[ A-Z]*PRIVATE\ KEY-----|\Z)
  | \b(?:sk|rk|pk)-[A-Za-z0-9_\-]{16,}
  | \bgh[pousr]_[A-Za-z0-9]{20,} | \bgithub_pat_[A-Za-z0-9_]{20,} | \bglpat-[A-Za-z0-9_\-]{16,}
  | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b | \bAIza[A-Za-z0-9_\-]{30,} | \bxox[abprs]-[A-Za-z0-9\-]{10,}
  | \bhf_[A-Za-z0-9]{20,} | \bpypi-[A-Za-z0-9_\-]{40,} | \bnpm_[A-Za-z0-9]{30,}
    """,
    re.VERBOSE | re.DOTALL,
)
_URL_LOGIN = re.compile(r"(?<![A-Za-z0-9+.\-])([A-Za-z][A-Za-z0-9+.\-]{0,30}://)[^/\s]{1,2000}@")
_LOGIN_WITH_PASSWORD = re.compile(r"://[^/\s:@]{1,100}:([^/\s@]{6,200})@")
_PLACEHOLDERS = frozenset({"password", "passwd", "passphrase", "secret", "yourpassword", "my-password", "changeme"})
_TOKEN_RUN = re.compile(r"[A-Za-z0-9_\-.]{30,}")
_BEFORE_PATH = r"(?:(?<![\w.\-/])|(?<=://)|(?<=\s-[A-Za-z])|(?<=^-[A-Za-z]))"
_HOMES = re.compile(_BEFORE_PATH + r"/(?:home|Users)/[\w.\-]*[\w\-]")
_COMMON_NAMES = frozenset({"root", "user", "admin", "runner", "ubuntu", "debian", "test", "guest", "me", "build"})
HIDDEN = "[removed]"


@dataclass(frozen=True)
class Scrubber:
    """`paths` maps folders of this machine to what stands for them; `secrets` are literal values."""

    paths: Mapping[str, str] = field(default_factory=dict)
    user: str = ""
    secrets: Iterable[str] = ()

    def __call__(self, text: str) -> str:
        text = without_echoes(without_control(text), tuple(self.secrets), HIDDEN)
        text = _TOKEN_RUN.sub(_without_web_token, _SECRETS.sub(HIDDEN, text))
        text = _URL_LOGIN.sub(r"\1", text)
        for path, name in sorted(self.paths.items(), key=lambda item: -len(item[0])):
            if len(path) > 1:
                text = _path(path).sub(name.replace("\\", ""), text)
        text = _HOMES.sub("~", text)
        if len(self.user) >= 3 and self.user.lower() not in _COMMON_NAMES:
            text = re.sub(rf"(?<!\w){re.escape(self.user)}(?!\w)", "[user]", text)
        return text

    def finds_secret(self, data: bytes) -> bool:
        """Whether a source file carries a secret or a folder of this machine; such a file is refused, not rewritten."""
        text = data.decode("utf-8", "replace")
        own = has_echo(text, tuple(self.secrets))
        web_token = any(_without_web_token(run) != run[0] for run in _TOKEN_RUN.finditer(text))
        login = any(m[1].strip("<>{}$").lower() not in _PLACEHOLDERS for m in _LOGIN_WITH_PASSWORD.finditer(text))
        path = any(_path(p).search(text) for p in self.paths if len(p) >= 5)
        return own or bool(_SECRETS.search(text)) or web_token or login or path


def _without_web_token(run: re.Match[str]) -> str:
    """A JSON web token is three parts with dots between; looked at part by part, so that no text takes long."""
    parts = run[0].split(".")
    for first, second, third in zip(parts, parts[1:], parts[2:], strict=False):
        start = first.find("eyJ")
        if start >= 0 and len(first) - start >= 13 and len(second) >= 10 and len(third) >= 5:
            return HIDDEN
    return run[0]


def _path(path: str) -> re.Pattern[str]:
    return re.compile(rf"{_BEFORE_PATH}{re.escape(path)}(?![\w\-]|\.\w)")


def display_url(text: str) -> str:
    """Text with addresses, as git prints it, without logins and secrets."""
    return _SECRETS.sub(HIDDEN, _URL_LOGIN.sub(r"\1", text))


def display_remote(url: str) -> str:
    """A remote for logs and screens: no login, and of a folder on this machine only its name."""
    return f"{PurePath(url).name} (on this machine)" if url.startswith(("/", ".", "file:")) else display_url(url)
