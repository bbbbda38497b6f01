"""The two samplers against exact laws; near misses must fail the same tests."""

import itertools
import math
from collections import Counter

import numba
import numpy as np
import pytest
from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_MI, GRR_Client
from scipy import stats

from dpthesis.inference.simplex import clip_rescale
from dpthesis.mechanisms.kronecker import attribute_matrix, joint_matrix
from dpthesis.mechanisms.randomized_response import LambdaRandomization
from dpthesis.mechanisms.response_error import sample_error
from dpthesis.mechanisms.response_sampling import count_records, randomize_counts, randomize_records
from dpthesis.streams import stream

PROTOCOL = LambdaRandomization(lambdas=(0.5, 0.3), categories=(5, 4))
TRUE = (2, 3)
PEOPLE = 200_000
#: A correct sampler fails a test of this file with this probability; the seeds are fixed.
LEVEL = 1e-4


def p_value(counts, chances):
    return stats.chisquare(np.ravel(counts), np.ravel(chances) * np.sum(counts)).pvalue


def local(generator):
    records = np.tile(np.array(TRUE), (PEOPLE, 1))
    return count_records(randomize_records(PROTOCOL, records, generator), PROTOCOL.categories)


def centralised(generator):
    counts = np.zeros(PROTOCOL.categories, dtype=np.int64)
    counts[TRUE] = PEOPLE
    return randomize_counts(PROTOCOL, counts, generator)


def uniform_over_the_others(generator):
    """The bug of other libraries: who lies never tells the truth by chance."""
    columns = []
    for true, lam, r in zip(TRUE, PROTOCOL.lambdas, PROTOCOL.categories, strict=True):
        other = (true + generator.integers(1, r, size=PEOPLE)) % r
        columns.append(np.where(generator.random(PEOPLE) < lam, true, other))
    return count_records(np.stack(columns, axis=1), PROTOCOL.categories)


@pytest.mark.parametrize("sampler", [local, centralised])
def test_people_with_one_true_value_report_by_their_row(sampler):
    row = joint_matrix(PROTOCOL)[np.ravel_multi_index(TRUE, PROTOCOL.categories)]
    assert p_value(sampler(stream(1, "test", sampler.__name__)), row) > LEVEL


def test_uniform_over_the_others_is_rejected():
    row = joint_matrix(PROTOCOL)[np.ravel_multi_index(TRUE, PROTOCOL.categories)]
    assert p_value(uniform_over_the_others(stream(1, "test", "others")), row) < 1e-12


SMALL = LambdaRandomization(lambdas=(0.6, 0.25), categories=(2, 2))
THREE = np.array([[0, 0], [0, 1], [1, 1]])
REPEATS = 100_000


def exact_law_of_three():
    """The chance of every table of counts that three people can report, by enumeration."""
    matrix = joint_matrix(SMALL)
    rows = [matrix[2 * a + b] for a, b in THREE]
    law = Counter()
    for reports in itertools.product(range(4), repeat=3):
        table = tuple(np.bincount(reports, minlength=4))
        law[table] += math.prod(row[report] for row, report in zip(rows, reports, strict=True))
    return law


def p_of_tables(tables, law):
    seen = Counter(map(tuple, tables.reshape(-1, 4).tolist()))
    keys = sorted(law)
    assert set(seen) <= set(keys)
    return p_value([seen[key] for key in keys], [law[key] for key in keys])


def test_local_and_centralised_mode_have_one_law():
    law = exact_law_of_three()
    counts = np.tile(count_records(THREE, (2, 2)), (REPEATS, 1, 1))
    assert p_of_tables(randomize_counts(SMALL, counts, stream(1, "test", "pram")), law) > LEVEL
    reports = randomize_records(SMALL, np.tile(THREE, (REPEATS, 1)), stream(1, "test", "local"))
    cells = (2 * reports[:, 0] + reports[:, 1]).reshape(REPEATS, 3)
    assert p_of_tables(np.stack([(cells == cell).sum(axis=1) for cell in range(4)], axis=1), law) > LEVEL


def test_the_error_against_the_fixed_sample_is_exactly_as_predicted():
    # no draw: the expectation over every table that three people can report
    sample = count_records(THREE, (2, 2)) / 3
    law = exact_law_of_three()
    error = sum(
        weight * np.square(SMALL.invert(np.reshape(table, (2, 2)) / 3) - sample).sum() for table, weight in law.items()
    )
    assert error == pytest.approx(sample_error(SMALL, 3), rel=1e-12)


def test_resampling_from_the_randomized_shares_is_another_law():
    shares = SMALL.apply(count_records(THREE, (2, 2)) / 3)
    tables = stream(1, "test", "resampled").multinomial(3, shares.ravel(), size=REPEATS)
    assert p_of_tables(tables, exact_law_of_three()) < 1e-12


def test_lambda_one_keeps_every_record():
    sure = LambdaRandomization(lambdas=(1.0, 1.0), categories=(2, 2))
    assert (randomize_records(sure, THREE, stream(1, "test", "sure")) == THREE).all()
    counts = count_records(THREE, (2, 2))
    assert (randomize_counts(sure, counts, stream(1, "test", "sure")) == counts).all()


@pytest.mark.parametrize(
    ("records", "words"),
    [
        (np.array([[0, 2]]), "code 2 in attribute 2, outside its declared domain 0..1"),
        (np.array([[-1, 0]]), "code -1 in attribute 1"),
        (np.array([[0.0, 1.0]]), "integer codes"),
        (np.array([[0], [1]]), "one column for each"),
    ],
)
def test_foreign_records_are_refused(records, words):
    with pytest.raises(ValueError, match=words):
        randomize_records(SMALL, records, stream(1, "test", "bad"))


@pytest.mark.parametrize("counts", [np.array([[1, -1], [0, 0]]), np.array([[1.5, 0], [0, 0]]), np.ones(4, dtype=int)])
def test_foreign_counts_are_refused(counts):
    with pytest.raises(ValueError, match="counts must"):
        randomize_counts(SMALL, counts, stream(1, "test", "bad"))


# --- the peer: multi-freq-ldpy's generalised randomized response -------------------------------------


@numba.njit
def peer_reports(people, true, categories, epsilon, seed):
    np.random.seed(seed)  # the peer draws from numba's own state: no other way to fix it
    counts = np.zeros(categories, dtype=np.int64)
    for _ in range(people):
        counts[GRR_Client(true, categories, epsilon)] += 1
    return counts


def test_the_peers_reports_follow_our_row_and_its_estimate_is_ours_clipped():
    r, lam, people = 5, 0.4, 100_000
    protocol = LambdaRandomization(lambdas=(lam,), categories=(r,))
    counts = peer_reports(people, 1, r, protocol.epsilon, 7)
    assert p_value(counts, attribute_matrix(lam=lam, categories=r)[1]) > LEVEL
    assert p_value(counts, attribute_matrix(lam=0.42, categories=r)[1]) < 1e-12

    raw = protocol.invert(counts / people)
    keep = math.exp(protocol.epsilon) / (math.exp(protocol.epsilon) + r - 1)
    other = (1 - keep) / (r - 1)
    # the peer's estimator before it clips (Wang et al. 2017, equation 5)
    assert raw == pytest.approx((counts - people * other) / (people * (keep - other)), abs=1e-12)
    reports = np.repeat(np.arange(r), counts)
    assert GRR_Aggregator_MI(reports, r, protocol.epsilon) == pytest.approx(clip_rescale(raw[None])[0], abs=1e-12)
    assert (raw < 0).any(), "the case must need clipping, or the comparison says little"
