"""Rust: the worker is a program with the package as its only dependency, made from the interface.

The compiler finds the type of each argument and of what is returned; only names and their number are taken from the
interface.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from statsclaw.languages.language import Adapter, Case, Language, Native, Places, Unfit, Worker
from statsclaw.profiles.profile import Command
from statsclaw.specs.interface import Argument, FieldOf, Function, Interface, Value

_WORKER = files(__package__) / "workers" / "rust"
_FIXED = ("wire.rs", "given.rs", "told.rs", "process.rs", "asking.rs")
_CRATE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_DIMENSION = re.compile(r"(?:(rows|cols|length|distinct)\()?([A-Za-z][\w.]*|\d{1,6})\)?(?: ?([+-]) ?(\d{1,6}))?")
#: Objects inside of objects are followed so far: one may hold another of its own class.
_DEEPEST = 6
_LARGEST, _MOST_FILES = 2_000_000, 1000
_KEYWORDS = frozenset({
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
    "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
})  # fmt: skip

_CARGO = """\
[package]
name = "statsclaw-worker"
version = "0.0.0"
edition = "2021"
publish = false

[[bin]]
name = "worker"
path = "src/main.rs"

[dependencies]
asked = {{ package = "{name}", path = "{path}" }}

[workspace]

[profile.release.package.statsclaw-worker]
codegen-units = 1
"""

_HEAD = """\
// Made from the interface.

#![allow(clippy::all, unused)]

use crate::given::{Copies, FromRows, FromVector, Makes, Parses, Slot, Tells, Want};
use crate::given::{LendOptional, LendOwned, LendReference};
use crate::given::{NotCopies, NotFromRows, NotFromVector, NotMakes, NotParses, NotTells};
use crate::process::Clock;
use crate::told::{Failure, Found, Given, Kept, Length, Seen, object, parts, shaped, table};
use crate::told::{NameDebug, NameNothing, OpenOption, OpenPlain, OwnOptional, OwnPlain, OwnReference};
use crate::told::{PresentOption, PresentPlain, SettlePlain, SettleResult, ShowDebug, ShowNothing, ShowPlain};
use crate::told::{TellKind, TellPlain, TellRows, TellVector};
use crate::wire::Value;
use crate::{Row, argument, present, returned, told, told_as_text, within};
use std::{option::Option::{self, None, Some}, result::Result::{self, Err, Ok}, vec::Vec};
use asked::*; // traits whose methods are asked

pub const EXPORTS: &str = include_str!("exports");

