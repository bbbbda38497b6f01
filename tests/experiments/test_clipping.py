"""The clipping experiment against closed forms."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import expon, norm, poisson

from dpthesis.data.designs import reference_design
from dpthesis.experiments.clipping import FURTHER, clipping
from dpthesis.experiments.clipping_moments import EXACT_BIAS
from dpthesis.experiments.clipping_summary import summary_rows
from dpthesis.inference.intervals import Intervals
from dpthesis.mechanisms.gaussian import analytic_sigma

SETTINGS = {
    "data": ["normal", "student_t5", "exponential", "lognormal"],
    "sizes": [200],
    "epsilons": [0.5],
    "delta": 1e-5,
    "radii": [0.5, 2.0, 4.0, 16.0],
    "replicates": 2000,
    "poisson": {"sizes": [1000], "epsilons": [1.0], "radii": [2, 4], "replicates": 250},
}
CONTRACT = (
    "data, target, parameter, n, epsilon, radius, method, replicates, failed, bias, bias_se, variance, mse, mse_se, "
    "clipped_share, coverage"
).split(", ")


@pytest.fixture(scope="module")
def table():
    return clipping(root_seed=5, **SETTINGS)


def pick(table, **where):
    for name, value in where.items():
        table = table[table[name] == value]
    return table


def test_columns(table):
    assert list(table.columns) == [*CONTRACT, *FURTHER]
    assert set(pick(table, target="rate").data) == {"exponential"}
    assert set(pick(table, target="poisson").parameter) == {"intercept", "slope_1", "slope_2", "slope_3", "mean"}
    assert set(pick(table, target="poisson").method) == {"plug_in", "noise_aware", "naive"}


@pytest.mark.parametrize("radius", [0.25, 1.0, 4.0])
def test_the_exact_bias_is_the_integral_over_what_is_clipped(radius):
    """−B − x below −B and B − x above B, by quadrature; exponential records are only clipped above."""
    density = norm(loc=0.5).pdf
    lost = quad(lambda x: (radius - x) * density(x), radius, np.inf)[0]
    gained = quad(lambda x: (-radius - x) * density(x), -np.inf, -radius)[0]
    assert EXACT_BIAS["normal"](radius) == pytest.approx(lost + gained, abs=1e-10)
    lost = quad(lambda x: (radius - x) * expon.pdf(x), radius, np.inf)[0]
    assert EXACT_BIAS["exponential"](radius) == pytest.approx(lost, abs=1e-10)


def test_bias_and_variance_of_a_clipped_mean_are_the_closed_forms(table):
    """Exponential records clipped to [0, B]: E = 1 − e^−B, E X² = 2 − 2(1 + B)e^−B. Normal records by their formula.

    16 comparisons within 4.5 standard errors: false alarm about 1e-4 a seed. The sensitivity of a signed column is
    twice that of a column in [0, B]; the wrong one is rejected.
    """
    for radius in SETTINGS["radii"]:
        row = pick(table, data="exponential", target="mean", method="plug_in", radius=radius).iloc[0]
        mean = 1 - math.exp(-radius)
        spread = 2 - 2 * (1 + radius) * math.exp(-radius) - mean**2
        sigma = analytic_sigma(epsilon=0.5, delta=1e-5, sensitivity=radius / 200)
        assert abs(row.bias - (mean - 1)) < 4.5 * row.bias_se
        assert row.variance == pytest.approx(spread / 200 + sigma**2, rel=4.5 * math.sqrt(2 / 2000))
        assert row.mse == pytest.approx((mean - 1) ** 2 + spread / 200 + sigma**2, abs=4.5 * row.mse_se)
        assert row.clipped_share == pytest.approx(math.exp(-radius), abs=0.005)
        row = pick(table, data="normal", target="mean", method="plug_in", radius=radius).iloc[0]
        a, b = -radius - 0.5, radius - 0.5
        assert abs(row.bias - (_clipped_normal_mean(a, b) - 0.5)) < 4.5 * row.bias_se
    wide = pick(table, data="normal", target="mean", method="plug_in", radius=16.0).iloc[0]
    # normal estimates: the variance of s² is 2σ⁴/(R − 1)
    assert wide.variance_se == pytest.approx(wide.variance * math.sqrt(2 / 1999), rel=0.15)
    right = 1 / 200 + analytic_sigma(epsilon=0.5, delta=1e-5, sensitivity=32 / 200) ** 2
    assert wide.variance == pytest.approx(right, rel=0.15) and not wide.variance == pytest.approx(right / 4, rel=0.5)


def _clipped_normal_mean(a, b):
    """0.5 + E clip(Z, a, b)."""
    return 0.5 + a * norm.cdf(a) + norm.pdf(a) - norm.pdf(b) + b * norm.sf(b)


def test_calibrated_interval_covers_without_clipping_and_naive_does_not(table):
    """2,000 replicates: 4 standard errors are 0.02."""
    for name in ("normal", "student_t5"):
        assert pick(table, data=name, method="plug_in", radius=16.0).coverage.iloc[0] == pytest.approx(0.95, abs=0.02)
        assert pick(table, data=name, method="naive", radius=16.0).coverage.iloc[0] < 0.5


def test_naive_variance_is_the_plug_ins_and_one_sampling_variance_more(table):
    for name, variance in (("normal", 1.0), ("lognormal", math.exp(2) - math.exp(1))):
        calibrated, naive = (
            pick(table, data=name, target="mean", method=method, radius=2.0).variance.iloc[0]
            for method in ("plug_in", "naive")
        )
        assert naive - calibrated == pytest.approx(variance / 200, rel=0.2)


def test_rate_fails_exactly_where_the_release_is_not_positive(table):
    for radius in (2.0, 16.0):
        row = pick(table, target="rate", method="plug_in", radius=radius).iloc[0]
        sigma = analytic_sigma(epsilon=0.5, delta=1e-5, sensitivity=radius / 200)
        mean = 1 - math.exp(-radius)
        share = norm.cdf(-mean / math.hypot(sigma, math.sqrt(1 / 200)))
        assert row.failed / 2000 == pytest.approx(share, abs=4.5 * math.sqrt(max(share, 1e-6) / 2000) + 0.002)
    bias = pick(table, target="rate", method="plug_in").set_index("radius").bias
    assert bias[0.5] > 1 and bias[4.0] < 0.1 and bias[16.0] > 0.2


def test_poisson_share_is_the_tail_of_the_responses(table):
    design = reference_design(1000)
    rate = np.exp(design.rows @ np.array([0.2, 0.3, -0.2, 0.1]))
    for radius in (2, 4):
        share = pick(table, target="poisson", radius=radius).clipped_share
        np.testing.assert_allclose(share, poisson.sf(radius, rate).mean(), rtol=1e-9)


def test_rows_are_averages_over_solved_replicates():
    estimate = np.array([[1.0, 3.0], [2.0, 6.0], [np.nan, np.nan]])
    intervals = Intervals(estimate, estimate - 1.5, estimate + 1.5)
    place = dict.fromkeys(("data", "target", "n", "epsilon", "radius", "clipped_share"), 0)
    rows = {
        row["parameter"]: row for row in summary_rows(place, ["a", "b"], np.array([1.0, 2.0]), {"plug_in": intervals})
    }
    assert rows["mean"]["failed"] == 1 and rows["mean"]["bias"] == pytest.approx((0 + 1 + 1 + 4) / 4)
    assert rows["a"]["bias"] == 0.5 and rows["b"]["mse"] == pytest.approx((1 + 16) / 2)
    assert rows["mean"]["coverage"] == 0.75 and rows["a"]["variance"] == pytest.approx(0.5)


def test_squared_bias_and_variance_make_the_error_in_every_row(table):
    """Also where averaged signed biases cancel: bias² would lack up to two thirds of the error there."""
    solved = table.replicates - table.failed
    np.testing.assert_allclose(table.rms_bias**2 + (1 - 1 / solved) * table.variance, table.mse, rtol=1e-10)
    single, averaged = table[table.parameter != "mean"], pick(table, parameter="mean")
    np.testing.assert_allclose(single.rms_bias, single.bias.abs(), rtol=1e-10)
    np.testing.assert_allclose(single.rms_bias_se, single.bias_se, rtol=1e-10)
    parts = pick(table, target="poisson")
    keys = ["n", "epsilon", "radius", "method"]
    whole = parts[parts.parameter != "mean"].groupby(keys, sort=False)[["bias", "variance", "mse"]].mean()
    np.testing.assert_allclose(averaged.set_index(keys)[["bias", "variance", "mse"]], whole, rtol=1e-9)
    clipped = pick(averaged, radius=2, method="plug_in").iloc[0]
    assert clipped.bias**2 + clipped.variance < 0.7 * clipped.mse


def test_the_gap_to_plug_in_is_taken_replicate_by_replicate():
    """Over the replicates that both solve; a shared error cancels: its standard error is far below the bias's."""
    generator = np.random.Generator(np.random.PCG64DXSM(9))
    shared, own = generator.standard_normal((2000, 2)), 0.01 * generator.standard_normal((2000, 2))
    other = shared + own + [0.05, 0.0]
    other[0] = np.nan
    methods = {
        name: Intervals(estimate, estimate - 1.96, estimate + 1.96)
        for name, estimate in (("plug_in", shared), ("naive", other))
    }
    place = dict.fromkeys(("data", "target", "n", "epsilon", "radius", "clipped_share"), 0)
    rows = list(summary_rows(place, ["a", "b"], np.zeros(2), methods))
    assert all(math.isnan(row["bias_gap"]) for row in rows[:3])
    first, _, average = rows[3:]
    assert first["bias_gap"] == pytest.approx((own[1:, 0] + 0.05).mean())
    assert first["bias_gap_se"] == pytest.approx(own[1:, 0].std(ddof=1) / math.sqrt(1999))
    assert average["bias_gap"] == pytest.approx(0.025, abs=0.001) and average["bias_gap_se"] < average["bias_se"] / 50
    assert all(row["coverage_low"] < row["coverage"] < row["coverage_high"] for row in rows)


