"""Two persons' true answers under λ-randomization: replace one response."""

from __future__ import annotations

import math

import numpy as np

from dpthesis.adjacency import Adjacency, PrivacyUnit
from dpthesis.audit.targets import Pair, Scores
from dpthesis.mechanisms.randomized_response import LambdaRandomization
from dpthesis.mechanisms.response_sampling import randomize_records


def response(setting: str, *, lambdas: tuple[float, ...], categories: tuple[int, ...]) -> Pair:
    """A person whose attributes are all of the first category, against one who differs in all of them.

    The claim is the protocol's own: the sum of ln(1 + rλ/(1 − λ)) over the attributes (arXiv 2603.05261).
    """
    protocol = LambdaRandomization(lambdas=lambdas, categories=categories)
    return Pair(
        mechanism="lambda_randomization",
        setting=setting,
        privacy_unit=PrivacyUnit.RESPONSE,
        adjacency=Adjacency.REPLACE_ONE,
        claimed_epsilon=protocol.epsilon,
        exact=protocol.epsilon,
        scores=response_scores(protocol),
    )


def others_only_epsilon(*, lam: float, categories: int) -> float:
    """ln((r − 1)λ/(1 − λ)): right when the replacement is uniform over the *other* categories, where λ is another λ."""
    return math.log((categories - 1) * lam / (1 - lam))


def response_scores(protocol: LambdaRandomization) -> Scores:
    """Log-likelihood ratio of the report: each attribute speaks for one person, for the other, or for neither."""

    def scores(generator, first, draws):
        truth = np.full((draws, protocol.attributes), 0 if first else 1, dtype=np.int8)
        reports = randomize_records(protocol, truth, generator)
        ratio = np.zeros(draws)
        for column, epsilon in enumerate(protocol.epsilons):
            ratio += epsilon * (reports[:, column] == 0) - epsilon * (reports[:, column] == 1)
        return ratio[None]

    return scores
