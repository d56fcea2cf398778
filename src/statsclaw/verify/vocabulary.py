"""The words a failure report may use: those of the interface, which everybody knows, and a fixed list.

Nothing is ever copied from the name of a test: words are looked up, and what is told is the entry that was found. An
author of tests who wants to tell something else can do so by the choice of words only. The list has about 200
behaviours; with the 10 to 100 names of an interface a word is a choice out of 300 at most, or 8 bits, and a behaviour
has at most eight of them. `bits_per_word` is what a report counts for each.
"""

from __future__ import annotations

import math
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import NamedTuple

UNNAMED = "an unnamed behaviour"

_LONGEST_NAME = 2000
_LONGEST_MESSAGE = 160
_MOST_WORDS = 8
_MOST_PARTS = 24
_MOST_NAMES = 2000
_NAME = re.compile(r"(?<![\w.])[A-Za-z_.][\w.]*", re.ASCII)
_SPAN = re.compile(r"`([^`\n]{1,300})`")
_CHUNK = re.compile(r"[A-Za-z0-9]+")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

Key = tuple[str, ...]


class Told(NamedTuple):
    """A text that may cross, and how many words of it were chosen by somebody else."""

    text: str
    words: int


@dataclass(frozen=True)
class Vocabulary:
    identifiers: frozenset[str]  # of the interface
    names: Mapping[Key, str]  # the same by their parts in lower case
    words: Mapping[Key, str]
    joining: frozenset[str]
    spoken: frozenset[str]  # of messages: words of all of the above, of the interface's prose, and of a list
    errors: frozenset[str]

    @classmethod
    def from_interface(cls, interface_text: str, public_words: Iterable[str] = ()) -> Vocabulary:
        """`interface_text`: the section of the specification that every role has. `public_words`: others all know."""
        fixed = _fixed()
        names, prose = _names_in(interface_text)
        words = {_key(form): told for told, forms in fixed.behaviour.items() for form in (told, *forms)}
        public = {word.lower() for word in public_words if re.fullmatch("[A-Za-z]{2,40}", word)} - fixed.numbers
        words = {_key(word): word for word in public} | words
        index: dict[Key, str] = {}
        for name in names:
            for key in (_key(name), _key(re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name))):
                index.setdefault(key, name)
        heard = {*fixed.message, *fixed.joining, *(part for key in words for part in key)}
        told = {part for word in words.values() for part in word.lower().split()}
        spoken = (heard | told | prose) - fixed.numbers
        return cls(frozenset(names), index, words, fixed.joining, frozenset(spoken), fixed.errors)

    @cached_property
    def bits_per_word(self) -> float:
        return math.log2(len(self.identifiers) + len({*self.words.values()}) + len(self.joining))

    @cached_property
    def bits_per_part(self) -> float:
        """Of a message: a word, a name, one of the marks, # or …"""
        return math.log2(len(self.spoken) + len(self.identifiers) + len(_MARKS) + 2)

    @cached_property
    def _longest(self) -> int:
        return max(map(len, (*self.names, *self.words)))

    def describe(self, test_name: str) -> str:
        """`tests.test_se::test_hac_se_scaling_y[3-0.5]` reads "`hac_se`: scaling `y`": words of the vocabulary only."""
        return self.behaviour(test_name).text

    def behaviour(self, test_name: str) -> Told:
        last = test_name.partition("[")[0].rpartition("::")[2]
        return self.phrase(re.sub(r"(?i)^test", "", last))

    def phrase(self, text: str) -> Told:
        """The words of the vocabulary that occur in `text`, in order, each once; at most eight."""
        found = list(dict.fromkeys(self._found(self._chunks(text[:_LONGEST_NAME]))))[:_MOST_WORDS]
        while found and found[-1] in self.joining:
            found.pop()
        while found and found[0] in self.joining - {"not", "without", "only", "both"}:
            found.pop(0)
        if all(word in self.joining for word in found):
            return Told(UNNAMED, 0)
        first, *rest = found
        return Told(f"{first}: {' '.join(rest)}" if first[0] == "`" and rest else " ".join(found), len(found))

    def error_class(self, name: str) -> str:
        """The name of a class of errors, if it is one that everybody knows."""
        return name if name in self.errors or name in self.identifiers else ""

    def message(self, text: str) -> Told:
        """A message without what it may echo: numbers are #, other words and foreign quotations …, paths are gone."""
        line = next((line for line in unicodedata.normalize("NFC", text[:2000]).splitlines() if line.strip()), "")
        parts: list[str] = []
        for token in _MESSAGE_TOKEN.finditer(_ESCAPES.sub(" ", line)):
            part = self._spoken(token)
            if part and parts[-1:] != [part]:
                parts.append(part)
        while len(parts) > _MOST_PARTS or len(" ".join(parts)) > _LONGEST_MESSAGE:
            parts = [*parts[: min(_MOST_PARTS, len(parts)) - 2], "…"]
        if not any(map(str.isalpha, "".join(parts))):
            return Told("", 0)
        said = re.sub(r" ([,:;.)])", r"\1", " ".join(parts)).replace("( ", "(").replace(" - ", "-")
        return Told(said.strip(" ,:;.<>=-"), len(parts))

    def _spoken(self, token: re.Match[str]) -> str:
        kind, text = token.lastgroup, token[0]
        if kind == "quoted":
            inner = text[1:-1]
            return self._word(inner) if re.fullmatch(r"[\w.]{1,60}", inner) else "…"
        if kind == "word":
            return self._word(text)
        if kind == "mark":
            return text if text in _MARKS else ""
        if kind == "other":
            return "…" if any(map(str.isalnum, text)) else ""
        return "#" if kind == "number" else ""

    def _word(self, word: str) -> str:
        if word.lower() in _fixed().numbers:
            return "#"
        name = word if word in self.identifiers else self.names.get(_key(word), "")
        if name.lower() == word.lower():
            return name
        return word.lower() if word.lower() in self.spoken else "…"

    def _chunks(self, text: str) -> list[str]:
        """Split at everything that is no letter or digit; an unknown word also at the humps of camel case."""
        chunks: list[str] = []
        for chunk in _CHUNK.findall(text):
            known = (chunk.lower(),) in self.names or (chunk.lower(),) in self.words or chunk.lower() in self.joining
            split = not known and chunk.isalpha() and not chunk.isupper()
            chunks += _HUMP.findall(chunk) if split else [chunk]
        return chunks

    def _found(self, chunks: list[str]) -> Iterator[str]:
        at = 0
        while at < len(chunks):
            for length in range(min(self._longest, len(chunks) - at), 0, -1):
                key = tuple(chunk.lower() for chunk in chunks[at : at + length])
                if key in self.names:
                    exact = length == 1 and chunks[at] in self.identifiers  # `x` and `X` may both be names
                    yield f"`{chunks[at] if exact else self.names[key]}`"
                elif key in self.words:
                    yield self.words[key]
                elif length == 1 and key[0] in self.joining:
                    yield key[0]
                else:
                    continue
                at += length
                break
            else:
                at += 1


