"""The exponential-family experiments: columns, cells, outcomes, shards, and the traps they must not fall into."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr

from dpthesis.experiments.calibration import calibration
from dpthesis.experiments.family_cells import Cell, grid, inversion_cells, problem, variant_cells
from dpthesis.experiments.family_coverage import coverage, example, expected_coverage, synthetic
from dpthesis.experiments.family_fits import (
    Replicates,
    estimate_all,
    estimate_bootstrap,
    estimate_variant,
    simulate,
)
from dpthesis.experiments.family_inversion import inversion_coverage, simulate_inversion
from dpthesis.experiments.family_moments import _shape, _variance_ratio, equivalence, normality, variance
from dpthesis.experiments.family_outcomes import coverage_row
from dpthesis.experiments.family_tests import tests as coefficient_tests
from dpthesis.inference.intervals import Intervals
from dpthesis.inference.random_design import joint_plug_in, joint_statistics, response_covariance
from dpthesis.records.arrays import StoredArrays, write_arrays
from dpthesis.streams import stream

SETTINGS = {"families": ["gaussian_mean", "gaussian_mean_variance", "logistic", "poisson"], "delta": 1e-5}
CELLS = list(grid(sizes=[200], epsilons=[0.5, math.inf], **SETTINGS))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("replicates")


@pytest.fixture(scope="module")
def fits(folder):
    arrays = simulate(CELLS, estimate_all(sets=[2, 3]), "synthetic", root_seed=1, replicates=300)
    write_arrays(folder / "fits.npz", arrays)
    return Replicates([StoredArrays(folder / "fits.npz")])


CONTRACT = {
    coverage: "design adjacency family n epsilon delta method repair parameter replicates failed unbounded covered "
    "coverage coverage_low coverage_high coverage_failed_as_missed expected_coverage median_width width_replicates "
    "bias rmse pieces_share bias_se rmse_se",
    synthetic: "family n epsilon analysis sets replicates failed coverage coverage_low coverage_high median_width "
    "expected_coverage",
    variance: "family n epsilon parameter replicates failed empirical_variance predicted_variance ratio ratio_se "
    "ratio_iqr empirical_variance_se ratio_iqr_se",
    normality: "family n epsilon parameter replicates skewness kurtosis ks_distance skewness_se kurtosis_se ks_limit",
    equivalence: "family n epsilon parameter replicates rms_difference theory_se ratio rms_difference_se ratio_se",
}


@pytest.mark.parametrize("table", CONTRACT)
def test_tables_have_the_columns_of_the_contract(fits, table):
    made = table(fits)
    assert list(made.columns) == CONTRACT[table].split() and len(made)


def test_coverage_counts_are_consistent_and_failed_is_neither_covered_nor_missed(fits):
    rows = coverage(fits)
    solved = rows["replicates"] - rows["failed"]
    alive = rows[solved > 0]
    assert np.allclose(alive["coverage"] * (alive["replicates"] - alive["failed"]), alive["covered"])
    assert np.allclose(rows["coverage_failed_as_missed"] * rows["replicates"], rows["covered"])
    assert (alive["coverage_low"] <= alive["coverage"] + 1e-9).all()
    assert (alive["coverage"] <= alive["coverage_high"] + 1e-9).all()
    assert rows[solved == 0]["coverage"].isna().all()
    hard = rows[(rows["family"] == "logistic") & (rows["epsilon"] == 0.5) & (rows["parameter"] == "mean")]
    by_repair = hard[hard["method"] == "plug_in"].set_index("repair")
    # About half the replicates have no solution; both repairs leave none failed.
    assert by_repair.loc["none", "failed"] > 100
    assert by_repair.loc["projection", "failed"] == by_repair.loc["ridge_1_over_n", "failed"] == 0


def test_the_mean_row_averages_within_replicates():
    truth = np.zeros(2)
    low = np.tile(np.array([[-1.0, -1.0], [-1.0, 0.5], [0.5, 0.5], [np.nan, np.nan]]), (20, 1))
    row = coverage_row(Intervals(low + 1.0, low, low + 2.0), truth, None)
    assert row["failed"] == 20 and row["coverage"] == pytest.approx((1 + 0.5 + 0) / 3)
    assert row["coverage_failed_as_missed"] == pytest.approx(1.5 / 4)
    deviation = np.std([1.0, 0.5, 0.0] * 20, ddof=1)
    assert row["coverage_high"] - row["coverage"] == pytest.approx(1.959964 * deviation / math.sqrt(60), rel=1e-6)


def assert_error_is_spread(numbers, errors, repeats):
    """Mean standard error against the spread of the numbers, within 4.5 of the spread's own standard errors."""
    assert np.mean(errors) == pytest.approx(np.std(numbers, ddof=1), rel=4.5 / math.sqrt(2 * repeats))


