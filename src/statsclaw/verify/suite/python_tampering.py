"""Does a suite touch what judges it? Replaced functions, hooks, the fixture `criterion`, the engine's files; skips."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.verify.suite.bookkeeping import METHODS
from statsclaw.verify.suite.found import found
from statsclaw.verify.suite.names import python_names
from statsclaw.verify.suite.python_code import Definition, Function, Module, Suite
from statsclaw.verify.suite.python_tests import Case, criterion_calls, is_criterion, marks_of
from statsclaw.verify.suite.python_values import Bound, Values

_CONFTEST = re.compile(r"(?:[\w.]*\.|.*/)?conftest(?:\.py)?")
_IMPORTED = (".py", ".pyc", ".pyd", ".so")
_READS_ONE = {"get", "pop", "setdefault", "__contains__"}


def settings_files(files: Mapping[str, str], package: str) -> list[Finding]:
    """Files beside the tests that change how they are run, or that hide the package under test."""
    findings = []
    for name in sorted(files):
        path = PurePosixPath(name)
        if path.name in python_names("settings_files"):
            message = f"{path.name} changes how the suite is run, which is the engine's affair."
            findings.append(found("settings-file", name, message, f"{name}:1"))
        hides = {_module_name(path), path.parent.name if path.name == "__init__.py" else ""} - {""}
        if package and package.split(".")[0] in hides:
            message = f"The suite holds a module {package.split('.')[0]}, which hides the package under test."
            findings.append(found("hides-the-package", name, message, f"{name}:1"))
        for other in sorted(hides & _others_modules()) if _on_the_path(path, files) else ():
            message = (
                f"The suite holds a module {other}, which hides that of the library from everything that imports it."
            )
            findings.append(found("hides-a-library", name, message, f"{name}:1"))
    return findings


def _module_name(path: PurePosixPath) -> str:
    return path.name.split(".")[0] if path.suffix in _IMPORTED and path.name != "__init__.py" else ""


def _others_modules() -> frozenset[str]:
    return (sys.stdlib_module_names | python_names("known_libraries")) - {"conftest", "test"}


def _on_the_path(path: PurePosixPath, files: Mapping[str, str]) -> bool:
    """Whether pytest finds it under its bare name: what lies in a package is known by the package's name."""
    folder = path.parent.parent if path.name == "__init__.py" else path.parent
    return str(folder / "__init__.py") not in files


def tampering(suite: Suite) -> list[Finding]:
    findings: list[Finding] = []
    for module in suite.modules.values():
        for node in ast.walk(module.tree):
            for rule, message in _complaints(node, module, suite):
                where = f"{module.file}:{getattr(node, 'lineno', 1)}"
                severity: Severity = (
                    "warning" if rule == "environment" else "error"
                )  # a child process may need them all
                findings.append(found(rule, f"{module.file}:{message[:80]}", message, where, severity))
    return findings


def _complaints(node: ast.AST, module: Module, suite: Suite) -> Iterator[tuple[str, str]]:
    yield from _names_bound(node, module, suite)
    if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        if what := _replaced(node, module, suite):
            yield "replaced", f"The suite replaces {what}, with which it judges or which it judges."
    elif isinstance(node, ast.Call):
        yield from _calls(node, module, suite)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from _texts(node.value, module.parents.get(node))
    elif isinstance(node, ast.Import | ast.ImportFrom):
        for name in _imported(node):
            if name.split(".")[0] in ("_pytest", "statsclaw") or "conftest" in name.split("."):
                yield "inner-parts", f"The suite imports {name}: the inner parts of what runs and judges it."
    if _names_conftest(node):
        yield "inner-parts", "The suite reaches for conftest, which holds the frozen criteria."
    if isinstance(node, ast.Attribute) and _goes_through_modules(node, module, suite):
        yield "inner-parts", "The suite goes through sys.modules; conftest, with the frozen criteria, is one of them."
    if isinstance(node, ast.Attribute) and node.attr in ("frozen", "CRITERIA"):
        yield "inner-parts", f"The suite reaches for {node.attr}: the frozen criteria are not its own."
    if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
        yield from _forbidden(node, module, suite)


def _imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    """Modules, and what may be modules: `from . import conftest`."""
    if isinstance(node, ast.Import):
        return [row.name for row in node.names]
    start = node.module or ""
    return [start] if "conftest" in start.split(".") else [f"{start}.{row.name}".strip(".") for row in node.names]


