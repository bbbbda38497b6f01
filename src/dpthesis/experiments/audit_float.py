"""Floating point: do the low bits of a release say whether a cell is empty?"""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpthesis.audit import low_bits
from dpthesis.audit.lower_bounds import epsilon_lower_bound
from dpthesis.experiments.monte_carlo import share_error
from dpthesis.streams import DRAW_BLOCK, blocks, cell_name, stream

CHAPTER = "audit"


def floating_point(*, root_seed: int, epsilon: float, draws: int, error_rate: float) -> pd.DataFrame:
    """Look at the low bits of releases of a cell with one trip and of an empty cell.

    Parameters
    ----------
    root_seed : int
        Root seed of the run.
    epsilon : float
        Claim of one release, unit trip, add or remove.
    draws : int
        Releases of each of the two cells.
    error_rate : float
        Probability that any lower bound behind `detectable` is wrong, shared equally among the samplers.

    Returns
    -------
    pandas.DataFrame
        Columns as in the contract: `distinct_low_bits` counts the patterns of the seven bits below 2^-53 among the
        releases of the cell with one trip (1: all zero), `detectable` says whether an attacker who looks at nothing
        else refutes the claim. Then distinct_low_bits_empty (of 128, for the empty cell), proof_share (releases of the
        empty cell that prove it empty, to two decimals: the last bits of a logarithm are not the same on every
        processor), expected_proof_share, epsilon, draws, and the standard error of proof_share before its rounding.
    """
    rows = []
    for name, (sampler, fine) in low_bits.SAMPLERS.items():
        patterns = [np.zeros(2**low_bits.BITS, dtype=np.int64) for _ in range(2)]
        cell = cell_name(table="float", sampler=name, epsilon=epsilon)
        for block, size in blocks(draws, DRAW_BLOCK):
            generator = stream(root_seed, CHAPTER, cell, block)
            for count in (0, 1):
                seen = low_bits.low_bits(count + sampler(generator, size, epsilon))
                patterns[count] += np.bincount(seen, minlength=2**low_bits.BITS)
        empty, one = patterns
        proof_share = round(float(empty[1:].sum()) / draws, 2)
        rows.append(
            {
                "sampler": name,
                "distinct_low_bits": int((one > 0).sum()),
                "detectable": _refuted(empty, one, draws, epsilon, error_rate / len(low_bits.SAMPLERS)),
                "distinct_low_bits_empty": int((empty > 0).sum()),
                "proof_share": proof_share,
                "expected_proof_share": low_bits.fine_share(epsilon=epsilon) if fine else 0.0,
                "epsilon": epsilon,
                "draws": draws,
                # from the rounded share, for the same reason
                "proof_share_se": share_error(proof_share * draws, draws),
            }
        )
    return pd.DataFrame(rows)


def _refuted(empty: np.ndarray, one: np.ndarray, draws: int, epsilon: float, error: float) -> bool:
    """Whether releases with fine bits (any pattern but 0) refute the claim; the set is fixed, so nothing is chosen."""
    return bool(epsilon_lower_bound(empty[1:].sum(), one[1:].sum(), draws, delta=0.0, error=error) > epsilon)
