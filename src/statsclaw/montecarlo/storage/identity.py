"""What results are bound to: the design, the code that computes them, the environment it runs in.

Of a study in Python the code is the parsed text of its file and of the modules it imports from its own folder, so
comments and layout do not count, nor what may change while results stay valid: replications, cap, criteria. Of one in
R it is its files and those that they name in source("...").
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import inspect
import json
import os
import platform
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, fields
from pathlib import Path
from types import CodeType
from typing import Any

from statsclaw.montecarlo.design import Study
from statsclaw.montecarlo.storage.uncommented import without_comments

#: Of Study(...), what results do not depend on, and what the design says.
_FREE = frozenset({"name", "replications", "cap", "criteria", "description", "mcse", "metrics"})
#: Of these, the parts that may be functions: what only they use is free as well.
_FREE_FUNCTIONS = frozenset({"replications", "metrics"})
_SAID_BY_DESIGN = {"grid", "leave_out", "common_random_numbers", "truth", "seed", "level", "timeout"}
_ELSEWHERE = _FREE | {"failures_allowed"} | _SAID_BY_DESIGN
Description = dict[str, Any]
#: Changes whenever the engine itself would give a study other numbers.
STREAMS = "2"
#: Of what `describe` gives. In the first, what the design says was a part of the code as well; in the second, comments
#: in R were.
FORMAT = 3
_WITH_COMMENTS = 2
#: By study file, the files of its folder that came with it when it was loaded, however it imported them.
CAME_WITH: dict[Path, frozenset[Path]] = {}
_SOURCED = re.compile(rb"""\bsource\s*\(\s*(?:file\s*=\s*)?(["'])([^"'\n\0]+)\1""")


@dataclass(frozen=True, slots=True)
class Identity:
    """What every chunk says of where it comes from."""

    design: str
    code: str
    environment: str

    def metadata(self) -> dict[str, str]:
        return {"design": self.design, "code": self.code, "environment": self.environment}


def describe(study: Study, format: int = FORMAT) -> Description:
    """Everything results depend on, as plain data, but for what only workers know. `format`: as it was written once."""
    code, modules = _program(study, format) if study.program else _functions(study, format)
    described = {"design": study.described(), "code": code, "environment": _environment(modules)}
    plain: Description = json.loads(json.dumps(described, default=float))
    return plain


def identity_of(description: Description) -> Identity:
    return Identity(
        *(_sha(json.dumps(description[part], sort_keys=True)) for part in ("design", "code", "environment"))
    )


def differences(kept: Description, now: Description) -> list[str]:
    """What changed, a few words for each."""
    found: list[str] = []
    for part in ("design", "code", "environment"):
        before, after = kept.get(part, {}), now.get(part, {})
        for key in sorted({*before, *after}):
            if json.dumps(before.get(key), sort_keys=True) != json.dumps(
                after.get(key), sort_keys=True
            ):  # 5 is not 5.0
                found.append(f"{part}: {_change(key, before.get(key), after.get(key), part)}")
    return found


def _change(key: str, before: Any, after: Any, part: str) -> str:
    if part == "code":
        return key if before and after else f"{key} ({'new' if after else 'gone'})"
    texts = [json.dumps(value) if value is not None else "–" for value in (before, after)]
    return f"{key} {texts[0]} → {texts[1]}" if max(map(len, texts)) <= 60 else key


def _sha(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def _program(study: Study, format: int) -> tuple[dict[str, str], set[str]]:
    assert study.program is not None
    folder = study.origin.parent if study.origin else Path.cwd()
    argv = [text.replace(f"{folder}/", "") for text in study.program.argv]
    code = {"program": _sha(json.dumps([study.program.language, argv]))}
    meaning = _raw if format <= _WITH_COMMENTS else without_comments
    code |= {_name(file, folder): _sha(meaning(file)) for file in program_files(study) if file.is_file()}
    return code, set()


def _raw(file: Path) -> bytes:
    return file.read_bytes()


def program_files(study: Study) -> list[Path]:
    """The files a program consists of; in R also what they source by name, from the study's folder or their own."""
    assert study.program is not None
    found = dict.fromkeys(study.program.files)
    if study.program.language != "r":
        return list(found)
    known = {file.resolve() for file in found}
    waiting = [file for file in found if file.suffix.lower() == ".r" and file.is_file()]
    folders = [study.origin.parent] if study.origin else [file.parent for file in study.program.files[:1]]
    while waiting:
        file = waiting.pop()
        for _, name in _SOURCED.findall(file.read_bytes()):
            for folder in (*folders, file.parent):
                path = Path(os.path.normpath(folder / os.fsdecode(name)))
                if path.is_file() and path.resolve() not in known:
                    known.add(path.resolve())
                    found[path] = None
                    waiting.append(path)
    return list(found)


def _functions(study: Study, format: int) -> tuple[dict[str, str], set[str]]:
    assert isinstance(study.methods, Mapping)
    named: dict[str, Any] = {"dgp": study.dgp, **{f"method {name}": call for name, call in study.methods.items()}}
    dropped = _FREE if format == 1 else _ELSEWHERE
    if of_data := {name: call for cell in study.cells() for name, call in study.truth_of_data(cell).items()}:
        dropped -= {"truth"}  # the design does not say how it follows from the data
        named |= {f"truth {name}": call for name, call in of_data.items()}
    files = {study.origin.resolve()} if study.origin else set()
    code: dict[str, str] = {}
    for name, function in named.items():
        file = _source_file(function)
        if file is None:
            code[name] = fingerprint(function)
        elif "site-packages" not in file.parts:
            files.add(file)
    folder = study.origin.resolve().parent if study.origin else _common_folder(files)
    modules: set[str] = set()
    came = CAME_WITH.get(study.origin.resolve(), frozenset()) if study.origin else frozenset()
    for file in with_local_imports(files | came, modules, {folder, *(file.parent for file in files)}):
        is_study = file in files
        code[_name(file, folder)] = _sha(_normalised(file, is_study=is_study, dropped=dropped))
    return code, modules


def _common_folder(files: Iterable[Path]) -> Path:
    return min((file.parent for file in files), key=lambda path: len(path.parts), default=Path.cwd())


def _name(file: Path, folder: Path) -> str:
    return file.relative_to(folder).as_posix() if file.is_relative_to(folder) else str(file)


def _source_file(function: Callable[..., Any] | None) -> Path | None:
    try:
        name = inspect.getsourcefile(inspect.unwrap(function))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return Path(name).resolve() if name and Path(name).is_file() and not name.startswith("<") else None


def local_modules(file: Path) -> list[Path]:
    """The modules that are known to come from a study file's own folder, imported directly or not."""
    files = {file, *CAME_WITH.get(file, ())}
    return [path for path in with_local_imports(files, set(), {file.parent}) if path != file]


def with_local_imports(files: Iterable[Path], modules: set[str], folders: Iterable[Path]) -> list[Path]:
    """The files and all that they import from these folders or from their own.

    `modules` collects what they import from elsewhere.
    """
    places = sorted(folders)
    waiting = sorted(files)
    seen = set(waiting)
    while waiting:
        file = waiting.pop()
        for name in _imported(file):
            local = [path for folder in dict.fromkeys((*places, file.parent)) for path in _local(name, folder)]
            if not local:
                modules.add(name.partition(".")[0])
            for path in local:
                if path not in seen:
                    seen.add(path)
                    waiting.append(path)
    return sorted(seen)


def _imported(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(_parsed(file)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            names |= {base} if base else {alias.name for alias in node.names}
    return names


def _local(name: str, folder: Path) -> list[Path]:
    """A folder with everything below it: which of its modules are used cannot be seen from outside."""
    top = folder / name.partition(".")[0]
    found = sorted(path.resolve() for path in top.rglob("*.py")) if top.is_dir() else []
    file = top.with_suffix(".py")
    return [*found, file.resolve()] if file.is_file() else found


def _parsed(file: Path) -> ast.Module:
    try:
        return ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return ast.Module([ast.Expr(ast.Constant(file.read_bytes()))], [])


def _normalised(file: Path, *, is_study: bool, dropped: Set[str]) -> str:
    tree = _parsed(file)
    if is_study:
        _drop_free_parts(tree, dropped)
    return ast.dump(tree)


def _drop_free_parts(tree: ast.Module, dropped: Set[str]) -> None:
    """Replications, cap, criteria, metrics, and the variables of the module that nothing else uses."""
    places = [place for place, part in enumerate(fields(Study)) if part.name in dropped]
    free: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) == "Study":
            free |= _used(each.value for each in node.keywords if each.arg in _FREE_FUNCTIONS)
            node.keywords = [keyword for keyword in node.keywords if keyword.arg not in dropped]
            for place in places:
                if place < len(node.args):
                    node.args[place] = ast.Constant(None)
    tree.body = [node for node in tree.body if not _is_main_guard(node) and not _is_text(node)]
    while True:
        used = _used(tree.body)
        kept = [node for node in tree.body if not _assigns(node) or _assigns(node) & used or _does_something(node)]
        dropped_now = [node for node in kept if _defines(node) and _defines(node) <= free - _used_beside(node, kept)]
        kept = [node for node in kept if node not in dropped_now]
        if len(kept) == len(tree.body):
            return
        free |= _used([*dropped_now, *(node for node in tree.body if node not in kept and _assigns(node) & free)])
        tree.body = kept


def _called(node: ast.Call) -> str:
    return str(getattr(node.func, "id", getattr(node.func, "attr", "")))


def _does_something(node: ast.stmt) -> bool:
    return any(isinstance(part, ast.Call) and _called(part) != "Criterion" for part in ast.walk(node))


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_main_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "'__main__'" in ast.dump(node.test)


def _used(nodes: Iterable[ast.AST]) -> set[str]:
    names = (part for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Load)}


def _used_beside(node: ast.stmt, nodes: Iterable[ast.AST]) -> set[str]:
    return _used(other for other in nodes if other is not node)


def _defines(node: ast.stmt) -> set[str]:
    """The functions it defines or imports."""
    if isinstance(node, ast.FunctionDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    return set()


def _assigns(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    else:
        return set()
    return {target.id for target in targets if isinstance(target, ast.Name)}


def fingerprint(function: Any) -> str:
    """Of a function wherever it is defined."""
    return _sha(_fingerprint(function))


def _fingerprint(function: Any, depth: int = 0) -> bytes:
    """A function that is in no file, by its code, defaults and what it closes over; helpers of its module included."""
    if depth > 20:
        return b""
    code = getattr(function, "__code__", None)
    if code is None:
        return (
            repr(type(function)).encode() if depth else f"{getattr(function, '__qualname__', type(function))}".encode()
        )
    parts = [_code_bytes(code), repr(function.__defaults__).encode()]
    inside = [cell.cell_contents for cell in function.__closure__ or () if _filled(cell)]
    names = [name for name in code.co_names if name in function.__globals__]
    inside += [function.__globals__[name] for name in names]
    for value in inside:
        same_place = getattr(value, "__module__", None) == function.__module__ and hasattr(value, "__code__")
        if same_place and value is not function:
            parts.append(_fingerprint(value, depth + 1))
        elif isinstance(value, (int, float, str, bool, tuple, frozenset)):
            parts.append(repr(value).encode())
    return b"\0".join(parts)


def _filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _code_bytes(code: CodeType) -> bytes:
    consts = [_code_bytes(c) if isinstance(c, CodeType) else repr(c).encode() for c in code.co_consts]
    return b"\0".join([code.co_code, repr((code.co_names, code.co_varnames)).encode(), *consts])


def _environment(modules: Iterable[str]) -> dict[str, str]:
    found = {"python": platform.python_version(), "platform": f"{platform.system()}-{platform.machine()}"}
    found["streams"] = STREAMS
    for module in sorted({*modules, "numpy", "scipy"} - {"statsclaw"} - set(sys.stdlib_module_names)):
        if (version := _version(module)) is not None:
            found[module] = version
        else:  # the module is not called like its distribution
            named = {name: _version(name) for name in _distributions().get(module, [])}
            found |= {name: version for name, version in named.items() if version is not None}
    return found


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


_FOUND: dict[str, list[str]] = {}


def _distributions() -> Mapping[str, list[str]]:
    """By module; this reads a list of files of everything that is installed."""
    if not _FOUND:
        _FOUND.update({name: sorted(set(dists)) for name, dists in importlib.metadata.packages_distributions().items()})
    return _FOUND
