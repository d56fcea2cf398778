"""The person at the terminal: answers at the prompt while answers from elsewhere are still heard."""

from __future__ import annotations

import select
import sys
import time
from pathlib import Path

from statsclaw.engine.people import Unattended, parse_answer
from statsclaw.errors import InputRefused
from statsclaw.runlog.events import QuestionAnswered, QuestionAsked
from statsclaw.runlog.fold import RunView
from statsclaw.ui.line import Line, plain
from statsclaw.ui.lines import question_lines
from statsclaw.ui.screen import Screen


class AtTerminal:
    def __init__(self, unattended: Unattended, screen: Screen, inbox: Path) -> None:
        self.unattended, self.screen, self.inbox = unattended, screen, inbox
        self._told: set[str] = set()

    def answer(self, question: QuestionAsked) -> QuestionAnswered | None:
        known = self.unattended.answer(question)
        if known is not None:
            return known
        with self.screen.paused():
            if question.question not in self.screen.asked:
                for line in question_lines(question):
                    self.screen.say(line)
            while True:
                default = f" [{question.default + 1}]" if question.default is not None else ""
                print(f"  your answer (number or words){default} > ", end="", flush=True)
                typed = self._read_line(question.question)
                if typed is None:
                    return None
                if not typed.strip() and question.default is not None:
                    return QuestionAnswered(question=question.question, choice=question.default, by="prompt")
                try:
                    return parse_answer(question, typed, by="prompt")
                except InputRefused as refused:
                    self.screen.say(Line("", plain(refused.line(), 2000), "red"))

    def _read_line(self, question: str) -> str | None:
        """A line from the keyboard, or None as soon as somebody answered from another terminal."""
        while True:
            if (self.inbox / f"{question}.json").exists():
                print()
                return None
            if select.select([sys.stdin], [], [], 0.3)[0]:
                line = sys.stdin.readline()
                if not line:
                    raise KeyboardInterrupt
                return line

    def wait(self, run: RunView) -> bool:
        for dispatch in run.running:
            if dispatch.id not in self._told:
                self._told.add(dispatch.id)
                folder = self.inbox.parent / "dispatches" / dispatch.id
                self.screen.say(Line(dispatch.role, f"waits for you: open {folder}/README.md", "bold yellow"))
        time.sleep(0.5)
        return True
