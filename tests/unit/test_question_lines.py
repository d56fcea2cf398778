"""What a person is shown of a question."""

from __future__ import annotations

from statsclaw.runlog.events import Option, QuestionAsked
from statsclaw.runlog.replies import Reply
from statsclaw.ui.lines import question_lines

CODE = "def hessian(beta, X, y):\n    lam = mills(beta, X, y)\n    return -(X.T @ (lam[:, None] * X))"


def shown(text: str) -> list[str]:
    options = (Option(label="yes", reply=Reply.FIRST_IS_RIGHT),)
    asked = QuestionAsked(question="q1", topic="readings", asked_by="engine", text=text, options=options)
    return [line.text for line in question_lines(asked)]


def test_both_readings_are_shown_to_the_end_with_their_indentation():
    filler = "\n".join(f"x{number} = {number}" for number in range(30))
    lines = shown(f"Two readings differ.\n\n{CODE}\n{filler}\nThe second reading computes:\n{CODE}")
    assert lines[0] == "engine asks: Two readings differ."
    assert [line for line in lines if "lam" in line] == [row for row in CODE.split("\n") if "lam" in row] * 2
    assert lines[-1] == "1  yes"


def test_a_question_without_end_says_that_it_was_cut():
    lines = shown("\n".join(f"line {number}" for number in range(500)))
    assert lines[-2] == "… 379 more lines, in events.jsonl of the run"
    assert len(lines) == 123


def test_nothing_in_it_moves_the_cursor():
    assert not [line for line in shown("first\n   \x1b[2Jsecond\r\x07") if any(ord(sign) < 32 for sign in line)]
