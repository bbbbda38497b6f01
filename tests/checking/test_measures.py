"""Every measure on a tiny table: the hand-computed answer, a near miss that changes it, and rows that cannot answer."""

import io

import numpy as np
import pytest

from dpthesis.checking.measure_forms import NotMeasured
from dpthesis.checking.measures import parse_measure, usages
from dpthesis.checking.tables import check_where, numbers, read_text_table, select, truths


def frame(text):
    lines = [line.strip() for line in text.strip().splitlines()]
    return read_text_table(io.StringIO("\n".join(lines) + "\n"))


ONE = frame("""
    epsilon,error,small,passed
    0.1,9.9143,0.9412,true""")
COLUMN = frame("""
    n,c,ok
    1,0.93,true
    2,0.97,true
    3,0.98,false
    4,,""")
# deviations (-2, -1, 0, 1, 2)/(…): by hand r = 8 / sqrt(10 * 10) = 0.8 in family a; family b is exactly linear
PEARSON = frame("""
    family,x,y
    a,1,2
    a,2,1
    a,3,3
    a,4,5
    a,5,4
    b,1,2
    b,2,4
    b,3,6""")
Z = frame("""
    a,b,s
    1.0,1.2,0.1
    1.0,1.3,0.1
    1.0,9.0,0""")
STOPPING = frame("""
    check,candidates,stopped,steps,oracle_steps,checked_accuracy,test_accuracy
    gaussian,10,true,4,3,0.90,0.88
    gaussian,10,true,10,9,0.80,0.79
    gaussian,20,false,20,,0.70,0.70
    gaussian,20,true,5,9,0.60,0.59""")
SHARES = frame("""
    sparse_vector_cheaper,settings
    3,4
    1,6""")
BOUNDS = frame("""
    delta,tuned_for,parameter,method,epsilon
    0.1,own,2.5,ex_post_rdp,1.0
    0.1,own,7,mixture,1.25
    0.2,own,2.6,ex_post_rdp,2.0
    0.2,own,8,mixture,2.0
    0.3,own,2.7,ex_post_rdp,inf
    0.3,own,9,mixture,inf
    0.4,own,2.7,ex_post_rdp,5""")
CLIPPING = frame("""
    n,radius,method,replicates,bias,bias_se
    200,1,plug_in,9,-0.50,0.03
    200,2,plug_in,9,0.10,0.04
    200,4,plug_in,9,0.30,0.04
    200,1,naive,9,0.61,0.04
    200,2,naive,9,-0.15,0.03
    200,4,naive,9,0.38,0.03""")
SCENARIOS = frame("""
    scenario,attribute,rmse,bits
    low,joint,0.3,6
    low,one,,2
    low,two,,4
    mid,joint,0.2,3.5
    mid,one,,3.5
    high,joint,0.1,1.5
    high,one,,0.75
    high,two,,0.75""")
JOINT = select(SCENARIOS, {"attribute": "joint"})

