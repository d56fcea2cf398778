"""The spellings in which a secret may come back: encoded, reversed, or with something put between its letters."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import quote

_SHORTEST = 8
#: What can stand between the letters of a secret.
_BETWEEN = " \t\r\n\v\f-_.,:;|/\\'\"`+*#%=()[]{}<>~"
_FEWEST_APART = 12


@lru_cache(maxsize=256)
def spellings(secret: str) -> tuple[str, ...]:
    """The secret itself and its encodings, the longest first; none of what is too short to be a secret."""
    if len(secret) < _SHORTEST:
        return ()
    data = secret.encode("utf-8", "surrogateescape")
    found = {secret, secret[::-1], json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    found |= {secret.replace("/", "\\/"), quote(data, safe=""), quote(data, safe="/"), quote(quote(data, safe=""))}
    digits = [f"{byte:02x}" for byte in data]
    found |= {before.join(["", *digits]) for before in ("%", "\\x", "0x", "\\u00")} | {"".join(digits)}
    found |= {text.upper() for text in found if text.startswith(("%", "".join(digits)))}
    found |= {re.sub("%..", lambda part: part[0].lower(), text) for text in found if "%" in text}
    found |= set(_base64(data)) | set(_base64(data[::-1]))
    return tuple(sorted((text for text in found if len(text) >= _SHORTEST), key=lambda text: (-len(text), text)))


def _base64(data: bytes) -> list[str]:
    """As it stands in the base64 of a longer text, wherever it begins there; only letters that it decides alone."""
    found = []
    for offset in range(3):
        whole = base64.b64encode(bytes(offset) + data).decode("ascii")
        inner = whole[-(-offset * 8 // 6) : (offset + len(data)) * 8 // 6]
        found += [inner, inner.replace("+", "-").replace("/", "_")]
    return found


def without_echoes(text: str, secrets: tuple[str, ...], hidden: str) -> str:
    """`text` with every spelling of a secret replaced, also where its letters stand apart."""
    known = sorted((row for secret in secrets for row in spellings(secret)), key=len, reverse=True)
    for spelling in known:
        if spelling in text:
            text = text.replace(spelling, hidden)
    for start, end in reversed(_apart(text, known)):
        text = text[:start] + hidden + text[end:]
    return text


def has_echo(text: str, secrets: tuple[str, ...]) -> bool:
    known = [spelling for secret in secrets for spelling in spellings(secret)]
    return any(spelling in text for spelling in known) or bool(_apart(text, known))


def _apart(text: str, known: Sequence[str]) -> list[tuple[int, int]]:
    """Where spellings stand with something between their letters, in order and without overlap."""
    together = _together(text)
    found = [part for part in {_together(spelling) for spelling in known} if _is_telling(part) and part in together]
    if not found:
        return []
    letters = [at for at, char in enumerate(text) if char not in _BETWEEN]
    kept = "".join(text[at] for at in letters)
    longest_first = sorted((part.decode("utf-8", "surrogatepass") for part in found), key=len, reverse=True)
    hits = re.finditer("|".join(map(re.escape, longest_first)), kept)
    return [(letters[hit.start()], letters[hit.end() - 1] + 1) for hit in hits]


def _together(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass").translate(None, _BETWEEN.encode())


def _is_telling(part: bytes) -> bool:
    """Words, or digits, stand one after the other in ordinary text too."""
    return len(part) >= _FEWEST_APART and bool(re.search(rb"[0-9]", part) and re.search(rb"[A-Za-z]", part))
