"""The comprehension gate, and two readings compared by computation: misreadings are found, equivalents are not."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from statsclaw.engine.contracts import leaves_choices_open
from statsclaw.review.case import Case
from statsclaw.review.comprehension import check as review_of_comprehension
from statsclaw.runlog.events.finding import Finding
from statsclaw.sources.index import Equation, Extracted, Index, StatedCriterion
from statsclaw.specs.blocks import Block, Malformed, check, read_yaml, the_block
from statsclaw.specs.comprehension import Comprehension, Definition, Pilot
from statsclaw.specs.contract import Contract
from statsclaw.specs.gate import comprehension_findings
from statsclaw.specs.readings import harness
from statsclaw.specs.readings.agreement import Agreement
from statsclaw.specs.readings.compare import (
    Disagreement,
    compare,
    disagreements,
    render_agreements,
    render_disagreement,
)
from statsclaw.specs.readings.inputs import Call, calls_for
from statsclaw.specs.readings.notation import symbols_in
from statsclaw.specs.readings.pilots import pilot_values
from statsclaw.specs.readings.reading import questions_for, read_reading
from statsclaw.specs.readings.stated import demand_of
from statsclaw.specs.test_spec import Criterion

HONEST = Path(__file__).parents[1] / "support" / "honest"
SHA = "9aaf13d78aafa6d24e9caaa6e76fbcddd9da98592efeb4e8b8445fd7eaa919e5"


def definition(function: str = "f", *arguments: dict[str, Any], returns: tuple[str, ...] = ()) -> Definition:
    given = arguments or ({"name": "x", "dimension": ["n"]},)
    return Definition.model_validate(
        {"ref": "notes.md(1)", "function": function, "quantity": "q", "arguments": list(given), "returns": returns}
    )


def run_harness(folder: Path, code: str, calls: list[Call], name: str = "one") -> Any:
    (folder / f"{name}.py").write_text(code)
    (folder / "calls.json").write_text(json.dumps([call.as_json() for call in calls]))
    out = folder / f"{name}.json"
    command = [sys.executable, "-I", "-B", harness.__file__, str(folder / f"{name}.py"), str(folder / "calls.json")]
    done = subprocess.run([*command, str(out)], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == b""
    return json.loads(out.read_text())


def both(
    folder: Path, rows: list[Definition], first: str, second: str, tries: int = 40, seed: int = 7
) -> tuple[list[Any], list[Disagreement]]:
    calls = calls_for(rows, seed=seed, tries=tries)
    one, two = run_harness(folder, first, calls, "one"), run_harness(folder, second, calls, "two")
    return compare(rows, calls, one, two), disagreements(rows, calls, one, two)


X = {"name": "x", "dimension": ["n"]}
MATRIX = {"name": "X", "dimension": ["n", "k"]}
Y = {"name": "y", "dimension": ["n"]}
Z = {"name": "z"}

MISREADINGS = {
    "divisor": (
        definition("f", X),
        "def f(x):\n    m = sum(x) / len(x)\n    return sum((v - m) ** 2 for v in x) / (len(x) - 1)",
        "def f(x):\n    m = sum(x) / len(x)\n    return sum((v - m) ** 2 for v in x) / len(x)",
    ),
    "first autocovariance": (
        definition("f", X, {"name": "lags", "kind": "integer", "low": 1}),
        "def f(x, lags):\n    return sum(sum(x[t] * x[t - j] for t in range(j, len(x))) for j in range(0, lags + 1))",
        "def f(x, lags):\n    return sum(sum(x[t] * x[t - j] for t in range(j, len(x))) for j in range(1, lags + 1))",
    ),
    "transposed": (
        definition("f", {"name": "A", "dimension": ["k", "k"]}, {"name": "b", "dimension": ["k"]}, returns=("k",)),
        "import numpy as np\ndef f(A, b):\n    return A @ b",
        "import numpy as np\ndef f(A, b):\n    return A.T @ b",
    ),
    "square root": (
        definition("f", {"name": "v", "kind": "positive"}),
        "def f(v):\n    return v ** 0.5",
        "def f(v):\n    return v",
    ),
    "Bartlett": (
        definition(
            "f",
            {"name": "j", "kind": "integer", "low": 0, "high": 4},
            {"name": "L", "kind": "integer", "low": 5, "high": 9},
        ),
        "def f(j, L):\n    return 1 - j / L",
        "def f(j, L):\n    return 1 - j / (L + 1)",
    ),
    "score sign": (
        definition("f", Y, MATRIX, {"name": "b", "dimension": ["k"]}, returns=("k",)),
        "def f(y, X, b):\n    return X.T @ (y - X @ b)",
        "def f(y, X, b):\n    return X.T @ (X @ b - y)",
    ),
    "Mills ratio": (
        definition("f", Z),
        "from statistics import NormalDist as N\ndef f(z):\n    return N().pdf(z) / N().cdf(z)",
        "from statistics import NormalDist as N\ndef f(z):\n    return N().pdf(z) / (1 - N().cdf(z))",
    ),
    "log base": (
        definition("f", {"name": "v", "kind": "positive"}),
        "import math\ndef f(v):\n    return math.log(v)",
        "import math\ndef f(v):\n    return math.log10(v)",
    ),
    "one-sided": (
        definition("f", {"name": "level", "kind": "probability"}),
        "from statistics import NormalDist as N\ndef f(level):\n    return N().inv_cdf((1 + level) / 2)",
        "from statistics import NormalDist as N\ndef f(level):\n    return N().inv_cdf(level)",
    ),
    "ties": (
        definition("f", X, {"name": "q"}),
        "def f(x, q):\n    return sum(v <= q for v in x) / len(x)",
        "def f(x, q):\n    return sum(v < q for v in x) / len(x)",
    ),
    "transposed result": (
        definition("f", MATRIX, returns=("n", "k")),
        "def f(X):\n    return X * 2",
        "def f(X):\n    return X.T * 2",
    ),
    "length": (
        definition("f", X, returns=("n",)),
        "def f(x):\n    return x",
        "def f(x):\n    return x[1:]",
    ),
    "one refuses": (
        definition("f", X),
        "def f(x):\n    if len(x) < 3:\n        raise ValueError\n    return sum(x)",
        "def f(x):\n    return sum(x)",
    ),
}


@pytest.mark.parametrize("name", MISREADINGS)
def test_a_misreading_is_found(name: str, tmp_path: Path) -> None:
    row, first, second = MISREADINGS[name]
    agreements, found = both(tmp_path, [row], first, second)
    assert agreements[0].agrees is False
    assert len(found) == 1
    assert found[0].first != found[0].second


EQUIVALENT = {
    "variance": (
        definition("f", X),
        "def f(x):\n    m = sum(x) / len(x)\n    return sum((v - m) ** 2 for v in x) / (len(x) - 1)",
        "def f(x):\n    n = len(x)\n    return (sum(v * v for v in x) - sum(x) ** 2 / n) / (n - 1)",
    ),
    "inverse": (
        definition("f", MATRIX, Y, returns=("k",)),
        "import numpy as np\ndef f(X, y):\n    return np.linalg.inv(X.T @ X) @ X.T @ y",
        "import numpy as np\ndef f(X, y):\n    return np.linalg.lstsq(X, y, rcond=None)[0]",
    ),
    "posdef": (
        definition("f", {"name": "S", "kind": "posdef", "dimension": ["k", "k"]}, {"name": "b", "dimension": ["k"]}),
        "import numpy as np\ndef f(S, b):\n    return b @ np.linalg.inv(S) @ b",
        "import numpy as np\ndef f(S, b):\n    w = np.linalg.solve(np.linalg.cholesky(S), b)\n    return w @ w",
    ),
    "log-sum-exp": (
        definition("f", X),
        "import math\ndef f(x):\n    return math.log(sum(math.exp(v) for v in x))",
        "import math\ndef f(x):\n    m = max(x)\n    return m + math.log(sum(math.exp(v - m) for v in x))",
    ),
    "probit": (
        definition("f", MATRIX, {"name": "y", "kind": "binary", "dimension": ["n"]}, {"name": "b", "dimension": ["k"]}),
        "import math\nfrom statistics import NormalDist as N\n"
        "def f(X, y, b):\n    c = [N().cdf(float(e)) for e in X @ b]\n"
        "    return sum(math.log(p) if v else math.log(1 - p) for p, v in zip(c, y))",
        "import math\ndef f(X, y, b):\n    s = (2 * y - 1) * (X @ b)\n"
        "    return sum(math.log(0.5 * math.erfc(-e / math.sqrt(2))) for e in s)",
    ),
    "nothing divided by nothing": (
        definition("f", X, Y),
        "def f(x, y):\n    mx, my = sum(x) / len(x), sum(y) / len(y)\n"
        "    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)",
        "import numpy as np\ndef f(x, y):\n    return np.cov(x, y)[0, 1] / np.var(x, ddof=1)",
    ),
    "number and vector of one": (
        definition("f", X),
        "def f(x):\n    return sum(x)",
        "import numpy as np\ndef f(x):\n    return np.array([[x.sum()]])",
    ),
    "autocovariance": (
        definition("f", X, {"name": "j", "kind": "integer"}),
        "def f(x, j):\n    return sum(x[t] * x[t - j] for t in range(j, len(x))) / len(x)",
        "def f(x, j):\n    n = len(x)\n    return float(x[j:] @ x[: n - j]) / n",
    ),
}


@pytest.mark.parametrize("name", EQUIVALENT)
def test_an_equivalent_computation_agrees(name: str, tmp_path: Path) -> None:
    row, first, second = EQUIVALENT[name]
    agreements, found = both(tmp_path, [row], first, second)
    assert found == []
    assert agreements[0].agrees is True, agreements[0]


def test_the_simplest_input_is_shown(tmp_path: Path) -> None:
    row, first, second = MISREADINGS["divisor"]
    _, found = both(tmp_path, [row], first, second)
    assert all(float(v).is_integer() for v in found[0].inputs["x"])  # type: ignore[union-attr, arg-type]
    assert len(found[0].inputs["x"]) == 2  # type: ignore[arg-type]
    shown = render_disagreement(found[0], "s^2 = ```` ... | \n", first, second)
    assert "`````text\ns^2 = ```` ... |\n`````" in shown
    assert "/ (len(x) - 1)" in shown
    assert f"| first reading | {found[0].first} |" in shown


def test_hostile_definitions_cannot_be_compared(tmp_path: Path) -> None:
    codes = {
        "Late": "while True: pass",
        "Gone": "__import__('os')._exit(0)",
        "NotNumbers": "return object()",
        "TooLarge": "return [0.0] * 1_000_001",
        "Unsteady": "return __import__('random').random()",
        "FileNotFoundError": "open('/nowhere/at/all')",
    }
    rows = [definition(f"f{number}") for number in range(len(codes))]
    code = "\n".join(f"def f{number}(x):\n    {body}" for number, body in enumerate(codes.values()))
    calls = [next(c for c in calls_for(rows, 1, 4) if c.function == row.function) for row in rows]
    started = time.monotonic()
    found = run_harness(tmp_path, code, calls)
    assert [row.get("error") or "Unsteady" for row in found] == list(codes)
    assert time.monotonic() - started < 20
    honest = "\n".join(f"def f{number}(x):\n    return sum(x)" for number in range(len(codes)))
    compared = compare(rows, calls, run_harness(tmp_path, honest, calls, "two"), found)
    assert [row.agrees for row in compared] == [None, None, None, None, None, False]


def test_a_function_that_hangs_is_not_tried_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "CALL_SECONDS", 0.3)
    (tmp_path / "d.py").write_text("def f(x):\n    while True: pass\ndef g(x):\n    return sum(x)")
    rows = [definition("f"), definition("g")]
    calls = [call.as_json() for call in calls_for(rows, 1, 10)]
    found = harness.run_calls(str(tmp_path / "d.py"), calls, None)
    assert [row.get("error") for row in found[:4]] == ["Late", "Late", "NotTried", "NotTried"]
    assert all("value" in row for row, call in zip(found, calls, strict=True) if call["function"] == "g")


@pytest.mark.parametrize("code", ["import no_such_module", "while True: pass", "import os; os._exit(0)", "def f(x:"])
def test_definitions_that_do_not_load(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "LOAD_SECONDS", 0.5)
    (tmp_path / "d.py").write_text(code)
    calls = [call.as_json() for call in calls_for([definition()], 1, 5)]
    found = harness.run_calls(str(tmp_path / "d.py"), calls, None)
    assert found == [{"error": "NotLoaded"}] * len(calls)


def test_printing_a_gigabyte_says_nothing(tmp_path: Path) -> None:
    code = "import sys\ndef f(x):\n    for _ in range(350): print('x' * 1_000_000)\n    return 1.0"
    calls = calls_for([definition()], 1, 1)[:1]
    assert run_harness(tmp_path, code, calls)[0].get("value", 1.0) == 1.0


def test_arguments_are_copies_and_replaced_functions_are_noticed(tmp_path: Path) -> None:
    rows = [definition("f"), definition("g")]
    calls = calls_for(rows, 1, 12)
    code = "def f(x):\n    s = sum(x)\n    x[0] = 99\n    return s\ndef g(x):\n    return 1\ng = lambda x: 2.0"
    found = run_harness(tmp_path, code, calls)
    for call, row in zip(calls, found, strict=True):
        if call.function == "g":
            assert row == {"error": "Replaced"}
        else:
            assert row["value"] == pytest.approx(sum(call.arguments["x"]))  # type: ignore[arg-type]


def test_rounding_at_a_singular_input_is_no_disagreement() -> None:
    row = definition("f", {"name": "z"})
    calls = [Call("f", {"z": float(i)}, {"z": float(i)}) for i in range(20)]
    plain = {"value": 3.0, "nudged": 3.0}
    good, wild, stable = [plain] * 19, {"value": 3e12, "nudged": -8e11}, {"value": 3e12, "nudged": 3e12}
    assert compare([row], calls, [*good, wild], [*good, {"error": "LinAlgError"}])[0].agrees is True
    assert compare([row], calls, [*good, wild], [*good, plain])[0].agrees is True
    assert compare([row], calls, [*good, stable], [*good, plain])[0].agrees is False  # large is no excuse
    assert compare([row], calls, good[:10] + [wild] * 10, [*good, plain])[0].agrees is None  # nor is it a way out


BINARY = {"name": "y", "dimension": ["n"], "kind": "binary"}
BETA = {"name": "beta", "dimension": ["k"]}
SIGNED = """
import numpy as np
from scipy.special import erfcx, log_ndtr
def signed(beta, X, y):
    return (2 * y - 1) * (X @ beta)
