"""Streams belong to (seed, cell, replication, purpose) and to nothing else."""

from __future__ import annotations

import copy
import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statsclaw.montecarlo.streams import DATA, R_KIND, Stream, r_state, stream_key

KEY = stream_key(7, {"n": 50}, DATA)


def test_a_stream_depends_on_the_replication_only_and_not_on_what_was_drawn_before() -> None:
    stream = Stream(KEY)
    alone = [Stream(KEY).at(replication).random(5).tolist() for replication in range(4)]
    stream.at(2).normal(size=1001)
    in_turn = [stream.at(replication).random(5).tolist() for replication in (3, 0, 2, 1)]
    assert in_turn == [alone[3], alone[0], alone[2], alone[1]]
    assert len({tuple(draws) for draws in alone}) == 4


def test_half_a_word_left_over_does_not_reach_the_next_replication() -> None:
    stream = Stream(KEY)
    fresh = stream.at(1).integers(0, 2**31, dtype=np.uint32, size=3).tolist()
    stream.at(0).integers(0, 2**31, dtype=np.uint32)  # uses half of a 64-bit word
    assert stream.at(1).integers(0, 2**31, dtype=np.uint32, size=3).tolist() == fresh


def test_streams_are_philox_with_the_replication_in_the_counter() -> None:
    """An independent construction with numpy alone: a later version must give the same numbers."""
    key = np.frombuffer(hashlib.sha256(b'[7, [["n", 50]], "data"]').digest()[:16], dtype="<u8")
    philox = np.random.Philox(key=key, counter=np.array([0, 0, 0, 12], dtype=np.uint64))
    assert Stream(KEY).at(12).random(8).tolist() == np.random.Generator(philox).random(8).tolist()


@pytest.mark.parametrize(
    "other",
    [
        stream_key(8, {"n": 50}, DATA),
        stream_key(7, {"n": 51}, DATA),
        stream_key(7, {"n": "50"}, DATA),
        stream_key(7, {"m": 50}, DATA),
        stream_key(7, {"n": 50, "rho": 0}, DATA),
        stream_key(7, {"n": 50}, "method:ols"),
    ],
)
def test_every_part_of_the_name_counts(other: bytes) -> None:
    assert other != KEY


def test_the_order_of_axes_does_not_count() -> None:
    assert stream_key(1, {"a": 1, "b": 2}, DATA) == stream_key(1, {"b": 2, "a": 1}, DATA)


def test_untouched_notices_any_draw() -> None:
    stream = Stream(KEY)
    assert (stream.at(3), stream.untouched)[1]
    for draw in (lambda g: g.random(), lambda g: g.integers(2, dtype=np.uint8), lambda g: g.spawn(1)):
        draw(stream.at(3))
        assert not stream.untouched
    stream.at(4)
    assert stream.untouched


def test_children_of_a_stream_are_as_reproducible_as_the_stream() -> None:
    first, again = Stream(KEY), Stream(KEY)
    again.at(5).spawn(3)
    children = [child.random() for child in first.at(9).spawn(2)]
    assert [child.random() for child in again.at(9).spawn(2)] == children
    assert [child.random() for child in again.at(10).spawn(2)] != children
    assert len(set(children)) == 2


def test_a_copy_of_a_generator_goes_on_alone() -> None:
    generator = Stream(KEY).at(1)
    twin = copy.deepcopy(generator)
    assert twin.random(3).tolist() == generator.random(3).tolist()


def test_draws_of_neighbouring_replications_are_uncorrelated_and_uniform() -> None:
    stream = Stream(KEY)
    draws = np.array([stream.at(replication).random(50) for replication in range(2000)])
    correlations = [np.corrcoef(draws[:-1, j], draws[1:, j])[0, 1] for j in range(50)]
    assert np.abs(correlations).max() < 0.1  # 4.5 standard errors
    assert abs(draws.mean() - 0.5) < 5 * np.sqrt(1 / 12 / draws.size)


@given(st.binary(min_size=32, max_size=32), st.integers(0, 2**63))
def test_an_r_state_is_valid(key: bytes, replication: int) -> None:
    kind, *words = r_state(key, replication)
    unsigned = [word % 2**32 for word in words]
    assert kind == R_KIND and len(words) == 6
    assert all(-(2**31) <= word < 2**31 for word in words)
    assert max(unsigned[:3]) < 4294967087 and max(unsigned[3:]) < 4294944443
    assert any(unsigned[:3]) and any(unsigned[3:])
    assert r_state(key, replication + 1) != (kind, *words)
