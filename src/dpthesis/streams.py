"""Every random number of the thesis comes from a named stream, decided here.

A stream is known by four things: the root seed, the chapter, the cell (a point of the experiment's
grid, written as text) and the block number. Nothing else can change its draws: not the number of
cores, not the shards, not the order of jobs, not the size of a batch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np

#: Replicates in one block when a replicate is a fit, and when a replicate is a single draw.
FIT_BLOCK = 250
DRAW_BLOCK = 250_000


def stream(root: int, chapter: str, cell: str, block: int = 0) -> np.random.Generator:
    """Return the generator of one block of one cell.

    Parameters
    ----------
    root : int
        Root seed of the run, at least 0 (the config key ``root_seed``).
    chapter, cell : str
        Names; any text. The same text gives the same stream on every machine.
    block : int
        Number of the block of replicates, from 0.

    Returns
    -------
    numpy.random.Generator
        PCG64DXSM, whose bits are equal on all processors.

    Raises
    ------
    ValueError
        If `root` or `block` is negative.
    """
    if root < 0 or block < 0:
        raise ValueError(f"root seed and block must be at least 0, got root={root}, block={block}")
    key = (*_integers(chapter), *_integers(cell), block)
    sequence = np.random.SeedSequence(entropy=root, spawn_key=key)
    return np.random.Generator(np.random.PCG64DXSM(sequence))


def cell_name(**coordinates: object) -> str:
    """Write a grid point as text, in the order given: ``family=poisson,n=200,epsilon=0.1``."""
    return ",".join(f"{name}={value}" for name, value in coordinates.items())


def blocks(replicates: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield (block number, replicates in it); every block is full but the last.

    Raises
    ------
    ValueError
        If there is nothing to draw or the block size is not positive.
    """
    if replicates < 1 or size < 1:
        raise ValueError(f"replicates and block size must be at least 1, got {replicates} and {size}")
    for block, start in enumerate(range(0, replicates, size)):
        yield block, min(size, replicates - start)


def shard_blocks(replicates: int, size: int, shard: int, shards: int) -> list[tuple[int, int]]:
    """Return the blocks that one shard computes; the shards together compute each block once.

    Raises
    ------
    ValueError
        If `shard` is not in 0 .. `shards` - 1.
    """
    if not 0 <= shard < shards:
        raise ValueError(f"shard must lie in 0..{shards - 1}, got {shard}")
    return [part for part in blocks(replicates, size) if part[0] % shards == shard]


def _integers(name: str) -> tuple[int, ...]:
    """Turn a name into four 32-bit integers by SHA-256, never by ``hash()``, which changes each run."""
    digest = hashlib.sha256(name.encode("utf-8")).digest()
    return tuple(int.from_bytes(digest[i : i + 4], "big") for i in range(0, 16, 4))
