"""What an (epsilon, delta) guarantee says to somebody who is not a statistician: how often a guess can be right.

Let P and Q be the laws of all that is published, with the rider and without. Both are equally likely beforehand, and
an attacker who knows everything else says "in" on a set A of outputs, "out" elsewhere. Right answers have the share

    s/2,   s = P(A) + Q(not A).

Epsilon and delta bound both terms, each by the other law: P(A) <= e^epsilon Q(A) + delta and
Q(not A) <= e^epsilon P(not A) + delta. Their sum is s <= e^epsilon (Q(A) + P(not A)) + 2 delta, and
Q(A) + P(not A) = 2 - s. Hence s (1 + e^epsilon) <= 2 (e^epsilon + delta), or

    share of right answers <= (e^epsilon + delta)/(1 + e^epsilon),

which the mechanism that tells the truth with probability delta and else answers by randomised response attains. A rule
that tosses coins is a mixture of such sets and does no better.

What delta does not bound is the probability that a loss exceeds epsilon, that is, of outputs after which the attacker
is surer than e^epsilon/(1 + e^epsilon): delta is the mean of (1 - e^(epsilon - loss))+, and a loss slightly above
epsilon adds next to nothing to it. "Outside an event of probability delta" would be false.
"""

from __future__ import annotations

import math


def guaranteed_success(epsilon: float, *, delta: float = 0.0) -> float:
    """Largest share of right guesses at even odds under (epsilon, delta): (e^epsilon + delta)/(1 + e^epsilon)."""
    decay = math.exp(-epsilon)
    return (1.0 + delta * decay) / (1.0 + decay)
