"""C++: a worker is compiled from the interface against the installed package, and linked with it.

The compiler itself finds the types of parameters and results, so that the interface names none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from statsclaw.languages.language import Adapter, Case, Native, Unfit, Values
from statsclaw.languages.native import ASKED, Compiled, c_table, cpp_table, header, names_of, sources, suite
from statsclaw.profiles.profile import Command
from statsclaw.specs.interface import Interface

_HEADERS = (".hpp", ".h", ".hh", ".hxx")
_SOURCES_OF_CPP = ("*.cpp", "*.cc", "*.cxx", "*.hpp", "*.hh", "*.hxx")

_CMAKE = """cmake_minimum_required(VERSION 3.16)
project(worker LANGUAGES C CXX)
find_package({package} CONFIG QUIET)
if(NOT TARGET {package}::{package})
  message(FATAL_ERROR
    "find_package({package}) gives no target {package}::{package}: install one with {package}Config.cmake")
endif()
get_target_property(kind {package}::{package} TYPE)
if(kind STREQUAL SHARED_LIBRARY)
  message(FATAL_ERROR "{package}::{package} is a shared library: build a static one unless BUILD_SHARED_LIBS is on")
endif()
add_executable(worker all.cpp)
target_compile_features(worker PRIVATE cxx_std_20)
target_compile_definitions(worker PRIVATE {definitions})
target_link_libraries(worker PRIVATE {package}::{package})
set_target_properties(worker PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${{CMAKE_SOURCE_DIR}}/${{STATSCLAW_BELOW}}")
"""

#: Both workers at the same time. Without the one that is careful, memory is not looked at.
_BUILD = """set -eu
if grep -q address "$2/sanitized.flags" && [ -d "$2/sanitized-site" ]; then
  {
    cmake -S "$1" -B "$1/build-careful" -DCMAKE_PREFIX_PATH="$2/sanitized-site" -DSTATSCLAW_BELOW=careful \\
      -DCMAKE_CXX_FLAGS="-g1 -O1 -D_GLIBCXX_ASSERTIONS -fno-omit-frame-pointer -fsanitize=address" \\
      -DCMAKE_EXE_LINKER_FLAGS=-fsanitize=undefined &&
      cmake --build "$1/build-careful" &&
      printf '#!/bin/sh\\nexec %s "${0%%/*}/worker" "$@"\\n' "$(cat "$2/sanitized.fixed")" > "$1/careful/run" || true
  } > "$1/careful.txt" 2>&1 &
fi
cmake --build "$1/build" || { wait; exit 1; }
wait
"""
#: Of a package of headers alone the worker itself is compiled with counters.
_COUNT = """set -eu
flags='-g -O0 --coverage'
{
  cp -r "$2" "$1/counting" &&
    cmake -S "$1/counting" -B "$1/counting-build" -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=None \\
      "-DCMAKE_C_FLAGS=$flags" "-DCMAKE_CXX_FLAGS=$flags" -DFETCHCONTENT_FULLY_DISCONNECTED=ON &&
    cmake --build "$1/counting-build" && cmake --install "$1/counting-build" --prefix "$1/counted-site" &&
    { [ -z "$(find "$1/counting-build" -name '*.gcno')" ] || flags=-O1; } &&
    cmake -S "$1" -B "$1/counted-build" -DCMAKE_PREFIX_PATH="$1/counted-site" -DSTATSCLAW_BELOW=counted \\
    "-DCMAKE_CXX_FLAGS=$flags" "-DCMAKE_EXE_LINKER_FLAGS=--coverage -Wl,-u,__gcov_dump" &&
    cmake --build "$1/counted-build"
} > "$1/counted.txt" 2>&1 || rm -f "$1/counted/run"
"""


class Cpp(Compiled):
    id = "cpp"
    values = Values(by_any_class=True)
    native = Native("native_cpp.cmake", "tests/validation/CMakeLists.txt", "tests/validation/questions.json")

    def adapter(self, interface: Interface, tree: Path) -> Adapter:
        include = header(interface, tree, _HEADERS)
        is_c = include.endswith(".h") and not any(
            True
            for folder in ("include", "src", "lib")
            for glob in _SOURCES_OF_CPP
            for _ in (tree / folder).rglob(glob)
        )
        cmake = _CMAKE.format(
            package=interface.package.replace(".", "_"), definitions="STATSCLAW_C restrict=__restrict" if is_c else ""
        )
        configure = (
            "cmake", "-S", "{adapter}", "-B", "{adapter}/build", "-DCMAKE_PREFIX_PATH={site}", "-DCMAKE_CXX_FLAGS=-O1",
        )  # fmt: skip
        build = ("sh", "-c", _BUILD, "worker-build", "{adapter}", "{scratch}")
        table = (c_table if is_c else cpp_table)(interface, include)
        return Adapter(
            {**sources(table), "CMakeLists.txt": cmake},
            (_command("worker-configure", configure), _command("worker-build", build)),
            (_command("worker-counted", ("sh", "-c", _COUNT, "worker-counted", "{adapter}", "{tree}")),),
        )

    def native_files(self, interface: Interface, cases: Sequence[Case]) -> Mapping[str, str]:
        """The header of the package decides which of two tables is compiled."""
        tables = ["#ifndef STATSCLAW_C\n", cpp_table(interface, ASKED)]
        with suppress(Unfit):  # C has no way to say everything
            tables += ["#else\n", c_table(interface, ASKED)]
        package = interface.package.replace(".", "_")
        rows = "".join(f"\n  {name}" for name in names_of(cases))
        cmake = f"set(package {package})\nset(cases{rows}\n)\n"
        made = suite(interface, _HEADERS, [*tables, "#endif\n"])
        return {**self.readme(), "tests/validation/cases.cmake": cmake, **made}


def _command(name: str, argv: tuple[str, ...]) -> Command:
    return Command(name=name, cwd="scratch", parser="exit", timeout_s=1800, needs=("cmake", "c++", "sh"), argv=argv)


LANGUAGE = Cpp()
