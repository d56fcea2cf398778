"""What C and C++ share: the source of a worker, made from the interface, with names that the compiler looks up."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from statsclaw.languages.language import Case, Language, Places, Unfit, Worker
from statsclaw.specs.interface import Argument, Class, Function, Interface, Value

_HEADERS = ("value.hpp", "convert.hpp", "held.hpp", "call.hpp")
_SOURCES = ("value.cpp", "convert.cpp", "call.cpp", "worker.cpp", "table.cpp")
_SUITE = ("json.hpp", "numbers.hpp", "suite.cpp")
#: In a suite that ships the compiler looks for the public header.
ASKED = "asked.hpp"
#: Parts of parts of parts are as far as an interface goes.
_DEEPEST = 4
_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_DIMENSION = re.compile(r"(?:(rows|cols|length|distinct)\()?([A-Za-z][\w.]*|\d{1,6})\)?(?: ?([+-]) ?(\d{1,6}))?")
_NUMBER = re.compile(r"([-+]?(?:\d{1,30}\.?\d{0,30}|\.\d{1,30})(?:[eE][-+]?\d{1,4})?)(?:[fF]|[uU]?[lL]{0,2})")
_WORDS = {"true": True, "false": False} | dict.fromkeys(("NULL", "nullptr", "std::nullopt", "nullopt", "None"))


class Compiled(Language):
    """A language whose worker is compiled into {adapter} and linked with the package."""

    how = "generated"
    sees = ("adapter",)
    careful = "careful/run"
    traces = True
    counting = "counted/run"

    def worker(self, at: Places) -> Worker:
        return Worker((f"{at.adapter}/worker",))

    def literal(self, text: str) -> tuple[Any, ...]:
        return literal(text)

    def known_alone(self, interface: Interface) -> Interface:
        functions = tuple(row for row in interface.functions if row.extends is None)
        return interface.model_copy(update={"functions": functions})

    def readme(self) -> Mapping[str, str]:
        place = files(__package__) / "workers" / "native" / "suite" / f"{self.id}.md"
        return {"tests/validation/README.md": place.read_text("utf-8")}


def literal(text: str) -> tuple[Any, ...]:
    """A number, a text, a truth value, or nothing; empty where it is something else."""
    text = text.strip()
    if text in _WORDS:
        return (_WORDS[text],)
    if match := _NUMBER.fullmatch(text):
        whole = re.fullmatch(r"[-+]?(0|[1-9]\d*)", match[1]) and text[-1] not in "fF"
        return (int(match[1]) if whole else float(match[1]),)
    return (text[1:-1],) if re.fullmatch(r'"[^"\\]*"', text) else ()


def header(interface: Interface, tree: Path, endings: tuple[str, ...]) -> str:
    """The public header, below include/."""
    places = _headers(interface, endings)
    for place in places:
        if (tree / "include" / place).is_file():
            return place
    named = " or ".join(f"include/{place}" for place in places if place.endswith(endings[0]))
    raise Unfit(f"the package {interface.package} has no public header: put what users include into {named}")


def _headers(interface: Interface, endings: tuple[str, ...]) -> list[str]:
    path = interface.package.replace(".", "/")
    return [f"{place}{ending}" for place in (f"{path}/{path.rpartition('/')[2]}", path) for ending in endings]


def suite(interface: Interface, endings: tuple[str, ...], tables: Sequence[str]) -> dict[str, str]:
    """What a suite that ships is compiled of, by path in the repository. `tables`: for C++, or for C, or for both."""
    folder = files(__package__) / "workers" / "native" / "suite"
    looks = [f"__has_include(<{place}>)\n#include <{place}>\n" for place in _headers(interface, endings)]
    asked = "#if " + "#elif ".join(looks) + '#else\n#error "the package has no public header"\n#endif\n'
    made = {name: text for name, text in sources("".join(tables)).items() if "/" not in name}
    made |= {name: (folder / name).read_text("utf-8") for name in _SUITE} | {ASKED: asked}
    made["all.cpp"] = f'#define STATSCLAW_SUITE\n{made["all.cpp"]}#include "suite.cpp"\n'
    return {f"tests/validation/program/{name}": text for name, text in made.items()}


def names_of(cases: Sequence[Case]) -> list[str]:
    """Of each test of a suite that ships one of its own."""
    known: Counter[str] = Counter()
    found = []
    for case in cases:
        name = f"{re.sub(r'[^A-Za-z0-9]', '_', case.name)}-{case.criterion}"
        known[name] += 1
        found.append(f"{name}_{known[name]}" if known[name] > 1 else name)
    return found


def sources(table: str) -> dict[str, str]:
    """Everything that is compiled, as one unit, which is the quickest."""
    folder = files(__package__) / "workers" / "native"
    fixed = {name: (folder / name).read_text("utf-8") for name in (*_HEADERS, *_SOURCES) if name != "table.cpp"}
    fixed["counted/run"] = (folder / "count.sh").read_text("utf-8")
    return {**fixed, "table.cpp": table, "all.cpp": "".join(f'#include "{name}"\n' for name in _SOURCES)}


def cpp_table(interface: Interface, include: str) -> str:
    made, package = _Table(interface), _spelled(interface.package)
    for function in interface.functions:
        name = f"{package}::{_spelled(function.name)}"
        made.calls.append(
            f"STATSCLAW_FUNCTION({made.spec(function.name, function)}, {name}, {len(function.arguments)}, 0)"
        )
    for cls in interface.classes:
        name = f"{package}::{_spelled(cls.name)}"
        made.calls.append(f"STATSCLAW_CLASS({made.spec(cls.name, cls)}, {name}, {len(cls.arguments)})")
    for element, _, method in made.methods_of_answers():
        spec = made.spec(element, method)
        made.methods.append(f"STATSCLAW_METHOD({spec}, {method.name}, {len(method.arguments)})")
    errors = sorted({row.error for _, rule, row in interface.conditions_of() if rule == "raises"})
    # looked up in the package first, then in std
    kinds = f"statsclaw::kinds<{', '.join(map(_spelled, errors))}>({{{', '.join(map(_text, errors))}}})"
    before = f"static std::vector<statsclaw::Kind> statsclaw_kinds() {{\n  using namespace std;\n  return {kinds};\n}}"
    fields = [f"STATSCLAW_FIELD({name})" for name in made.field_names()]
    return made.text(
        f'#include "{include}"\n\nnamespace {package} {{\n{before}\n}}', fields,
        rest=[f"whole.errors = {package}::statsclaw_kinds();"],
    )  # fmt: skip


def c_table(interface: Interface, include: str) -> str:
    """A class is a prefix: its constructor is CLASS_new, a method CLASS_NAME, a field may be read by CLASS_NAME."""
    made, package = _Table(interface), interface.package
    for function in interface.functions:
        made.calls.append(made.c_function("STATSCLAW_FUNCTION", function.name, function.name, function))
    for cls in interface.classes:
        made.calls.append(made.c_function("STATSCLAW_FUNCTION", cls.name, f"{cls.name}_new", cls))
    for element, owner, method in made.methods_of_answers():
        if not owner:
            raise Unfit(f"{element} is a method: name the class of the object, which is its type in C (class_name)")
        made.methods.append(made.c_function("STATSCLAW_C_METHOD", element, f"{owner}_{method.name}", method, 1))
    owners = made.class_names()
    fields = [
        "\n  ".join([f"STATSCLAW_FIELD({name})", *(f"STATSCLAW_GETTER({name}, {owner}_{name})" for owner in owners)])
        for name in made.field_names()
    ]
    release = [f"if constexpr (requires {{ {owner}_free(object); }}) {owner}_free(object);" for owner in owners]
    errors = sorted({row.error for _, rule, row in interface.conditions_of() if rule == "raises"})
    codes = [f"whole.codes.push_back({{{_text(name)}, static_cast<int>({name})}});" for name in errors]
    explain = f"whole.explain = [](int code) {{ return statsclaw_said({package}_strerror(code)); }};"
    return made.text(
        _C_BEFORE.format(include=include, package=package), fields, release,
        ["using namespace statsclaw_otherwise;", *codes, explain],
    )  # fmt: skip


class _Table:
    """`calls`, `methods`: lines that make functions known; `specs`: what the interface says of them."""

    def __init__(self, interface: Interface) -> None:
        self.interface = interface
        self.specs: list[str] = []
        self.calls: list[str] = []
        self.methods: list[str] = []
        for name in (interface.package, *interface.names()):
            if not _NAME.fullmatch(name):
                raise Unfit(f"{name} is no name of the language")

    def text(
        self, before: str, fields: list[str], release: list[str] | None = None, rest: list[str] | None = None
    ) -> str:
        return _WHOLE.format(
            before=before, specs="\n".join(self.specs), fields="\n  ".join(fields), methods="\n  ".join(self.methods),
            release="\n  ".join(release or ()), calls="\n    ".join(self.calls), rest="\n    ".join(rest or ()),
        )  # fmt: skip

    def spec(self, element: str, called: Function | Class, outs: tuple[str, ...] = (), objects: int = 0) -> str:
        """Writes what the interface says, and gives the name it has. `objects`: 1 where the object is an argument."""
        arguments = [*[Argument(name="self")] * objects, *called.arguments]
        parameters = ", ".join(f"{{{_text(row.name)}, {_default(row)}}}" for row in arguments)
        shapes = ", ".join(f"{{{_text(path)}, {{{_shape(value)}}}}}" for path, value in self._shapes(called))
        own = f"spec_{len(self.specs)}"
        row = (
            f"{_text(called.name)}, {_text(element)}, {{{parameters}}}, {{{shapes}}}, {{{', '.join(map(_text, outs))}}}"
        )
        self.specs.append(f"static const Spec {own}{{{row}}};")
        return own

    def c_function(self, macro: str, element: str, name: str, called: Function | Class, objects: int = 0) -> str:
        fields = self.fields(_returned(called)[0])
        outs = tuple(part.name for part in fields) or ("",)
        spec = self.spec(element, called, outs, objects)
        return f"{macro}({spec}, {name}, {len(called.arguments) + objects}, {len(fields)})"

    def methods_of_answers(self) -> Iterator[tuple[str, str, Function]]:
        """(element, class, method)"""
        for name, function in self.interface.callables():
            for returned in _returned(function):
                yield from self._methods(name, returned, 0)
        for cls in self.interface.classes:
            yield from ((f"{cls.name}.{method.name}", cls.name, method) for method in cls.methods)
            for part in cls.fields:
                yield from self._methods(f"{cls.name}.{part.name}", part, 0)

    def _methods(self, name: str, value: Value, depth: int) -> Iterator[tuple[str, str, Function]]:
        yield from ((f"{name}.{method.name}", value.class_name or "", method) for method in value.methods)
        for part in value.fields if depth < _DEEPEST else ():
            yield from self._methods(f"{name}.{part.name}", part, depth + 1)

    def class_names(self) -> list[str]:
        found = {value.class_name for value in self._values()} | {cls.name for cls in self.interface.classes}
        return sorted(name for name in found if name)

    def field_names(self) -> list[str]:
        return sorted({part.name for _, part in self.interface.parts()})

    def fields(self, value: Value) -> tuple[Any, ...]:
        """Of an object, also where another place of the interface describes its class."""
        if value.fields or value.class_name is None:
            return value.fields
        own = next((cls.fields for cls in self.interface.classes if cls.name == value.class_name), ())
        others = (row.fields for row in self._values() if row.class_name == value.class_name and row.fields)
        return own or next(others, ())

    def _values(self) -> Iterator[Value]:
        for _, function in self.interface.callables():
            yield from _returned(function)
        yield from (part for _, part in self.interface.parts())

    def _shapes(self, called: Function | Class) -> list[tuple[str, Value]]:
        """Parts of what is returned that have a shape, by their paths."""
        found: dict[str, Value] = {}
        for value in _returned(called):
            for path, part in self._parts("", value, 0):
                if part.shape:
                    found.setdefault(path, part)
        return list(found.items())

    def _parts(self, path: str, value: Value, depth: int) -> Iterator[tuple[str, Value]]:
        yield path, value
        for part in self.fields(value) if depth < _DEEPEST else ():
            yield from self._parts(f"{path}.{part.name}" if path else part.name, part, depth + 1)


def _returned(called: Function | Class) -> list[Value]:
    if isinstance(called, Class):
        return [Value(type="object", class_name=called.name, fields=called.fields)]
    return [called.returns, *called.returns.cases.values()]


def _spelled(name: str) -> str:
    return name.replace(".", "::")


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _default(argument: Argument) -> str:
    found = literal(argument.default) if argument.default is not None else ()
    if not found or (type(found[0]) is int and not -(2**63) < found[0] < 2**63):
        return "{}"
    value = found[0]
    if value is None:
        return "Value{}"
    if isinstance(value, bool):
        return f"Value{{{str(value).lower()}}}"
    if isinstance(value, int):
        return f"Value{{std::int64_t{{{value}}}}}"
    return f"Value{{{value!r}}}" if isinstance(value, float) else f"Value{{std::string({_text(value)})}}"


def _shape(value: Value) -> str:
    rows = []
    for dimension in value.shape:
        match = _DIMENSION.fullmatch(dimension.strip())
        assert match is not None, dimension
        how, name, sign, number = match.groups()
        offset = int(number or 0) * (-1 if sign == "-" else 1)
        if name.isdigit():
            name, offset = "", offset + int(name)
        rows.append(f"{{'{(how or 'v')[0]}', {_text(name)}, {offset}}}")
    return ", ".join(rows)


#: Headers of C that the public header may include: inside of extern "C" they would not compile.
_C_BEFORE = """#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern "C" {{
#include "{include}"
}}

namespace statsclaw_otherwise {{
[[maybe_unused]] static std::nullptr_t {package}_strerror(...) {{ return nullptr; }}
}}
static std::string statsclaw_said(const char* text) {{ return text ? text : ""; }}"""

_WHOLE = """{before}

namespace statsclaw {{

{specs}

template <class T, class Visit>
void each_field([[maybe_unused]] Visit visit) {{
  {fields}
}}

template <class T>
std::vector<Function> methods() {{
  std::vector<Function> found;
  {methods}
  return found;
}}

template <class T>
void release([[maybe_unused]] T* object) {{
  {release}
}}

const Package& package() {{
  static const Package made = [] {{
    Package whole;
    std::vector<Function>& found = whole.functions;
    {calls}
    {rest}
    return whole;
  }}();
  return made;
}}

}}  // namespace statsclaw
"""
