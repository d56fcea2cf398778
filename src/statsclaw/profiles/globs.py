"""Path globs: `*` and `?` stay inside one folder, `**` crosses folders, everything is anchored at the root.

Matching is case-sensitive and knows no hidden files: `*` also matches names that begin with a dot.
`dir/**` matches what lies below `dir`, not `dir` itself; `**/x` also matches `x` at the root.
"""

from __future__ import annotations

import re
from functools import lru_cache

_UNSUPPORTED = frozenset("[]{}\\")


def is_plain_path(path: str) -> bool:
    """Whether `path` is a posix relative path without empty, `.` or `..` parts."""
    return "\0" not in path and all(part not in ("", ".", "..") for part in path.split("/"))


@lru_cache(maxsize=4096)
def compile_glob(glob: str) -> re.Pattern[str]:
    """The glob as a regular expression for `fullmatch`; ValueError when the glob is not one of ours."""
    if not is_plain_path(glob):
        raise ValueError(f"glob {glob!r} must be relative, without empty, '.' or '..' parts")
    if unsupported := sorted(_UNSUPPORTED & set(glob)):
        raise ValueError(f"glob {glob!r} uses {' '.join(unsupported)}: only *, ** and ? are understood")
    parts = glob.split("/")
    pattern = ""
    for position, part in enumerate(parts):
        last = position == len(parts) - 1
        if part == "**":
            pattern += ".+" if last else "(?:[^/]+/)*"
        elif "**" in part:
            raise ValueError(f"glob {glob!r}: ** must stand alone between slashes")
        else:
            one = "[^/]+" if part == "*" else "".join(_one(char) for char in part)
            pattern += one + ("" if last else "/")
    return re.compile(pattern, re.DOTALL)


def _one(char: str) -> str:
    return {"*": "[^/]*", "?": "[^/]"}.get(char) or re.escape(char)


def glob_matches(glob: str, path: str) -> bool:
    """Whether the whole path matches the glob."""
    return compile_glob(glob).fullmatch(path) is not None
