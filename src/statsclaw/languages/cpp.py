"""C++: a worker is compiled from the interface against the installed package, and linked with it.

The compiler itself finds the types of parameters and results, so that the interface names none.
"""

from __future__ import annotations

from pathlib import Path

from statsclaw.languages.language import Adapter, Values
from statsclaw.languages.native import Compiled, c_table, cpp_table, header, sources
from statsclaw.profiles.profile import Command
from statsclaw.specs.interface import Interface

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


class Cpp(Compiled):
    id = "cpp"
    values = Values(by_any_class=True)

    def adapter(self, interface: Interface, tree: Path) -> Adapter:
        include = header(interface, tree, (".hpp", ".h", ".hh", ".hxx"))
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
        )


def _command(name: str, argv: tuple[str, ...]) -> Command:
    return Command(name=name, cwd="scratch", parser="exit", timeout_s=1800, needs=("cmake", "c++", "sh"), argv=argv)


LANGUAGE = Cpp()
