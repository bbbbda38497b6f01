"""Numbers as text. A guarantee is never rounded to something better than it is: what is promised goes up."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from dpthesis.publishing.language import grouped

DIRECTIONS = {"up": ROUND_CEILING, "down": ROUND_FLOOR}
#: Significant digits where no format is given.
DIGITS = 4


def formatted(value: float, form: str = "") -> str:
    """Write a finite number.

    Parameters
    ----------
    form : str
        A Python format such as ``.2f``, ``.1%`` or ``.3g``; nothing for whole numbers in full and others at 4
        significant digits. ``up`` before it (or alone) rounds towards +infinity, for what a guarantee promises at
        most; ``down`` rounds towards -infinity, for what it allows at most.

    Examples
    --------
    >>> formatted(204.439), formatted(204.439, "up"), formatted(0.0124626, "down .4f"), formatted(11472.3, "up")
    ('204.4', '204.5', '0.0124', '11\u202f473')
    """
    word, _, plain = form.partition(" ") if form.split(" ")[0] in DIRECTIONS else ("", "", form)
    if word:
        value = _rounded(value, plain, DIRECTIONS[word])
    if plain:
        return format(value, plain)
    if 1e4 <= abs(value) < 1e7 and not float(value).is_integer():
        value = float(f"{value:.{DIGITS}g}")  # written out: 15 890, not 1.589e+04 beside 158 926
    whole = float(value).is_integer() and abs(value) < 1e15
    return grouped(int(value)) if whole else f"{value:.{DIGITS}g}"


def _rounded(value: float, form: str, rounding: str) -> float:
    """Round to the last digit that the format shows; without one whole digits are kept, however many."""
    exact = Decimal(repr(float(value)))
    if not exact:
        return 0.0
    digits, kind = (int(form[1:-1]), form[-1]) if form else (DIGITS, "")
    lead = exact.adjusted() - digits + 1
    place = {"f": -digits, "%": -digits - 2, "g": lead, "": min(0, lead)}[kind]
    return float(exact.quantize(Decimal(1).scaleb(place), rounding=rounding))
