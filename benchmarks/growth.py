"""How time and memory grow with replicates, people, attributes and cells: fitted exponents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from benchmarks.clock import cpu_seconds, exponent, peak_bytes
from dpthesis.data.designs import reference_design
from dpthesis.families.generalized_linear import GeneralizedLinear
from dpthesis.mechanisms.kronecker import joint_matrix
from dpthesis.mechanisms.laplace import Laplace
from dpthesis.mechanisms.randomized_response import LambdaRandomization
from dpthesis.mechanisms.response_sampling import randomize_counts, randomize_records
from dpthesis.streams import stream

THETA = np.array([-0.3, 0.8, -0.5, 0.4])


def growths() -> Iterator[tuple[str, str, float, float]]:
    """Yield task, range, exponent of CPU time and exponent of peak memory."""
    for task, unit, sizes, make in (
        ("logistic plug-in: sample, release, solve", "replicates", (1000, 4000, 16000), fits_by_replicates),
        ("logistic plug-in: sample, release, solve", "responses n", (1000, 10_000, 100_000, 1_000_000), fits_by_people),
        ("noise on a published table", "cells", (10_000, 100_000, 1_000_000), noise_by_cells),
        ("randomize records of 3 attributes", "people", (10_000, 100_000, 1_000_000), records_by_people),
        ("randomize a table of counts (PRAM)", "people", (10_000, 1_000_000, 100_000_000), counts_by_people),
        ("structured inverse, 4 to 8 attributes", "cells 5^k", (625, 3125, 15_625, 78_125, 390_625), inverse_by_cells),
        ("dense inverse, 2 to 5 attributes", "cells 5^k", (25, 125, 625, 3125), dense_by_cells),
    ):
        times, peaks = measure(sizes, make)
        yield task, f"{unit} {sizes[0]:,} to {sizes[-1]:,}", exponent(sizes, times), exponent(sizes, peaks)


def measure(sizes: Sequence[int], make: Callable[[int], Callable]) -> tuple[list[float], list[int]]:
    works = [make(size) for size in sizes]
    return [cpu_seconds(work, least=0.1, rounds=2) for work in works], [peak_bytes(work) for work in works]


def fits_by_replicates(replicates: int) -> Callable:
    return _fits(replicates, 1000)


def fits_by_people(n: int) -> Callable:
    return _fits(2000, n)


def _fits(replicates: int, n: int) -> Callable:
    family, generator = GeneralizedLinear("logistic", reference_design(n)), stream(1, "benchmark", "fits", n)
    theta = np.tile(THETA, (replicates, 1))

    def work() -> np.ndarray:
        statistics = family.sample(generator, theta)
        return family.solve(statistics + 0.1 / n * generator.standard_normal(statistics.shape))

    return work


def noise_by_cells(cells: int) -> Callable:
    law, generator, table = Laplace(epsilon=0.5), stream(1, "benchmark", "cells", cells), np.ones(cells)
    return lambda: np.abs(table + law.sample(generator, cells) - table).mean()


def records_by_people(people: int) -> Callable:
    generator = stream(1, "benchmark", "people", people)
    records = generator.integers(0, 5, size=(people, 3))
    protocol = LambdaRandomization(lambdas=(0.9, 0.8, 0.7), categories=(5, 5, 5))
    return lambda: randomize_records(protocol, records, generator)


def counts_by_people(people: int) -> Callable:
    generator = stream(1, "benchmark", "counts", people)
    counts = np.full((100, 5, 5, 5), people // 125)
    protocol = LambdaRandomization(lambdas=(0.9, 0.8, 0.7), categories=(5, 5, 5))
    return lambda: randomize_counts(protocol, counts, generator)


def inverse_by_cells(cells: int) -> Callable:
    protocol = _protocol(cells)
    table = stream(1, "benchmark", "table", cells).random(protocol.categories)
    return lambda: protocol.invert(table)


def dense_by_cells(cells: int) -> Callable:
    matrix = joint_matrix(_protocol(cells))
    return lambda: np.linalg.inv(matrix)


def _protocol(cells: int) -> LambdaRandomization:
    attributes = round(np.log(cells) / np.log(5))
    return LambdaRandomization(lambdas=(0.6,) * attributes, categories=(5,) * attributes)
