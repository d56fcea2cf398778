"""C: a worker is compiled from the interface against the public header, and linked with the static library.

C++ reads the header, so that the compiler finds the types of parameters and results; the interface names none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from statsclaw.languages.language import Adapter, Case, Native, Unfit
from statsclaw.languages.native import ASKED, Compiled, c_table, header, sources, suite
from statsclaw.profiles.profile import Command
from statsclaw.specs.interface import Interface

#: Further libraries stand in the package's file for pkg-config.
_BUILD = """set -eu
libs=$(sed -n 's/^Libs\\.private: *//p' "$2/$4.pc" 2>/dev/null || true)
flags="-std=c++20 -O1 -DSTATSCLAW_C -Drestrict=__restrict"
c++ $flags -I"$2/include" -c -o "$1/worker.o" "$1/all.cpp"
c++ -o "$1/worker" "$1/worker.o" "$2/$3" $libs -lpthread -lm
mkdir "$1/careful"
if grep -q address "$5/sanitized.flags" && grep -q __asan_ "$5/sanitized/$3"; then
  c++ -fsanitize=undefined,address -o "$1/careful/worker" "$1/worker.o" "$5/sanitized/$3" $libs -lpthread -lm &&
    printf '#!/bin/sh\nexec %s "${0%%/*}/worker" "$@"\n' "$(cat "$5/sanitized.fixed")" > "$1/careful/run" || true
fi
"""
#: Flags reach the compiler as they do in `sanitized`. Where they do not, nothing is counted.
_COUNT = """set -eu
libs=$(sed -n 's/^Libs\\.private: *//p' "$2/$4.pc" 2>/dev/null || true)
{
  cp -r "$2" "$1/counting" && cd "$1/counting" && make clean && make CFLAGS="-g -O0 --coverage" &&
    c++ --coverage -Wl,-u,__gcov_dump -o "$1/counted/worker" "$1/worker.o" "$3" $libs -lpthread -lm
} > "$1/counted.txt" 2>&1 || rm -f "$1/counted/run"
"""


class C(Compiled):
    id = "c"
    needs = ("c++",)
    native = Native("native_c.mk", "tests/validation/Makefile", "tests/validation/questions.json")

    def adapter(self, interface: Interface, tree: Path) -> Adapter:
        table = c_table(interface, header(interface, tree, (".h",)))
        name = f"lib{interface.package}.a"
        found = sorted(path.relative_to(tree).as_posix() for path in tree.rglob(name) if path.is_file())
        library = next((path for path in found if re.fullmatch(r"[\w./+-]+", path)), None)
        if library is None:
            raise Unfit(f"make has built no static library {name}")
        argv = ("sh", "-c", _BUILD, "worker", "{adapter}", "{tree}", library, interface.package, "{scratch}")
        build = Command(
            name="worker-build", cwd="scratch", parser="exit", timeout_s=1800, needs=("c++", "sh"), argv=argv
        )
        counted = build.model_copy(
            update={"name": "worker-counted", "argv": ("sh", "-c", _COUNT, *argv[3:]), "needs": ("make", "cc", "sh")}
        )
        return Adapter(sources(table), (build,), (counted,))

    def native_files(self, interface: Interface, cases: Sequence[Case]) -> Mapping[str, str]:
        made = suite(interface, (".h",), [c_table(interface, ASKED)])
        return {**self.readme(), "tests/validation/package.mk": f"PACKAGE = {interface.package}\n", **made}


LANGUAGE = C()
