"""The promise of streams: nothing but root seed, chapter, cell and block decides a draw."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpthesis.streams import blocks, cell_name, shard_blocks, stream

NAMES = st.text(max_size=20)


def draws(root, chapter, cell, replicates, size, shards=1, order=1):
    """Draw one normal a replicate, shard by shard in any order, and put the blocks together by number."""
    parts = {}
    for shard in range(shards)[::order]:
        for block, count in shard_blocks(replicates, size, shard, shards)[::order]:
            parts[block] = stream(root, chapter, cell, block).standard_normal(count)
    return np.concatenate([parts[block] for block in sorted(parts)])


@given(st.integers(0, 2**63), NAMES, NAMES, st.integers(1, 60), st.integers(1, 20), st.integers(1, 6))
def test_shards_and_order_change_no_draw(root, chapter, cell, replicates, size, shards):
    whole = draws(root, chapter, cell, replicates, size)
    assert len(whole) == replicates
    assert np.array_equal(whole, draws(root, chapter, cell, replicates, size, shards, order=-1))


@given(st.integers(1, 10_000), st.integers(1, 500))
def test_more_replicates_keep_the_full_blocks(replicates, size):
    longer = dict(blocks(replicates + size, size))
    assert all(longer[block] >= count for block, count in blocks(replicates, size))


@given(st.integers(0, 100), NAMES, NAMES, st.integers(0, 100))
def test_neighbouring_names_and_numbers_give_other_streams(root, chapter, cell, block):
    first = stream(root, chapter, cell, block).random(4)
    others = [(root + 1, chapter, cell, block), (root, chapter + "x", cell, block), (root, chapter, cell + "x", block)]
    others += [(root, chapter, cell, block + 1), (root, cell + "y", chapter, block)]
    assert all(not np.array_equal(first, stream(*other).random(4)) for other in others)


def test_the_same_bits_as_when_this_was_written():
    # Golden value: numpy 2.4.6, `stream(20260217, "laplace_lab", "epsilon=0.1", 3).random(2)`.
    values = stream(20260217, "laplace_lab", "epsilon=0.1", 3).random(2)
    assert values.tolist() == [0.1441520049059295, 0.9480175252047609]


def test_hash_randomisation_changes_nothing():
    program = "from dpthesis.streams import stream; print(stream(1, 'a', 'b').random())"
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "src"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "12345")
    }
    assert len(printed) == 1


@pytest.mark.parametrize("arguments", [(-1, "a", "b", 0), (1, "a", "b", -1)])
def test_negative_numbers_are_refused(arguments):
    with pytest.raises(ValueError, match="at least 0"):
        stream(*arguments)


def test_nothing_to_draw_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        list(blocks(0, 10))
    with pytest.raises(ValueError, match=r"0\.\.1"):
        shard_blocks(10, 5, 2, 2)


def test_cell_names_keep_the_order():
    assert cell_name(family="poisson", n=200, epsilon=0.1) == "family=poisson,n=200,epsilon=0.1"
