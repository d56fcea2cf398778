"""One stream of random numbers for every (study seed, cell, replication, purpose), whoever computes it and when.

Philox is counter-based: seed, cell and purpose give the key, the replication the last of the counter's four words. So
every replication of a cell has 2^192 blocks of its own, in which `jumped()` (by 2^128) stays too, and streams never
meet. The cell enters by what it is, not by its place: a level added to the grid leaves the results of the other cells
as they were.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.random.bit_generator import ISpawnableSeedSequence

from statsclaw.montecarlo.design import Level

DATA = "data"
#: Moduli of the two components of L'Ecuyer's MRG32k3a: a state must lie below them and not be all zero.
_MODULI = (4294967087, 4294944443)
#: R's code for kind L'Ecuyer-CMRG, normal.kind Inversion, sample.kind Rejection.
R_KIND = 10407


def stream_key(seed: int, cell: Mapping[str, Level], purpose: str) -> bytes:
    """32 bytes that name a family of streams, one per replication."""
    text = json.dumps([seed, sorted(cell.items()), purpose], ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).digest()


class _Children(ISpawnableSeedSequence):
    """What `rng.spawn()` makes children of: as bound to the replication as the stream itself."""

    def __init__(self, key: bytes) -> None:
        self._entropy = [int(word) for word in np.frombuffer(key, dtype="<u4")]
        self.replication = 0
        self.spawned = 0

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
        return np.random.SeedSequence([*self._entropy, self.replication]).generate_state(n_words, dtype)

    def spawn(self, n_children: int) -> list[Any]:
        numbers = range(self.spawned, self.spawned + n_children)
        self.spawned += n_children
        return [np.random.SeedSequence([*self._entropy, self.replication], spawn_key=(n,)) for n in numbers]


class Stream:
    """One generator that is set to the start of a replication's stream; it is valid until it is set again."""

    def __init__(self, key: bytes) -> None:
        self._children = _Children(key)
        self._philox = np.random.Philox(cast(Any, self._children))
        self._state: Any = np.random.Philox(key=np.frombuffer(key[:16], dtype="<u8").astype(np.uint64)).state
        self._counter = self._state["state"]["counter"]
        self.generator = np.random.Generator(self._philox)

    def at(self, replication: int) -> np.random.Generator:
        """1 µs, where making a generator takes ten times that."""
        self._counter[3] = replication
        self._children.replication = replication
        self._children.spawned = 0
        self._philox.state = self._state
        return self.generator

    @property
    def untouched(self) -> bool:
        """Nothing was drawn since the generator was set."""
        now = self._philox.state
        fresh = now["buffer_pos"] == 4 and not now["state"]["counter"][:3].any()
        return bool(fresh and not self._children.spawned)


def r_state(key: bytes, replication: int) -> tuple[int, ...]:
    """`.Random.seed` for R: the kind and six words of a valid L'Ecuyer-CMRG state, as the signed integers R keeps."""
    attempt = 0
    while True:
        text = key + replication.to_bytes(8, "little") + attempt.to_bytes(4, "little")
        words = np.frombuffer(hashlib.sha256(text).digest()[:24], dtype="<u4").tolist()
        halves = (words[:3], words[3:])
        if all(max(half) < modulus and any(half) for half, modulus in zip(halves, _MODULI, strict=True)):
            return (R_KIND, *(word - 2**32 if word >= 2**31 else word for word in words))
        attempt += 1
