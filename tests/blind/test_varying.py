"""What questions never vary is told, and nothing where they vary it or nobody can know."""

from __future__ import annotations

from pathlib import Path

import pytest

from statsclaw.specs.interface import Argument, Function, Interface, Returned
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.varying import equal_inputs, never_varied
from tests.blind.native_side import asked


def told(folder: Path, questions: str, default: str = "0.95") -> list[str]:
    arguments = (Argument(name="x"), Argument(name="level", default=default))
    interface = Interface(
        package="tiny", functions=(Function(name="fit", arguments=arguments, returns=Returned(type="number")),)
    )
    lines = "import statsclaw_ask as ask\n\n@ask.scenario('S1')\ndef case():\n    x = [1.0, 2.0, 4.0]\n"
    made = asked(folder / "asked", lines + "".join(f"    {line}\n" for line in questions.split("\n")))
    return [row.key for row in (*never_varied(made, Forms(interface, "python")), *equal_inputs(made))]


@pytest.mark.parametrize(
    ("questions", "default", "is_told"),
    [
        ("ask.close('NEAR', ask.call('fit', x), 1.0)", "0.95", True),
        ("ask.close('NEAR', ask.call('fit', x, level=0.95), 1.0)", "0.95", True),
        ("ask.close('NEAR', ask.call('fit', x, 0.9), 1.0)", "0.95", False),
        ("ask.close('NEAR', ask.call('fit', x, level=0.9), 1.0)", "0.95", False),
        ("ask.close('NEAR', ask.call('fit', x), 1.0)\nask.raises('ERROR', ask.call('fit', x, level=2))", "0.95", True),
        ("ask.close('NEAR', ask.call('fit', x), 1.0)\nask.call('fit', x, level=0.9)", "0.95", True),
        ("ask.close('NEAR', ask.call('fit', x, level=1), 1.0)", "True", False),
        ("ask.close('NEAR', ask.call('fit', x, level='a'), 1.0)", 'c("a", "b")', False),
        ("ask.raises('ERROR', ask.call('fit', x))", "0.95", False),
    ],
)  # fmt: skip
def test_an_argument_that_keeps_its_default_in_every_answer_is_told(
    tmp_path: Path, questions: str, default: str, is_told: bool
) -> None:
    assert (told(tmp_path, questions, default) == ["never-varied:fit"]) is is_told


@pytest.mark.parametrize(
    ("questions", "is_told"),
    [
        ("ask.close('NEAR', ask.call('fit', [2.0] * 30, level=0.9), 1.0)", True),
        ("ask.close('NEAR', ask.call('fit', [2.0] * 2, level=0.9), 1.0)", False),
        ("ask.close('NEAR', ask.call('fit', x, level=[1.0] * 3), 1.0)", False),
        ("ask.close('NEAR', ask.call('fit', [2.0] * 30, 0.9), 1.0)\nask.close('NEAR', ask.call('fit', x), 1.0)", False),
        ("ask.raises('ERROR', ask.call('fit', [2.0] * 30, level=0.9))", False),
    ],
)
def test_a_scenario_of_equal_numbers_is_told(tmp_path: Path, questions: str, is_told: bool) -> None:
    assert (told(tmp_path, questions) == ["equal-inputs:S1"]) is is_told
