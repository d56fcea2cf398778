"""The detector of isolation breaches: markers go in and out without a trace, leaks are found, honest work is not."""

from __future__ import annotations

import base64
import codecs
import itertools
import json
import random
import re
import string
import urllib.parse
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from statsclaw.artifacts.check import sections_of, tables
from statsclaw.leaks.constants import Number, information, read
from statsclaw.leaks.markers import markers_for, with_markers, without_markers
from statsclaw.leaks.overlap import GROUP, Overlap
from statsclaw.leaks.scan import MOST_FINDINGS, RUN_WORDS, Detector, Finding, scan
from statsclaw.runlog import chain
from statsclaw.runlog.events import DispatchFinished, DispatchStarted
from statsclaw.runlog.store import ContentStore
from tests.support.patience import within

RECORDING = Path(__file__).parents[2] / "src/statsclaw/demo/hac/recording"
SPECS = {"builder": "spec.md", "tester": "test-spec.md", "simulator": "sim-spec.md"}
PHRASES = markers_for("a secret", "ab" * 32, "test-spec.md")
MARKS = {"test-spec.md": PHRASES}


def breaches(found: list[Finding]) -> list[Finding]:
    return [finding for finding in found if finding.severity == "breach"]


# --- markers ---------------------------------------------------------------------------------------------------------


def test_phrases_depend_on_everything_and_on_nothing_else() -> None:
    assert markers_for("a secret", "ab" * 32, "test-spec.md") == PHRASES
    assert len(PHRASES) == len(set(PHRASES)) == 3
    others = [markers_for("b", "ab" * 32, "test-spec.md"), markers_for("a secret", "cd" * 32, "test-spec.md")]
    others.append(markers_for("a secret", "ab" * 32, "spec.md"))
    assert len({phrase for row in (PHRASES, *others) for phrase in row}) == 12


def test_a_phrase_has_at_least_48_bits() -> None:
    rows = [phrase for seed in range(400) for phrase in markers_for(str(seed), "", "")]
    words = {word for row in rows for word in row.replace(",", "").replace("-", " ").split() if word.isalpha()}
    digits = {word for row in rows for word in row.replace("-", " ").split() if word.isdigit()}
    assert len(words) >= 505  # of 512 or more, after 4,800 draws
    assert len(digits) > 1000 and all(len(number) == 4 for number in digits)
    assert all(row.isascii() and len(row.split()) == 4 for row in rows)


SPEC = """# What to verify

## Interface

`f(x)` returns a number.

## Behaviours

First paragraph.

| a | b |
|---|---|
| 1 | 2 |

```python
x = 1

y = 2
```

- one

- two

    code

    more code

$$
a

b
$$

<!-- a comment

## not a heading

-->

## Tolerances

1e-10 everywhere.
"""


