"""statsclaw.toml: what a project says about itself, as it stood before the run."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping

from statsclaw.errors import InputRefused
from statsclaw.sandbox.tree import TargetRepo

SETTINGS = "statsclaw.toml"
_LARGEST = 1_000_000


def profile_settings(target: TargetRepo) -> Mapping[str, object]:
    """The [profile] table. No role can change it: the file is read from the base commit, and nobody may write it."""
    file = target.files.get(SETTINGS)
    if file is None:
        return {}
    (_, data), *_ = target.contents([file])
    try:
        table = tomllib.loads(data[:_LARGEST].decode("utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise InputRefused(f"{SETTINGS} of the target cannot be read: {error}", kept="Nothing was started") from None
    if unknown := sorted(set(table) - {"profile", "backends"}):
        raise InputRefused(f"{SETTINGS} has an unknown table [{unknown[0]}]", todo="it may hold [profile], [backends]")
    found = table.get("profile", {})
    if not isinstance(found, dict):
        raise InputRefused(f"[profile] in {SETTINGS} is not a table", kept="Nothing was started")
    return found
