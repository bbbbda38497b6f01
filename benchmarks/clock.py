"""How long something takes, how much memory, and how that grows: CPU seconds of one core, peak of allocated bytes."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable, Sequence

import numpy as np

#: CPU seconds from which one call is enough.
LONG = 2.0


def cpu_seconds(work: Callable[[], object], *, least: float = 0.3, rounds: int = 3) -> float:
    """Return the CPU seconds of one call: the best of some rounds, each long enough for the clock.

    A call that takes seconds is made once: what it compiles or puts into caches does not matter beside that.
    """
    first = _round(work, 1)
    if first > LONG:
        return first
    calls = max(1, int(least / max(_round(work, 1), 1e-7)))
    gc.disable()
    try:
        return min(_round(work, calls) for _ in range(rounds))
    finally:
        gc.enable()


def _round(work: Callable[[], object], calls: int) -> float:
    began = time.process_time()
    for _ in range(calls):
        work()
    return (time.process_time() - began) / calls


def peak_bytes(work: Callable[[], object]) -> int:
    """Return the most bytes that are allocated at once during a call."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return p of the fit cost = c · size^p, by least squares of the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])
