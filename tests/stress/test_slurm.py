"""The workflow on a real Slurm of one node, through profiles/slurm and Snakemake's own executor: the same bytes."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stress.conftest import assert_same_bytes, printed, tried
from tests.workflow.conftest import clone

NODE = Path(__file__).with_name("one_node_slurm.sh")
# A chapter from first to last, and a table of another whose replicates are drawn in shards.
TARGETS = ["thesis_tables/laplace_lab/lab.tex", "results/brownian_stopping/stopping.csv"]
# What a cluster without accounting needs, and shorter waits than a busy one.
FLAGS = (
    *("--slurm-no-account", "--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "2"),
    *("--seconds-between-status-checks", "2", "--latency-wait", "5"),
    *("--default-resources", "mem_mb=500", "runtime=5", "slurm_partition=main"),
)


def why_not() -> str:
    missing = [name for name in ("slurmctld", "slurmd", "munged", "sbatch", "unshare") if not shutil.which(name)]
    if missing:
        return f"{', '.join(missing)} not found; on Debian: apt-get install slurm-wlm munge"
    return "" if os.geteuid() == 0 else "only root may start Slurm's daemons in namespaces of their own"


@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_a_one_node_slurm_gives_the_same_bytes(calm_smoke, tmp_path):
    house = clone(tmp_path / "thesis é", "smoke")
    done = house.run(
        *(str(NODE), sys.executable, "-m", "snakemake", "--profile", "profiles/slurm", "--jobs", "2"),
        *(*FLAGS, *house.settings, "--", *(f"smoke/{target}" for target in TARGETS)),
    )
    words = printed(done)
    assert done.returncode == 0, words
    assert "submitted with SLURM jobid" in words
    assert re.search(r"brownian_stopping_candidates +8\n", words), "four shards of two tasks were expected"
    expected = calm_smoke.outputs()
    found = house.outputs()
    assert set(TARGETS) <= set(found)
    assert_same_bytes(found, {name: content for name, content in expected.items() if name in found})
    left = subprocess.run(["pgrep", "-x", "slurmd|slurmctld|munged"], capture_output=True, text=True, check=False)
    assert left.stdout == "", "daemons were left behind"
    tried()
