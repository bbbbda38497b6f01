"""The sum rule with a sparse vector between the releases (docs/sequential_gaussians.md, section 5), outcome by outcome.

Releases are three coin tosses whose chance depends on the data; between them AboveThreshold answers queries that depend
on the tosses so far and on the data. One person's replacement changes both. Every outcome's probability is summed over
all paths, and integrated over the one threshold noise of a run.
"""

import itertools

import numpy as np
import pytest

from dpthesis.mechanisms.sparse_vector import pure_renyi_bound

STEPS, ALPHA, EPSILON, THRESHOLD = 3, 4.0, 1.0, 0.5
HEADS, HEADS_OTHER = 0.6, 0.45
NOISE = np.linspace(-60, 60, 60_001)
WEIGHT = np.exp(-np.abs(NOISE) * EPSILON / 2)
WEIGHT /= WEIGHT.sum()


def answer(path, step, other):
    """Query of a step, which follows the path; the neighbour's is one sensitivity higher after heads, else lower."""
    change = (1 if path[step] else -1) if other else 0
    return 0.4 * sum(path[: step + 1]) + change


def fails(query):
    """Probability that query noise of scale 4/epsilon leaves a query below the noisy threshold, for each noise."""
    gap = (THRESHOLD + NOISE - query) * EPSILON / 4
    return np.where(gap < 0, np.exp(np.minimum(gap, 0)) / 2, 1 - np.exp(-np.maximum(gap, 0)) / 2)


def stops(path, other):
    """Law of the first pass given a path of tosses; the last entry is that none passes."""
    going, law = WEIGHT.copy(), []
    for step in range(len(path)):
        below = fails(answer(path, step, other))
        law.append((going * (1 - below)).sum())
        going = going * below
    return np.array([*law, going.sum()])


def tosses(path, other):
    heads = HEADS_OTHER if other else HEADS
    return heads ** sum(path) * (1 - heads) ** (len(path) - sum(path))


def powers(own, other):
    return own**ALPHA * other ** (1 - ALPHA)


PER_TOSS = np.log(powers(HEADS, HEADS_OTHER) + powers(1 - HEADS, 1 - HEADS_OTHER)) / (ALPHA - 1)
PATHS = list(itertools.product((0, 1), repeat=STEPS))


def functional(check_price):
    """Sum of exp((1 - alpha) E) p^alpha p'^(1 - alpha) over what is published: tosses up to the stop, and the stop."""
    total = 0.0
    for step in range(STEPS + 1):
        released = min(step + 1, STEPS)
        for path in itertools.product((0, 1), repeat=released):
            own = tosses(path, False) * stops(path, False)[step]
            other = tosses(path, True) * stops(path, True)[step]
            total += np.exp((1 - ALPHA) * (released * PER_TOSS + check_price)) * powers(own, other)
    return total


def test_releases_and_checks_add_up_although_they_alternate():
    assert functional(pure_renyi_bound(EPSILON, alpha=ALPHA)) <= 1


def test_the_moment_is_a_mean_of_the_moments_of_fixed_lists_of_queries():
    """Charged the dearest list it is at most 1, charged the cheapest at least 1; uncharged it is clearly above."""
    prices = [np.log(powers(stops(path, False), stops(path, True)).sum()) / (ALPHA - 1) for path in PATHS]
    assert max(prices) - min(prices) > 0.005 and max(prices) <= pure_renyi_bound(EPSILON, alpha=ALPHA)
    assert functional(min(prices)) > 1 + 1e-4 > 1 - 1e-4 > functional(max(prices))
    assert functional(0.0) > 1.02


def test_the_moment_equals_the_mean_under_the_tilted_law_of_the_tosses():
    """Second route: tilt the tosses first, then average the check's moment over paths."""
    tilted = powers(HEADS, HEADS_OTHER) / (powers(HEADS, HEADS_OTHER) + powers(1 - HEADS, 1 - HEADS_OTHER))
    law = [tilted ** sum(path) * (1 - tilted) ** (STEPS - sum(path)) for path in PATHS]
    moments = [powers(stops(path, False), stops(path, True)).sum() for path in PATHS]
    assert functional(0.0) == pytest.approx(np.dot(law, moments), rel=1e-12)


def test_a_person_who_only_validates_loses_at_most_the_pure_epsilon_at_every_outcome():
    losses = [np.abs(np.log(stops(path, False) / stops(path, True))).max() for path in PATHS]
    assert 0.1 < max(losses) <= EPSILON
