"""The symbols of a formula: its base letters in order of appearance.

Kept: letters, Greek letters, accents (`\\hat\\beta`, `\\bar x`) and the star of `y_i^*` (`y^*`); a roman name of
several letters that stands alone (`\\mathrm{se}` is `se`). Fonts are dropped. Left out: operators, digits, prose,
function names, subscripts, bounds and indices of sums, superscripts that are a transpose or an index in parentheses,
`d` of integrals and derivatives, `e` with an exponent, `\\pi` after a digit, the sets `\\mathbb{R}` and the like, a
distribution's name after `\\sim`, and `\\Phi(...)` (with it `\\phi(...)`), the normal distribution function.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from importlib import resources

_TABLE = tomllib.loads(resources.files(__package__).joinpath("symbols.toml").read_text(encoding="utf-8"))
_LETTERS, _PROSE, _FONTS, _ROMAN, _BLACKBOARD, _BOUNDED, _FUNCTIONS, _PLAIN = (
    frozenset(_TABLE[key])
    for key in ("letters", "prose", "fonts", "roman", "blackboard", "bounded", "functions", "plain_functions")
)
_ACCENTS: dict[str, str] = _TABLE["accents"]
_WRAPPERS = _FONTS | _ROMAN | _PROSE | _ACCENTS.keys()
_TOKEN = re.compile(r"\\[A-Za-z@]+\*?|\\.|[^\W\d_]|\d+|[^\s\w]|_")
_SIZES = re.compile(r"\\(?:left|right|[bB]igg?[lrm]?|middle)\b")
_PLAIN_WORD = re.compile(r"(?<![\w.])[^\W\d_]\w{0,30}(?![\w(])")
_LONGEST = 20_000
_INDEX = re.compile(r"\(?(?:[A-Za-z]|\d+|[A-Za-z][-+]1)\)|T|t|\\top|\\prime|\\intercal|\\mathrm\{?T\}?|'+")


def symbols_of(formula: str) -> tuple[str, ...]:
    """The symbols of a LaTeX formula (its first 20,000 characters)."""
    tokens = _TOKEN.findall(_SIZES.sub(" ", formula[:_LONGEST]))
    return _Walk(tokens, _closing(tokens)).run()


def symbols_of_plain(text: str) -> tuple[str, ...]:
    """The symbols of a formula in plain text: words that are neither called nor known functions."""
    words = (match[0].split("_")[0] for match in _PLAIN_WORD.finditer(text[:_LONGEST]))
    return tuple(dict.fromkeys(word for word in words if word not in _PLAIN))


def _closing(tokens: list[str]) -> list[int]:
    """For each `{` the position of its `}`; an unclosed one ends with the formula."""
    closing, opened = [len(tokens)] * len(tokens), []
    for at, token in enumerate(tokens):
        if token == "{":
            opened.append(at)
        elif token == "}" and opened:
            closing[opened.pop()] = at
    return closing


@dataclass
class _Walk:
    tokens: list[str]
    closing: list[int]
    found: list[str] = field(default_factory=list)
    bound: set[str] = field(default_factory=set)

    def run(self) -> tuple[str, ...]:
        at = 0
        self.has_integral = any(token in (r"\int", r"\iint", r"\oint") for token in self.tokens)
        self.normal = any(token == r"\Phi" and self._is_called(at) for at, token in enumerate(self.tokens))
        while at < len(self.tokens):
            at = self._step(at)
        return tuple(dict.fromkeys(name for name in self.found if name not in self.bound))

    def _step(self, at: int) -> int:
        """Deals with what stands at `at` and returns where to go on."""
        token = self.tokens[at]
        word = token[1:].rstrip("*") if token.startswith("\\") else ""
        if word in _PROSE:
            return self._past_prose(at, word)
        if word == "mathbb":
            return self._blackboard(at)
        if word in _BOUNDED:
            return self._bounds(at + 1)
        if word in _ROMAN:
            return self._roman(at)
        if word in _ACCENTS:
            return self._accented(at)
        if token == "_":
            return self._past_item(at + 1)
        if token == "^":
            return self._superscript(at + 1)
        if token.isalpha() or word in _LETTERS:
            return self._letter(at, at + 1, token, "")
        return at + 1

    def _item(self, at: int) -> tuple[int, int]:
        """The tokens of the group or single thing at `at`, and where it ends."""
        if at < len(self.tokens) and self.tokens[at] == "{":
            return at + 1, self.closing[at]
        if at < len(self.tokens) and self.tokens[at][1:] in _WRAPPERS:
            return at, max(self._past_item(at + 1), at + 1)
        return at, min(at + 1, len(self.tokens))

    def _past_item(self, at: int) -> int:
        for _ in range(8):
            if at < len(self.tokens) and self.tokens[at][1:] in _WRAPPERS:
                at += 1
        if at < len(self.tokens) and self.tokens[at] == "{":
            return self.closing[at] + 1
        return at + 1

    def _past_prose(self, at: int, word: str) -> int:
        at = self._past_item(at + 1)
        return self._past_item(at) if word in ("textcolor", "href") else at

    def _blackboard(self, at: int) -> int:
        start, end = self._item(at + 1)
        if end - start == 1 and self.tokens[start] in _BLACKBOARD:
            return self._past_item(at + 1)
        return at + 1

    def _bounds(self, at: int) -> int:
        """Past the subscript and superscript of a sum; its running index is bound."""
        for _ in range(3):
            if at < len(self.tokens) and self.tokens[at] == r"\limits":
                at += 1
            if at >= len(self.tokens) or self.tokens[at] not in "_^":
                break
            start, end = self._item(at + 1)
            if self.tokens[at] == "_" and start < len(self.tokens) and self.tokens[start].isalpha():
                following = self.tokens[start + 1] if start + 1 < end else "="
                if following in ("=", r"\in", r"\neq", r"\ne", "<", r"\le", r"\leq", ","):
                    self.bound.add(self.tokens[start])
            at = self._past_item(at + 1)
        return at

    def _roman(self, at: int) -> int:
        start, end = self._item(at + 1)
        name = "".join(self.tokens[start:end])
        past = self._past_item(at + 1)
        if not name.isalpha() or name in _FUNCTIONS or self._is_called(past - 1):
            return past
        return self._letter(at, past, name, "")

    def _accented(self, at: int) -> int:
        """One letter below one or several accents; of a longer expression the letters without the accent."""
        accents, start, end = "", at, len(self.tokens)
        for _ in range(8):
            word = self.tokens[start][1:] if start < end else ""
            if word in _ACCENTS:
                accents += "\\" + _ACCENTS[word]
            elif word not in _FONTS and word not in _ROMAN and (start >= end or self.tokens[start] != "{"):
                break
            if start < end and self.tokens[start] == "{":
                end = min(end, self.closing[start])
            start += 1
        past = self._past_item(at + 1)
        inside = [token for token in self.tokens[start:end] if token not in "{}"] if end < len(self.tokens) else []
        if start < len(self.tokens) and (len(inside) < 2 or inside[1] in "_^'"):
            token = self.tokens[start]
            if token.isalpha() or token[1:] in _LETTERS:
                return self._letter(at, past, token, accents)
        if inside and all(token.isalpha() for token in inside):
            return self._letter(at, past, "{" + "".join(inside) + "}", accents)
        return at + 1

    def _superscript(self, at: int) -> int:
        start, end = self._item(at)
        text = "".join(self.tokens[start:end])
        return self._past_item(at) if _INDEX.fullmatch(text) or text.startswith(("*", r"\ast")) else at

    def _letter(self, at: int, past: int, token: str, accents: str) -> int:
        if not accents and self._is_no_quantity(at, past, token):
            return past
        name = f"{accents} {token}" if accents and token.isalpha() else accents + token
        self.found.append(name + self._star(self._past_font_group(at, past)))
        return past

    def _past_font_group(self, at: int, past: int) -> int:
        """Of `\\mathbf{y}`, past the brace that closes around the letter."""
        while at > 1 and self.tokens[at - 1] == "{" and self.closing[at - 1] == past:
            past, at = past + 1, at - 1
            while at > 0 and self.tokens[at - 1][1:] in _FONTS:
                at -= 1
        return past

    def _star(self, at: int) -> str:
        """The star among the scripts that follow a letter."""
        for _ in range(3):
            if at >= len(self.tokens) or self.tokens[at] not in "_^'":
                break
            if self.tokens[at] == "^":
                start, _end = self._item(at + 1)
                if start < len(self.tokens) and self.tokens[start] in ("*", r"\ast", r"\star"):
                    return "^*"
            at = at + 1 if self.tokens[at] == "'" else self._past_item(at + 1)
        return ""

    def _is_no_quantity(self, at: int, past: int, token: str) -> bool:
        before = self.tokens[at - 1] if at else ""
        after = self.tokens[past] if past < len(self.tokens) else ""
        fonts = at
        while fonts and (self.tokens[fonts - 1][1:] in _FONTS or self.tokens[fonts - 1] == "{"):
            fonts -= 1
        if fonts and self.tokens[fonts - 1] == r"\sim" and self._is_called(past - 1, through=at - fonts):
            return True
        if token == "d" and (after.isalpha() or after.startswith("\\") or after in "}^"):
            return self.has_integral or r"\frac" in self.tokens[max(0, at - 6) : at]
        if token == "e" and after == "^":
            return True
        if token == r"\pi":
            return before.isdigit()
        return self.normal and token in (r"\Phi", r"\phi") and self._is_called(at)

    def _is_called(self, at: int, *, through: int = 0) -> bool:
        """Whether a parenthesis follows, perhaps after scripts and closing braces."""
        at += 1
        while through and at < len(self.tokens) and self.tokens[at] == "}":
            at, through = at + 1, through - 1
        for _ in range(2):
            if at < len(self.tokens) and self.tokens[at] in "_^":
                at = self._past_item(at + 1)
        return at < len(self.tokens) and self.tokens[at] in ("(", "[", r"\{")
