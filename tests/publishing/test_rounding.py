"""Guarantees go up, allowances down, other numbers to the nearest."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpthesis.publishing.rounding import formatted


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (204.439, "", "204.4"),
        (204.439, "up", "204.5"),
        (204.4, "up", "204.4"),
        (365.0, "up", "365"),
        (1236.02, "up", "1237"),
        (11472.3, "up", "11\u202f473"),
        (0.198004, "up", "0.1981"),
        (6.85e-05, "down", "6.85e-05"),
        (0.0124626, "down", "0.01246"),
        (0.0124626, "down .4f", "0.0124"),
        (0.460517, "up .2f", "0.47"),
        (99.99546, "up .2f", "100.00"),
        (0.98201, "up .1%", "98.3%"),
        (9.41214, "up .3g", "9.42"),
        (-1.25, "up .1f", "-1.2"),
        (0.0, "up .2f", "0.00"),
        (0.98201, ".1%", "98.2%"),
    ],
)
def test_directions(value, form, text):
    assert formatted(value, form) == text


@given(value=st.floats(1e-6, 1e6), form=st.sampled_from(["", " .3f", " .4g"]))
def test_a_guarantee_is_never_shown_as_better_than_it_is(value, form):
    value = float(f"{value:.6g}")
    up, down = (float(formatted(value, word + form).replace("\u202f", "")) for word in ("up", "down"))
    assert down <= value <= up
    assert math.isclose(down, up, rel_tol=2e-3, abs_tol=2e-3)