@pytest.mark.parametrize("column", [0, None])
def test_errors_of_bias_and_rmse_are_their_spread(column):
    generator = stream(41, "test", "bias")
    rows = []
    for _ in range(500):
        estimate = generator.standard_normal((200, 1)) + 0.5 * generator.standard_normal((200, 2)) + [0.5, 1.0]
        estimate[:20] = np.nan
        rows.append(coverage_row(Intervals(estimate, estimate - 1, estimate + 1), np.zeros(2), column))
    for name in ("bias", "rmse"):
        assert_error_is_spread([row[name] for row in rows], [row[f"{name}_se"] for row in rows], 500)


def test_without_a_solved_replicate_there_is_no_error_and_with_one_neither():
    for solved in (0, 1):
        estimate = np.full((3, 2), np.nan)
        estimate[:solved] = 0.1
        row = coverage_row(Intervals(estimate, estimate - 1, estimate + 1), np.zeros(2), None)
        assert math.isnan(row["bias_se"]) and math.isnan(row["rmse_se"])


def test_errors_of_shape_are_their_spread_and_normal_theory_is_a_special_case():
    """A gamma law: √(6/R) would be 30% too small and √(24/R) 70%."""
    generator = stream(41, "test", "shape")
    rows = [_shape(generator.standard_gamma(6.0, 4000)) for _ in range(400)]
    for name, normal in (("skewness", 6), ("kurtosis", 24)):
        spread = np.std([row[name] for row in rows], ddof=1)
        # four moments of a sample fall short by a few percent
        assert np.mean([row[f"{name}_se"] for row in rows]) == pytest.approx(spread, rel=0.2)
        assert spread > 1.3 * math.sqrt(normal / 4000)
    row = _shape(generator.standard_normal(200_000))
    assert row["skewness_se"] == pytest.approx(math.sqrt(6 / 200_000), rel=0.05)
    assert row["kurtosis_se"] == pytest.approx(math.sqrt(24 / 200_000), rel=0.05)


def test_errors_of_shape_are_those_of_the_jackknife():
    values = stream(41, "test", "jackknife").beta(0.5, 2.0, 2000)
    row = _shape(values)
    for name, measure in (("skewness", stats.skew), ("kurtosis", lambda part: stats.kurtosis(part, fisher=False))):
        without = [measure(np.delete(values, i)) for i in range(len(values))]
        assert row[name] == pytest.approx(measure(values))
        assert row[f"{name}_se"] == pytest.approx(math.sqrt(len(values)) * np.std(without), rel=0.01)


def test_one_normal_sample_in_twenty_is_beyond_the_limit_of_its_distance():
    generator = stream(41, "test", "distance")
    rows = []
    for _ in range(2000):
        values = generator.standard_normal(40)
        rows.append(_shape(values))
        assert rows[-1]["ks_distance"] == pytest.approx(stats.kstest(values, "norm").statistic, rel=1e-9)
    beyond = np.mean([row["ks_distance"] > row["ks_limit"] for row in rows])
    assert abs(beyond - 0.05) < 4.5 * math.sqrt(0.05 * 0.95 / 2000)
    assert _shape(generator.standard_normal(10_000))["ks_limit"] == pytest.approx(1.3581 / 100, rel=0.005)


