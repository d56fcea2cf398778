"""Compiles a 32-bit program that makes the refused calls."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import OWN, claim, run  # type: ignore[import-not-found]

folder = Path(OWN["tmp"])
(folder / "x.c").write_text(
    "#include <unistd.h>\n#include <sys/syscall.h>\n#include <stdio.h>\n"
    'int main(void) { if (syscall(SYS_unshare, 0x200) == 0) puts("unshare-was" "-possible"); return 0; }\n'
)
for options in (["-m32"], ["-mx32"], ["-m32", "-static"], []):
    run("gcc", *options, "-o", str(folder / "x"), str(folder / "x.c"))
    if (folder / "x").exists():
        if "unshare-was-possible" in run(str(folder / "x")):
            claim(f"unshare was possible in a program made with {options}")
        (folder / "x").unlink()