# --- words of a message --------------------------------------------------------------------------------------------

_ESCAPES = re.compile(r"\x1b\[[0-?]{0,40}[ -/]{0,10}[@-~]|[\x00-\x1f\x7f-\x9f]")
_MARKS = frozenset((",", ":", ";", "(", ")", "<", ">", "=", "<=", ">=", "==", "!=", ".", "-"))
_MESSAGE_TOKEN = re.compile(
    r"""
    (?P<path>(?:[A-Za-z]:)?[\w.~\-]*[/\\][^\s'"`,;)]*)
  | (?P<quoted>(?<!\w)(?:'[^'\n]{0,400}'|"[^"\n]{0,400}"|`[^`\n]{0,400}`)(?!\w))
  | (?P<number>[-+]?(?:\d|\.\d)[\w.]*(?:[eE][-+]\d+)?)
  | (?P<word>[A-Za-z_](?:\w|[.](?=\w)|'(?=[a-z]\b))*+(?![^\x00-\x7f]))
  | (?P<mark>[<>=!]=?|[,:;()\-]|\.(?=\s|$))
  | (?P<space>\s+)
  | (?P<other>[^\s,:;()<>=]+?(?=[\s,:;()<>=]|$)|.)
    """,
    re.VERBOSE | re.ASCII,
)


# --- words of an interface -----------------------------------------------------------------------------------------


def _names_in(text: str) -> tuple[list[str], set[str]]:
    """Identifiers (of code, code spans, first cells of tables, headings), and all other words."""
    keywords = _fixed().keywords
    names: dict[str, None] = {}
    prose: set[str] = set()
    for code, words in _pieces(text):
        prose |= {word.lower() for word in re.findall(r"[A-Za-z]+(?:'[a-z])?", words)}
        for name in _NAME.findall(re.sub(r"\"[^\"\n]*\"|'[^'\n]*'|#.*", " ", code)):
            whole = name.strip(".")
            parts = (whole, *whole.split(".")) if len(whole) <= 60 else ()
            for part in parts:
                empty = part.startswith("__") or not re.search("[A-Za-z]", part) or part.lower() in keywords
                if not empty and len(names) < _MOST_NAMES:
                    names.setdefault(part)
    return list(names), prose


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """(code, prose) of each line. A code span that holds two words in a row is a quotation, not code."""
    fence, ruled = "", False
    for line in (line[:2000].strip() for line in text.split("\n")[:5000]):
        mark = re.match(r"```+|~~~+", line)
        if mark:
            fence = "" if fence and mark[0].startswith(fence) else fence or mark[0]
            continue
        if fence:
            yield line, ""
            continue
        spans = _SPAN.findall(line)
        code = [span for span in spans if not re.search(r"[A-Za-z]{2,} +[A-Za-z]{2,}", span)]
        heading = re.match(r"#{1,6} +(.*)", line)
        if heading:
            code += re.findall(r"[A-Za-z][\w.]*(?=\()|\b\w+_\w+\b|^[A-Za-z][\w.]*$", heading[1])
        ruled = line.startswith("|") and (ruled or re.match(r"\|[ :]*-{3}", line) is not None)
        cell = line.strip("|").split("|")[0].strip()
        if ruled and _NAME.fullmatch(cell):  # the heading of the table comes before its rule
            code.append(cell)
        yield " ; ".join(code), line


def _key(name: str) -> Key:
    return tuple(chunk.lower() for chunk in _CHUNK.findall(name))


# --- the fixed list ------------------------------------------------------------------------------------------------


class _Fixed(NamedTuple):
    behaviour: Mapping[str, list[str]]
    joining: frozenset[str]
    keywords: frozenset[str]
    numbers: frozenset[str]
    errors: frozenset[str]
    message: frozenset[str]


@cache
def _fixed() -> _Fixed:
    found = tomllib.loads(files("statsclaw.verify").joinpath("vocabulary.toml").read_text(encoding="utf-8"))
    lists = {name: frozenset(part["words"]) for name, part in found.items() if name != "behaviour"}
    return _Fixed(behaviour=found["behaviour"], **lists)
