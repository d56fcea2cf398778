"""A study from its file: `study = Study(...)` in Python, or TOML/YAML for programs in other languages."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
import sysconfig
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import FunctionType, ModuleType

from statsclaw.montecarlo.design import Study, StudyRefused
from statsclaw.montecarlo.storage.identity import CAME_WITH, local_modules
from statsclaw.montecarlo.validate import validate

#: What was loaded in this process, by file: workers load the same file instead of being sent functions.
_LOADED: dict[Path, Study] = {}
_loading: list[Path] = []
#: Names of the modules that came with any study: the next may mean others by them, or they may have changed.
_came: set[str] = set()
#: Below these, nothing belongs to a study even where its folder is above them.
_INSTALLED = (sysconfig.get_path("stdlib"), str(Path(__file__).parents[1]))


def load_study(path: Path | str) -> Study:
    """Refuses with one sentence what is no study."""
    file = Path(path).expanduser().resolve()
    if not file.is_file():
        raise StudyRefused(f"there is no study file {path}", todo="statsclaw mc new STUDY.py writes one to start from")
    if file.suffix.lower() in (".toml", ".yaml", ".yml"):
        from statsclaw.montecarlo.programs.study_file import load_study_file

        study = validate(load_study_file(file))
    elif file.suffix.lower() == ".py":
        study = validate(_from_python(file))
    else:
        raise StudyRefused(f"{path} is neither a .py nor a .toml or .yaml file")
    study = replace(study, origin=file)
    _LOADED[file] = study
    return study


def is_as_loaded(study: Study) -> bool:
    """Its functions are those that loading its file again would give."""
    known = _LOADED.get(study.origin) if study.origin else None
    if known is None or known.dgp is not study.dgp or (callable(study.truth) and known.truth is not study.truth):
        return False
    if not isinstance(study.methods, dict) or not isinstance(known.methods, dict):
        return False
    return all(known.methods.get(name) is method for name, method in study.methods.items())


def loading() -> Path | None:
    """The study file that is being loaded just now."""
    return _loading[-1] if _loading else None


def _from_python(file: Path) -> Study:
    name = f"study_{file.stem}_{hashlib.sha256(str(file).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    _make_room(file)
    before = dict(sys.modules)
    sys.modules[name] = module
    _loading.append(file)
    try:
        spec.loader.exec_module(module)
    except StudyRefused:
        raise
    except (Exception, SystemExit) as error:
        raise StudyRefused(f"{file.name} cannot be loaded: {_said(error, file)}") from None
    finally:
        _loading.pop()
        _remember(file, module, before)
    found = module.__dict__.get("study")
    if isinstance(found, Study):
        return found
    studies = [value for value in module.__dict__.values() if isinstance(value, Study)]
    if len(studies) == 1:
        return studies[0]
    raise StudyRefused(f"{file.name} defines no study", todo="write `study = Study(...)` in it")


def _make_room(file: Path) -> None:
    """Its folder comes first, and what it imports from there is loaded as it is now, not as another study's."""
    folder = str(file.parent)
    sys.path[:] = [folder, *(place for place in sys.path if place != folder)]
    for path in local_modules(file):
        if path.is_relative_to(file.parent):  # not elsewhere, by a link
            parts = path.relative_to(file.parent).with_suffix("").parts
            _forget(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    while _came:
        _forget(_came.pop())
    importlib.invalidate_caches()


def _forget(module: str) -> None:
    sys.modules.pop(module, None)
    package, _, name = module.rpartition(".")
    if package in sys.modules:  # `from package import name` would find it there
        vars(sys.modules[package]).pop(name, None)


def _remember(file: Path, study: ModuleType, before: dict[str, ModuleType]) -> None:
    """The modules of its folder that were loaded with it, or that it holds something of."""
    names = {name for name, module in list(sys.modules.items()) if before.get(name) is not module}
    for value in list(vars(study).values()):
        if isinstance(value, ModuleType):
            names.add(value.__name__)
        elif isinstance(value, (FunctionType, type)):
            names.add(value.__module__)
    found = dict(_files_below(file.parent, names - {"__main__", study.__name__}))
    CAME_WITH[file] = frozenset(path.resolve() for path in found.values())
    new = (name for name in found if before.get(name) is not sys.modules.get(name))
    _came.update(name for name in new if found[name].suffix == ".py")  # compiled ones are loaded once in a process


def _files_below(folder: Path, modules: set[str]) -> Iterator[tuple[str, Path]]:
    for module in modules:
        file = getattr(sys.modules.get(module), "__file__", None)
        path = Path(file) if isinstance(file, str) else None
        if path is None or not path.is_relative_to(folder) or not path.is_file():
            continue
        installed = {"site-packages", "dist-packages"} & {*path.parts} or any(map(path.is_relative_to, _INSTALLED))
        if not installed:
            yield module, path


def _said(error: BaseException, file: Path) -> str:
    """Type, message and the line of the study file."""
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    where = f" (line {lines[-1]})" if lines else ""
    return f"{type(error).__name__}: {error}{where}"
