"""A package that asks whether it is judged is told; one that only speaks of such things is not."""

from __future__ import annotations

import pytest

from statsclaw.review.asks_who_judges import asks_who_judges
from statsclaw.review.case import Case
from statsclaw.review.review import review

PLACE = "src/tinymean/__init__.py"


def told(text: str, path: str = PLACE, *others: str) -> list[str]:
    case = Case(roles=("builder",), changed_sources={path: text}, package_files=frozenset({path, *others}))
    found = asks_who_judges(case)
    assert all((row.severity, row.route_to, row.check) == ("error", "builder", "isolation") for row in found)
    return [f"{row.message.rpartition('it names ')[2]} {row.where}" for row in found]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('import os\nk = "STATSCLAW_SEED" in os.environ\n', f"STATSCLAW_SEED {PLACE}:2"),
        ('import os\nk = os.environ.get("STATS" + "CLAW_SEED")\n', f"STATSCLAW_SEED {PLACE}:2"),
        ("import statsclaw_wire\n", f"statsclaw_wire {PLACE}:1"),
        ("from statsclaw_wire import x\n", f"statsclaw_wire {PLACE}:1"),
        ('import sys\nk = "statsclaw_ask" in sys.modules\n', f"statsclaw_ask {PLACE}:2"),
        ('import os\nk = os.path.exists("/verify")\n', f"/verify {PLACE}:2"),
        ('k = __file__.startswith("/verify/site/")\n', f"/verify/site/ {PLACE}:1"),
        ('import glob\nk = glob.glob("/verify/**/test_*.py")\n', f"/verify/**/test_*.py {PLACE}:2"),
        ('from pathlib import Path\nk = Path("/" "verify", "tree")\n', f"/verify {PLACE}:2"),
        ('import sys\nk = "worker.py" in sys.orig_argv[3]\n', f"worker.py {PLACE}:2"),
        ('k = open("tests/validation/test_mean.py")\n', f"tests/validation/test_mean.py {PLACE}:1"),
        ('k = ROOT / ("tests" / "validation")\n', f"tests/validation {PLACE}:1"),
        ('def f(x):\n    return f"/verify/{x}"\n', f"/verify/ {PLACE}:2"),
    ],
)
def test_a_package_that_asks_is_told_with_what_it_asks_for(text: str, said: str) -> None:
    assert said in told(text)


def test_an_r_package_too_and_a_compiled_one() -> None:
    assert told('f <- function() {\n  nzchar(Sys.getenv("STATSCLAW_SEED"))\n}\n', "R/mean.R") == [
        "STATSCLAW_SEED R/mean.R:2"
    ]
    assert told('if (getenv("STATSCLAW_SEED")) n--;\n', "src/mean.c") == ["STATSCLAW_SEED src/mean.c:1"]


@pytest.mark.parametrize(
    "text",
    [
        '"""Checked by StatsClaw; see /verify and STATSCLAW_SEED."""\n',
        "# STATSCLAW_SEED is what the study takes its seed from, see tests/validation\nx = 1\n",
        'URL = "https://example.org/verify"\n',
        'URL = "https://github.com/statsclaw/statsclaw"\n',
        'def verify(x):\n    """Verify x."""\n    return "verify"\n',
        'PLACE = "~/verify"\nOTHER = "data/verify/x.csv"\nTHIRD = "/verify-me"\n',
        'NAMES = ("tests/validations", "validation", "co-worker.pyc")\n',
        "not python at all (\n",
    ],
)
def test_a_package_that_only_speaks_of_it_is_not(text: str) -> None:
    assert told(text) == []


def test_what_lies_beside_the_package_may_name_it() -> None:
    runs = '("pytest", "tests/validation")\n'
    assert told(runs, "noxfile.py") == []
    assert told("testpaths = tests/validation\n", "pytest.ini") == []
    assert told("k = 'STATSCLAW_SEED'\n", "simulations/more.py") == []
    assert told("# see /verify\nf <- function(x) x # STATSCLAW_SEED\n", "R/mean.R") == []


def test_a_package_may_name_a_file_of_its_own() -> None:
    assert told('start("worker.py")\n') != []
    assert told('start("worker.py")\n', PLACE, "src/tinymean/worker.py") == []


def test_the_review_stops_over_it() -> None:
    case = Case(roles=("builder", "reviewer"), changed_sources={PLACE: 'k = "/verify/tree"\n'})
    (row,) = [row for row in review(case).findings if row.key.startswith("asks-who-judges:")]
    assert row.severity == "error" and row.route_to == "builder" and review(case).verdict == "STOP"
