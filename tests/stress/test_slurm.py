"""The workflow on a real Slurm of one node, through profiles/slurm and Snakemake's own executor: the same bytes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stress.conftest import assert_same_bytes, chapters, of_chapter, printed, tried
from tests.workflow.conftest import clone

NODE = Path(__file__).with_name("one_node_slurm.sh")
CHAPTERS = [name for name in ("laplace_lab", "exponential_families") if name in chapters()]
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
    house = clone(tmp_path / "thesis", "smoke")
    files = [f"{house.size}/{name}" for chapter in CHAPTERS for name in of_chapter(calm_smoke.outputs(), chapter)]
    done = house.run(
        *(str(NODE), sys.executable, "-m", "snakemake", "--profile", "profiles/slurm", "--jobs", "2"),
        *(*FLAGS, *house.settings, "--", *files),
    )
    assert done.returncode == 0, printed(done)
    assert "executor: slurm" in (house.folder / "profiles/slurm/config.yaml").read_text()
    assert "SLURM jobid" in printed(done) or "slurm" in printed(done).lower()
    expected = {name: content for each in CHAPTERS for name, content in of_chapter(calm_smoke.outputs(), each).items()}
    assert_same_bytes(house.outputs(), expected)
    left = subprocess.run(["pgrep", "-x", "slurmd|slurmctld|munged"], capture_output=True, text=True, check=False)
    assert left.stdout == "", "daemons were left behind"
    tried()
