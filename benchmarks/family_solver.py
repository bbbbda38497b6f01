"""Speed of the batched solver beside a loop of statsmodels GLM fits, given the same rows.

    PYTHONPATH=src python benchmarks/family_solver.py [replicates]

The targets: at least 50 times as many fits per second on the aggregated reference design (n = 1,000, 100 distinct
rows, d = 4), and 20 times on 1,000 distinct rows. Times are CPU seconds; they never enter results.
"""

import os

for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[threads] = "1"

import sys  # noqa: E402
import time  # noqa: E402

import numpy as np  # noqa: E402
import statsmodels.api as sm  # noqa: E402

from dpthesis.data.designs import Design, reference_design  # noqa: E402
from dpthesis.families.generalized_linear import GeneralizedLinear  # noqa: E402
from dpthesis.streams import stream  # noqa: E402

THETA = np.array([-0.3, 0.8, -0.5, 0.4])
LOOP = 200


def compare(design: Design, replicates: int) -> tuple[float, float, float]:
    """Return fits a second of the batch and of the loop, and the largest difference of their estimates."""
    family = GeneralizedLinear("logistic", design)
    generator = stream(1, "benchmark", "solver")
    counts, rows = design.counts, design.rows
    sums = generator.binomial(counts, family.link.mean(rows @ THETA), size=(replicates, len(rows)))
    target = sums @ rows / design.n
    began = time.process_time()
    theta = family.solve(target)
    batch = replicates / (time.process_time() - began)
    began, worst = time.process_time(), 0.0
    for i in range(min(LOOP, replicates)):
        responses = np.stack([sums[i], counts - sums[i]], axis=1)
        fitted = sm.GLM(responses, rows, family=sm.families.Binomial()).fit()
        worst = max(worst, float(np.abs(fitted.params - theta[i]).max()))
    loop = min(LOOP, replicates) / (time.process_time() - began)
    return batch, loop, worst


def main() -> None:
    """Print one line a design."""
    replicates = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    distinct = reference_design(1000, distinct=1000)
    for name, design in (("100 distinct rows", reference_design(1000)), ("1,000 distinct rows", distinct)):
        batch, loop, worst = compare(design, replicates)
        print(f"{name}: {batch:,.0f} fits/s, statsmodels {loop:,.0f}, ratio {batch / loop:,.0f}, differ by {worst:.1e}")


if __name__ == "__main__":
    main()