@pytest.mark.parametrize("law", ["standard_normal", "standard_exponential"])
def test_errors_of_both_variances_are_their_spread(law):
    generator = stream(41, "test", law)
    rows = [_variance_ratio(getattr(generator, law)(1000), 2.0) for _ in range(500)]
    for name, error in (("empirical_variance", "empirical_variance_se"), ("ratio_iqr", "ratio_iqr_se")):
        assert_error_is_spread([row[name] for row in rows], [row[error] for row in rows], 500)
    assert rows[0]["empirical_variance_se"] == pytest.approx(2.0 * rows[0]["ratio_se"])
    assert math.isnan(_variance_ratio(np.arange(8.0), 1.0)["ratio_iqr_se"])


def test_the_error_of_a_difference_is_its_spread(fits):
    rows = equivalence(fits).query("family == 'logistic'")
    assert (rows["rms_difference_se"] / rows["theory_se"]).to_numpy() == pytest.approx(rows["ratio_se"])
    here = fits.of(CELLS[5])  # logistic without noise, where every replicate has both estimates
    difference = here["noise_aware", "none"].estimate[:, 1] - here["plug_in", "none"].estimate[:, 1]
    generator = stream(41, "test", "difference")
    again = [math.sqrt(np.square(generator.choice(difference, len(difference))).mean()) for _ in range(1000)]
    row = rows[(rows["epsilon"] == math.inf) & (rows["parameter"] == "slope_1")].iloc[0]
    assert row["rms_difference_se"] == pytest.approx(np.std(again), rel=4.5 / math.sqrt(2000))


def test_an_interval_from_minus_to_plus_infinity_is_unbounded_and_covers():
    intervals = Intervals(np.ones((1, 1)), np.full((1, 1), -np.inf), np.full((1, 1), np.inf))
    row = coverage_row(intervals, np.zeros(1), 0)
    assert (row["failed"], row["unbounded"], row["coverage"], row["median_width"]) == (0, 1, 1.0, math.inf)


def test_noise_aware_equals_the_plug_in_for_a_normal_mean(fits):
    rows = equivalence(fits)
    assert rows[rows["family"] == "gaussian_mean"]["ratio"].max() < 1e-8


def test_variance_of_normal_means_is_near_theory(fits):
    # Exact up to clipping at 4: each of the two ratios lies within 4.5 standard errors (7e-6), here about 0.08 each.
    rows = variance(fits)
    rows = rows[rows["family"] == "gaussian_mean"]
    assert (np.abs(rows["ratio"] - 1) < 4.5 * rows["ratio_se"]).all() and (rows["ratio_se"] < 0.12).all()
    assert (np.abs(rows["ratio_iqr"] - 1) < 0.6).all()


def test_naive_coverage_meets_its_closed_form(fits):
    # 300 replicates: 4.5 binomial standard errors. 0.95 would be refused in both cells.
    rows = coverage(fits)
    rows = rows[(rows["family"] == "gaussian_mean") & (rows["method"] == "naive") & (rows["parameter"] == "mu")]
    error = np.sqrt(rows["expected_coverage"] * (1 - rows["expected_coverage"]) / 300)
    assert (np.abs(rows["coverage"] - rows["expected_coverage"]) < 4.5 * error).all()
    assert (np.abs(rows["coverage"] - 0.95) > 4.5 * error).all()


def test_shards_change_no_number(folder):
    cells, files = [CELLS[1], CELLS[5]], []
    for shard, shards in ((0, 1), (0, 2), (1, 2)):
        settings = {"root_seed": 1, "replicates": 300, "shard": shard, "shards": shards}
        arrays = simulate(cells, estimate_all(sets=[2]), "synthetic", **settings)
        path = folder / f"shard{shard}of{shards}.npz"
        write_arrays(path, arrays)
        files.append(StoredArrays(path))
    whole, merged = coverage(Replicates(files[:1])), coverage(Replicates(files[1:]))
    assert whole.equals(merged) and (whole["replicates"] == 300).all()