ANSWERS = [
    ("value error", ONE, 9.9143),
    ("text error .2f", ONE, "9.91"),
    ("text small .1%", ONE, "94.1%"),
    ("min c", COLUMN, 0.93),
    ("max c", COLUMN, 0.98),
    ("mean c", COLUMN, 0.96),
    ("all ok", COLUMN, False),
    ("all ok", COLUMN.iloc[:2], True),
    ("all ok", COLUMN.iloc[[0, 3]], True),
    ("spread n", COLUMN, 3.0),
    ("share c in [0.93, 0.97]", COLUMN, 2 / 3),
    ("share c in [0.9301, 0.97]", COLUMN, 1 / 3),
    ("pearson x y", PEARSON.iloc[:5], 0.8),
    ("min_by family pearson x y", PEARSON, 0.8),
    ("min_by family max y", PEARSON, 5.0),
    ("max_z a b s", Z, 3.0),
    ("mean_share sparse_vector_cheaper settings", SHARES, 0.4),
    ("mean_excess steps oracle_steps", STOPPING, (0.1 + 0.1 - 0.2) / 3),
    ("mean_gap checked_accuracy test_accuracy", STOPPING, 0.01),
    ("share_stopped_early", STOPPING, 0.5),
    ("share ex_post_rdp < mixture", BOUNDS, 1 / 3),
    ("share mixture < ex_post_rdp", BOUNDS, 0.0),
    ("max_gap ex_post_rdp mixture", BOUNDS, 0.2),
    ("max_gap mixture ex_post_rdp", BOUNDS, 0.2),
    ("u_shape bias", CLIPPING, True),
    ("order rmse high < mid < low", JOINT, True),
    ("order rmse high < low < mid", JOINT, False),
    ("order rmse high < high", JOINT, False),
    ("sums_to bits joint", SCENARIOS, True),
    # |bias|: 0.61-0.50 = 0.11 > 2*0.05; 0.15-0.10 = 0.05 < 0.1; 0.38-0.30 = 0.08 < 0.1
    ("share_significant abs(bias) plug_in < naive", CLIPPING, 1 / 3),
    ("share_significant abs(bias) naive < plug_in", CLIPPING, 0.0),
]


@pytest.mark.parametrize(("rule", "rows", "expected"), ANSWERS)
def test_the_answer_computed_by_hand(rule, rows, expected):
    measured = parse_measure(rule).of(rows).value
    if isinstance(expected, float):
        assert measured == pytest.approx(expected, rel=1e-12, abs=1e-15)
    else:
        assert measured == expected and type(measured) is type(expected)


def test_every_known_measure_is_tested_by_hand():
    tested = {parse_measure(rule).function for rule, _, _ in ANSWERS}
    assert len(tested) == len(usages())


def with_cell(rows, row, name, text):
    rows = rows.copy()
    rows.iloc[row, rows.columns.get_loc(name)] = text
    return rows


NEAR_MISSES = [
    # the left end exceeds the least by 0.12 = 3 of its standard errors, not by more
    ("u_shape bias", with_cell(CLIPPING, 0, "bias", "-0.22"), False),
    ("u_shape bias", with_cell(CLIPPING, 0, "bias", "-0.2201"), True),
    ("u_shape bias", with_cell(CLIPPING, 2, "bias", "-0.05"), False),
    ("u_shape bias", with_cell(CLIPPING, 5, "bias", "0.16"), False),
    ("sums_to bits joint", with_cell(SCENARIOS, 1, "bits", "2.000001"), False),
    ("sums_to bits joint", with_cell(SCENARIOS, 1, "bits", "2.00000001"), True),
    ("max_gap ex_post_rdp mixture", with_cell(BOUNDS, 5, "epsilon", "7"), np.inf),
    ("share ex_post_rdp < mixture", with_cell(BOUNDS, 3, "epsilon", "2.000000001"), 2 / 3),
    ("order rmse high < mid < low", with_cell(JOINT, 2, "rmse", "0.2"), False),
    ("max_z a b s", with_cell(Z, 2, "s", "2"), 4.0),
    ("share_stopped_early", with_cell(STOPPING, 1, "steps", "9"), 0.75),
    ("share_stopped_early", with_cell(STOPPING, 0, "stopped", "false"), 0.25),
    ("mean_excess steps oracle_steps", with_cell(STOPPING, 3, "candidates", "5"), (0.1 + 0.1 - 0.8) / 3),
    ("share_significant abs(bias) plug_in < naive", with_cell(CLIPPING, 3, "bias", "-0.60"), 0.0),
    ("share_significant abs(bias) plug_in < naive", with_cell(CLIPPING, 3, "bias", "-0.601"), 1 / 3),
]


@pytest.mark.parametrize(("rule", "rows", "expected"), NEAR_MISSES)
def test_a_near_miss_changes_the_answer(rule, rows, expected):
    assert parse_measure(rule).of(rows).value == pytest.approx(expected)