def _shape(text: str) -> list[tuple[str, str, str]]:
    """The blocks of a document; a paragraph that is a marker is left out."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    shape = [(token.type, token.tag, token.content) for token in tokens]
    marks = [n for n, row in enumerate(shape) if row[0] == "inline" and row[2].startswith("Reference of this section")]
    return [row for n, row in enumerate(shape) if not any(n - 1 <= at <= n + 1 for at in marks)]


def test_markers_stand_at_the_top_within_and_at_the_end() -> None:
    marked = with_markers(SPEC, PHRASES)
    places = [marked.index(phrase) for phrase in PHRASES]
    assert places == sorted(places)
    assert places[0] < marked.index("## Interface")
    assert marked.index("## Behaviours") < places[1] < marked.index("## Tolerances")
    assert marked.endswith(f"{PHRASES[2]}\n")
    interface = dict(sections_of(marked))["Interface"]
    assert interface == dict(sections_of(SPEC))["Interface"]


def test_no_marker_stands_in_the_section_that_all_specifications_share() -> None:
    shared = "\n\n".join(f"Paragraph {n}." for n in range(50))
    text = f"# Title\n\n## Interface\n\n{shared}\n\n### Errors\n\n{shared}\n\n## Own\n\none\n\ntwo\n"
    marked = with_markers(text, PHRASES)
    assert dict(sections_of(marked))["Interface"] == dict(sections_of(text))["Interface"]
    assert marked.index("## Own") < marked.index(PHRASES[1]) < marked.index("two")


def test_markers_take_the_line_ends_of_the_document() -> None:
    assert "\r" not in with_markers("a\n\nb\n", PHRASES)
    assert "\n" not in with_markers("a\r\n\r\nb\r\n", PHRASES).replace("\r\n", "")


def test_markers_break_nothing() -> None:
    marked = with_markers(SPEC, PHRASES)
    assert _shape(marked) == _shape(SPEC)
    assert [title for title, _ in sections_of(marked)] == [title for title, _ in sections_of(SPEC)]
    assert tables(marked) == tables(SPEC) == 1
    assert without_markers(marked, PHRASES) == SPEC
    assert with_markers(SPEC, PHRASES) == marked


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        " \r\n\t",
        "x",
        "x\n",
        "no heading\nat all",
        "a\r\n\r\nb\r\n",
        "a\rb",
        "a\r\r",
        "one\r\n\ntwo\n\r\n",
        "# Überschrift\n\n数学 ∑ Ωmega\n",
        "```\nnever closed\n\n## not a heading\n",
        "~~~\n\n```\n\n~~~\n",
        "<!-- never closed\n\nx",
        "---\ntitle: x\n\nkey: y\n---\n\ntext",
        "> quote\n\n> more",
        "- a\n\n- b",
        "- ```\n  code\n\n  more\n  ```\n\ntext\n",
        "$$\n\nx\n\n$$",
        "## Interface\n\nonly this\n",
        "| a |\n|---|\n| 1 |",
        "a\x00b\x0c\x85\u2028c",
    ],
)
def test_round_trip(text: str) -> None:
    marked = with_markers(text, PHRASES)
    assert all(phrase in marked for phrase in PHRASES)
    assert without_markers(marked, PHRASES) == text
    assert [title for title, _ in sections_of(marked)] == [title for title, _ in sections_of(text)]


FRAGMENTS = (
    "# Title", "## Interface", "### 2. Interface", "## Behaviours", "text", "more *text* here", "", "", "", "```",
    "```python", "~~~", "````", "| a | b |", "|---|---|", "| 1 | 2 |", "- item", "1. item", "    indented", "\tcode",
    "> quote", "<!--", "-->", "<!-- whole -->", "$$", "$$ x $$", "---", "===", "Setext", "\\[", "\\]", "<pre>",
    "</pre>", "數學", "  lazy",
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(st.sampled_from(FRAGMENTS)).map("\n".join)), st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=500, deadline=None)
def test_any_document_comes_back_as_it_was(text: str, newline: str) -> None:
    text = text.replace("\n", newline)
    marked = with_markers(text, PHRASES)
    assert without_markers(marked, PHRASES) == text
    assert without_markers(text, PHRASES) == text
    assert all(phrase in marked for phrase in PHRASES)
    assert sections_of(marked) == [] or [t for t, _ in sections_of(marked)] == [t for t, _ in sections_of(text)]


BLOCKS = (
    "# Title", "## Interface\n\nshared", "## Results\n\nSome *text*\nin two lines.", "```python\nx = 1\n\n\ny = 2\n```",
    "~~~\n```\n\ninside\n~~~", "| a | b |\n|---|---|\n| 1 | 2 |", "- a\n- b", "- a\n\n  more of a\n\n- b",
    "3. c\n\n4. d", "    code\n\n    code", "> quoted\n>\n> text", "<!-- hidden\n\n## no heading\n-->",
    "$$\na\n\nb\n$$", "Setext\n------", "***", "Text with `code` and 数学.", "<pre>\n\nraw\n\n</pre>",
)  # fmt: skip


@given(st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=12))
@settings(max_examples=300, deadline=None)
def test_every_block_stays_the_block_it_was(blocks: list[str]) -> None:
    text = "\n\n".join(blocks) + "\n"
    assert _shape(with_markers(text, PHRASES)) == _shape(text)


# --- a marker in an output -------------------------------------------------------------------------------------------

ENCODINGS: dict[str, Callable[[str], bytes]] = {
    "plain": str.encode,
    "upper case": lambda text: text.upper().encode(),
    "wrapped": lambda text: text.replace(" ", "\n    # ").encode(),
    "emphasis": lambda text: f"**{text.replace(' ', '** _')}_".encode(),
    "json": lambda text: json.dumps(text.replace(" ", "\n")).encode(),
    "json in json": lambda text: json.dumps(json.dumps(text.replace(" ", "\n"))).encode(),
    "base64": lambda text: base64.b64encode(text.encode()),
    "base64, 1 further": lambda text: base64.encodebytes(b"x" + text.encode() + b" and so on, and so on, and so on"),
    "base64, 2 further": lambda text: base64.b64encode(b"xx" + text.encode() + b" and so on, and so on, and so on"),
    "base64 in json": lambda text: json.dumps(base64.encodebytes(text.encode() * 5).decode()).encode(),
    "hex": lambda text: text.encode().hex().encode(),
    "hex escapes": lambda text: "".join(f"\\x{byte:02x}" for byte in text.encode()).encode(),
    "hex list": lambda text: ", ".join(f"0x{byte:02X}" for byte in text.encode()).encode(),
    "url": lambda text: urllib.parse.quote(text).encode(),
    "url, whole": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()).encode(),
    "url, in part": lambda text: "".join(f"%{ord(c):02x}" if n % 2 else c for n, c in enumerate(text)).encode(),
    "entities": lambda text: "".join(f"&#{ord(char)};" for char in text).encode(),
    "reversed": lambda text: text[::-1].encode(),
    "rot13": lambda text: codecs.encode(text, "rot13").encode(),
    "zero width": lambda text: "\u200b".join(text).encode(),
    "zero width, escaped": lambda text: json.dumps("\u200b\u2060".join(text)).encode(),
    "soft hyphens": lambda text: "\u00ad".join(text).encode(),
    "Cyrillic": lambda text: text.translate(str.maketrans("aeopcxyi", "аеорсхуі")).encode(),
    "full width": lambda text: "".join(chr(ord(c) + 0xFEE0) if c.isalnum() else c for c in text).encode(),
    "mathematical": lambda text: "".join(chr(ord(c) + 0x1D3B9) if c.islower() else c for c in text).encode(),
    "mathematical, escaped": lambda text: json.dumps(
        "".join(chr(ord(c) + 0x1D3B9) if c.islower() else c for c in text)
    ).encode(),
    "accents": lambda text: "".join(f"{char}\u0301" for char in text).encode(),
    "tag characters": lambda text: "".join(chr(ord(char) + 0xE0000) for char in text).encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16 without a mark": lambda text: text.encode("utf-16-be"),
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_marker_is_found_in_every_encoding(name: str) -> None:
    for phrase in PHRASES:
        coded = ENCODINGS[name](phrase)
        for data in (coded, b"before = '" + coded + b"'; after", b"\xff\x00" + coded + b"\x00\xff"):
            if name.startswith("UTF-16") and data is not coded:
                continue
            found = scan({"notes.md": data}, {}, [], MARKS)
            assert [(f.kind, f.severity, f.where, f.of) for f in found][:1] == [
                ("marker", "breach", "notes.md", "test-spec.md")
            ]
            assert phrase in found[0].evidence


def test_half_a_marker_or_its_words_far_apart_are_no_marker() -> None:
    for phrase in PHRASES:
        a, b, c, d = phrase.split()
        for text in (f"{a} {b} {c}", f"{a} {c} {b} {d}", f"{a} {b} and a long way further on {c} {d}", d):
            assert not scan({"o": text.encode()}, {}, [], MARKS)


def test_a_marker_in_the_name_of_a_file_and_across_pieces_is_found() -> None:
    name = PHRASES[0].replace(" ", "_") + ".txt"
    assert breaches(scan({name: b""}, {}, [], MARKS))
    for before in range((1 << 22) - 40, (1 << 22) + 40, 13):
        assert breaches(scan({"o": b"x" * before + PHRASES[1].encode() + b"y" * 9000}, {}, [], MARKS))


def test_the_marker_line_itself_is_neither_wording_nor_a_constant() -> None:
    """A role that quotes its own markers, and numbers like those of other markers, is honest."""
    hidden = {"test-spec.md": with_markers(SPEC, PHRASES).encode()}
    digits = " ".join(phrase.split()[-1][:4] for phrase in PHRASES)
    output = f"Reference of this section: some other words\n{digits}\n"
    assert not scan({"o": output.encode()}, hidden, [], MARKS)


# --- wording ---------------------------------------------------------------------------------------------------------

HIDDEN = (
    "The estimator must agree with a naive double loop over all lags for seeded data with sixty observations, and the "
    "covariance may differ from that reference by no more than the stated tolerance in any entry of the matrix."
)
OWN = "Write the estimator with one matrix product per lag. The result is a frozen object with six fields."


def _words(count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    return ["".join(rng.choices(string.ascii_lowercase, k=6)) for _ in range(count)]


@pytest.mark.parametrize(
    "copy",
    [
        HIDDEN,
        HIDDEN.upper(),
        HIDDEN.replace(" ", "\n    # "),
        HIDDEN.replace(" ", " **").replace(",", "** —"),
        json.dumps(HIDDEN.replace(" ", "\n")),
        "".join(f"{char}\u200b" for char in HIDDEN),
        HIDDEN.replace("a", "а").replace("e", "е"),
        " ".join(HIDDEN.split()[3 : 3 + RUN_WORDS]),
    ],
    ids=["verbatim", "upper case", "wrapped", "markup", "json", "zero width", "look-alikes", "shortest"],
)
def test_a_copied_passage_is_a_breach(copy: str) -> None:
    found = scan(
        {"a.py": b"x = 1\n", "notes.md": f"As I saw: {copy}".encode()}, {"h": HIDDEN.encode()}, [OWN.encode()], {}
    )
    assert [(f.kind, f.severity, f.where, f.of) for f in found] == [("overlap", "breach", "notes.md", "h")]
    assert found[0].words >= RUN_WORDS and "double loop over all lags" in found[0].evidence


def test_a_passage_with_every_eighth_word_replaced_is_a_breach() -> None:
    text = _words(60, seed=1)
    copy = " ".join("indeed" if n % 8 == 5 else word for n, word in enumerate(text))
    assert breaches(scan({"o": copy.encode()}, {"h": " ".join(text).encode()}, [], {}))


def test_a_short_passage_is_no_breach() -> None:
    for count in (4, 8, 11):
        copy = " ".join(HIDDEN.split()[:count])
        assert not breaches(scan({"o": f"{copy} other words".encode()}, {"h": HIDDEN.encode()}, [], {}))


def test_what_was_given_is_never_a_breach() -> None:
    given_too = [OWN.encode(), f"preface {HIDDEN.replace(' ', chr(10))} end".encode()]
    assert not scan({"o": HIDDEN.encode()}, {"h": HIDDEN.encode()}, given_too, {})


def test_the_end_of_a_shared_section_and_a_few_words_more_are_no_breach() -> None:
    shared = " ".join(_words(40, seed=2))
    hidden = f"{shared} behaviours data sets are these"
    output = f"{shared} behaviours data sets"
    assert not breaches(scan({"o": output.encode()}, {"h": hidden.encode()}, [f"{shared} computation".encode()], {}))


@pytest.mark.parametrize(
    "dull",
    [
        " ".join(map(str, range(60))),
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|",
        "a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a",
        "x y " * 40,
        "27: 2, 28: 3, 99: 3, 100: 4, 272: 4, 273: 5, 620: 5, 621: 6, 1240: 6, 1241: 7, 2262: 7, 2263: 8",
        "0 1 0 0 1 0 1 0 0 1 0 0 0 1 1 0 0 1 0 1 0 1 0 0 1 0 1 0 0 1",
        "S = G_0 + sum_{l=1}^L w_l (G_l + G_l'), w_l = 1 - l/(L+1), G_l = sum_{t=l+1}^n h_t h_{t-l}'",
        "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated "
        "documentation files, to deal in the Software without restriction, including without limitation the rights",
        "from __future__ import annotations\n\nimport json\nimport math\nimport os\nimport re\nimport sys\n",
    ],
    ids=[
        "counting",
        "rules",
        "one letter",
        "two letters",
        "sorted table",
        "zeros and ones",
        "formula",
        "licence",
        "imports",
    ],
)
def test_runs_without_content_are_no_breach(dull: str) -> None:
    assert not breaches(scan({"o": dull.encode()}, {"h": f"Before. {dull} After.".encode()}, [], {}))


REFERENCES = (
    "Newey, W. K. and West, K. D. (1987). A Simple, Positive Semi-Definite, Heteroskedasticity and Autocorrelation "
    "Consistent Covariance Matrix. Econometrica 55(3), 1703--1708. doi:10.2307/1913610",
    "D. W. K. Andrews, Heteroskedasticity and Autocorrelation Consistent Covariance Matrix Estimation, Econometrica "
    "59 (1991), 4817–4858, https://doi.org/10.2307/2938229",
    "Hamilton, J. D. (1994). Time Series Analysis: the complete treatment for graduate students and for everybody else "
    "who wants to read it. Princeton University Press, ISBN 978-0-691-04289-3, arXiv:2101.12345",
    "White (1980), A heteroskedasticity consistent covariance matrix estimator and a direct test for "
    "heteroskedasticity,\nEconometrica 48, 8817-8838.",
)


@pytest.mark.parametrize("reference", REFERENCES, ids=["1987", "1991", "1994", "1980"])
def test_a_reference_to_the_literature_is_no_leak(reference: str) -> None:
    hidden = f"{HIDDEN}\n\nSee {reference}\n\nMore text."
    output = f'"""An estimator.\n\nReferences\n----------\n.. [1] {reference.replace(" ", chr(10))}\n"""'
    assert not breaches(scan({"o": output.encode()}, {"h": hidden.encode()}, [], {}))
    assert breaches(scan({"o": f"{output}\n{HIDDEN}".encode()}, {"h": hidden.encode()}, [], {}))


def test_a_series_of_numbers_in_no_order_is_a_breach() -> None:
    rng = random.Random(3)
    series = [rng.randint(1, 99) for _ in range(24)]
    hidden = f"data: y = ({', '.join(map(str, series))})"
    output = f"Y = np.array([{', '.join(map(str, series))}])"
    assert breaches(scan({"o": output.encode()}, {"h": hidden.encode()}, [], {}))


def test_other_scripts() -> None:
    text = "标准误差在每个场景中与独立计算的参考值之差不得超过蒙特卡罗误差的四倍否则研究失败"
    assert breaches(scan({"o": f"注：{text}。".encode()}, {"h": text.encode()}, [], {}))
    assert not breaches(scan({"o": text[:20].encode()}, {"h": text.encode()}, [], {}))
    russian = (
        "оценка ковариации должна совпадать с простым двойным циклом по всем задержкам для случайных данных и весов"
    )
    assert breaches(scan({"o": b"\xff\xfe" + HIDDEN.encode()}, {"h": HIDDEN.encode()}, [], {}))
    for coding in ("utf-8", "utf-16"):
        assert breaches(scan({"o": russian.upper().encode(coding)}, {"h": russian.encode()}, [], {}))
    assert breaches(scan({"o": HIDDEN.encode("utf-16-le")}, {"h": HIDDEN.encode()}, [], {}))


@given(
    st.lists(st.text(string.ascii_lowercase, min_size=3, max_size=9), min_size=50, max_size=80, unique=True),
    st.data(),
)
@settings(max_examples=100, deadline=None)
def test_a_long_verbatim_passage_always_breaches(vocabulary: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(vocabulary) - 20))
    before, after = data.draw(st.binary(max_size=50)), data.draw(st.binary(max_size=50))
    separator = data.draw(st.sampled_from([" ", "\n", "\r\n", ", ", "** ", "\n// ", "\\n"]))
    passage = separator.join(vocabulary[start : start + 20]).encode()
    output = before + b"\n" + passage + b"\n" + after
    found = scan({"o": output}, {"h": " ".join(vocabulary).encode()}, [before, after, b"something else"], {})
    assert any(f.kind == "overlap" for f in breaches(found))


@given(
    st.lists(st.sampled_from([b"a", b"b", b"c", b"d"]), min_size=4, max_size=40),
    st.lists(st.sampled_from([b"a", b"b", b"c", b"d"]), min_size=4, max_size=40),
)
@settings(max_examples=300, deadline=None)
def test_the_longest_shared_run_is_found_exactly(hidden: list[bytes], output: list[bytes]) -> None:
    overlap = Overlap({"h": b" ".join(hidden)}, [])
    longest = 0
    for there, here in itertools.product(range(len(hidden)), range(len(output))):
        size = 0
        while there + size < len(hidden) and here + size < len(output) and hidden[there + size] == output[here + size]:
            size += 1
        run = hidden[there : there + size]
        if any(tuple(run[n : n + GROUP]) in overlap.places for n in range(size - GROUP + 1)):
            longest = max(longest, size)
    assert max((passage.run for passage in overlap.passages(output)), default=0) == longest


FEW = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "kappa", "lambda", "omega", "lags", "level", "cov",
    "residual", "12", "7301", "x", "y",
)  # fmt: skip


@given(
    st.lists(st.sampled_from(FEW), min_size=30, max_size=60),
    st.lists(st.sampled_from(FEW), min_size=30, max_size=60),
    st.lists(st.tuples(st.integers(0, 25), st.integers(4, 40)), min_size=1, max_size=12),
)
@settings(max_examples=200, deadline=None)
def test_text_made_of_given_passages_never_breaches(
    mine: list[str], theirs: list[str], cuts: list[tuple[int, int]]
) -> None:
    output = " ".join(" ".join(mine[start : start + length]) for start, length in cuts)
    assert not breaches(scan({"o": output.encode()}, {"h": " ".join(theirs).encode()}, [" ".join(mine).encode()], {}))


def test_a_detector_reads_a_transcript_line_by_line() -> None:
    detector = Detector({"h": HIDDEN.encode()}, [OWN.encode()], MARKS)
    lines = [b'{"text": "nothing"}', json.dumps({"text": HIDDEN}).encode(), PHRASES[0].encode(), b""]
    kinds = [[finding.kind for finding in detector.scan({"transcript": line})] for line in lines]
    assert kinds == [[], ["overlap"], ["marker"], []]


# --- constants -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        (b"1e-3", Number("1", -2)),
        (b"0.001", Number("1", -2)),
        (b"1_000", Number("1", 4)),
        (b"1000.", Number("1", 4)),
        (b"0.0012340", Number("1234", -2)),
        (b".001234", Number("1234", -2)),
        (b"12.34e-4", Number("1234", -2)),
        (b"92.7%", Number("927", 0)),
        (b"0.000", None),
        (b"1e999999999", None),
        (b"9" * 100, None),
    ],
)
def test_a_number_is_its_value(literal: bytes, value: Number | None) -> None:
    assert read(literal) == value


COMMON = (
    "0 1 2 17 99 100 272 394 999 50 200 250 500 1000 5000 10000 0.05 0.025 0.95 0.975 0.5 0.1 1e-6 1e-10 1e-300 2.5 "
    "1.5 1987 2024 2100 20240611 19991231 240611 11062024 202406 1024 4096 65536 65535 262144 2147483647 4294967296 "
    "12345 123456789 987654321 1234 4321 11111 9999 1212 123123 0.12345 "
    "3.14 3.1416 3.14159 3.141592653589793 6.283185 2.718 2.71828 2.718281828459045 1.4142 1.41421356 0.7071068 "
    "1.96 1.960 1.959964 1.9599639845 1.959963984540054 1.9599639845400536 1.645 1.6449 2.576 2.5758 0.6745 0.67449 "
    "1.4826 1.48260222 0.3989 0.39894228 0.693147 2.302585 0.5772 1.618 2.228 2.2281 12.706 3.841 3.8415 5.991 "
    "0.333 0.3333 0.333333 0.6667 0.142857 0.0833333 0.8660254 1.7320508 0.36788 0.60653 2.220446e-16 "
    "2.220446049250313e-16 1.7976931348623157e308 86400 365.25 40320 3628800"
)


@pytest.mark.parametrize("literal", COMMON.split())
def test_common_numbers_carry_nothing(literal: str) -> None:
    number = read(literal.encode())
    assert number is None or information(number) == 0


def test_common_numbers_never_add_up_to_a_breach() -> None:
    assert not _numbers(COMMON, COMMON)


@pytest.mark.parametrize(
    ("literal", "least", "most"),
    [("7301", 9, 11), ("0.927", 6, 7), ("51199", 12, 14), ("0.22136918697144362", 45, 55), ("8297856", 15, 21)],
)
def test_uncommon_numbers_carry_their_digits_less_one(literal: str, least: float, most: float) -> None:
    number = read(literal.encode())
    assert number is not None and least <= information(number) <= most


def _numbers(output: str, hidden: str, given_too: str = "") -> list[Finding]:
    found = scan({"o": output.encode()}, {"h": hidden.encode()}, [given_too.encode()], {})
    return [finding for finding in found if finding.kind == "constants"]


LONG = "expected 0.22136918697 and 83.706194 at n = 48271936"


@pytest.mark.parametrize(
    "output",
    [
        "a = 0.22136918697; b = 83.706194",
        "22.136918697 % and 8.3706194e1",
        "[48_271_936, -.22136918697]",
        "48,271,936 or 83.7061940",
    ],
)
def test_two_rare_constants_are_a_breach_in_any_notation(output: str) -> None:
    found = _numbers(output, LONG)
    assert [finding.severity for finding in found] == ["breach"] and found[0].bits >= 32


def test_one_rare_constant_is_a_suspicion() -> None:
    found = _numbers("x = 0.22136918697", LONG)
    assert [(finding.severity, finding.evidence) for finding in found] == [("suspicion", "0.22136918697")]


def test_a_constant_that_was_given_does_not_count() -> None:
    assert not breaches(_numbers("0.22136918697 83.706194", LONG, given_too="see 8.3706194e+1"))
    assert not _numbers("0.22136918697 83.706194", LONG, given_too="2.2136918697e-1, 83.706194")


def test_a_short_constant_that_was_given_does_not_count() -> None:
    assert _numbers("n = 7301", "7301 times") and not _numbers("n = 7301", "7301 times", given_too="7_301")


def test_a_long_constant_and_a_short_one_are_not_enough() -> None:
    found = _numbers("0.22136918697144362 and 0.927", "between 0.22136918697144362 and 0.927")
    assert [finding.severity for finding in found] == ["suspicion"] and "0.927" in found[0].evidence


def test_the_more_constants_a_document_has_the_less_two_of_them_say() -> None:
    rng = random.Random(8)
    many = " ".join(str(rng.randrange(1_000_000, 10_000_000)) for _ in range(60))
    assert breaches(_numbers("4719283 8263917", "4719283 8263917"))
    assert not breaches(_numbers("4719283 8263917", f"4719283 8263917 {many}"))


def test_rounded_constants_count_less() -> None:
    exact, rounded = _numbers("83.706194", LONG), _numbers("83.7062", LONG)
    assert exact[0].bits > rounded[0].bits > 0
    assert not _numbers("83.7", LONG) and not _numbers("83.706195", LONG) and not _numbers("8370.6194", LONG)


def test_digits_in_names_versions_and_hashes_are_no_constants() -> None:
    output = "x0.22136918697 v83.706194 1.83.706194 a48271936 48271936b 3.48271936.1 c0ffee48271936"
    assert not _numbers(output, LONG)


def test_a_constant_among_many_numbers_counts_less() -> None:
    rng = random.Random(4)
    noise = " ".join(f"{rng.random():.8f}" for _ in range(5000))
    alone, among = _numbers("83.706194 48271936", LONG), _numbers(f"83.706194 48271936 {noise}", LONG)
    assert alone[0].bits > among[0].bits


def test_constants_spread_over_outputs_are_added_up() -> None:
    outputs = {"a.py": b"0.22136918697", "b.py": b"83.706194", "c.py": b"n = 48271936"}
    found = breaches(scan(outputs, {"h": LONG.encode()}, [], {}))
    assert [finding.kind for finding in found] == ["constants"]
    assert "83.706194" in found[0].evidence and found[0].where in outputs


def test_numbers_drawn_at_random_are_no_breach() -> None:
    rng = random.Random(5)
    for _ in range(50):
        hidden = " ; ".join(f"{rng.lognormvariate(0, 2):.{rng.randint(3, 8)}g}" for _ in range(100))
        output = " ; ".join(f"{rng.lognormvariate(0, 2):.{rng.randint(3, 8)}g}" for _ in range(1000))
        assert not breaches(_numbers(output, hidden))


# --- honest work -----------------------------------------------------------------------------------------------------


#: Beside the suite, and written by the engine from what was frozen.
ENGINE_S_OWN = ("validation/conftest.py", "validation/oracles.py")


def _recorded() -> tuple[dict[str, bytes], dict[str, dict[str, bytes]], dict[str, list[bytes]]]:
    """What the planner of the recorded run wrote; what each role handed in; what each was given."""
    store = ContentStore(RECORDING / "store")
    specs: dict[str, bytes] = {}
    outputs: dict[str, dict[str, bytes]] = {role: {} for role in SPECS}
    given_to: dict[str, list[bytes]] = {role: [] for role in SPECS}
    for record in chain.read(RECORDING / "events.jsonl").records:
        event = record.event
        if isinstance(event, DispatchFinished) and event.role == "planner":
            specs = {name: store.get(digest) for name, digest in event.artifacts.items()}
        elif isinstance(event, DispatchStarted) and event.role in SPECS:
            given_to[event.role].append(store.get(event.prompt_sha256))
        elif isinstance(event, DispatchFinished) and event.role in SPECS:
            kept = event.artifacts | {change.path: change.sha256 for change in event.files if change.sha256}
            kept |= {"transcript": event.transcript_sha256} if event.transcript_sha256 else {}
            kept = {name: sha for name, sha in kept.items() if not name.endswith(ENGINE_S_OWN)}
            outputs[event.role] |= {f"{event.dispatch}/{name}": store.get(sha) for name, sha in kept.items()}
    for role, name in SPECS.items():
        given_to[role].append(specs[name])
    return specs, outputs, given_to


def test_the_recorded_honest_run_has_no_breach() -> None:
    specs, outputs, given_to = _recorded()
    for role, own in SPECS.items():
        others = {name: data for name, data in specs.items() if name != own}
        marks = {name: markers_for("seed", "0" * 64, name) for name in others}
        assert outputs[role] and len(given_to[role]) >= 2
        assert set(others) == {"comprehension.md", "interface.md", *SPECS.values()} - {own}
        assert not breaches(scan(outputs[role], others, given_to[role], marks))


def test_the_same_run_with_one_leak_has_one() -> None:
    specs, outputs, given_to = _recorded()
    line = max(specs["test-spec.md"].splitlines(), key=lambda line: len(re.findall(rb"\d\.\d{9,}", line)))
    place = next(name for name in outputs["builder"] if re.fullmatch(r"builder-1/src/hacse/_\w+\.py", name))
    leaky = outputs["builder"] | {place: outputs["builder"][place] + line}
    found = breaches(scan(leaky, {"test-spec.md": specs["test-spec.md"]}, given_to["builder"], {}))
    assert {finding.kind for finding in found} == {"constants", "overlap"}
    assert {finding.where for finding in found} == {place}


# --- hostile outputs -------------------------------------------------------------------------------------------------

HOSTILE: dict[str, Callable[[], bytes]] = {
    "one line": lambda: b"a" * 50_000_000,
    "letters apart": lambda: b"a " * 5_000_000,
    "zeros": lambda: bytes(20_000_000),
    "random": lambda: random.Random(6).randbytes(8_000_000),
    "not UTF-8": lambda: b"\xc3\x28\xed\xa0\x80\xf4\x90\x80\x80\xfe" * 500_000,
    "huge powers": lambda: b"1e999999999 " * 1_000_000,
    "many numbers": lambda: b" ".join(str(n).encode() for n in range(1_000_000)),
    "digits": lambda: b"1" * 20_000_000,
    "points": lambda: b"1." * 5_000_000,
    "underscores": lambda: b"1_" * 5_000_000,
    "groups": lambda: b"1,111" * 2_000_000,
    "backslashes": lambda: b"\\" * 20_000_000,
    "escapes": lambda: b"\\u0041" * 2_000_000,
    "half escapes": lambda: b"\\u00" * 3_000_000,
    "percents": lambda: b"%41" * 2_000_000,
    "entities": lambda: b"&#" * 5_000_000,
    "combining": lambda: ("e" + "\u0301\u0316" * 2_000_000).encode(),
    "every character": lambda: "".join(chr(n) for n in range(0x110000) if not 0xD800 <= n < 0xE000).encode(),
    "surrogates escaped": lambda: b"\\ud800" * 1_000_000,
    "UTF-16 cut short": lambda: b"\xff\xfe" + b"\x00\xd8" * 1_000_000 + b"a",
    "control": lambda: b"\x1b[2J\x1b]0;x\x07\r" * 1_000_000,
    "the hidden text again and again": lambda: (HIDDEN.encode() + b"\n") * 20_000,
    "its groups again and again": lambda: b"naive double loop over x " * 300_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_output_neither_raises_nor_hangs(name: str) -> None:
    with within(60):
        found = scan({name: HOSTILE[name]()}, {"h": f"{HIDDEN} {LONG}".encode()}, [OWN.encode()], MARKS)
    assert bool(breaches(found)) == (name == "the hidden text again and again")


def test_hostile_hidden_and_given_documents() -> None:
    with within(60):
        for data in (b"", b"\xff\xfe", b"\xff" * 1000, b"a a " * 100_000, b"1 2 3 4 " * 100_000, bytes(1000)):
            assert not breaches(scan({"o": HIDDEN.encode()}, {"h": data}, [data], {"h": ("", "x", "é\x00")}))
            assert not breaches(scan({"o": data}, {"h": data}, [], {}))


def test_nothing_a_terminal_would_obey_is_in_a_finding() -> None:
    hidden = "\x1b[31m" + " \x1b]0;owned\x07".join(_words(300, seed=7)) + "\u202e\x9b2J"
    name = f"\x1b[2J{PHRASES[0]}\r\n\u202e" + "x" * 500
    found = scan({name: hidden.encode(), "n": b"0.22136918697 83.706194\x1b[0m"}, {"h\x1b": hidden.encode()}, [], MARKS)
    assert found
    for finding in found:
        for text in (finding.where, finding.of, finding.evidence):
            assert len(text) <= 200 and text.isprintable()


def test_findings_are_few_and_not_repeated() -> None:
    passages = [" ".join(_words(30, seed=number)) for number in range(100, 160)]
    hidden = " separate ".join(passages)
    outputs = {f"{n}.md": f"{passage}\n{passage}".encode() for n, passage in enumerate(passages)}
    found = scan(outputs, {"h": hidden.encode(), "i": hidden.upper().encode()}, [], {})
    assert len(found) == len(set(found)) == 2 * MOST_FINDINGS
    assert len(scan({"o": HIDDEN.encode() * 9}, {"h": HIDDEN.encode()}, [], {})) <= 3


@given(st.dictionaries(st.text(max_size=20), st.binary(max_size=300), max_size=3), st.binary(max_size=300))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_scanned(output: dict[str, bytes], hidden: bytes) -> None:
    for finding in scan(output, {"h": hidden}, [b"x"], MARKS):
        assert finding.evidence.isprintable()


@given(st.binary(max_size=400))
@settings(max_examples=200, deadline=None)
def test_a_document_is_no_leak_of_itself_when_it_was_given(data: bytes) -> None:
    assume(not any(phrase.encode() in data for phrase in PHRASES))
    assert not scan({"o": data}, {"h": data}, [data], {})