def test_bootstrap_and_inversion_join_the_coverage_table(folder):
    cells = [cell for cell in CELLS if cell.family in ("gaussian_mean", "gaussian_mean_variance")]
    arrays = simulate(cells, estimate_bootstrap(draws=39), "bootstrap", root_seed=1, replicates=20)
    write_arrays(folder / "bootstrap.npz", arrays)
    write_arrays(folder / "inversion.npz", simulate_inversion(cells, root_seed=1, replicates=20, ends=5))
    made = coverage(Replicates([StoredArrays(folder / "bootstrap.npz")]))
    assert set(made["method"]) == {"bootstrap_percentile", "bootstrap_basic", "bootstrap_studentised"}
    inverted = inversion_coverage([StoredArrays(folder / "inversion.npz")])
    assert list(inverted.columns) == list(made.columns)
    assert made["pieces_share"].isna().all() and inverted[["bias", "bias_se", "rmse_se"]].isna().all(axis=None)
    assert (inverted["replicates"] == 20).all() and (inverted["width_replicates"] == 5).all()


def test_one_written_with_and_without_a_point_is_the_same_cell():
    whole, point = (Cell(family="logistic", n=200, epsilon=epsilon, delta=1e-5) for epsilon in (1, 1.0))
    assert str(whole) == str(point) == str(Cell.parse(str(whole)))


def test_the_releases_of_a_cell_do_not_depend_on_the_method():
    here = problem(CELLS[0])
    again = problem(Cell.parse(str(CELLS[0])))
    assert (here.released(1, 0, 50) == again.released(1, 0, 50)).all()
    assert not np.allclose(here.released(1, 0, 50), here.released(1, 1, 50))
    assert not np.allclose(here.released(2, 0, 50), here.released(1, 0, 50))


def test_sensitivities_are_those_of_the_design_page():
    cells = {
        ("gaussian_mean", "replace_one"): 8.0,
        ("gaussian_mean_variance", "replace_one"): 32.985,
        ("gaussian_mean_variance", "replace_one_tight"): 16.508,
        ("logistic", "replace_one"): 2 * 2.7567,
        ("logistic", "label"): 2.7567,
        ("poisson", "replace_one"): 2 * 27.567,
        ("poisson", "label"): 27.567,
    }
    for (family, adjacency), expected in cells.items():
        here = problem(Cell(family=family, n=200, epsilon=1.0, delta=1e-5, adjacency=adjacency))
        assert here.sensitivity * 200 == pytest.approx(expected, rel=2e-5)


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"family": "probit"}, "unknown family 'probit'"),
        ({"n": 250}, "multiple of 100"),
        ({"epsilon": 0.0}, "epsilon must be positive"),
        ({"delta": 1.5}, "delta must lie"),
        ({"adjacency": "replace_one_tight"}, "not offered for family 'logistic'"),
        ({"family": "gaussian_mean", "adjacency": "label"}, "not offered"),
        ({"family": "gaussian_mean", "design": "known_law"}, "design 'known_law' is not offered"),
        ({"family": "poisson", "design": "joint_release"}, "design 'joint_release' is not offered"),
        ({"design": "known_law", "adjacency": "label"}, "replace_one"),
        ({"adjacency": "neighbours"}, "neighbours"),
    ],
)
def test_impossible_cells_are_refused(settings, word):
    with pytest.raises(ValueError, match=word):
        problem(Cell(**({"family": "logistic", "n": 200, "epsilon": 1.0, "delta": 1e-5} | settings)))


def test_a_cell_that_is_not_on_the_grid_is_named(fits):
    with pytest.raises(ValueError, match="not on the grid"):
        fits.of(Cell(family="logistic", n=200, epsilon=7.0, delta=1e-5))


