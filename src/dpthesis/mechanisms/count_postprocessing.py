"""What is done to a noisy count before it is printed, and the bias and error that each habit has.

A release is a true count t >= 0 plus Laplace or two-sided geometric noise of rate a = epsilon/sensitivity.
Post-processing reads the release only, so it costs no privacy; it costs bias instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpthesis.mechanisms.laplace import Geometric, Laplace
from dpthesis.mechanisms.posterior_mean import posterior_mean, posterior_mean_moments

Noise = Laplace | Geometric

POST_PROCESSINGS = ("none", "clip", "round", "clip_round", "posterior_mean")


@dataclass(frozen=True)
class Moments:
    """Bias E[X - t], mean absolute error E|X - t| and mean squared error of a published count X, in trips."""

    bias: float
    mean_abs_error: float
    mean_squared_error: float

    @property
    def variance(self) -> float:
        """Variance of the published count."""
        return self.mean_squared_error - self.bias**2


def decay_rate(noise: Noise) -> float:
    """Return a = epsilon/sensitivity, by which the noise falls off as exp(-a |z|)."""
    return noise.epsilon / noise.sensitivity


def make_noise(mechanism: str, *, epsilon: float, sensitivity: float = 1.0) -> Noise:
    """Return the noise called `laplace` or `geometric`.

    Raises
    ------
    ValueError
        If the mechanism has another name.
    """
    kinds = {"laplace": Laplace, "geometric": Geometric}
    if mechanism not in kinds:
        raise ValueError(f"mechanism '{mechanism}' adds no noise to a count table here; use one of {list(kinds)}")
    return kinds[mechanism](epsilon=epsilon, sensitivity=sensitivity)


def post_process(released: np.ndarray, post_processing: str, *, noise: Noise, prior_mean: float) -> np.ndarray:
    """Return the counts as they would be printed.

    Parameters
    ----------
    released : array
        Noisy counts, any shape, in trips.
    post_processing : str
        `none`; `clip` negative values to 0; `round` to the nearest integer; `clip_round`, which is the
        maximum-likelihood count; `posterior_mean` under a geometric prior.
    noise : Laplace or Geometric
        The noise of the release.
    prior_mean : float
        Mean of the geometric prior, in trips; it must not come from the data.

    Raises
    ------
    ValueError
        If the post-processing has another name.
    """
    if post_processing == "none":
        return released
    if post_processing == "clip":
        return np.maximum(released, 0)
    if post_processing == "round":
        return np.rint(released)
    if post_processing == "clip_round":
        return np.maximum(np.rint(released), 0)
    if post_processing == "posterior_mean":
        return posterior_mean(released, rate=decay_rate(noise), prior_mean=prior_mean)
    raise ValueError(f"post-processing '{post_processing}' is not one of {list(POST_PROCESSINGS)}")


def exact_moments(true_count: int, post_processing: str, *, noise: Noise, prior_mean: float) -> Moments:
    """Return bias and errors of a published count: closed forms, and for `posterior_mean` an integral.

    Raises
    ------
    ValueError
        If the count is negative or the post-processing has another name.
    """
    if true_count < 0:
        raise ValueError(f"a true count is at least 0, got {true_count}")
    if post_processing == "posterior_mean":
        discrete = isinstance(noise, Geometric)
        return Moments(
            *posterior_mean_moments(true_count, rate=decay_rate(noise), prior_mean=prior_mean, discrete=discrete)
        )
    if post_processing not in POST_PROCESSINGS:
        raise ValueError(f"post-processing '{post_processing}' is not one of {list(POST_PROCESSINGS)}")
    rounded = post_processing in ("round", "clip_round") or isinstance(noise, Geometric)
    whole = _integer_moments if rounded else _continuous_moments
    return whole(true_count, noise, clipped=post_processing in ("clip", "clip_round"))


def _continuous_moments(true_count: int, noise: Laplace, *, clipped: bool) -> Moments:
    """Laplace noise: E|Z| = b, E Z^2 = 2 b^2; clipping replaces every error Z < -t by -t."""
    scale = noise.scale
    if not clipped:
        return Moments(0.0, scale, 2.0 * scale**2)
    reach = math.exp(-true_count / scale)
    bias = 0.5 * scale * reach
    return Moments(bias, scale - bias, 2.0 * scale**2 - reach * scale * (true_count + scale))


def _integer_moments(true_count: int, noise: Noise, *, clipped: bool) -> Moments:
    """Integer noise with P(Z = -k) = f exp(-a (k - 1)), k >= 1: geometric noise or rounded Laplace noise.

    Sums of k exp(-a k) and k^2 exp(-a k) give, with u = 1 - exp(-a): E|Z| = 2f/u^2,
    E Z^2 = 2f (2 - u)/u^3, and a bias of f exp(-a t)/u^2 when negative counts become 0:
    exp(-a t)/(2 sinh a) for geometric noise, exp(-a t)/(4 sinh(a/2)) for rounded Laplace noise.
    """
    rate = decay_rate(noise)
    step = -math.expm1(-rate)
    if isinstance(noise, Geometric):
        first = math.tanh(rate / 2.0) * math.exp(-rate)
    else:
        first = 0.5 * math.exp(-rate / 2.0) * step
    mean_abs, mean_squared = 2.0 * first / step**2, 2.0 * first * (2.0 - step) / step**3
    if not clipped:
        return Moments(0.0, mean_abs, mean_squared)
    beyond = first * math.exp(-rate * true_count)
    bias = beyond / step**2
    saved = beyond * (2.0 * true_count / step**2 + (2.0 - step) / step**3)
    return Moments(bias, mean_abs - bias, mean_squared - saved)
