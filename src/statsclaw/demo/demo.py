"""Setting up a demonstration: a fresh target, a local bare repository to push to, a recording of the roles."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from statsclaw.backends.replay import Recording
from statsclaw.engine.start import Order
from statsclaw.errors import InputRefused
from statsclaw.git import git, own_environment
from statsclaw.runlog.log import read_view
from statsclaw.runlog.store import ContentStore

_R_PACKAGES = ("Rcpp", "RcppArmadillo", "testthat", "xml2")
_DATE = "2026-01-01T00:00:00+00:00"


@dataclass(frozen=True, slots=True)
class Prepared:
    title: str
    workspace: Path
    order: Order


def demos() -> list[str]:
    return sorted(entry.name for entry in files(__package__).iterdir() if entry.joinpath("demo.toml").is_file())


def shipped_files(name: str) -> dict[str, bytes]:
    """By path, the package as the recorded run of a demonstration shipped it."""
    with as_file(files(__package__).joinpath(name)) as material:
        return shipped_in(material)


def shipped_in(material: Path) -> dict[str, bytes]:
    """The same of a folder with `target`, as it was before, and `recording`."""
    target, recording = material / "target", material / "recording"
    found = {path.relative_to(target).as_posix(): path.read_bytes() for path in target.rglob("*") if path.is_file()}
    store = ContentStore(recording / "store")
    for path, change in read_view(recording).overlay.items():
        if change.sha256 is None:
            found.pop(path, None)
        else:
            found[path] = store.get(change.sha256)
    return found


def lay_out_shipped(name: str, folder: Path) -> Path:
    for path, data in shipped_files(name).items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return folder


def fitting_demo() -> str:
    """The flagship in the language that this machine has."""
    return "probit-r" if _has_r() else "probit-python"


def _has_r() -> bool:
    program = shutil.which("Rscript")
    if program is None or shutil.which("R") is None:
        return False
    wanted = ", ".join(f'"{name}"' for name in _R_PACKAGES)
    asked = f"quit(status = !all(vapply(c({wanted}), requireNamespace, NA, quietly = TRUE)))"
    return subprocess.run([program, "--vanilla", "-e", asked], capture_output=True).returncode == 0


def prepare_demo(name: str, folder: Path, *, full: bool = False) -> Prepared:
    """Lay the demonstration out below `folder`, replacing what an earlier one left there.

    `full`: its study makes all the replications that its specification plans, not those that show how it goes.
    """
    if name not in demos():
        raise InputRefused(f"there is no demonstration {name!r}", todo=f"choose one of: {', '.join(demos())}")
    place = folder / name
    for part in ("packages", "material"):
        shutil.rmtree(place / part, ignore_errors=True)
    place.mkdir(parents=True, exist_ok=True)
    with as_file(files(__package__).joinpath(name)) as material:
        shutil.copytree(material, place / "material")
    material = place / "material"
    settings = tomllib.loads((material / "demo.toml").read_text(encoding="utf-8"))
    target = place / "packages" / settings["package"]
    make_target(material / "target", target, target.with_suffix(".git"))
    return Prepared(
        title=settings["title"],
        workspace=place / "workspace",
        order=Order(
            directive=settings["directive"],
            target=str(target),
            sources=tuple(material / "sources" / source for source in settings["sources"]),
            workflow=settings["workflow"],
            backends={"*": "replay"},
            ship=True,
            recording=material / "recording",
            replay_of=f"demo/{name}",
            canary_seed=Recording(material / "recording").created.canary_seed,
            replications=None if full else settings.get("quick_replications"),
        ),
    )


def make_target(files_of: Path, target: Path, remote: Path) -> None:
    """A repository with one commit, always the same, and a bare repository as its origin."""
    shutil.copytree(files_of, target, ignore=shutil.ignore_patterns("__pycache__"))
    env = own_environment() | {"GIT_AUTHOR_DATE": _DATE, "GIT_COMMITTER_DATE": _DATE}
    git("init", "--quiet", "--initial-branch=main", cwd=target, env=env)
    git("add", "--all", "--force", ".", cwd=target, env=env)
    git("commit", "--quiet", "--no-verify", "-m", "A package without an estimator", cwd=target, env=env)
    git("init", "--quiet", "--bare", "--initial-branch=main", str(remote), env=env)
    git("remote", "add", "origin", str(remote), cwd=target, env=env)
    git("push", "--quiet", "origin", "main", cwd=target, env=env)
