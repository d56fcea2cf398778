from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from statsclaw.runlog.events.base import Fact


def inside(path: str) -> str:
    """A path below the folder it is meant for; a log that names any other is not to be believed."""
    parts = path.split("/")
    if not path or path.startswith("/") or "\0" in path or any(part in ("", ".", "..") for part in parts):
        raise ValueError("not a path inside the folder")
    return path


def plain_name(name: str) -> str:
    """The name of a file, without any folder."""
    if inside(name) != name.split("/")[-1]:
        raise ValueError("not a plain file name")
    return name


InsidePath = Annotated[str, AfterValidator(inside)]
PlainName = Annotated[str, AfterValidator(plain_name)]


class FileChange(Fact):
    """A file of the repository as a role left it; `sha256` is None where it was deleted."""

    path: InsidePath
    sha256: str | None
    executable: bool = False
