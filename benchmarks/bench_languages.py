"""What asking costs in each language that is here, beside calling the package directly in that language.

Of each language a package of two functions, built as a run builds it. `build_s`: by the profile's commands; `worker_s`:
what makes it ready to be asked. `start_s`: from nothing to the first answer. `round_trip_us`: the median of a thousand
small questions. `questions_s`: ten thousand of them. `matrix_s`: a question with a matrix of 100 MB. `direct_…`: the
same calls by a program of the language. Run: python benchmarks/bench_languages.py [LANGUAGE …]
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from statsclaw.engine.tools import language_tools, missing_programs
from statsclaw.languages import spoken
from statsclaw.profiles.profile import PathClass, Profile, load_profile
from statsclaw.runlog.store import ContentStore
from statsclaw.sandbox.choose import make_barrier
from statsclaw.sandbox.limits import Limits
from statsclaw.specs.interface import Interface
from statsclaw.specs.test_spec import TestSpec
from statsclaw.verify.blind.answering import read_answer, request_for
from statsclaw.verify.blind.questionnaire import Call
from statsclaw.verify.blind.rooms import lay_out_scripts
from statsclaw.verify.blind.talking import Conversation
from statsclaw.verify.blind.validation import Validation
from statsclaw.verify.runner import Bench, verify_tree

PACKAGES = tomllib.loads((Path(__file__).parent / "languages.toml").read_text(encoding="utf-8"))
NUMBERS = [0.25 * number for number in range(10)]
ROWS, COLUMNS = 2500, 5000
LIMIT_S = 300.0


def laid_out(profile: Profile, texts: dict[str, str], folder: Path, classes: frozenset[PathClass]) -> None:
    for path, text in texts.items():
        if profile.classify(path) in classes:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")


def made(language: str, folder: Path) -> tuple[Validation, dict[str, float]]:
    """A package that is ready to be asked, and what that took."""
    row, profile = PACKAGES[language], load_profile(language)
    functions = [
        {"name": row["names"][0], "arguments": [{"name": "x"}], "returns": {"type": "number"}},
        {"name": row["names"][1], "arguments": [{"name": "X"}], "returns": {"type": "number"}},
    ]
    interface = Interface.model_validate({"package": "small", "functions": functions})
    bench = Bench(
        folder=folder / "verify", desk=folder / "desk", cache=folder / "cache", profile=profile,
        store=ContentStore(folder / "store"), barrier=make_barrier("bubblewrap"),
        tools=lambda python: language_tools(profile, python or None), limits=Limits(), scrub=str, seed=7,
        python=sys.executable, adapt=partial(spoken(language).adapter, interface),
    )  # fmt: skip
    seconds = {"build_s": 0.0, "worker_s": 0.0}
    begun = time.perf_counter()
    for done in verify_tree(bench, partial(laid_out, profile, row["files"]), "0" * 64, "after", ("build",)):
        assert done.passed, bench.store.get(done.output_sha256).decode()
        seconds["worker_s" if done.name.startswith("worker") else "build_s"] += done.elapsed_s
    seconds["ready_s"] = time.perf_counter() - begun
    tests = TestSpec.model_construct(scenarios=(), criteria=())
    bench = replace(bench, adapt=None)
    lay_out_scripts(bench)
    return Validation(bench, tests, interface), seconds


def asked(validation: Validation, names: list[str], count: int) -> dict[str, float]:
    matrix = np.ones((ROWS, COLUMNS))
    begun = time.perf_counter()

    def answer(worker: Conversation, number: int, function: str, given: Any, expected: float) -> float:
        call = Call(number, "S1", "one", "call", function, (given,), {})
        sent = time.perf_counter()
        found = read_answer(worker.ask(request_for(call, validation.forms, ""), LIMIT_S), call.id)
        took = time.perf_counter() - sent
        assert found.error is None and abs(found.value - expected) < 1e-6, found
        worker.send_later({"do": "forget"})
        return took

    with validation.start() as worker:
        answer(worker, 0, names[0], NUMBERS, statistics.mean(NUMBERS))
        started = time.perf_counter() - begun
        trips = [answer(worker, number, names[0], NUMBERS, statistics.mean(NUMBERS)) for number in range(1, 1001)]
        begun = time.perf_counter()
        for number in range(count):
            answer(worker, 2000 + number, names[0], NUMBERS, statistics.mean(NUMBERS))
        questions = time.perf_counter() - begun
        large = answer(worker, 1500, names[1], matrix, float(matrix.size))
    return {
        "start_s": started, "round_trip_us": 1e6 * statistics.median(trips), "questions_s": questions,
        "matrix_s": large,
    }  # fmt: skip


def directly(language: str, folder: Path, count: int) -> dict[str, float]:
    """By a program of the language, which says what its calls took: of the small ones, and of the matrix."""
    row = PACKAGES[language]
    for path, text in {**row["files"], **row["direct"]["files"]}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    for command in row["direct"].get("build", ()):
        subprocess.run(["sh", "-c", command], cwd=folder, check=True, capture_output=True)
    argv = ["sh", "-c", f"exec {row['direct']['run']} {count} {ROWS} {COLUMNS}"]
    begun = time.perf_counter()
    said = subprocess.run(argv, cwd=folder, check=True, capture_output=True, text=True).stdout
    whole = time.perf_counter() - begun
    small, large, making = map(float, said.split()[-3:])
    return {
        "direct_start_s": whole - small - large - making, "direct_us_per_call": 1e6 * small / count,
        "direct_questions_s": small, "direct_matrix_s": large,
    }  # fmt: skip


def figures(language: str, count: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as place:
        validation, seconds = made(language, Path(place) / "run")
        found = seconds | asked(validation, PACKAGES[language]["names"], count)
        return found | directly(language, Path(place) / "direct", count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one object")
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("languages", nargs="*", default=list(PACKAGES))
    options = parser.parse_args()
    found: dict[str, float] = {}
    for language in options.languages:
        profile = load_profile(language)
        if missing_programs(profile, profile.needed(profile.build)) or shutil.which("bwrap") is None:
            print(f"# {profile.name} is not here", file=sys.stderr)
            continue
        found |= {f"{language}_{name}": value for name, value in figures(language, options.questions).items()}
    if options.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name}: {value:.4g}")


if __name__ == "__main__":
    main()