include!("reads.rs"); // how each field is read
"""


class Rust(Language):
    id = "rust"
    how = "generated"
    sees = ("adapter",)
    native = Native("native_rust.rs", "tests/validation.rs", "tests/validation/questions.json")

    def worker(self, at: Places) -> Worker:
        return Worker((f"{at.adapter}/worker",))

    def adapter(self, interface: Interface, tree: Path) -> Adapter:
        crate = _crate(interface.package, tree)
        made = {f"src/{name}": _WORKER.joinpath(name).read_text("utf-8") for name in (*_FIXED, "main.rs")}
        made["src/interface.rs"] = _Table(interface, crate).text()
        made["src/reads.rs"] = "".join(_reading(name, crate.is_getter(name)) for name in _fields(interface))
        made["build.sh"] = _WORKER.joinpath("build.sh").read_text("utf-8")
        made["Cargo.toml"] = _CARGO.format(name=crate.name, path=f"../tree/{crate.at}".rstrip("/."))
        if lock := _text(tree, tree / "Cargo.lock"):
            made["Cargo.lock"] = lock
        places = ("{scratch}/adapter", "{adapter}", crate.name, crate.lib)
        build = Command(
            name="worker", parser="exit", timeout_s=1800, needs=("sh",),
            env={"CARGO_TARGET_DIR": "{scratch}/adapter", "CARGO_NET_OFFLINE": "true"},
            argv=("sh", "{adapter}/build.sh", *places),
        )  # fmt: skip
        return Adapter(made, (build,))

    def known_alone(self, interface: Interface) -> Interface:
        functions = tuple(row for row in interface.functions if row.extends is None)
        bare = tuple(row if row.returns.class_name else _without_methods(row) for row in functions)
        return interface.model_copy(update={"functions": bare})

    def native_files(self, interface: Interface, cases: Sequence[Case]) -> Mapping[str, str]:
        suite = {row.name: row.read_text("utf-8") for row in (_WORKER / "suite").iterdir()}
        readme = {"README.md": suite.pop("README.md"), "cases.rs": _cases(interface, cases)}
        made = {name: _WORKER.joinpath(name).read_text("utf-8") for name in (*_FIXED, "build.sh")}
        made |= {"interface.rs": _Table(interface, None).text(), **suite}
        made["fields"] = "".join(f"{name} {_word(name)}\n" for name in _fields(interface))
        program = {f"program/{name}": text for name, text in made.items()}
        return {f"tests/validation/{name}": text for name, text in (readme | program).items()}

    def literal(self, text: str) -> tuple[Any, ...]:
        """A parameter of type Option<f64> may have the default `Some(0.95)`, which is given as 0.95."""
        inner = re.fullmatch(r"Some\((.*)\)", text.strip())
        return super().literal(inner[1] if inner else text)


# --- the package ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Crate:
    """`at`: its folder below the tree. `root`: of its sources."""

    tree: Path
    name: str
    lib: str
    at: str
    root: Path

    @cached_property
    def source(self) -> str:
        """Without comments and texts."""
        found = [path for path in sorted(self.root.rglob("*.rs")) if path.is_file()][:_MOST_FILES]
        words = re.compile(r"""'(?:\\.[^']*|[^'\\])'|"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/""", re.DOTALL)
        return "\n".join(words.sub(" ", _text(self.tree, path)) for path in found)

    def header(self, function: str) -> tuple[list[str], str] | None:
        """The names of its parameters and the type that it returns, as they are written; None where it is not found."""
        begin = next(re.finditer(rf"^pub fn {re.escape(function)}\b[^(]*\(", self.source, re.MULTILINE), None)
        if begin is None:
            return None
        parts, rest = _balanced(self.source, begin.end())
        returned = re.match(r"\s*->([^{;]*)", rest)
        return [part.partition(":")[0].strip() for part in parts if ":" in part], returned[1] if returned else ""

    def class_of(self, function: str) -> str:
        """The first type of the package in what a function returns."""
        header = self.header(function)
        types = re.findall(r"[A-Za-z_]\w*", header[1] if header else "")
        own = set(re.findall(r"\bpub\s+(?:struct|enum)\s+(\w+)", self.source))
        return next((name for name in types if name in own and not name.endswith("Error")), "")

    def is_getter(self, field: str) -> bool:
        name = re.escape(field)
        is_field = re.search(rf"\bpub\s+{name}\s*:", self.source)
        return not is_field and bool(re.search(rf"\bpub\s+(?:const\s+)?fn\s+{name}\s*\(\s*&self\s*\)", self.source))


def _balanced(text: str, start: int) -> tuple[list[str], str]:
    """The parts between commas up to the closing bracket, and what stands behind it."""
    depth, begin, parts = 0, start, []
    for at in range(start, min(len(text), start + 10_000)):
        depth += (text[at] in "([{<") - (text[at] in ")]}" or (text[at] == ">" and text[at - 1] != "-"))
        if depth < 0 or (depth == 0 and text[at] == ","):
            parts.append(text[begin:at])
            begin = at + 1
        if depth < 0:
            return parts, text[begin : begin + 2000]
    return parts, ""


def _text(tree: Path, path: Path) -> str:
    """Of a plain file of the tree: a link could lead out of it."""
    if path.is_symlink() or not path.is_file() or path.stat().st_size > _LARGEST:
        return ""
    if not path.resolve().is_relative_to(tree.resolve()):
        return ""
    return path.read_text(encoding="utf-8", errors="replace")


def _crate(package: str, tree: Path) -> _Crate:
    """The library that the interface names, at the root or in a folder of a workspace."""
    found = [crate for path in _manifests(tree) if (crate := _read(tree, path)) is not None]
    wanted = package.replace("-", "_").replace(".", "_")
    for crate in found:
        if wanted in (crate.lib, crate.name.replace("-", "_")):
            return crate
    names = ", ".join(crate.name for crate in found) or "none"
    raise Unfit(f"no crate with a library is called {package} (found: {names}); name it so in Cargo.toml")


def _manifests(tree: Path) -> Iterator[Path]:
    for glob in ("Cargo.toml", "*/Cargo.toml", "*/*/Cargo.toml"):
        yield from sorted(tree.glob(glob))[:100]


def _read(tree: Path, path: Path) -> _Crate | None:
    try:
        table = tomllib.loads(_text(tree, path))
    except tomllib.TOMLDecodeError as error:
        raise Unfit(f"{path.relative_to(tree)} cannot be read: {error}") from None
    package, lib = _table(table, "package"), _table(table, "lib")
    name = package.get("name")
    if not isinstance(name, str) or not _CRATE.fullmatch(name):
        return None
    own, place, kinds = lib.get("name", name.replace("-", "_")), lib.get("path", "src/lib.rs"), lib.get("crate-type")
    if not isinstance(own, str) or not _CRATE.fullmatch(own) or not isinstance(place, str):
        return None
    root = path.parent / place
    if lib.get("proc-macro") is True or not _text(tree, root):
        return None
    if isinstance(kinds, list) and not {"lib", "rlib"} & {str(kind) for kind in kinds}:
        raise Unfit(f'the library of {name} has no crate-type "rlib", and nothing written in Rust can depend on it')
    return _Crate(tree, name, own, path.parent.relative_to(tree).as_posix(), root.parent)


