"""Words of others on one line, and findings as every check writes them."""

from __future__ import annotations

from statsclaw.runlog.findings import finding
from statsclaw.words import one_line


def test_one_line_holds_nothing_that_a_terminal_obeys() -> None:
    assert one_line("a\n\t b\x1b[31m\u202e c ") == "a b�[31m� c"


def test_an_ellipsis_says_that_a_line_was_cut() -> None:
    assert one_line("four words of text", 11) == "four words…"
    assert one_line("four words", 10) == "four words"
    assert len(one_line("a" * 5_000)) == 5_000


def test_a_finding_is_bounded_lines_whatever_a_role_wrote() -> None:
    found = finding("evidence", "error", "w\nx " * 2_000, "where\n" * 200, "tester", "key " * 200)
    assert found.message.startswith("w x w x") and found.message.endswith("…")
    assert max(len(found.message) - 1_200, len(found.where) - 300, len(found.key) - 300) <= 0
    assert len(finding("suite", "note", "x" * 9_000, longest=4_000).message) == 4_000
