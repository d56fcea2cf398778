"""What workers had loaded when they computed: R and its packages, Python packages, programs. Results are bound to it.

A record has one entry for each, by its name for people ("R package hlr"). Two states of an entry are the same if
version and hash are. The hash is of what was installed, not of its files: installing the same sources again changes
nothing. `seen` are sizes and times of files: while these are the same, nothing is computed again.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from statsclaw.montecarlo.batch import MISSING, Loaded
from statsclaw.montecarlo.design import Study

#: By name for people: version, hash, path, seen; of modules outside of any installation also their files.
Record = dict[str, dict[str, str]]
R, R_PACKAGE, PYTHON, FILE, PROGRAM = "R", "R package", "Python package", "Python file", "program"
_PACKAGES_R = Path(__file__).parents[1] / "programs" / "packages.R"
_LIBRARIES = ("R_LIBS", "R_LIBS_USER", "R_LIBS_SITE", "R_HOME")
_LONGEST_S = 300.0
_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Compared:
    """`changed`: a few words for each. `unknown`: what is not on this machine, so that it cannot be compared."""

    changed: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def programs_of(study: Study) -> list[Loaded]:
    """The program of a command that is no file of the study, which its code covers."""
    if study.program is None or study.program.language != "command" or not study.program.argv:
        return []
    word = study.program.argv[0]
    path = shutil.which(word)
    if path is None or any(path == str(file) for file in study.program.files):
        return []
    return [Loaded(PROGRAM, Path(word).name, "", os.path.realpath(path))]


def states(loaded: Iterable[Loaded], known: Mapping[str, Mapping[str, str]] | None = None) -> Record:
    """How these are now. What `known` says of the same files is taken over."""
    found: Record = {}
    packages: dict[str, Path] = {}
    files: dict[str, list[str]] = {}
    for each in loaded:
        if each.version == MISSING:
            found[f"{each.kind} {each.name}"] = {"version": MISSING, "hash": "", "path": each.path, "seen": ""}
        elif each.kind == R:
            found[R] = {"version": each.version, "hash": "", "path": each.path, "seen": _r_settings()}
        elif each.kind == R_PACKAGE:
            packages[each.name] = Path(each.path)
        elif each.kind == FILE:
            files.setdefault(each.name, []).append(each.path)
        elif each.kind == PYTHON:
            found |= _distributions_of(each.name, known or {})
        elif each.kind == PROGRAM:
            found[f"{PROGRAM} {each.name}"] = _program(Path(each.path), (known or {}).get(f"{PROGRAM} {each.name}"))
    found |= _r_packages(packages, known or {})
    for name, paths in files.items():
        found[f"{PYTHON} {name}"] = _files(name, paths, (known or {}).get(f"{PYTHON} {name}", {}))
    return found


def present(record: Mapping[str, Mapping[str, str]]) -> Record:
    """How what was recorded is now; without what is not on this machine."""
    wanted: list[Loaded] = []
    path_of = _found_again(record)
    for name, entry in record.items():
        kind, _, short = name.rpartition(" ")
        if entry["version"] == MISSING:
            wanted.append(_come(kind, short, entry["path"]))
        elif name == R:
            if version := _version_of_r(Path(path_of(name, entry))):
                wanted.append(Loaded(R, R, version, path_of(name, entry)))
        elif entry.get("files"):
            paths = [path for path in entry["files"].split("\n") if Path(path).is_file()]
            wanted += [Loaded(FILE, short, "", path) for path in paths]
        elif kind == PYTHON or Path(path_of(name, entry)).exists():
            wanted.append(Loaded(kind, short, "", path_of(name, entry)))
    found = states(wanted, record)
    come = [name for name, entry in record.items() if entry["version"] == MISSING and name not in found]
    return found | {name: {"version": "installed", "hash": "", "path": "", "seen": ""} for name in come}


def without_missing(record: Mapping[str, Mapping[str, str]]) -> Record:
    """Those that were there: whether the others are, the workers say again."""
    return {name: dict(entry) for name, entry in record.items() if entry["version"] != MISSING}


def _come(kind: str, name: str, libraries: str) -> Loaded:
    """A package that was missing, as it is now: it may have been installed."""
    missing = Loaded(kind, name, MISSING, libraries)
    if kind == R_PACKAGE:
        now = _rscript("-e", "cat(.libPaths(), sep = '\\n')").splitlines()
        places = [Path(place) / name for place in (*libraries.split(os.pathsep), *now) if place]
        return next((Loaded(kind, name, "", str(at)) for at in places if (at / "DESCRIPTION").is_file()), missing)
    importlib.invalidate_caches()
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        found = None
    if found is None:
        return missing
    if _distribution(name) or name in _by_module():
        return Loaded(PYTHON, name, "", "")
    return Loaded(FILE, name, "", found.origin or "")


def grown(before: Mapping[str, str], now: Mapping[str, str]) -> bool:
    """Further files of a package have come, so that its hash is of more than it was."""
    return before.get("files", "") != now.get("files", "")


def compared(before: Mapping[str, Mapping[str, str]], now: Mapping[str, Mapping[str, str]]) -> Compared:
    changed, unknown = [], []
    for name, entry in before.items():
        other = now.get(name)
        if other is None:
            unknown.append(name)
        elif _differ(entry, other):
            changed.append(f"{name}: {_shown(entry)} → {_shown(other)}")
    return Compared(tuple(changed), tuple(unknown))


def _differ(entry: Mapping[str, str], other: Mapping[str, str]) -> bool:
    hashes = entry["hash"], other["hash"]
    return entry["version"] != other["version"] or (all(hashes) and hashes[0] != hashes[1])


def _shown(entry: Mapping[str, str]) -> str:
    short = f"({entry['hash'][:_SHOWN]}…)" if entry["hash"] else ""
    return " ".join(filter(None, (entry["version"], short))) or "unknown"


def _sha(parts: Iterable[bytes]) -> str:
    found = hashlib.sha256()
    for part in parts:
        found.update(len(part).to_bytes(8, "little"))
        found.update(part)
    return found.hexdigest()


def _seen(paths: Iterable[Path]) -> str:
    """Sizes and times of files."""
    said = []
    for path in paths:
        try:
            stat = path.stat()
        except OSError:
            continue
        said.append(f"{path} {stat.st_size} {stat.st_mtime_ns} {stat.st_ino}")
    return _sha(text.encode() for text in said)[:16]


# ---- R --------------------------------------------------------------------------------------------------------------


def _r_settings() -> str:
    """What decides which R and which libraries a worker gets."""
    return json.dumps([shutil.which("Rscript"), *(os.environ.get(name, "") for name in _LIBRARIES)])


def _found_again(record: Mapping[str, Mapping[str, str]]) -> _Places:
    """Where things are now: R is asked where another R or other libraries would be used than then."""
    entry = record.get(R)
    if entry is None or entry["seen"] == _r_settings() or shutil.which("Rscript") is None:
        return _Places("", ())
    said = _rscript("-e", "cat(R.home(), .libPaths(), sep = '\\n')").splitlines()
    return _Places(said[0], tuple(said[1:])) if said else _Places("", ())


@dataclass(frozen=True, slots=True)
class _Places:
    home: str
    libraries: Sequence[str]

    def __call__(self, name: str, entry: Mapping[str, str]) -> str:
        if name == R:
            return self.home or entry["path"]
        if name.startswith(R_PACKAGE):
            folder = Path(entry["path"]).name
            held = [place for place in self.libraries if (Path(place) / folder / "DESCRIPTION").is_file()]
            return str(Path(held[0]) / folder) if held else entry["path"]
        return entry["path"]


def _version_of_r(home: Path) -> str:
    return _described(home / "library" / "base").get("Version", "")


def _described(package: Path) -> dict[str, str]:
    """Fields of one line of a DESCRIPTION."""
    try:
        lines = (package / "DESCRIPTION").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    pairs = (line.partition(":") for line in lines if line[:1].strip())
    return {name: value.strip() for name, _, value in pairs}


def _r_packages(packages: Mapping[str, Path], known: Mapping[str, Mapping[str, str]]) -> Record:
    """Those that come with R are covered by its version, recommended ones by their own."""
    found: Record = {}
    installed: dict[str, Path] = {}
    for name, path in packages.items():
        said = _described(path)
        if said.get("Priority") == "base":
            continue
        files = _r_files(path)
        key = f"{R_PACKAGE} {name}"
        entry = {"version": said.get("Version", ""), "hash": "", "path": str(path), "seen": _seen(files)}
        before = known.get(key)
        if before is not None and before["seen"] == entry["seen"] and before["hash"]:
            entry["hash"] = before["hash"]
        elif said and said.get("Priority") != "recommended":
            entry["hash"] = _sha(_r_content(path, files))
            if (path / "R" / f"{path.name}.rdx").is_file():
                installed[key] = path
        found[key] = entry
    for key, code in _codes(installed).items():
        found[key]["hash"] = _sha((found[key]["hash"].encode(), code))
    return found


def _r_files(package: Path) -> list[Path]:
    """What decides what a package does: of an installed one, or of the sources that pkgload loads."""
    folders = ("R", "libs", "data", "src", "inst", "extdata", "stan", "bin")
    below = [path for folder in folders for path in (package / folder).rglob("*") if path.is_file()]
    return [*sorted(below), package / "DESCRIPTION", package / "NAMESPACE"]


def _r_content(package: Path, files: Sequence[Path]) -> Iterable[bytes]:
    """All but what differs from one installation of the same sources to the next."""
    is_installed = (package / "Meta").is_dir()
    for path in files:
        place = path.relative_to(package)
        lazy = is_installed and place.parts[0] in ("R", "data") and path.suffix in (".rdb", ".rdx", ".rds")
        if lazy and place.parts[0] == "R":
            continue  # read by R
        if path.name == "DESCRIPTION" or (not is_installed and path.suffix in (".o", ".so", ".dll")):
            continue
        yield place.as_posix().encode()
        yield shared_object(path.read_bytes()) if path.suffix == ".so" else path.read_bytes()


def shared_object(content: bytes) -> bytes:
    """Of an ELF file what is loaded into memory: where it was compiled stands elsewhere in it."""
    if content[:6] != b"\x7fELF\x02\x01":
        return content
    try:
        (start,) = struct.unpack_from("<Q", content, 0x28)
        size, count = struct.unpack_from("<HH", content, 0x3A)
        kept = []
        for number in range(count):
            kind, flags, _, offset, length = struct.unpack_from("<IQQQQ", content, start + number * size + 4)
            if flags & 2 and kind not in (7, 8):  # allocated, neither a note (the build's id) nor empty
                kept.append(content[offset : offset + length])
    except struct.error:
        return content
    return _sha(kept).encode()


def _codes(packages: Mapping[str, Path]) -> dict[str, bytes]:
    """The code of installed packages as R reads it."""
    if not packages or shutil.which("Rscript") is None:
        return {}
    with tempfile.TemporaryDirectory(prefix="statsclaw-packages-") as folder:
        _rscript(str(_PACKAGES_R), folder, *map(str, packages.values()))
        found = {}
        for number, (key, path) in enumerate(packages.items(), start=1):
            text = Path(folder) / str(number)
            lazy = path / "R" / f"{path.name}.rdb"
            found[key] = text.read_bytes() if text.is_file() else lazy.read_bytes()
    return found


def _rscript(*arguments: str) -> str:
    command = ["Rscript", "--vanilla", *arguments]
    environment = {**os.environ, "LANGUAGE": "en", "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", env=environment, timeout=_LONGEST_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


# ---- Python and programs --------------------------------------------------------------------------------------------


def _distributions_of(module: str, known: Mapping[str, Mapping[str, str]]) -> Record:
    """The distribution that a module belongs to; one that was not installed from an index by its content."""
    found: Record = {}
    for name in [module] if _distribution(module) else _by_module().get(module, []):
        distribution = _distribution(name)
        if distribution is None:
            continue
        entry = {"version": distribution.version, "hash": "", "path": "", "seen": ""}
        if distribution.read_text("direct_url.json") is not None:
            files = [Path(str(file.locate())) for file in distribution.files or () if file.suffix in (".py", ".so")]
            entry |= _content(files, known.get(f"{PYTHON} {name}"))
        found[f"{PYTHON} {name}"] = entry
    return found


def _distribution(name: str) -> importlib.metadata.Distribution | None:
    try:
        return importlib.metadata.distribution(name)
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return None


_MODULES: dict[str, list[str]] = {}


def _by_module() -> Mapping[str, list[str]]:
    """Reads a list of files of everything that is installed."""
    if not _MODULES:
        _MODULES.update({name: sorted(set(of)) for name, of in importlib.metadata.packages_distributions().items()})
    return _MODULES


def _files(name: str, paths: Iterable[str], before: Mapping[str, str]) -> dict[str, str]:
    """Modules that are in no installation, or in one that points elsewhere (editable); those of before included."""
    files = sorted({path for path in (*before.get("files", "").split("\n"), *paths) if path})
    distribution = _distribution(name)
    entry = {"version": distribution.version if distribution else "", "path": "", "files": "\n".join(files)}
    same = before if before.get("files") == entry["files"] else None
    return {**entry, **_content([Path(path) for path in files], same)}


def _content(files: Sequence[Path], before: Mapping[str, str] | None) -> dict[str, str]:
    seen = _seen(files)
    if before is not None and before["seen"] == seen:
        return {"hash": before["hash"], "seen": seen}
    return {"hash": _sha(_meaning(path) for path in files if path.is_file()), "seen": seen}


def _meaning(path: Path) -> bytes:
    """Comments and layout of Python do not count."""
    content = path.read_bytes()
    if path.suffix != ".py":
        return shared_object(content) if path.suffix == ".so" else content
    try:
        return ast.dump(ast.parse(content)).encode()
    except (SyntaxError, ValueError):
        return content


def _program(path: Path, before: Mapping[str, str] | None) -> dict[str, str]:
    seen = _seen([path])
    if before is not None and before["seen"] == seen:
        return dict(before)
    return {"version": "", "hash": _sha([path.read_bytes()]), "path": str(path), "seen": seen}