def _table(table: dict[str, Any], name: str) -> dict[str, Any]:
    found = table.get(name)
    return found if isinstance(found, dict) else {}


# --- the table of functions -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Table:
    """The generated file: for each function, constructor and method of the interface a function that asks it."""

    interface: Interface
    crate: _Crate | None

    def text(self) -> str:
        rows = list(self._rows())
        asking = "\n".join(self._asking(number, *row) for number, row in enumerate(rows))
        table = "".join(
            f"    Row {{ name: {_said(name)}, owner: {_said(owner)}, arguments: &[{_names(function.arguments)}],\n"
            f"        defaults: &[{_defaults(function.arguments)}],\n"
            f"        ask: ask_{number}, optional: optional_{number} }},\n"
            for number, (name, owner, _, function) in enumerate(rows)
        )
        return f"{_HEAD}\n{asking}\npub static TABLE: &[Row] = &[\n{table}];\n"

    def _rows(self) -> Iterator[tuple[str, str, str, Function]]:
        """Name, owner, path in Rust, and what the interface says of it; each once."""
        known: set[tuple[str, str]] = set()
        for row in self._all_rows():
            if row[:2] not in known:
                known.add(row[:2])
                yield row

    def _all_rows(self) -> Iterator[tuple[str, str, str, Function]]:
        for function in self.interface.functions:
            whole = self._whole(function)
            yield function.name, "", _path(function.name), whole
            yield from self._methods(self._class(function), whole.returns)
        for cls in self.interface.classes:
            made = Value(type="object", class_name=cls.name, fields=cls.fields, methods=cls.methods)
            new = Function(name=cls.name, arguments=cls.arguments).model_copy(update={"returns": made})
            if cls.arguments or not self._is_returned(cls.name):
                yield cls.name, "", _path(f"{cls.name}.new"), new
            yield from self._methods(cls.name, made)

    def _methods(self, owner: str, value: Value, depth: int = 0) -> Iterator[tuple[str, str, str, Function]]:
        for method in value.methods:
            if not owner:
                raise Unfit(f"{method.name} is a method of a type without a name: give its class_name in the interface")
            yield method.name, owner, _path(f"{owner}.{method.name}"), method
            if depth < _DEEPEST:
                yield from self._methods(method.returns.class_name or "", method.returns, depth + 1)

    def _is_returned(self, cls: str) -> bool:
        return any(function.returns.class_name == cls for _, function in self.interface.callables())

    def _whole(self, function: Function) -> Function:
        """The interface names only the new arguments of a function that the package has had: the source has all."""
        if function.extends is None:
            return function
        header = self.crate.header(function.name) if self.crate else None
        if header is None:
            raise Unfit(f"no line of the sources begins with pub fn {function.name}")
        declared = {row.name: row for row in function.arguments}
        rows = tuple(declared.get(name) or Argument(name=name) for name in header[0])
        return function.model_copy(update={"arguments": rows})

    def _class(self, function: Function) -> str:
        value = function.returns
        return value.class_name or (self.crate.class_of(function.name) if self.crate and value.methods else "")

    def _asking(self, number: int, name: str, owner: str, path: str, function: Function) -> str:
        count = len(function.arguments) + bool(owner)
        every = range(count)
        wants = "".join(f"    let p{at} = Want::new();\n" for at in every)
        given = ", ".join(f"p{at}.value()" for at in every)
        types = f"{wants}    if false {{\n        let _ = {path}({given});\n    }}\n"
        made = "".join(f"    let a{at} = argument!(p{at}, s{at});\n" for at in every)
        value = function.returns
        cls = value.class_name or ("" if owner else self._class(function))
        is_object = value.type == "object"
        optional = ", ".join(f"p{at}.is_optional()" for at in every if at or not owner)
        told = self._told("value", value)
        return (
            f"fn ask_{number}(slots: &mut [Slot], given: &Given, clock: &mut Clock) -> Result<Kept, Failure> {{\n"
            f"{types}"
            f"    let [{', '.join(f's{at}' for at in every)}] = slots else {{ unreachable!() }};\n"
            f"{made}    clock.start();\n"
            f"    let found = returned!({path}({', '.join(f'a{at}' for at in every)}));\n"
            f"{'    let found = present!(found);' if is_object else ''}\n"
            f"    let given = given.clone();\n"
            f"    Ok(Kept::new({_said(cls)}, found, move |value| {told}, |value| (&&&Seen(value)).shown()))\n"
            "}\n"
            f"fn optional_{number}() -> Vec<bool> {{\n{types}    vec![{optional}]\n}}\n"
        )

    # --- what is returned, as an expression

    def _told(self, place: str, value: Value, depth: int = 0) -> str:
        fields = self._fields(value)
        if value.type == "object" and depth < _DEEPEST:
            return f"object({place}, {self._parts(place, fields, depth)})"
        if value.type == "list" and fields:
            return f"Value::Names({self._parts(place, fields, depth)})"
        if value.type == "table":
            columns = f"Value::Names({self._parts(place, fields, depth)})" if fields else f"told!({place})"
            return f"table({columns})"
        if value.type == "text":
            return f"told_as_text!({place})"
        if len(value.shape) > 1 and not depth:
            return f"shaped(told!({place}), &{_shape(value)}, &[], &given)"
        return f"told!({place})"

    def _fields(self, value: Value) -> tuple[FieldOf, ...]:
        """Its own, those of its cases, or of the class that it names."""
        cases = getattr(value, "cases", {})
        found = {row.name: row for part in (value, *cases.values()) for row in part.fields}
        if found or not value.class_name:
            return tuple(found.values())
        classes = {cls.name: cls.fields for cls in self.interface.classes}
        values: list[Value] = [row for _, row in self.interface.parts()]
        values += [function.returns for _, function in self.interface.callables()]
        others = (row.fields for row in values if row.class_name == value.class_name and row.fields)
        return classes.get(value.class_name) or next(others, ())

    def _parts(self, place: str, fields: Sequence[FieldOf], depth: int) -> str:
        told, shapes, inner = [], [], f"part{depth}"
        for row in fields:
            read = f"&read_{row.name}!({place})"
            if row.type in ("object", "table") or (row.type == "list" and row.fields):
                part = f"within!({read}, {inner} => {self._told(inner, row, depth + 1)})"
            else:
                part = self._told(read, row, depth + 1)
            told.append(f"({_said(row.name)}, {part})")
            if len(row.shape) > 1:
                shapes.append(f"({_said(row.name)}, &{_shape(row)})")
        return f"parts(vec![{', '.join(told)}], &[{', '.join(shapes)}], &given)"


