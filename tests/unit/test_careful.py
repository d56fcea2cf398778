"""What sanitizers write, as it is told to whoever built the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from statsclaw.verify.blind.careful import said

ADDRESS = """=================================================================
==2==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x617000001850 at pc 0x55 bp 0x7f sp 0x7f
WRITE of size 8 at 0x617000001850 thread T0
    #0 0x55555557c1de in solve /verify/scratch/sanitized/src/solve.c:93
    #1 0x55555557c1de in fit(int, double) /verify/scratch/sanitized/src/fit.c:116
    #2 0x5555 in std::vector<double>::operator[](unsigned long) /usr/include/c++/12/bits/stl_vector.h:1123
    #2 0x5556 in __pthread_kill_implementation nptl/pthread_kill.c:44
    #3 0x555555562fdc in statsclaw::call() /verify/adapter/call.hpp:10
    #4 0x7ffff7645249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58

0x617000001850 is located 0 bytes to the right of 720-byte region
allocated by thread T0 here:
    #0 0x5555 in start src/start.c:1
"""
UNDEFINED = "/verify/tree/src/scale.c:7:12: runtime error: signed integer overflow: 2147483647 + 1\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            ADDRESS,
            ["heap-buffer-overflow, WRITE of size 8, in solve (src/solve.c:93)", "  from fit (src/fit.c:116)"],
        ),
        (UNDEFINED, ["signed integer overflow: 2147483647 + 1, in src/scale.c:7"]),
        ("==2==ERROR: AddressSanitizer: SEGV on unknown address\n", ["SEGV, in a place it does not name"]),
        ("no sanitizer wrote this\n", []),
    ],
)
def test_a_fault_is_named_with_its_place_in_the_package(text: str, lines: list[str], tmp_path: Path) -> None:
    (tmp_path / "memory.12").write_text(text, encoding="utf-8")
    for name in ("solve.c", "fit.c"):
        (tmp_path / "src").mkdir(exist_ok=True)
        (tmp_path / "src" / name).touch()
    assert said(tmp_path, tmp_path) == lines


def test_a_link_in_the_place_of_what_a_sanitizer_wrote_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "other").write_text(ADDRESS, encoding="utf-8")
    (tmp_path / "own" / "memory.1").symlink_to(tmp_path / "other")
    assert said(tmp_path / "own", tmp_path) == []