def _names_conftest(node: ast.AST) -> bool:
    """`sys.modules["conftest"]`, `import_module("tests.validation.conftest")`: the name alone, no sentence about it."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or len(node.value) > 200:
        return False
    return bool(_CONFTEST.fullmatch(node.value))


def _goes_through_modules(node: ast.Attribute, module: Module, suite: Suite) -> bool:
    """Every module at once, or one whose name is computed; `"pandas" in sys.modules` asks for one."""
    if suite.dotted(node, module.file) != "sys.modules" or not isinstance(node.ctx, ast.Load):
        return False
    parent = module.parents.get(node)
    if isinstance(parent, ast.Attribute) and parent.attr in ("values", "items"):
        return True
    if not isinstance(parent, ast.Subscript):
        return False
    return not isinstance(parent.slice, ast.Constant) and getattr(parent.slice, "id", "") != "__name__"


def _names_bound(node: ast.AST, module: Module, suite: Suite) -> Iterator[tuple[str, str]]:
    """`criterion`, hooks of pytest and words of comparison must keep their meaning."""
    bound = ""
    if isinstance(node, Definition | ast.ClassDef):
        bound = node.name
    elif isinstance(node, ast.alias):
        bound = node.asname or node.name
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
        bound = node.id
    elif isinstance(node, ast.arguments):
        plain = [*node.posonlyargs, *node.args]
        given = {row.arg for row in plain[len(plain) - len(node.defaults) :] if node.defaults}
        given |= {row.arg for row, value in zip(node.kwonlyargs, node.kw_defaults, strict=True) if value is not None}
        bound = "criterion" if "criterion" in given else ""
    if bound == "criterion" or _fixture_named_criterion(node, module, suite):
        yield "criterion-redefined", "The suite gives `criterion` another meaning; it comes from the engine."
    if isinstance(node, Definition) and bound.startswith("pytest_") and not _harmless_hook(node):
        yield "pytest-hook", f"The suite defines the pytest hook {bound}, which can change what tests report."
    if bound in ("pytest_plugins", "collect_ignore", "collect_ignore_glob", "__test__"):
        yield "pytest-hook", f"The suite sets {bound}, which changes which tests are run."
    replacing = isinstance(node, Definition) or isinstance(_assigned_value(node, module), ast.Lambda)
    inside_class = isinstance(module.parents.get(node), ast.ClassDef)
    if replacing and not inside_class and (bound in python_names("meanings") or _is_comparison(bound)):
        yield "replaced", f"The suite gives `{bound}` another meaning."


def _is_comparison(name: str) -> bool:
    return any(row.rpartition(".")[2] == name for row in python_names("equal"))


def _assigned_value(node: ast.AST, module: Module) -> ast.expr | None:
    parent = module.parents.get(node)
    return parent.value if isinstance(parent, ast.Assign) else None


def _fixture_named_criterion(node: ast.AST, module: Module, suite: Suite) -> bool:
    if not isinstance(node, ast.Call) or not suite.called(node, module.file).endswith("fixture"):
        return False
    return any(row.arg == "name" and getattr(row.value, "value", "") == "criterion" for row in node.keywords)


def _harmless_hook(node: Definition) -> bool:
    """A header, or `pytest_configure` that does nothing but name a marker."""
    if node.name in python_names("harmless_hooks"):
        return True
    calls = [row.value for row in node.body if isinstance(row, ast.Expr) and isinstance(row.value, ast.Call)]
    plain = [row for row in calls if isinstance(row.func, ast.Attribute) and row.func.attr == "addinivalue_line"]
    markers = [row for row in plain if row.args and getattr(row.args[0], "value", "") == "markers"]
    documented = sum(isinstance(row, ast.Expr) and isinstance(row.value, ast.Constant) for row in node.body)
    return node.name == "pytest_configure" and len(markers) + documented == len(node.body)


def _protected(name: str) -> bool:
    """Whether replacing a part of this module changes what a comparison says."""
    root = name.split(".")[0]
    standard = root in sys.stdlib_module_names and root not in python_names("protected")
    return bool(root) and not standard and name != "sys.argv"


def _replaced(node: ast.Attribute | ast.Subscript, module: Module, suite: Suite) -> str:
    target: ast.AST = node
    if isinstance(node, ast.Subscript):  # sys.modules["numpy"] = …, np.__dict__["allclose"] = …, globals()["x"] = …
        name = suite.dotted(node.value, module.file)
        opened = suite.called(node.value, module.file) in ("vars", "globals", "locals")
        if name == "sys.modules" or opened:
            return ast.unparse(node)[:80]
        if not name.endswith("__dict__"):
            return ""
        target = node.value
    name = suite.dotted(target, module.file)
    if suite.imports(target, module.file) and _protected(name):
        return name
    return name if name.endswith((".__test__", ".__code__", ".__globals__", "__builtins__")) else ""


def _calls(node: ast.Call, module: Module, suite: Suite) -> Iterator[tuple[str, str]]:
    name = suite.called(node, module.file)
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    patching = name in ("setattr", "delattr") or method in ("setattr", "delattr", "setitem", "delitem", "__setattr__")
    mocking = ".patch" in f".{name}" and name.startswith(("unittest.mock", "mock.", "mocker."))
    if (patching or mocking) and node.args:
        first = node.args[0]
        text = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
        target = text or suite.dotted(first, module.file)
        imported = bool(text) or suite.imports(first, module.file)
        if (imported and _protected(target)) or target in ("sys.modules", "criterion"):
            yield "replaced", f"The suite replaces a part of {target[:80]}, with which it judges or which it judges."


def _forbidden(node: ast.Name | ast.Attribute, module: Module, suite: Suite) -> Iterator[tuple[str, str]]:
    name = suite.dotted(node, module.file)
    parent = module.parents.get(node)
    if name in python_names("ending"):
        yield "ends-the-process", f"The suite uses {name}, which ends the process before it has reported."
    if name in python_names("reaching_behind"):
        yield "reaches-behind", f"The suite uses {name}, with which it can change what judges it."
    called = isinstance(parent, ast.Call) and parent.func is node
    if name in python_names("unreadable") and called:
        yield "unreadable-code", f"The suite uses {name}, so that what it does cannot be read."
    if name == "__builtins__" or (isinstance(node, ast.Attribute) and node.attr in ("pluginmanager", "__globals__")):
        yield "reaches-behind", f"The suite uses {ast.unparse(node)[:80]}, with which it can change what judges it."
    if name == "os.environ" and not _reads_one_variable(node, module):
        yield "environment", "The suite goes through all environment variables; name the one that is needed."


def _reads_one_variable(node: ast.AST, module: Module) -> bool:
    parent = module.parents.get(node)
    if isinstance(parent, ast.Attribute) and parent.attr in _READS_ONE:
        call = module.parents.get(parent)
        return isinstance(call, ast.Call) and bool(call.args) and isinstance(call.args[0], ast.Constant)
    if isinstance(parent, ast.Subscript):
        return isinstance(parent.slice, ast.Constant)
    return isinstance(parent, ast.Compare) and isinstance(parent.left, ast.Constant)


def _texts(text: str, parent: ast.AST | None) -> Iterator[tuple[str, str]]:
    if isinstance(parent, ast.Expr):
        return  # documentation
    if "criteria.json" in text:
        yield "criteria-file", "The suite reads the frozen criteria, which the engine applies."
    start = text.find("STATSCLAW_")
    if start >= 0 and text[start:].strip() not in python_names("allowed_variables"):
        yield "engine-variable", f"The suite uses {text[start : start + 40]}, which belongs to the engine."


def misused_criterion(function: Function, suite: Suite, values: Values) -> list[Finding]:
    """`criterion("C1").close(…)` and the like; everything else with it could change what it reports."""
    parents = suite.modules[function.file].parents
    findings = []
    for node in function.body:
        bad = False
        if isinstance(node, ast.Attribute):
            parent = parents.get(node)
            called = isinstance(parent, ast.Call) and parent.func is node
            bound = Bound(node.value, function, function.file)
            mine = is_criterion(bound, values) or bool(criterion_calls(bound, values))
            bad = mine and (not called or is_criterion(bound, values) or node.attr not in METHODS)
        elif isinstance(node, ast.Call) and suite.function(node.func, function, function.file) is None:
            given = [Bound(row, function, function.file) for row in (*node.args, *(k.value for k in node.keywords))]
            bad = any(is_criterion(row, values) or criterion_calls(row, values) for row in given)
        if bad:
            message = f"{function.name} uses `criterion` otherwise than by asking one of its five questions."
            about = f"{function.file}:{function.name}"
            findings.append(found("criterion-misused", about, message, function.where(node)))
    return findings


def skips(case: Case) -> list[Finding]:
    """Skips and expected failures are allowed where every scenario of the test has a reason in the specification."""
    reasons = {row.id: row.may_skip.strip() for row in case.spec.scenarios}
    if case.scenarios and all(reasons.get(name) for name in case.scenarios):
        return []
    places = [(node, row) for row in case.reach for node in row.body]
    places += [(node, case.function) for part in marks_of(case.suite, case.function) for node in ast.walk(part)]
    module = case.suite.modules[case.function.file]
    top = [row for row in module.tree.body if not isinstance(row, Definition | ast.ClassDef)]
    places += [(node, case.function) for row in top for node in ast.walk(row) if not _is_pytestmark(row)]
    findings = []
    for node, user in places:
        if not isinstance(node, ast.Attribute | ast.Name):
            continue
        name = case.suite.dotted(node, user.file)
        if name in python_names("skipping"):
            message = f"{case.name} may be skipped or may fail ({name}); the specification gives no reason for that."
            findings.append(found("skip-without-reason", f"{case.name}:{name}", message, user.where(node)))
    return findings


def _is_pytestmark(row: ast.stmt) -> bool:
    return isinstance(row, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "pytestmark" for t in row.targets)
