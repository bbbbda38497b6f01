"""The workflow on a real Slurm of one node, through profiles/slurm and Snakemake's own executor: the same bytes."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stress.conftest import assert_same_bytes, everything, printed, tried
from tests.workflow.conftest import clone

NODE = Path(__file__).with_name("one_node_slurm.sh")
# What a cluster without accounting needs, and shorter waits than a busy one.
FLAGS = (
    *("--slurm-no-account", "--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "2"),
    *("--seconds-between-status-checks", "2", "--latency-wait", "5"),
    *("--default-resources", "mem_mb=500", "runtime=10", "slurm_partition=main"),
)


def why_not() -> str:
    missing = [name for name in ("slurmctld", "slurmd", "munged", "sbatch", "unshare") if not shutil.which(name)]
    if missing:
        return f"{', '.join(missing)} not found; on Debian: apt-get install slurm-wlm munge"
    return "" if os.geteuid() == 0 else "only root may start Slurm's daemons in namespaces of their own"


@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_the_smoke_run_on_a_slurm_of_one_node_gives_the_same_bytes(calm_smoke, tmp_path):
    """The undisturbed run has one shard, this one the profile's four."""
    house = clone(tmp_path / "thesis é", "smoke")
    done = house.run(
        *(str(NODE), sys.executable, "-m", "snakemake", "--profile", "profiles/slurm", "--jobs", "8"),
        *(*FLAGS, *house.settings, "--", everything(house)),
    )
    words = printed(done)
    assert done.returncode == 0, words
    jobs = len(re.findall("submitted with SLURM jobid", words))
    assert jobs > 50
    assert (house.folder / "smoke/build/exponential_families/fits_3.npz").exists(), "four shards were expected"
    assert_same_bytes(house.outputs(), calm_smoke.outputs())
    left = subprocess.run(["pgrep", "-x", "slurmd|slurmctld|munged"], capture_output=True, text=True, check=False)
    assert left.stdout == "", "daemons were left behind"
    tried()