CANNOT = [
    ("value c", COLUMN.iloc[[3]], "no row has a number in c"),
    ("text c .2f", COLUMN.iloc[[3]], "no row has a number in c"),
    ("mean c", COLUMN.iloc[[3]], "no row has a number in c"),
    ("all ok", COLUMN.iloc[[3]], "every row is empty in ok"),
    ("pearson x y", PEARSON.iloc[:2], "at least 3 rows"),
    ("min_by family pearson x y", PEARSON.iloc[:7], "at least 3 rows"),
    ("pearson x y", with_cell(with_cell(PEARSON.iloc[5:], 0, "x", "2"), 2, "x", "2"), "same in every row"),
    ("spread c", with_cell(COLUMN, 0, "c", "0"), "not positive"),
    ("spread c", frame("c\ninf\ninf"), "no defined value"),
    ("max_z a b s", Z.iloc[[2]], "no row has a positive s"),
    ("mean_share c n", frame("c,n\n0,0"), "n sums to 0"),
    ("u_shape bias", CLIPPING.iloc[:2], "at least 3 radii"),
    ("order rmse high < mid < top", JOINT, "no row has the scenario 'top'"),
    ("sums_to bits joint", SCENARIOS.iloc[1:], "needs one row 'joint'"),
    ("sums_to bits joint", SCENARIOS.iloc[[0]], "needs one row 'joint'"),
    ("share ex_post_rdp < gaussian", BOUNDS, "no row has the method 'gaussian'"),
    ("max_gap ex_post_rdp mixture", BOUNDS.iloc[[1, 6]], "no row of 'ex_post_rdp' has a partner"),
    ("share ex_post_rdp < mixture", with_cell(BOUNDS.iloc[:2], 0, "epsilon", ""), "no pair of"),
    ("share_significant abs(bias) plug_in < naive", with_cell(CLIPPING.iloc[[0, 3]], 0, "bias_se", ""), "no pair of"),
    ("share_stopped_early", with_cell(STOPPING.iloc[[0]], 0, "steps", ""), "no row has a number in stopped, steps"),
]


@pytest.mark.parametrize(("rule", "rows", "reason"), CANNOT)
def test_rows_that_cannot_answer_are_not_measured(rule, rows, reason):
    with pytest.raises(NotMeasured, match=reason):
        parse_measure(rule).of(rows)


SILENT = [
    ("mean c", COLUMN, 1),
    ("mean c", COLUMN.iloc[:3], 0),
    ("all ok", COLUMN, 1),
    ("mean_excess steps oracle_steps", STOPPING, 1),
    ("min_by n mean c", COLUMN.iloc[:3], 0),
    ("share ex_post_rdp < mixture", with_cell(BOUNDS, 0, "epsilon", ""), 1),
]


@pytest.mark.parametrize(("rule", "rows", "silent"), SILENT)
def test_empty_cells_do_not_vote_and_are_counted(rule, rows, silent):
    assert parse_measure(rule).of(rows).silent == silent


MISFITS = [
    ("value c", COLUMN, r"4 rows match.*differ: n, c, ok"),
    ("mean d", COLUMN, "unknown column 'd'.*Allowed: n, c, ok"),
    ("mean eror", ONE, "did you mean 'error'"),
    ("mean check", STOPPING, "holds 'gaussian', which is no number"),
    ("all c", COLUMN, "neither true nor false"),
    ("u_shape bias", CLIPPING.iloc[[0, 0, 1, 2]], "several rows share a radius"),
    ("max_gap ex_post_rdp mixture", BOUNDS.iloc[[0, 0, 1]], "several rows of method 'ex_post_rdp' share delta"),
    ("share a < b", COLUMN, "unknown column 'method'"),
]


@pytest.mark.parametrize(("rule", "rows", "message"), MISFITS)
def test_a_rule_that_does_not_fit_its_table_is_an_error(rule, rows, message):
    with pytest.raises(ValueError, match=message):
        parse_measure(rule).of(rows)


