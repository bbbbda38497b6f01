"""Speed of the noise loop: a million-cell city, four epsilons, 200 published tables, beside numpy's own Laplace draws.

    PYTHONPATH=src python benchmarks/small_cells_noise.py [zones] [replicates]

The target: under 60 s on one core and 1 GB, at no less than half of numpy's rate. Times are CPU seconds.
"""

import os

for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[threads] = "1"

import resource  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402

from dpthesis.experiments.small_cells_errors import error_table  # noqa: E402
from dpthesis.streams import DRAW_BLOCK, stream  # noqa: E402

EPSILONS = [0.1, 0.5, 1.0, 2.0]


def loop_seconds(zones: int, replicates: int) -> float:
    """Draw the city, publish it at every epsilon and summarise the errors by strata, as the thesis does."""
    city = {"zones": zones, "trips": 2.0 * zones**2, "side_km": 20.0, "decay_km": 4.0, "spread": 1.0}
    settings = {
        "mechanisms": ["laplace"],
        "adjacencies": ["add_remove"],
        "epsilons": EPSILONS,
        "zero_counts": "apart",
        "replicates": {"city": replicates},
    }
    began = time.process_time()
    error_table(root_seed=1, data={"datasets": ["city"], "city": city}, settings=settings)
    return time.process_time() - began


def numpy_seconds(draws: int) -> float:
    """Draw as many Laplace variates with numpy alone, block by block, and throw them away."""
    generator = stream(1, "benchmark", "numpy")
    began = time.process_time()
    for _ in range(draws // DRAW_BLOCK):
        generator.laplace(size=DRAW_BLOCK)
    return time.process_time() - began


def main() -> None:
    """Print both times, their ratio and the peak memory."""
    zones, replicates = (int(value) for value in (*sys.argv[1:], *("1000", "200")[len(sys.argv) - 1 :]))
    draws = zones**2 * replicates * len(EPSILONS)
    loop, alone = loop_seconds(zones, replicates), numpy_seconds(draws)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{zones**2} cells, {replicates} tables, {len(EPSILONS)} epsilons: {draws:.3g} draws")
    print(f"noise loop {loop:.1f} s ({draws / loop:.3g} draws a second); numpy alone {alone:.1f} s")
    print(f"rate over numpy's {alone / loop:.2f} (target at least 0.5); peak memory {peak:.0f} MB")


if __name__ == "__main__":
    main()