def test_test_inversion_runs_everywhere_up_to_a_limit_and_beyond_on_some_sizes():
    chosen = inversion_cells(
        families=["logistic"],
        sizes=[200, 500],
        epsilons=[1.0, 2.0],
        delta=1e-5,
        everywhere_up_to=1.0,
        other_sizes=[200],
    )
    assert [(cell.n, cell.epsilon) for cell in chosen] == [(200, 1.0), (200, 2.0), (500, 1.0)]


def test_a_known_law_has_the_variance_of_x_times_y(folder):
    # Second route: the covariance of 20,000 single records, drawn one by one; entries differ by sampling error only.
    here = problem(Cell(family="logistic", n=1000, epsilon=math.inf, delta=1e-5, design="known_law"))
    generator = stream(41, "test", "known_law")
    rows = here.family.design.rows[generator.integers(100, size=20_000)]
    y = generator.random(20_000) < 1 / (1 + np.exp(-rows @ here.theta))
    single = np.cov((rows * y[:, None]).T)
    exact = response_covariance(here.family, here.theta[None])[0]
    assert np.abs(single - exact).max() < 0.06
    assert np.abs(here.family.covariance(here.theta[None])[0] - exact).max() > 0.2
    # 1,000 replicates of the statistic: its covariance is exact / n; each ratio within 4.5 of sqrt(2/1000).
    statistics = np.vstack([here.released(1, block, 250) for block in range(4)])
    assert np.abs(statistics.var(axis=0) * 1000 / np.diag(exact) - 1).max() < 4.5 * math.sqrt(2 / 1000)


def test_variants_cover_and_ignoring_a_random_design_covers_what_its_closed_form_says(folder):
    cells = [cell for cell in variant_cells(sizes=[1000], epsilons=[math.inf], delta=1e-5) if cell.design != "public"]
    arrays = simulate(cells, estimate_variant(sets=[2]), "synthetic", root_seed=1, replicates=400)
    write_arrays(folder / "variants.npz", arrays)
    rows = coverage(Replicates([StoredArrays(folder / "variants.npz")]))
    # Averages over four parameters and 400 replicates have a standard error below 0.01; 0.045 is beyond 4.5 of them.
    known = rows[(rows["design"] == "known_law") & (rows["parameter"] == "mean")]
    assert (np.abs(known["coverage"] - known["expected_coverage"]) < 0.045).all()
    ignored = known[known["method"] == "plug_in_design_ignored"]
    assert (ignored["expected_coverage"] < 0.87).all()


def test_a_joint_release_of_normal_covariates_recovers_the_model():
    # With x really normal the moment equations are right: exact moments by quadrature give the truth back.
    theta, points = np.array([-0.3, 0.8, -0.5]), np.polynomial.hermite_e.hermegauss(60)
    z1, z2 = (part.ravel() for part in np.meshgrid(points[0], points[0]))
    mass = np.outer(points[1], points[1]).ravel() / points[1].sum() ** 2
    z = np.stack([0.4 + z1, -0.2 + 0.5 * z1 + 0.8 * z2], axis=1)
    share = 1 / (1 + np.exp(-(theta[0] + z @ theta[1:])))
    packed = np.stack([z[:, 0] ** 2, math.sqrt(2) * z[:, 0] * z[:, 1], z[:, 1] ** 2], axis=1)
    x = np.hstack([np.ones((len(z), 1)), z])
    target = np.hstack([(mass * share) @ x, mass @ z, mass @ packed])[None]
    assert np.allclose(joint_plug_in(target, 2)[0], theta, atol=1e-6)
    # No solution: a covariance matrix that is not positive, or a mean response outside (0, 1).
    broken, silly = target.copy(), target.copy()
    broken[0, -1], silly[0, 0] = 0.0, 1.2
    assert np.isnan(joint_plug_in(np.vstack([broken, silly]), 2)).all()