MALFORMED = [
    ("valeu c", "unknown measure 'valeu'; did you mean 'value'.*Allowed: value, text, min"),
    ("", "unknown measure ''"),
    ("value", "malformed measure 'value'; write it as 'value C'"),
    ("value a b", "malformed measure"),
    ("share c in [0.1]", "'share C in .LO, HI.' or 'share A < B'"),
    ("share c in [a, b]", "malformed measure"),
    ("share a > b", "malformed measure"),
    ("order rmse a", "malformed measure"),
    ("text c 2f", "malformed measure"),
    ("share_significant bias a < b", "malformed measure"),
    ("min_by f nothing c", "unknown measure 'nothing'"),
    ("min_by f all c", "needs a MEASURE that gives a number"),
]


@pytest.mark.parametrize(("rule", "message"), MALFORMED)
def test_a_malformed_measure_is_an_error(rule, message):
    with pytest.raises(ValueError, match=message):
        parse_measure(rule)


# --- cells and filters --------------------------------------------------------------------------------------------

CELLS = frame("""
    method,epsilon,legal,code
    plug_in,0.1,true,4
    plug_in,inf,false,own
    naive,0.333333,true,
    naive,,,04""")

FILTERS = [
    ({}, [0, 1, 2, 3]),
    ({"method": "naive"}, [2, 3]),
    ({"method": ["naive", "plug_in"]}, [0, 1, 2, 3]),
    ({"epsilon": 0.1}, [0]),
    ({"epsilon": 1 / 3}, [2]),
    ({"epsilon": 0.3334}, []),
    ({"epsilon": float("inf")}, [1]),
    ({"epsilon": [0.1, float("inf")]}, [0, 1]),
    ({"epsilon": {"min": 0.1, "max": 1}}, [0, 2]),
    ({"epsilon": {"max": 0.1}}, [0]),
    ({"epsilon": {"min": 0.2}}, [1, 2]),
    ({"epsilon": None}, [3]),
    ({"legal": True}, [0, 2]),
    ({"legal": False}, [1]),
    ({"legal": True, "method": "naive"}, [2]),
    ({"code": 4}, [0, 3]),
    ({"code": "4"}, [0]),
    ({"code": "own"}, [1]),
    ({"legal": 1}, []),
]


@pytest.mark.parametrize(("where", "expected"), FILTERS)
def test_a_filter_keeps_the_rows_it_names(where, expected):
    check_where(where)
    assert list(select(CELLS, where).index) == expected


def test_a_large_count_is_not_mistaken_for_its_neighbour():
    rows = frame("n\n1000000\n1000001")
    assert list(select(rows, {"n": 1000000}).index) == [0]


def test_an_unknown_column_in_a_filter_is_an_error():
    with pytest.raises(ValueError, match="unknown column 'methd'; did you mean 'method'"):
        select(CELLS, {"methd": "naive"})


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({"delta": "1e-5"}, "where delta: YAML reads 1e-5 as text; write 1.0e-5"),
        ({"delta": [0.1, "1e-5"]}, "YAML reads 1e-5 as text"),
        ({"delta": {"max": "1e-5"}}, "YAML reads 1e-5 as text"),
        ({"delta": {"maximum": 1}}, "allowed are min and max"),
        ({"delta": {}}, "allowed are min and max"),
        ({"delta": []}, "the list is empty"),
        ([1], "is no mapping"),
    ],
)
def test_a_malformed_filter_is_an_error(where, message):
    with pytest.raises(ValueError, match=message):
        check_where(where)


def test_cells_become_numbers_and_truth_values():
    assert np.array_equal(numbers(CELLS, "epsilon"), [0.1, np.inf, 0.333333, np.nan], equal_nan=True)
    assert np.array_equal(truths(CELLS, "legal"), [1, 0, 1, np.nan], equal_nan=True)
