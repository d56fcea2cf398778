"""Bytes as the rules read them: in pieces, without escapes and look-alikes, as words, as letters, decoded.

Whatever the bytes are, nothing here raises, and every step takes time in proportion to their number.
"""

from __future__ import annotations

import binascii
import re
import tomllib
import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

PIECE, OVERLAP = 1 << 22, 1 << 13
_ESCAPED = re.compile(rb"\\u[0-9a-fA-F]{4}(?:\\u[0-9a-fA-F]{4})*+")
_CODED = re.compile(rb"%[0-9a-fA-F]{2}|\\x[0-9a-fA-F]{2}|&#(?:[0-9]{1,7}|[xX][0-9a-fA-F]{1,6});")
_DIGITS, _LOWER, _UPPER = b"0123456789", b"abcdefghijklmnopqrstuvwxyz", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ALL, _ASCII, _HIGH = bytes(range(256)), bytes(range(128)), bytes(range(128, 256))
_BASE64 = _DIGITS + _LOWER + _UPPER + b"+/-_"
_HEX = _DIGITS + b"abcdefABCDEF"

_FOLD_CASE = bytes.maketrans(_UPPER, _LOWER)
_TO_WORDS = bytes(
    code if code in _DIGITS + _LOWER + _HIGH else code + 32 if code in _UPPER else 32 for code in range(256)
)
_TO_BASE64 = bytes.maketrans(b"-_", b"+/")


def _others(kept: bytes) -> bytes:
    return _ALL.translate(None, kept)


_NO_LETTER, _NO_BASE64, _NO_HEX = _others(_DIGITS + _LOWER + _UPPER), _others(_BASE64), _others(_HEX)


def pieces(data: bytes) -> Iterator[bytes]:
    """`data` in overlapping pieces, cut at white space where there is any; what says it is UTF-16 in both readings."""
    start = 0
    while len(data) - start > PIECE:
        cut = _after_space(data, start + PIECE - OVERLAP, start + PIECE)
        yield data[start:cut]
        start = _after_space(data, cut - 2 * OVERLAP, cut - OVERLAP)
    yield data[start:]
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        yield from pieces(data.decode("utf-16", "replace").encode("utf-8", "replace"))


def _after_space(data: bytes, low: int, high: int) -> int:
    return max(data.rfind(b" ", low, high), data.rfind(b"\n", low, high)) + 1 or high


def folded(piece: bytes) -> bytes:
    """As UTF-8 with look-alikes, accents and compatibility forms as plain letters, without invisible characters."""
    piece = piece.translate(None, b"\0")
    if b"\\" in piece:
        for escape in (b"\\n", b"\\r", b"\\t"):
            piece = piece.replace(escape, b" ")
        if b"\\u" in piece:
            piece = _ESCAPED.sub(_unescape, piece)
    if piece.isascii():
        return piece
    if 10 * len(piece.translate(None, _ASCII)) > len(piece):
        return _plain(piece)
    return b"\n".join(line if line.isascii() else _plain(line) for line in piece.split(b"\n"))


def _plain(part: bytes) -> bytes:
    return part.decode("utf-8", "replace").translate(_fold()).encode("utf-8", "replace")


def words(fold: bytes) -> list[bytes]:
    """The words of a folded piece: runs of letters and digits, in lower case."""
    return fold.translate(_TO_WORDS).split()


def letters(fold: bytes) -> bytes:
    """The letters and digits of a folded piece, in lower case, with nothing between them."""
    if _CODED.search(fold):
        fold = _CODED.sub(lambda found: _CODES[found[0]], fold)
    return _squeeze(fold)


def decoded(piece: bytes) -> Iterator[tuple[str, bytes]]:
    """(name, letters) for every way to read the piece as base64 or as hexadecimal digits."""
    coded = piece
    for escape in (b"\\n", b"\\r"):
        coded = coded.replace(escape, b"")
    coded = coded.translate(_TO_BASE64, _NO_BASE64) + b"AAA"
    for shift in range(4):
        size = (len(coded) - shift) // 4 * 4
        if size > 0:
            yield "base64", _squeeze(binascii.a2b_base64(coded[shift : shift + size]))
    coded = piece
    for escape in (b"0x", b"\\u00"):
        coded = coded.replace(escape, b"")
    coded = coded.translate(None, _NO_HEX)
    for shift in range(2):
        size = (len(coded) - shift) // 2 * 2
        if size > 0:
            yield "hexadecimal", _squeeze(binascii.unhexlify(coded[shift : shift + size]))


def _squeeze(data: bytes) -> bytes:
    return data.translate(_FOLD_CASE, _NO_LETTER)


def _unescape(found: re.Match[bytes]) -> bytes:
    return binascii.unhexlify(found[0].replace(b"\\u", b"")).decode("utf-16-be", "replace").encode("utf-8", "replace")


class _Codes(dict[bytes, bytes]):
    """What a code for one ASCII character stands for; filled on demand, with at most some thousand spellings."""

    def __missing__(self, text: bytes) -> bytes:
        digits = text[2:-1] if text[:1] == b"&" else b"x" + text[-2:]
        code = int(digits[1:], 16) if digits[:1] in b"xX" else int(digits)
        plain = bytes((code,)) if code < 128 else b""
        if len(self) < 10_000:
            self[text] = plain
        return plain


_CODES = _Codes()


class _Fold(dict[int, str]):
    """What stands for a character; filled on demand, at most with the first three planes of Unicode."""

    def __init__(self, look_alikes: dict[str, str]) -> None:
        super().__init__()
        self.look_alikes = look_alikes

    def __missing__(self, code: int) -> str:
        if code >= 0x30000:
            return chr(code - 0xE0000) if 0xE0020 <= code <= 0xE007E else ""
        self[code] = plain = self._plain(chr(code))
        return plain

    def _plain(self, char: str) -> str:
        if char.isascii():
            return char
        for alike in (char, char.lower(), char.upper()):
            if alike in self.look_alikes:
                return self.look_alikes[alike]
        kind = unicodedata.category(char)
        if kind in ("Cf", "Mn", "Me", "Cs") or char in "\u115f\u1160\u3164\uffa0\u2800":
            return ""
        if kind == "Pd":
            return "-"
        if _is_unspaced(ord(char)):
            return f" {char} "
        if "\uac00" <= char <= "\ud7a3":
            return char
        parts = [part for part in unicodedata.normalize("NFKD", char) if unicodedata.category(part) != "Mn"]
        return "".join(self.look_alikes.get(p, p) if p.isascii() or p.isalnum() else " " for p in parts).lower()


def _is_unspaced(code: int) -> bool:
    """Scripts written without spaces: every character counts as a word."""
    return (
        0x0E00 <= code <= 0x0EFF
        or 0x1000 <= code <= 0x109F
        or 0x1780 <= code <= 0x17FF
        or 0x3005 <= code <= 0x30FF
        or 0x3400 <= code <= 0x9FFF
        or 0xF900 <= code <= 0xFAFF
        or code >= 0x20000
    )


@cache
def common() -> dict[str, dict[str, object]]:
    """The data of the rules."""
    return tomllib.loads(files("statsclaw.leaks").joinpath("common.toml").read_text(encoding="utf-8"))


@cache
def _fold() -> _Fold:
    pairs = common()["look_alikes"]
    return _Fold({alike: plain for plain, alikes in pairs.items() for alike in str(alikes)})