def _fields(interface: Interface) -> list[str]:
    return sorted({part.name for _, part in interface.parts()})


def _reading(field: str, is_getter: bool) -> str:
    read = f"$from.{_word(field)}{'()' if is_getter else ''}"
    return f"macro_rules! read_{field} {{ ($from:expr) => {{ {read} }}; }}\n"


def _shape(value: Value) -> str:
    rows = []
    for part in value.shape:
        match = _DIMENSION.fullmatch(part.strip())
        how, name, sign, number = match.groups() if match else ("", "", "", "")
        more = int(number or 0) * (-1 if sign == "-" else 1)
        rows.append(f"Length {{ how: {_said(how or '')}, name: {_said(name)}, more: {more} }}")
    return f"[{', '.join(rows)}]"


def _path(name: str) -> str:
    return "asked::" + "::".join(_word(part) for part in name.split("."))


def _word(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise Unfit(f"{name} is no name in Rust")
    return f"r#{name}" if name in _KEYWORDS else name


def _said(text: str) -> str:
    return json.dumps(text, ensure_ascii=True)


def _names(arguments: Sequence[Argument]) -> str:
    return ", ".join(_said(row.name) for row in arguments)


def _defaults(arguments: Sequence[Argument]) -> str:
    return ", ".join("None" if row.default is None else f"Some({_text_of(row.default)})" for row in arguments)


def _text_of(default: str) -> str:
    """As a text of Rust, which knows no \\u0000."""
    return '"' + "".join(c if c.isalnum() or c in " .,+-_()[]:" else f"\\u{{{ord(c):x}}}" for c in default) + '"'


def _without_methods(function: Function) -> Function:
    return function.model_copy(update={"returns": function.returns.model_copy(update={"methods": ()})})


def _cases(interface: Interface, cases: Sequence[Case]) -> str:
    """A test for each case, with a name of its own."""
    known: Counter[str] = Counter()
    rows = [f"const LIBRARY: &str = {_said(interface.package.replace('-', '_'))};\n"]
    for number, case in enumerate(cases):
        name = re.sub(r"\W", "_", f"{case.name}_{case.criterion}", flags=re.ASCII)
        known[name] += 1
        name = f"case_{name}" if not name[0].isalpha() else name
        name = f"{name}_{known[name]}" if known[name] > 1 else name
        ignored = f"#[ignore = {_text_of(case.left_out)}]\n" if case.left_out else ""
        rows.append(f"#[test]\n{ignored}fn {name}() {{\n    check({number});\n}}\n")
    return "\n".join(rows)


LANGUAGE = Rust()
