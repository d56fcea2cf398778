"""A secret that comes back in another spelling is blanked, and ordinary text is not."""

from __future__ import annotations

import base64
import json
import random
import string
import textwrap
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import pytest

import statsclaw
from statsclaw.echoes import has_echo, spellings, without_echoes
from statsclaw.sandbox import outward
from statsclaw.templates import render, without_control
from statsclaw.workspace.scrub import HIDDEN, Scrubber
from tests.support.patience import within

SECRET = "zq7/Kd93+mWx5=Tt0\"ab'Ñ"
KEY = "qk9/Kd93+mWx5Tt0ab-Xy_7z"

ECHOES = {
    "plain": lambda s: s,
    "reversed": lambda s: s[::-1],
    "hex": lambda s: s.encode().hex(),
    "HEX": lambda s: s.encode().hex().upper(),
    "hex with colons": lambda s: s.encode().hex(":"),
    "every byte as in an address": lambda s: "".join(f"%{byte:02X}" for byte in s.encode()),
    "escaped bytes": lambda s: "".join(f"\\x{byte:02x}" for byte in s.encode()),
    "list of bytes": lambda s: ", ".join(f"0x{byte:02x}" for byte in s.encode()),
    "in an address": lambda s: quote(s, safe=""),
    "in a path": quote,
    "JSON": lambda s: json.dumps(s)[1:-1],
    "JSON, not ASCII": lambda s: json.dumps(s, ensure_ascii=False)[1:-1],
    "a letter a line": lambda s: "\n".join(s),
    "hyphens": lambda s: "-".join(s),
    "in two lines": lambda s: s[:10] + "\n    " + s[10:],
    "in quotes": lambda s: '" + "'.join(textwrap.wrap(s, 5)),
}


@pytest.mark.parametrize("name", ECHOES)
@pytest.mark.parametrize("secret", [SECRET, KEY])
def test_an_echo_is_blanked(name: str, secret: str) -> None:
    text = f"before {ECHOES[name](secret)} after"
    found = without_echoes(text, (secret,), HIDDEN)
    assert has_echo(text, (secret,))
    assert found.startswith("before ") and found.endswith(" after")
    assert len(found.replace(HIDDEN, "")) <= len("before  after") + 4, found


@pytest.mark.parametrize("offset", range(3))
@pytest.mark.parametrize("width", [8, 19, 76, 10_000])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("secret", [SECRET, KEY])
def test_it_is_found_in_the_base64_of_something_longer(offset: int, width: int, encode, secret: str) -> None:
    text = "\n".join(textwrap.wrap(encode(b"x" * offset + secret.encode() + b"yy").decode(), width))
    assert has_echo(text, (secret,))
    found = without_echoes(text, (secret,), HIDDEN)
    assert len(found.replace(HIDDEN, "").replace("\n", "")) <= 10, found


def test_a_stream_is_blanked_too_wherever_it_is_cut() -> None:
    for name in ("reversed", "hex", "HEX", "every byte as in an address", "escaped bytes", "in an address", "JSON"):
        echo = ECHOES[name](KEY).encode()
        for cut in range(len(echo)):
            scrubber = outward.Scrubber(KEY)
            pieces = [b"a " + echo[:cut], echo[cut:] + b" b"]
            found = b"".join(map(scrubber.feed, pieces)) + scrubber.rest()
            assert found == b"a " + b"*" * len(echo) + b" b", (name, cut)


def test_what_is_too_short_to_be_a_secret_has_no_spellings() -> None:
    assert spellings("abc1234") == ()


HONEST = [
    *Path(statsclaw.__file__).parent.joinpath("demo").rglob("*"),
    *(Path(__file__).parents[1] / "support").rglob("*"),
    *(Path(__file__).parents[2] / "docs").rglob("*.md"),
]


@pytest.fixture(scope="module")
def honest() -> str:
    texts = []
    for path in HONEST:
        with suppress(UnicodeDecodeError, IsADirectoryError):  # records are packed, and no documents
            texts.append(path.read_bytes().decode())
    assert len(texts) > 300
    return "\n".join(texts)


def test_ordinary_text_holds_no_echo_of_usual_secrets(honest: str) -> None:
    """Counted on the honest work and the recordings of this repository: words, numbers, keys."""
    drawn = random.Random(1)
    keys = ["".join(drawn.choices(string.ascii_letters + string.digits, k=size)) for size in (8, 12, 20, 40, 100)]
    numbers = ["".join(drawn.choices(string.digits, k=size)) for size in (12, 16)]
    words = ["maximum_likelihood", "standard-error-of", "covariance/matrix", "likelihood.ratio.test"]
    text = honest.replace("\\", "")
    plain = [word for word in words if word not in text]
    assert plain, "words that stand there only apart"
    for secret in [*keys, *numbers, *plain]:
        assert not has_echo(text, (secret,)), secret
        assert without_echoes(text, (secret,), HIDDEN) == text


def test_large_texts_do_not_take_long(honest: str) -> None:
    text = honest[:4_000_000]
    secrets = tuple("".join(random.Random(seed).choices(string.ascii_letters, k=50)) for seed in range(5))
    with within(3.0):
        without_echoes(text, secrets, HIDDEN)
    with within(3.0):
        without_echoes("a-" * 1_000_000, ("a" * 11 + "1", *secrets), HIDDEN)


def test_the_scrubber_of_a_run_knows_them() -> None:
    scrub = Scrubber(secrets=(KEY,))
    text = f"as hex: {KEY.encode().hex()}"
    assert scrub(text) == f"as hex: {HIDDEN}"
    assert scrub.finds_secret(text.encode())


# --- what a terminal would obey ---------------------------------------------------------------------------------------

CONTROL = ["\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "over\rwritten", "\x9b2J", "\x00", "a\x08b", "\x7f"]


@pytest.mark.parametrize("text", CONTROL)
def test_no_control_byte_is_stored_or_rendered(text: str) -> None:
    for found in (without_control(text), Scrubber()(text), Scrubber(secrets=(KEY,))(text)):
        assert found.isprintable()
    document = render("statsclaw.workspace", "context.md", target=text, profile=text, base=text, remote=text)
    assert all(line.isprintable() for line in document.split("\n"))


def test_lines_and_tabs_stay() -> None:
    text = "a\n\tb\r\nc – é\n"
    assert without_control(text) == text and Scrubber()(text) == text


def test_honest_documents_hold_none(honest: str) -> None:
    assert without_control(honest) == honest
