"""What the low bits of a released double give away (Mironov 2012).

A count of 1 plus Laplace noise lands below 1/2 only if the noise was below −1/2, and such a double is a multiple of
2^-53; so is every release above 1/2 because of its own size. A count of 0 publishes the noise itself, and noise smaller
than 1/2 has finer bits. One release that is not a multiple of 2^-53 therefore proves that nobody travelled: no epsilon
holds. The argument needs nothing about the sampler but that it returns fine-grained doubles.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dpthesis.mechanisms.laplace import Geometric, Laplace

#: Low bits that are looked at: those worth 2^-60 to 2^-54.
BITS = 7
_UNIT = 2.0**60

#: Takes a generator, the number of releases and epsilon; returns noise.
Sampler = Callable[[np.random.Generator, int, float], np.ndarray]


def low_bits(releases: np.ndarray) -> np.ndarray:
    """The seven bits of each release that are worth 2^-60 to 2^-54, as an integer; 0 for a multiple of 2^-53.

    Exact: scaling by a power of two and the remainder by 128 do not round.
    """
    return np.fmod(np.floor(np.abs(np.asarray(releases, dtype=float)) * _UNIT), 2.0**BITS).astype(np.int64)


def fine_share(*, epsilon: float) -> float:
    """P(one of the seven bits of an empty cell's release is set) for ideal Laplace noise rounded to a double.

    Noise in [2^-(j+1), 2^-j) is a multiple of 2^-(53+j): seven of its j finer bits are seen, fair coins.
    """
    terms = (
        (math.exp(-epsilon * 2.0 ** -(j + 1)) - math.exp(-epsilon * 2.0**-j)) * (1 - 2.0 ** -min(j, BITS))
        for j in range(1, 60)
    )
    return math.fsum(terms)


def inverse_cdf(generator: np.random.Generator, draws: int, epsilon: float) -> np.ndarray:
    """The textbook sampler: −sign(U) ln(1 − 2|U|)/epsilon for U uniform on [−1/2, 1/2).

    1 − 2|U| is exact. log1p would lose no more, but its low bits depend on the processor: the C library's prove a cell
    empty in 25% of the draws, those of numpy with AVX-512 in 27%.
    """
    uniform = generator.random(draws) - 0.5
    return -np.sign(uniform) * np.log(1 - 2 * np.abs(np.where(uniform == -0.5, 0.0, uniform))) / epsilon


def signed_exponential(generator: np.random.Generator, draws: int, epsilon: float) -> np.ndarray:
    """This package's own Laplace noise, meant for experiments and not for a release."""
    return Laplace(epsilon=epsilon).sample(generator, draws)


def rounded(generator: np.random.Generator, draws: int, epsilon: float) -> np.ndarray:
    """The same rounded to whole trips: post-processing that discards the low bits."""
    return np.rint(Laplace(epsilon=epsilon).sample(generator, draws))


def geometric(generator: np.random.Generator, draws: int, epsilon: float) -> np.ndarray:
    """Two-sided geometric noise: integers from the start, the recommended release."""
    return Geometric(epsilon=epsilon).sample(generator, draws)


#: Samplers of noise; those that keep fine bits come with the share that theory predicts.
SAMPLERS: dict[str, tuple[Sampler, bool]] = {
    "laplace_inverse_cdf": (inverse_cdf, True),
    "laplace_signed_exponential": (signed_exponential, True),
    "laplace_rounded": (rounded, False),
    "geometric": (geometric, False),
}
