"""What every test needs: one BLAS thread before numpy is imported, and the same examples on every run."""

import os

for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"

from hypothesis import settings  # noqa: E402

settings.register_profile("thesis", derandomize=True, deadline=None, print_blob=False)
settings.load_profile("thesis")