"""
BY_LOGARITHMS = (
    SIGNED
    + """
def hessian(beta, X, y):
    e = signed(beta, X, y)
    lam = np.exp(-0.5 * e * e - 0.5 * np.log(2 * np.pi) - log_ndtr(e))
    return -(X.T @ ((lam * (lam + e))[:, None] * X))
"""
)
BY_ERFCX = (
    SIGNED
    + """
def hessian(beta, X, y):
    e = signed(beta, X, y)
    lam = np.sqrt(2 / np.pi) / erfcx(-e / np.sqrt(2))
    return -(X.T @ ((lam * (lam + e))[:, None] * X))
"""
)


GRADIENT = (
    SIGNED
    + """
def gradient(beta, X, y):
    e = signed(beta, X, y)
    return X.T @ ((2 * y - 1) * np.sqrt(2 / np.pi) / erfcx(-e / np.sqrt(2)))
"""
)
GROWS = "import numpy as np\ndef f(x):\n    return float(np.mean(np.tanh(x) + x))"


def test_two_forms_of_one_formula_agree_though_one_loses_its_digits_at_large_inputs(tmp_path: Path) -> None:
    row = definition("hessian", BETA, MATRIX, BINARY, returns=("k", "k"))
    (agreement,), found = both(tmp_path, [row], BY_LOGARITHMS, BY_ERFCX, tries=10, seed=5)
    assert agreement.agrees is True and found == []
    assert "large inputs they differ, one having lost its digits" in agreement.note
    assert agreement.largest_difference is not None and agreement.largest_difference < 1e-3
    (agreement,), found = both(tmp_path, [row], BY_LOGARITHMS, BY_ERFCX.replace("(lam + e)", "(lam + e + 1e-3)"))
    assert agreement.agrees is False and found


@pytest.mark.parametrize(
    ("row", "code", "changed"),
    [
        (definition("f", X), GROWS, GROWS.replace("def f(x):", "def f(x):\n    x = np.clip(x, -1e4, 1e4)")),
        (
            definition("gradient", BETA, MATRIX, BINARY, returns=("k",)),
            GRADIENT,
            GRADIENT.replace("signed(beta, X, y)\n    return", "np.clip(signed(beta, X, y), -30, 30)\n    return"),
        ),
    ],
)
def test_what_is_cut_off_at_large_inputs_is_a_disagreement(
    row: Definition, code: str, changed: str, tmp_path: Path
) -> None:
    assert code != changed
    (agreement,), found = both(tmp_path, [row], code, changed, tries=10)
    assert agreement.agrees is False and found


def test_only_large_inputs_are_excused_and_only_after_digits_were_lost() -> None:
    row = definition("f", {"name": "z"})
    good, other, shaking = ({"value": a, "nudged": b} for a, b in ((3.0, 3.0), (4.0, 4.0), (3.0, 2.0)))

    def agrees(*last: tuple[str, dict[str, Any], dict[str, Any]]) -> bool | None:
        calls = [Call("f", {"z": float(i)}, {"z": float(i)}) for i in range(30)]
        calls += [Call("f", {"z": 100.0 + i}, {"z": 100.0}, kind) for i, (kind, _, _) in enumerate(last)]
        return compare([row], calls, [good] * 30 + [r[1] for r in last], [good] * 30 + [r[2] for r in last])[0].agrees

    assert agrees(("thousands", shaking, good), ("large", good, other)) is True
    assert agrees(("thousands", good, good), ("large", good, other)) is False, "nothing was lost"
    assert agrees(("large", good, other), ("thousands", shaking, good)) is False, "lost only farther out"
    assert agrees(("thousands", shaking, good), ("tiny", good, other)) is False
    assert agrees(("thousands", shaking, good), ("random", good, other)) is False


@pytest.mark.parametrize("body", ["raise ValueError", "return float('nan')", "return 0.0", "return 1e-30"])
def test_readings_that_compute_nothing_do_not_agree(body: str, tmp_path: Path) -> None:
    code = f"def f(x):\n    {body}"
    agreements, _ = both(tmp_path, [definition()], code, code, tries=10)
    assert agreements[0].agrees is None


@pytest.mark.parametrize(
    "written",
    [None, [], {}, "x", [1] * 3, [{"value": {}}], [{"value": [[1], [1, 2]]}], [{"value": 10**400}], [{"error": 3}]],
)
def test_whatever_the_sandbox_leaves_is_no_agreement(written: object) -> None:
    calls = calls_for([definition()], 1, 4)
    written = written * len(calls) if isinstance(written, list) and len(written) == 1 else written
    honest = [{"value": 1.0, "nudged": 1.0}] * len(calls)
    for pair in ((written, honest), (honest, written), (written, written)):
        assert compare([definition()], calls, *pair)[0].agrees is None


def test_inputs_are_valid_and_the_same_for_the_same_seed() -> None:
    row = definition(
        "f",
        MATRIX,
        {"name": "v", "dimension": ["n - 1"], "kind": "positive", "high": 3},
        {"name": "p", "kind": "probability", "edges": [0.123]},
        {"name": "n", "kind": "integer"},
        {"name": "lag", "kind": "integer"},
        {"name": "d", "kind": "binary", "dimension": ["n"]},
    )
    calls = calls_for([row], 3)
    assert calls == calls_for([row], 3) != calls_for([row], 4)
    assert len(calls) > 40
    for call in calls:
        given: dict[str, Any] = dict(call.arguments)
        n, k = len(given["X"]), len(given["X"][0])
        assert n > k >= 2
        assert given["n"] == n
        assert len(given["v"]) == n - 1
        assert all(0 < value <= 3 for value in given["v"])
        assert 0 <= given["p"] <= 1
        assert 0 <= given["lag"] < n
        assert set(given["d"]) <= {0, 1}
    assert any(call.arguments["p"] == 0.123 for call in calls)
    assert {"zeros", "large", "tiny", "ties", "negative"} <= {call.kind for call in calls}


def test_absurd_dimensions_get_no_inputs() -> None:
    assert calls_for([definition("f", {"name": "x", "dimension": [5000]})], 1) == []
    row = definition("f", {"name": "x", "dimension": [999999, 999999]})
    assert calls_for([row], 1) == []
    assert compare([row], [], [], [])[0].agrees is None


def test_pilots_are_drawn(tmp_path: Path) -> None:
    pilot = Pilot(criterion="C1", function="draw", draws=12)
    (tmp_path / "d.py").write_text("def draw(rng):\n    return rng.normal()\ndef bad(rng):\n    return [1, 2]")
    for function, count in (("draw", 12), ("bad", 0)):
        asked = ["--pilot", function, str(pilot.draws), "5"]
        command = [sys.executable, "-I", "-B", harness.__file__, *asked, str(tmp_path / "d.py")]
        subprocess.run([*command, str(tmp_path / "o.json")], timeout=30, check=True)
        values, fault = pilot_values(pilot, json.loads((tmp_path / "o.json").read_text()))
        assert len(values) == count
        assert bool(fault) == (count == 0)
    assert pilot_values(pilot, [True] * 12)[1]


# The second reader's document


def fence(code: str) -> str:
    return f"# Reading\n\n```python definitions\n{code}\n```\n"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def f(x):\n    return 1", ""),
        ("def f(y):\n    return 1", "must be defined as f(x)"),
        ("def f(*x):\n    return 1", "must be defined as f(x)"),
        ("def g(x):\n    return 1", "0 times"),
        ("def f(x):\n    return 1\nf = max", "another meaning"),
        ("def f(x):\n    return 1\nfrom math import exp as f", "another meaning"),
        ("def f(x):\n    return 1\nif True:\n    def f(x): return 2", "another meaning"),
        ("@max\ndef f(x):\n    return 1", "decorator"),
        ("def f(x:", "not Python"),
    ],
)
def test_a_reading_that_cannot_be_run_is_refused(code: str, said: str) -> None:
    text, faults = read_reading(fence(code), [definition()])
    assert (said in str(faults[0])) if said else (faults == [] and text == code)


def test_a_reading_without_a_fence_is_refused() -> None:
    assert read_reading("nothing", [definition()])[1]


def honest() -> Comprehension:
    block = the_block("comprehension.md", (HONEST / "out/comprehension.md").read_text(), "yaml", "comprehension")
    assert block is not None
    return check(read_yaml(block), Comprehension)


def equation(number: int, text: str, *symbols: str, **more: Any) -> Equation:
    return Equation(
        f"notes.md({number})", "notes.md", text, True, 4 + 2 * number, number=str(number), symbols=symbols, **more
    )


def notes(*more: Equation, criteria: tuple[StatedCriterion, ...] = ()) -> Index:
    rows = (
        equation(1, r"\bar x = \frac{1}{n} \sum x_i", r"\bar x", "n", "x"),
        equation(2, r"s^2 = ...", "s", "n", "x", r"\bar{x}"),
        equation(3, r"\mathrm{se} = \sqrt{s^2 / n}", r"\mathrm{se}", "s", "n"),
        equation(4, r"\bar x \pm z se", r"\bar x", "z", "se", r"\ell"),
    )
    return Index((Extracted("notes.md", SHA, "markdown", equations=(*rows, *more), criteria=criteria),))


def keys(found: list[Finding], severity: str) -> list[str]:
    return [finding.key for finding in found if finding.severity == severity]


def gate(index: Index | None = None, hashes: dict[str, str] | None = None, **changes: Any) -> list[Finding]:
    read = Comprehension.model_validate(honest().model_dump() | changes)
    return comprehension_findings(read, index or notes(), {"notes.md": SHA} if hashes is None else hashes)


def test_the_second_reader_sees_no_word_of_the_first() -> None:
    read = honest()
    leaky = read.definitions[0].model_copy(update={"ref": "divide by n minus one", "quantity": "SECRET"})
    asked = questions_for(read.model_copy(update={"definitions": (leaky, *read.definitions[1:])}), notes())
    for word in ("SECRET", "minus one", "sample variance", "quantile", "0.99"):
        assert word not in asked
    assert "`standard_error(s2, n)` returns one number." in asked
    assert "notes.md(3) (line 10)" in asked


# The gate


def test_the_honest_comprehension_passes() -> None:
    found = gate()
    assert keys(found, "error") == keys(found, "warning") == []


def test_sources_are_those_of_the_run() -> None:
    assert keys(gate(hashes={"notes.md": "0" * 64, "b.pdf": SHA}), "error") == [
        "source-not-read:b.pdf",
        "source-hash:notes.md",
    ]
    assert keys(gate(hashes={}), "error") == ["source-unknown:notes.md"]
    twice = [{"name": "notes.md", "sha256": "0" * 64}, {"name": "notes.md", "sha256": SHA}]
    assert keys(gate(sources=twice), "error") == ["source-twice:notes.md"]


def test_every_equation_is_accounted_for() -> None:
    fifth = equation(5, "t = \\bar x / se")
    assert "notes.md(5) is not accounted for: t" in gate(notes(fifth))[0].message
    loose = Equation("notes.md@40", "notes.md", "a = b", False, 40)
    assert keys(gate(notes(loose)), "warning") == ["equation:notes.md@40"]
    entry = {"ref": "notes.md (5)", "restated": "t", "meaning": "t"}
    with_fifth = [*honest().model_dump()["equations"], entry]
    assert keys(gate(notes(fifth), equations=with_fifth), "error") == ["not-computed:notes.md(5)"]
    assert keys(gate(notes(fifth), equations=with_fifth, not_computed={"notes.md(5)": "a test"}), "error") == []
    assert keys(gate(notes(fifth), not_computed={"notes.md(5)": "skipped"}), "error") == ["equation:notes.md(5)"]


def test_two_equations_of_one_number_are_not_settled_by_one_entry() -> None:
    again = Equation("notes.md(1)", "notes.md", "hidden = 2", True, 90, number="1")
    found = gate(notes(again))
    assert keys(found, "error") == ["equation:notes.md@90"]
    assert set(keys(found, "warning")) == {"equation-name:notes.md@6", "equation-name:notes.md@90"}


def test_references_must_exist() -> None:
    invented = [*honest().model_dump()["equations"], {"ref": "notes.md(9)", "restated": "a", "meaning": "b"}]
    assert keys(gate(equations=invented), "error") == ["reference:notes.md(9)"]


def test_symbols_are_compared_as_a_reader_would() -> None:
    found = gate(notes(equation(1, "x", r"\mathbf{x}", r"\hat{\mathbf x}", "θ", r"\vec x", "\\boldsymbol{\\theta}")))
    assert keys(found, "note") == ["symbol:x-hat"]
    assert set(keys(found, "warning")) >= {"symbol:theta", "symbol:x-vec"}
    assert symbols_in("β̂")[0] == symbols_in(r"\hat\beta")[0] == symbols_in(r"\widehat{\beta}")[0]
    assert symbols_in("{" * 5000 + "\\hat" * 5000) == []
    assert [s.base for s in symbols_in(r"x_1, \ldots, x_n")] == ["x", "x"]


def symbol(name: str, *dimension: str) -> dict[str, Any]:
    return {"symbol": name, "meaning": "m", "dimension": dimension, "domain": "real"}


def test_dimensions_that_cannot_both_be_true() -> None:
    def errors(*symbols: dict[str, Any]) -> list[str]:
        rows = [row for row in honest().model_dump()["symbols"] if row["symbol"] not in {s["symbol"] for s in symbols}]
        arguments = [{"name": "X", "dimension": ["k", "n"]}, {"name": "se"}]
        turned = [{"ref": "notes.md(1)", "function": "g", "quantity": "q", "arguments": arguments}]
        definitions = [*honest().model_dump()["definitions"], *turned]
        return keys(gate(symbols=[*rows, *symbols], definitions=definitions), "error")

    assert errors(symbol("X", "n", "k")) == ["dimension:g.X"]
    assert errors(symbol("X", "k", "n")) == []
    assert errors(symbol(r"\mathbf{X}", "n", "k")) == ["dimension:g.X"]
    assert errors(symbol("n", "k")) == ["length-not-a-number:n"]
    assert errors(symbol(r"\hat\beta", "k"), symbol(r"\hat{\beta}", "n")) == [], "suspected, so it is a warning"


def test_what_looks_like_one_symbol_with_two_dimensions_is_a_warning() -> None:
    def warned(*symbols: dict[str, Any]) -> list[str]:
        found = gate(symbols=[*honest().model_dump()["symbols"], *symbols])
        return [key for key in keys(found, "warning") if key.startswith("symbol-twice")]

    assert warned(symbol(r"\hat\gamma", "k"), symbol(r"\hat{\gamma}", "n")) == ["symbol-twice:gamma"]
    assert warned(symbol("V10", "m", "k"), symbol("V01", "n", "k")) == []
    assert warned(symbol("V_{10}", "m", "k"), symbol("V10", "n", "k")) == ["symbol-twice:V"]


def test_stated_criteria_that_contradict_each_other() -> None:
    def stated(*texts: str) -> list[str]:
        rows = [StatedCriterion(f"notes.md A{i}", "notes.md", f"A{i}", text, i) for i, text in enumerate(texts)]
        found = gate(notes(criteria=tuple(rows)))
        assert keys(found, "note")[: len(rows)] == [f"stated:notes.md A{i}" for i in range(len(rows))]
        return keys(found, "warning")

    low, high = "The acceptance rate is between 20% and 50%.", "The acceptance rate must be at least 0.6."
    assert stated(low, high) == ["stated-conflict:notes.md A0:notes.md A1"]
    assert stated(low, "The acceptance rate is at least 40%.") == []
    assert stated(low, "The coverage rate is at least 0.6.") == []
    assert stated("Size 40: coverage above 90%", "Size 50: coverage below 80%") == []
    started = time.monotonic()
    demand_of("between " * 100_000 + "1" * 100_000)
    assert time.monotonic() - started < 1


def test_what_is_not_understood_or_decided_is_said() -> None:
    found = gate(verdict="partial", questions=["Which divisor?"])
    assert keys(found, "error") == ["partial"]
    assert "Which divisor?" in found[0].message
    choice = honest().model_dump()["choices"][0] | {"decided_by": "nobody", "decision": None}
    assert "undecided:few" in keys(gate(choices=[choice]), "note")


def test_agreements_are_a_table(tmp_path: Path) -> None:
    row, first, _ = EQUIVALENT["variance"]
    agreements, _ = both(tmp_path, [row], first, first, tries=8)
    assert "| notes.md(1) | `f` | agree |" in render_agreements(agreements)


@pytest.mark.parametrize(
    "text",
    [
        "a: !!python/name:os.system the interval",
        "a: !!python/object/apply:os.system [ls]",
        "a: !!set {x, y}",
        "a: !!str text",
        "!!python/name:os.system a: b",
        "a: &x !!python/name:os.system b",
        "a: &x b",
        "!!map\na: b",
    ],
)
def test_tags_and_anchors_are_refused_wherever_they_stand(text: str) -> None:
    block = the_block("notes.md", f"# Title\n\n```yaml data\n{text}\n```\n", "yaml", "data")
    assert block is not None
    with pytest.raises(Malformed, match=r"notes\.md:4: .*(tags|anchors)"):
        read_yaml(block)


@pytest.mark.parametrize("text", ["a: not so fast!", 'a: "!important"', "a: x && y", "a: [b, c & d, 'e: !f']"])
def test_exclamation_marks_and_ampersands_in_words_are_words(text: str) -> None:
    block = the_block("notes.md", f"```yaml data\n{text}\n```\n", "yaml", "data")
    assert block is not None and read_yaml(block).data


def criterion_of_structure(**more: Any) -> Criterion:
    data = {"id": "C2", "quantity": "q", "kind": "structure", "scenarios": ["S1"], "source": "planner"}
    return Criterion.model_validate(data | more)


@pytest.mark.parametrize(
    "bounds",
    [
        {"rule": "close", "tolerance": {"relative": 0.5}},
        {"rule": "between", "low": 0.0, "high": 9.0},
        {"rule": "at most", "high": 9.0},
        {"rule": "at least", "low": 0.0},
    ],
)
def test_a_comparison_of_numbers_is_not_of_structure(bounds: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"C2: the rule .* is about numbers, so it is of kind value, not structure"):
        criterion_of_structure(**bounds)


def test_time_conditions_and_statements_may_be_of_structure() -> None:
    criterion_of_structure(rule="at most", high=2.0, decided_by="timing")
    criterion_of_structure(rule="raises", error="ValueError")
    criterion_of_structure(rule="holds")


def test_the_review_counts_the_equations_that_were_computed_twice() -> None:
    text = (HONEST / "out" / "comprehension.md").read_text(encoding="utf-8")
    full = check(read_yaml(_comprehension_block(text)), Comprehension)
    rows = tuple(Agreement(row.ref, row.function, True, 40) for row in full.definitions)
    equations = tuple(Equation(f"notes.md({n})", "notes.md", "x", True, number=str(n)) for n in range(1, 5))
    index = Index((Extracted("notes.md", SHA, "markdown", equations=equations),))
    excused = full.model_copy(
        update={"definitions": full.definitions[:3], "not_computed": {"notes.md(4)": "everybody knows it"}}
    )
    for read, agreements, words in (
        (full, rows, "two readings agree on 4 of 4 equations"),
        (excused, rows[:3], "two readings agree on 3 of 3 equations; 3 of 4 numbered equations were computed twice"),
    ):
        case = Case(
            roles=("planner", "reader", "tester"), contract=Contract(comprehension=read), index=index,
            second_reading=True, agreements=agreements,
        )  # fmt: skip
        assert words in [row.message for row in review_of_comprehension(case)]


def _comprehension_block(text: str) -> Block:
    block = the_block("comprehension.md", text, "yaml", "comprehension")
    assert block is not None
    return block


@pytest.mark.parametrize(("beside", "waits"), [((), True), (("spec.md",), False), (("interface.md",), False)])
def test_a_comprehension_that_comes_alone_and_cannot_be_read_makes_nothing_else_missing(
    beside: tuple[str, ...], waits: bool
) -> None:
    handed_in = {"comprehension.md": b"```yaml comprehension\n: [\n```\n", **dict.fromkeys(beside, b"")}
    assert leaves_choices_open(handed_in) is waits


def test_a_definition_may_follow_several_choices() -> None:
    def read(follows: Any) -> tuple[str, ...]:
        data = honest().model_dump()
        data["definitions"][0]["follows"] = follows
        return Comprehension.model_validate(data).definitions[0].follows

    first = honest().choices[0].id
    assert read(first) == (first,) and read([first]) == (first,)
    with pytest.raises(ValueError, match="follows nothing, which is no choice"):
        read([first, "nothing"])
