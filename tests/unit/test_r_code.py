"""Texts and comments in R code hide brackets, commas and quotation marks from everybody who reads it."""

from __future__ import annotations

import pytest

from statsclaw.r_code import blanked, pieces, without_comments
from statsclaw.review.r_signatures import built_r
from statsclaw.sources.code_r import read_r

CODE = """f <- function(a, # not ) "here
              `b c` = "x,)", d = r"--(a)" , ")--", e = 5 %in% '#') {
  a
}
"""


def test_arguments_end_where_r_ends_them() -> None:
    signature = built_r({"R/f.R": CODE}).signatures["f"]
    assert [(row.name, row.default) for row in signature.parameters or ()][1:] == [
        ("b c", '"x,)"'), ("d", 'r"--(a)" , ")--"'), ("e", "5 %in% '#'"),
    ]  # fmt: skip
    (function,) = read_r("f.R", CODE).functions
    assert function.defaults["e"] == "5 %in% '#'" and function.defaults["d"] == 'r"--(a)" , ")--"'


@pytest.mark.parametrize("code", ["'a", 'r"(a', "`a", "# a", "x %% y # a", ""])
def test_what_is_blanked_keeps_every_place(code: str) -> None:
    assert len(blanked(code)) == len(code)


def test_a_comment_is_what_r_does_not_read() -> None:
    assert [piece.kind for piece in pieces("x %#% '#' # `b`\n`#`")] == ["operator", "text", "comment", "name"]
    assert without_comments("x %#% '#' # `b`\n`#`") == "x %#% '#' \n`#`"
