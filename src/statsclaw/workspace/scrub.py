"""Keeping the person's machine and secrets out of everything that is stored."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath

_SECRETS = re.compile(
    r"""
    -----BEGIN[ A-Z]*PRIVATE\ KEY-----.*?(?:-----END[ A-Z]*PRIVATE\ KEY-----|\Z)
  | \b(?:sk|rk|pk)-[A-Za-z0-9_\-]{16,}
  | \bgh[pousr]_[A-Za-z0-9]{20,} | \bgithub_pat_[A-Za-z0-9_]{20,} | \bglpat-[A-Za-z0-9_\-]{16,}
  | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b | \bAIza[A-Za-z0-9_\-]{30,} | \bxox[abprs]-[A-Za-z0-9\-]{10,}
  | \bhf_[A-Za-z0-9]{20,} | \bpypi-[A-Za-z0-9_\-]{40,} | \bnpm_[A-Za-z0-9]{30,}
  | (?<![A-Za-z0-9_\-])eyJ[A-Za-z0-9_\-]{10,4000}\.[A-Za-z0-9_\-]{10,4000}\.[A-Za-z0-9_\-]{5,4000}
    """,
    re.VERBOSE | re.DOTALL,
)
_URL_LOGIN = re.compile(r"(?<![A-Za-z0-9+.\-])([A-Za-z][A-Za-z0-9+.\-]{0,30}://)[^/\s]{1,300}@")
_HOMES = re.compile(r"(?<![\w.])/(?:home|Users)/[\w.\-]*[\w\-]")
_COMMON_NAMES = frozenset({"root", "user", "admin", "runner", "ubuntu", "debian", "test", "guest", "me", "build"})
HIDDEN = "[removed]"


@dataclass(frozen=True)
class Scrubber:
    """`paths` maps folders of this machine to what stands for them; `secrets` are literal values."""

    paths: Mapping[str, str] = field(default_factory=dict)
    user: str = ""
    secrets: Iterable[str] = ()

    def __call__(self, text: str) -> str:
        for value in sorted(self.secrets, key=len, reverse=True):
            if len(value) >= 8:
                text = text.replace(value, HIDDEN)
        text = _SECRETS.sub(HIDDEN, text)
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
        own = any(value in text for value in self.secrets if len(value) >= 8)
        return own or bool(_SECRETS.search(text)) or any(_path(p).search(text) for p in self.paths if len(p) >= 5)


def _path(path: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.\-/]){re.escape(path)}(?![\w\-]|\.\w)")


def display_url(text: str) -> str:
    """Text with addresses, as git prints it, without logins and secrets."""
    return _SECRETS.sub(HIDDEN, _URL_LOGIN.sub(r"\1", text))


def display_remote(url: str) -> str:
    """A remote for logs and screens: no login, and of a folder on this machine only its name."""
    return f"{PurePath(url).name} (on this machine)" if url.startswith(("/", ".", "file:")) else display_url(url)
