"""Which profile a repository has, from the list of its paths alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from statsclaw.profiles.globs import glob_matches, is_plain_path
from statsclaw.profiles.profile import all_profiles, profile_ids

ROOT = "."
MAX_DEPTH = 3
# folders whose packages are not the repository's own
_NOT_OWN = frozenset(
    {
        "build",
        "demo",
        "dist",
        "doc",
        "docs",
        "example",
        "examples",
        "fixtures",
        "inst",
        "node_modules",
        "renv",
        "site",
        "target",
        "test",
        "testdata",
        "tests",
        "third_party",
        "vendor",
        "website",
    }
)


class Detection(BaseModel):
    """`profile_id` is None when nothing was found or a person has to choose among `candidates`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    profile_id: str | None
    found: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    root: str = ROOT


@dataclass(frozen=True)
class _Hit:
    profile_id: str
    folder: str
    path: str
    weight: int


def detect_profile(paths: Collection[str], only: str | None = None) -> Detection:
    """The profile of the root; only when the root has no marker, that of the shallowest folder with one.

    `only`: look for packages of this language alone.
    """
    own = sorted({path for path in paths if is_plain_path(path)})
    for depth in range(MAX_DEPTH + 1):
        folders = {ROOT: own} if depth == 0 else _folders(own, depth)
        hits = [hit for folder, inside in folders.items() for hit in _hits(folder, inside)]
        if hits := [hit for hit in hits if only in (None, hit.profile_id)]:
            return _decide(hits)
    return Detection(profile_id=None)


def _folders(paths: Collection[str], depth: int) -> Mapping[str, list[str]]:
    """The folders at that depth, each with the paths below it, relative to it."""
    folders: dict[str, list[str]] = {}
    for path in paths:
        parts = path.split("/", depth)
        above = parts[:depth]
        if len(parts) > depth and not any(part.startswith(".") or part in _NOT_OWN for part in above):
            folders.setdefault("/".join(above), []).append(parts[depth])
    return folders


def _hits(folder: str, inside: list[str]) -> list[_Hit]:
    names = set(inside)
    hits = []
    for profile in all_profiles():
        for marker in profile.markers:
            file = _first(marker.file, inside, names)
            if file and (not marker.beside or any(_first(glob, inside, names) for glob in marker.beside)):
                path = file if folder == ROOT else f"{folder}/{file}"
                weight = profile.priority if marker.priority is None else marker.priority
                hits.append(_Hit(profile.id, folder, path, weight))
    return hits


def _first(glob: str, paths: list[str], names: set[str]) -> str | None:
    if "*" not in glob and "?" not in glob:
        return glob if glob in names else None
    return next((path for path in paths if glob_matches(glob, path)), None)


def _decide(hits: list[_Hit]) -> Detection:
    """The strongest marker wins; two packages of the same strength are for a person to choose from."""
    found = tuple(sorted({hit.path for hit in hits}))
    strongest = max(hit.weight for hit in hits)
    best = [hit for hit in hits if hit.weight == strongest]
    candidates = tuple(sorted({hit.profile_id for hit in best}, key=profile_ids().index))
    roots = {hit.folder for hit in best}
    if len(candidates) == len(roots) == 1:
        return Detection(profile_id=candidates[0], found=found, candidates=candidates, root=roots.pop())
    return Detection(profile_id=None, found=found, candidates=candidates, root=min(roots) if len(roots) == 1 else ROOT)
