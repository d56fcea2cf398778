"""Which lines of a Python package the questions execute, in workers behind the barrier."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from statsclaw.verify.blind.validation import coverage_files
from statsclaw.verify.measure_coverage import measured, read_dumps
from tests.blind.small_bench import PACKAGE, QUESTIONS, small

ADDED = """

def halved(x):
    return x / 2


def never(x):
    return x / 3
"""
HALVED = "  - {name: halved, arguments: [{name: x}], returns: {type: number}}\n"
DIALOGUE = """

def halves(ask, rng):
    return ask("halved", 2.0), 1.0


@ask.scenario("S1")
def talked():
    ask.dialogue("C1", halves)
"""


@pytest.mark.parametrize("wanted", [True, False])
def test_what_only_a_dialogue_reaches_is_covered(tmp_path: Path, wanted: bool) -> None:
    named = ("package: tinymean\nfunctions:\n", f"package: tinymean\nfunctions:\n{HALVED}")
    made = small(tmp_path / "bench", changes=(named,), added={PACKAGE: ADDED, QUESTIONS: DIALOGUE})
    bench = replace(made.bench, coverage=wanted)
    rows = list(replace(made.validation, bench=bench).judged("after", "0" * 64))
    if not wanted:
        assert rows[-1].passed, [(row.name, row.error) for row in rows[-1].tests if row.outcome != "passed"]
        assert not coverage_files(bench)
        return
    assert not rows, "what is asked for coverage is evidence of nothing else"
    text = (bench.folder / PACKAGE).read_text(encoding="utf-8")
    (row,) = measured(read_dumps(coverage_files(bench)), {"src/tinymean/__init__.py": text})
    missed = [text.split("\n")[number - 1].strip() for number in row.missed]
    assert "return x / 2" not in missed and "return x / 3" in missed
