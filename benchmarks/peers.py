"""The same task done here and by the library that people use; each pair is checked to agree before it is timed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import numpy as np
import statsmodels.api as sm
from dp_accounting import get_sigma_gaussian
from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_MI, GRR_Client
from statsmodels.tools.sm_exceptions import ConvergenceWarning

from benchmarks.clock import cpu_seconds
from dpthesis.data.designs import reference_design
from dpthesis.families.generalized_linear import GeneralizedLinear
from dpthesis.inference.marginals import marginal_estimate
from dpthesis.mechanisms.gaussian import analytic_sigma
from dpthesis.mechanisms.kronecker import inverse_by_terms, joint_matrix
from dpthesis.mechanisms.laplace import Laplace
from dpthesis.mechanisms.randomized_response import LambdaRandomization
from dpthesis.mechanisms.response_sampling import count_records, randomize_records
from dpthesis.streams import stream

Pair = tuple[str, str, Callable[[], object], Callable[[], object]]


def ratios() -> Iterator[tuple[str, str, float]]:
    """Yield task, peer and how many times the peer's CPU time is ours."""
    for make in (fits, inversions, noise, calibration, responses):
        for task, peer, ours, theirs in make():
            yield task, peer, cpu_seconds(theirs) / cpu_seconds(ours)


def fits() -> Iterator[Pair]:
    """Fit 250 data sets of 1,000 responses: one batch of Newton steps against a loop of statsmodels fits."""
    n, replicates = 1000, 250
    for name, truth, peers in (
        ("logistic", (-0.3, 0.8, -0.5, 0.4), {"GLM": sm.families.Binomial(), "Logit": None}),
        ("poisson", (0.2, 0.3, -0.2, 0.1), {"GLM": sm.families.Poisson()}),
    ):
        family = GeneralizedLinear(name, reference_design(n))
        rows = np.repeat(family.design.rows, family.design.counts, axis=0)
        means = family.link.mean(rows @ np.array(truth))
        generator = stream(1, "benchmark", name, 0)
        draw = generator.binomial if name == "logistic" else generator.poisson
        arguments = (1, means) if name == "logistic" else (means,)
        responses = draw(*arguments, size=(replicates, n)).astype(float)
        for peer, law in peers.items():
            yield _fit_pair(family, rows, responses, peer, law)


def _fit_pair(family, rows, responses, peer, law) -> Pair:
    def ours() -> np.ndarray:
        return family.solve(np.einsum("rn,nd->rd", responses, rows) / len(rows))

    def theirs() -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return np.array([model(y) for y in responses])

    def model(y: np.ndarray) -> np.ndarray:
        return sm.Logit(y, rows).fit(disp=0).params if law is None else sm.GLM(y, rows, family=law).fit().params

    assert np.abs(ours() - theirs()).max() < 1e-6, "the two fits disagree"
    return f"{family.name} plug-in, 250 samples of n = {len(rows):,}", f"statsmodels {peer} loop", ours, theirs


def inversions() -> Iterator[Pair]:
    """Invert the joint mixing matrix of k attributes with 5 categories: mode by mode against the dense inverse."""
    for attributes in (3, 4, 5):
        protocol = LambdaRandomization(lambdas=(0.6, 0.7, 0.4, 0.8, 0.5)[:attributes], categories=(5,) * attributes)
        table = stream(1, "benchmark", "table", attributes).random(protocol.categories)
        dense = joint_matrix(protocol)

        def ours(protocol=protocol, table=table) -> np.ndarray:
            return protocol.invert(table)

        def solve(dense=dense, table=table) -> np.ndarray:
            return np.linalg.solve(dense, table.ravel())

        def invert(dense=dense, table=table) -> np.ndarray:
            return np.linalg.inv(dense) @ table.ravel()

        task = f"invert {attributes} attributes ({table.size:,} cells)"
        assert np.abs(ours().ravel() - solve()).max() < 1e-8, "the two inverses disagree"
        yield task, "numpy dense solve", ours, solve
        if attributes == 5:
            assert np.abs(ours().ravel() - invert()).max() < 1e-8, "the two inverses disagree"
            yield task, "numpy dense inverse", ours, invert
        if attributes < 4:
            terms = lambda protocol=protocol, table=table: inverse_by_terms(protocol) @ table.ravel()  # noqa: E731
            yield task, "the source's 2^k dense terms", ours, terms


def noise() -> Iterator[Pair]:
    """Draw a million noises: a random sign times an exponential against numpy's own Laplace draws."""
    law = Laplace(epsilon=0.5)
    first, second = stream(1, "benchmark", "noise", 0), stream(1, "benchmark", "noise", 1)
    shape = (1000, 1000)
    yield (
        "Laplace noise, 1,000,000 draws",
        "numpy Generator.laplace",
        lambda: law.sample(first, shape),
        lambda: second.laplace(0.0, law.scale, shape),
    )


def calibration() -> Iterator[Pair]:
    """Find the smallest Gaussian noise for 20 budgets: log-space bracketing against dp-accounting."""
    budgets = [(epsilon, delta) for epsilon in (0.1, 0.5, 1.0, 2.0, 5.0) for delta in (1e-5, 1e-6, 1e-8, 1e-10)]

    def ours() -> list[float]:
        return [analytic_sigma(epsilon=epsilon, delta=delta) for epsilon, delta in budgets]

    def theirs() -> list[float]:
        return [get_sigma_gaussian(epsilon, delta) for epsilon, delta in budgets]

    assert np.allclose(ours(), theirs(), rtol=1e-6), "the two calibrations disagree"
    yield "Gaussian calibration, 20 budgets", "dp-accounting get_sigma_gaussian", ours, theirs


def responses() -> Iterator[Pair]:
    """Randomize 20,000 people with 3 attributes and estimate the marginals."""
    protocol = LambdaRandomization(lambdas=(0.9, 0.8, 0.7), categories=(5, 5, 5))
    people = 20_000
    records = stream(1, "benchmark", "people", 0).integers(0, 5, size=(people, 3))
    generator = stream(1, "benchmark", "reports", 0)
    reports = randomize_records(protocol, records, generator)

    def estimate(reported: np.ndarray) -> list[np.ndarray]:
        counts = count_records(reported, protocol.categories)
        return [marginal_estimate(protocol, counts, (axis,), people) for axis in range(3)]

    def their_estimate(reported: np.ndarray) -> list[np.ndarray]:
        columns = zip(reported.T, protocol.categories, protocol.epsilons, strict=True)
        return [GRR_Aggregator_MI(column, r, epsilon) for column, r, epsilon in columns]

    def their_reports() -> np.ndarray:
        columns = zip(records.T, protocol.categories, protocol.epsilons, strict=True)
        return np.array([[GRR_Client(value, r, epsilon) for value in column] for column, r, epsilon in columns]).T

    assert np.allclose(estimate(reports), their_estimate(reports), atol=1e-12), "the two estimates disagree"
    peer = "multi-freq-ldpy GRR"
    yield (
        f"λ estimate of 3 marginals, {people:,} people",
        peer,
        lambda: estimate(reports),
        lambda: their_estimate(reports),
    )
    yield (
        f"randomize and estimate, {people:,} people",
        peer,
        lambda: estimate(randomize_records(protocol, records, generator)),
        lambda: their_estimate(their_reports()),
    )