def test_standard_error_of_the_rms_bias_is_the_spread_over_repeats():
    """400 repeats of 200 errors with biases 0.5 and -0.2: their spread is known to 3.5%, allowed are 4.5 times that."""
    generator = np.random.Generator(np.random.PCG64DXSM(8))
    place = dict.fromkeys(("data", "target", "n", "epsilon", "radius", "clipped_share"), 0)
    found = []
    for _ in range(400):
        estimate = generator.standard_normal((200, 1)) + 0.5 * generator.standard_normal((200, 2)) + [0.5, -0.2]
        intervals = {"plug_in": Intervals(estimate, estimate - 1, estimate + 1)}
        found.append(list(summary_rows(place, ["a", "b"], np.zeros(2), intervals))[-1])
    spread = np.std([row["rms_bias"] for row in found], ddof=1)
    assert np.mean([row["rms_bias_se"] for row in found]) == pytest.approx(spread, rel=0.16)
    assert np.mean([row["bias_se"] for row in found]) > 1.2 * spread
    spread = np.std([row["variance"] for row in found], ddof=1)
    assert np.mean([row["variance_se"] for row in found]) == pytest.approx(spread, rel=0.16)


def test_one_radius_of_each_curve_is_optimal(table):
    keys = ["data", "target", "parameter", "n", "epsilon", "method"]
    assert (table.groupby(keys).optimal.sum() == 1).all()


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="unknown data 'cauchy'"):
        clipping(root_seed=1, **(SETTINGS | {"data": ["cauchy"]}))
    with pytest.raises(ValueError, match="radii must be above 0"):
        clipping(root_seed=1, **(SETTINGS | {"radii": [0.0]}))
