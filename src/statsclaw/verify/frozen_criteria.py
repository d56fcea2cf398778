"""What the engine adds to a validation suite, for each language that has it."""

from __future__ import annotations

import json
from importlib.resources import files

from statsclaw.specs.test_spec import Criterion, TestSpec

#: The profiles whose suites can answer a criterion.
JUDGED = ("python", "r")

#: What the engine adds to a suite, by profile. It is no role's work.
ADDED = {
    "python": ("tests/validation/conftest.py", "tests/validation/oracles.py"),
    "r": ("tests/testthat/helper-validation-criterion.R",),
}

_PYTHON, _R = "conftest.py", "helper-validation-criterion.R"


def judge_files(profile: str, spec: TestSpec, oracles: str) -> dict[str, str]:
    """Path in the repository → text. Empty where a language has no way to answer a criterion yet."""
    if profile == "python":
        table = json.dumps({row.id: _frozen(row) for row in spec.criteria}, indent=1, ensure_ascii=True)
        quoted = table.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        text = _template(_PYTHON).replace('json.loads("""{}""")', f'json.loads("""{quoted}""")')
        conftest, definitions = ADDED["python"]
        made = {conftest: text}
        if oracles.strip():
            note = "What the sources define, as they were read."
            made[definitions] = f'"""{note}"""\n\n{oracles}\n'
        return made
    if profile == "r":
        rows = ",\n".join(f'  "{row.id}" = {_r_list(_frozen(row))}' for row in spec.criteria)
        text = _template(_R).replace(".frozen_criteria <- list()", f".frozen_criteria <- list(\n{rows}\n)")
        return {ADDED["r"][0]: text}
    return {}


def _template(name: str) -> str:
    return files("statsclaw.verify.judge_files").joinpath(name).read_text(encoding="utf-8")


def _frozen(row: Criterion) -> dict[str, object]:
    """What the comparison needs, and nothing else."""
    found: dict[str, object] = {"rule": row.rule}
    if row.tolerance is not None:
        tolerance = row.tolerance
        found["tolerance"] = {"absolute": tolerance.absolute, "relative": tolerance.relative} | (
            {"lre": tolerance.lre} if tolerance.lre is not None else {}
        )
    found |= {key: getattr(row, key) for key in ("low", "high", "error") if getattr(row, key) is not None}
    return found | ({"message": row.message} if row.rule in ("raises", "warns") else {})


def _r_list(value: object) -> str:
    if isinstance(value, dict):
        return "list(" + ", ".join(f"{key} = {_r_list(part)}" for key, part in value.items()) + ")"
    return _r_text(value) if isinstance(value, str) else repr(value)


def _r_text(value: str) -> str:
    """Like JSON, but R does not know pairs of surrogates."""
    whole = json.dumps(value, ensure_ascii=False)
    return "".join(char if char.isascii() else f"\\U{ord(char):08x}" for char in whole)
