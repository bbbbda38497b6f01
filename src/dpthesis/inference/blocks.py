"""Estimates of several blocks that are treated together, each block with its own stream."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

#: The stream of a block's own draws, and how many neighbouring estimates the block has.
Block = tuple[np.random.Generator, int]


def by_block(theta: np.ndarray, blocks: Sequence[Block]) -> Iterator[tuple[np.random.Generator, np.ndarray]]:
    """Yield each block's stream and its estimates, shape (size, d), out of all, shape (replicates, d).

    Raises
    ------
    ValueError
        If the blocks together are not as long as the estimates.
    """
    streams, sizes = zip(*blocks, strict=True)
    if sum(sizes) != len(theta):
        raise ValueError(f"the blocks name {sum(sizes)} estimates, there are {len(theta)}")
    return zip(streams, np.split(theta, np.cumsum(sizes)[:-1]), strict=True)