def test_joint_statistics_are_averages_of_single_records():
    here = problem(Cell(family="logistic", n=200, epsilon=1.0, delta=1e-5))
    counts = np.full((1, 100), 2)
    sums = counts * (here.family.design.rows[:, 1] > 0)
    statistics = joint_statistics(here.family, counts, sums)[0]
    z = here.family.design.rows[:, 1:]
    assert np.allclose(statistics[4:7], z.mean(axis=0))
    assert np.linalg.norm(statistics[7:]) == pytest.approx(np.linalg.norm(z.T @ z / 100))


def test_rejection_rates_are_those_of_normal_theory():
    # A normal mean at n = 200 without noise: power is exact. 500 replicates: 4.5 standard errors.
    settings = {"families": ["gaussian_mean"], "sizes": [200], "epsilons": [math.inf], "delta": 1e-5}
    made = coefficient_tests(
        root_seed=1, effects=[0.0, 0.2], replicates=500, sets=3, inversion_replicates=100, **settings
    )
    contract = "family n epsilon method effect replicates failed rejection_rate mc_se"
    assert list(made.columns) == [*contract.split(), "rejected_of_all", "rejected_of_all_se"]
    plug_in = made[made["method"] == "plug_in"].set_index("effect")["rejection_rate"]
    shift = 0.2 * math.sqrt(200)
    exact = {0.0: 0.05, 0.2: ndtr(-1.96 + shift) + ndtr(-1.96 - shift)}
    for effect, rate in exact.items():
        assert abs(plug_in[effect] - rate) < 4.5 * math.sqrt(rate * (1 - rate) / 500)
    naive = made[(made["method"] == "naive") & (made["effect"] == 0.0)]["rejection_rate"].iloc[0]
    assert abs(naive - 0.166) < 4.5 * math.sqrt(0.166 * 0.834 / 500)
    assert (made[made["method"] == "likelihood_ratio"]["replicates"] == 100).all()


def test_a_failed_fit_rejects_nothing():
    settings = {"families": ["logistic"], "sizes": [200], "epsilons": [0.5], "delta": 1e-5}
    made = coefficient_tests(
        root_seed=1, effects=[0.8], replicates=100, sets=2, inversion_replicates=10, **settings
    ).set_index("method")
    solved = made["replicates"] - made["failed"]
    rejected = made["rejection_rate"] * solved
    assert (made["rejected_of_all"] * made["replicates"]).to_numpy() == pytest.approx(rejected.to_numpy())
    naive = made.loc["naive"]
    assert naive.failed > 20 and naive.rejected_of_all < naive.rejection_rate
    share = naive.rejected_of_all
    assert naive.rejected_of_all_se == pytest.approx(math.sqrt(share * (1 - share) / 100), rel=0.03)


def test_expected_coverage_is_nominal_where_the_variance_is_right():
    here = problem(Cell(family="logistic", n=200, epsilon=1.0, delta=1e-5, design="known_law"))
    assert (expected_coverage(here, "plug_in") == 0.95).all()
    assert (expected_coverage(here, "plug_in_design_ignored") < 0.95).all()


def test_the_example_shows_three_analyses_of_the_same_data_sets(fits):
    made = example(CELLS[5], fits, parameter="slope_1", count=4)
    assert set(made["analysis"]) == {"plug_in", "naive", "combined_synthetic"}
    assert len(made) == 4 * (1 + 1 + 2) and (made["truth"] == 0.8).all()
    assert (made["covers"] == ((made["low"] <= 0.8) & (0.8 <= made["high"]))).all()


def test_calibration_shows_less_noise_than_the_classical_formula():
    made = calibration(epsilons=[0.1, 1.0, 8.0], deltas=[1e-5])
    wide = made.pivot(index="epsilon", columns="method", values="sigma_over_sensitivity")
    assert (wide["analytic"] < wide["classical"]).all()
    assert np.allclose(made[made["method"] == "analytic"]["true_delta"], 1e-5, rtol=1e-9)
