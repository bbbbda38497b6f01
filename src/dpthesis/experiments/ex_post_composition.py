"""The functional of ex-post RDP under adaptive composition with a stop, exactly, on trees of coin tosses.

Every policy tosses coins that show heads with 3/5 under X and 2/5 under X' (exp(E) = 7/6 at alpha = 2) or, where the
coin is chosen adaptively, with 2/3 and 1/3 (exp(E) = 3/2). The bound published is the product of exp(E) over the
tosses that the policy charges. Since every exp(E) is exact at alpha = 2, the functional is exactly 1 when what is
charged is what was looked at.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pandas as pd

from dpthesis.accounting.coin_trees import Coin, Policy, Stop, published_law
from dpthesis.accounting.ex_post import renyi_moment_one_way

ALPHA = 2
#: The coin of the fixed-bound cases, and the costlier one that adaptive policies may choose.
COIN = Coin(Fraction(3, 5), Fraction(2, 5))
COSTLY = Coin(Fraction(2, 3), Fraction(1, 3))
#: Most tosses of any policy.
HORIZON = 4
#: exp of the whole budget of the filter: two costly tosses fit, or one and two cheap ones, but not two and one.
BUDGET = Fraction(9, 4)


def composition() -> pd.DataFrame:
    """Return composition.csv: the functional of each policy, in both orders of the neighbours.

    Returns
    -------
    pandas.DataFrame
        The columns of the contract, then ``order``: ``forward`` when X (heads with 3/5) is the data that were used,
        ``backward`` when X' is. ``exact`` is the fraction as text, ``moment`` the same as a number.
    """
    policies = [(case, True, policy) for case, policy in _legal_policies().items()]
    policies += [(case, False, policy) for case, policy in _illegal_policies().items()]
    rows = []
    for case, legal, policy in policies:
        pair = published_law(policy)
        for order, ordered in (("forward", pair), ("backward", pair.swapped())):
            moment = Fraction(renyi_moment_one_way(ordered, alpha=ALPHA))
            row = {"case": case, "alpha": ALPHA, "legal": legal, "moment": float(moment), "exact": str(moment)}
            rows.append({**row, "at_most_one": moment <= 1, "order": order})
    return pd.DataFrame(rows)


def _legal_policies() -> dict[str, Policy]:
    return {
        "fixed_tosses": _stop_when(lambda tosses: False),
        "stop_at_first_heads": _stop_when(lambda tosses: tosses[-1:] == (True,)),
        "stop_when_heads_lead": _stop_when(lambda tosses: 2 * sum(tosses) > len(tosses)),
        "second_run_adapts": _two_runs,
        "adaptive_coins": _adaptive_coins,
        "budget_filter": _filter_charging_what_was_spent,
        "budget_filter_whole": _filter_charging_all,
    }


def _illegal_policies() -> dict[str, Policy]:
    return {
        "look_at_next_toss": _look_at_next_toss,
        "last_toss_uncharged": _last_toss_uncharged,
        "best_prefix_afterwards": _best_prefix_afterwards,
    }


def _charge(tosses: int) -> Fraction:
    return COIN.exp_bound() ** tosses


def _stop_when(stops: Callable[[tuple[bool, ...]], bool]) -> Policy:
    """Toss the same coin until the published tosses satisfy `stops`, at most `HORIZON` times."""

    def policy(tosses: tuple[bool, ...]) -> Coin | Stop:
        return Stop(tosses, _charge(len(tosses))) if stops(tosses) or len(tosses) == HORIZON else COIN

    return policy


def _two_runs(tosses: tuple[bool, ...]) -> Coin | Stop:
    """Compose two runs: toss until heads (at most three), then once more for each toss of the first run."""
    first = tosses.index(True) + 1 if True in tosses[:3] else 3
    return Stop(tosses, _charge(len(tosses))) if len(tosses) == 2 * first else COIN


def _chosen_coin(tosses: tuple[bool, ...]) -> Coin:
    """Return the costly coin after heads, the cheap one otherwise: the next bound depends on what was released."""
    return COSTLY if tosses[-1:] == (True,) else COIN


def _spent(tosses: tuple[bool, ...]) -> Fraction:
    return math.prod((_chosen_coin(tosses[:i]).exp_bound() for i in range(len(tosses))), start=Fraction(1))


def _adaptive_coins(tosses: tuple[bool, ...]) -> Coin | Stop:
    """Choose each coin by the last toss and stop at the second heads, or after `HORIZON` tosses."""
    finished = sum(tosses) == 2 or len(tosses) == HORIZON
    return Stop(tosses, _spent(tosses)) if finished else _chosen_coin(tosses)


def _filter_charging_what_was_spent(tosses: tuple[bool, ...]) -> Coin | Stop:
    """Choose coins until the next one would exceed the budget; publish the bound that was spent."""
    coin = _chosen_coin(tosses)
    return coin if _spent(tosses) * coin.exp_bound() <= BUDGET else Stop(tosses, _spent(tosses))


def _filter_charging_all(tosses: tuple[bool, ...]) -> Coin | Stop:
    """Run the same filter and publish the whole budget, as a filter without ex-post bounds must."""
    action = _filter_charging_what_was_spent(tosses)
    return Stop(action.published, BUDGET) if isinstance(action, Stop) else action


def _look_at_next_toss(tosses: tuple[bool, ...]) -> Coin | Stop:
    """Illegal: stop before the first tails, which was looked at and is neither published nor charged."""
    if tosses[-1:] == (False,):
        return Stop(tosses[:-1], _charge(len(tosses) - 1))
    return Stop(tosses, _charge(HORIZON)) if len(tosses) == HORIZON else COIN


def _last_toss_uncharged(tosses: tuple[bool, ...]) -> Coin | Stop:
    """Illegal: stop at the first heads, publish it, and do not charge the toss that decided the stop."""
    finished = tosses[-1:] == (True,) or len(tosses) == HORIZON
    return Stop(tosses, _charge(len(tosses) - 1)) if finished else COIN


def _best_prefix_afterwards(tosses: tuple[bool, ...]) -> Coin | Stop:
    """Illegal: toss to the end, then publish and charge only up to where heads led most."""
    if len(tosses) < HORIZON:
        return COIN
    length = max(range(HORIZON + 1), key=lambda n: (2 * sum(tosses[:n]) - n, -n))
    return Stop(tosses[:length], _charge(length))
