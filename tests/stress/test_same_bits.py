"""Other processors and thread counts, as far as one machine can play them: the smoke run's bytes stay the same.

OpenBLAS is told to use the kernels of other core types, numpy and the C library to leave out instruction sets, numba to
compile for the plainest processor, and Snakemake to give two threads to each job.
"""

import json
import os
import platform
import re
import subprocess
import sys
import time

import psutil
import pytest
import threadpoolctl

from dpthesis.checking.comparison import WITHIN, compare_file
from dpthesis.checking.verification import load_tolerances
from tests.stress.conftest import REPOSITORY, assert_same_bytes, everything, tried
from tests.workflow.conftest import clone
from tests.workflow.processes import workers

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="core types and features are those of x86-64")

OLD_C_LIBRARY = "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX2,-AVX2_Usable,-FMA,-FMA_Usable,-FMA4,-FMA4_Usable"
OWN = {each.get("architecture") for each in threadpoolctl.threadpool_info()}  # the undisturbed run's
PROBE = """
import json, threadpoolctl, numpy, scipy.linalg
from numpy._core._multiarray_umath import __cpu_features__, __cpu_dispatch__
print(json.dumps({
    "cores": sorted({each["architecture"] for each in threadpoolctl.threadpool_info()}),
    "features": [name for name in __cpu_dispatch__ if __cpu_features__[name]],
}))
"""


def seen_by_numpy(**environment: str) -> dict:
    """Return OpenBLAS's core types and the instruction sets that numpy may choose, under an environment."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def features_from(first: str) -> str:
    """Name the instruction sets that numpy can choose on this processor, from `first` upwards."""
    features = seen_by_numpy()["features"]
    return " ".join(features[features.index(first) :]) if first in features else ""


def run_and_watch(house, *arguments, watched=(), cores=2, **environment):
    """Make everything; return the values that the jobs saw in the watched environment variables."""
    seen = {name: set() for name in watched}
    with open(house.folder / "printed.txt", "w+", encoding="utf-8") as file:
        run = house.start(*house.command(everything(house), *arguments, cores=cores), into=file, **environment)
        while run.poll() is None:
            for worker in workers(house.folder):
                try:
                    values = worker.environ()
                except psutil.Error:
                    continue
                if values:  # of a process that is ending the system shows none
                    for name in watched:
                        seen[name].add(values.get(name))
            time.sleep(0.3)  # looking costs time too
        file.seek(0)
        assert run.returncode == 0, file.read()
    return seen


def rules(house) -> set[str]:
    text = "".join(file.read_text(encoding="utf-8") for file in (house.folder / "workflow/rules").glob("*.smk"))
    return set(re.findall(r"^rule (\w+):", text, re.MULTILINE))


def assert_same(house, calm) -> None:
    """All files must be the same bytes, but for columns with a tolerance in verified/tolerances.yaml."""
    found, expected = house.outputs(), calm.outputs()
    tolerances = load_tolerances(REPOSITORY / "verified/tolerances.yaml")
    for name in [name for name in tolerances if name in expected and found.get(name) != expected[name]]:
        compared = compare_file(house.folder / "smoke", calm.folder / "smoke", name, {}, tolerances[name])
        assert compared.verdict == WITHIN, compared
        del found[name], expected[name]
    assert_same_bytes(found, expected)
    tried()


@pytest.fixture
def fresh(tmp_path):
    return clone(tmp_path / "thesis", "smoke")


@pytest.mark.parametrize("core", sorted({"Haswell", "SkylakeX", "Sandybridge"} - OWN))
def test_openblas_core_types(calm_smoke, fresh, core):
    environment = {"OPENBLAS_CORETYPE": core}
    if seen_by_numpy(**environment)["cores"] != [core]:
        pytest.skip(f"OpenBLAS cannot play {core} on this processor")
    seen = run_and_watch(fresh, watched=environment, **environment)
    assert seen == {"OPENBLAS_CORETYPE": {core}}
    assert_same(fresh, calm_smoke)


@pytest.mark.parametrize("first", ["X86_V4", "X86_V3"], ids=["without AVX-512", "without AVX2"])
def test_numpy_and_numba_without_instruction_sets(calm_smoke, fresh, first):
    features = features_from(first)
    if not features:
        pytest.skip("this processor has none of them")
    environment = {"NPY_DISABLE_CPU_FEATURES": features}
    if first == "X86_V3":
        environment |= {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": "", "GLIBC_TUNABLES": OLD_C_LIBRARY}
    assert first not in seen_by_numpy(**environment)["features"]
    seen = run_and_watch(fresh, watched=environment, **environment)
    assert seen == {name: {value} for name, value in environment.items()}
    assert_same(fresh, calm_smoke)


def test_two_threads_a_job(calm_smoke, fresh):
    threads = [f"{rule}=2" for rule in sorted(rules(fresh))]
    seen = run_and_watch(fresh, "--set-threads", *threads, watched=["OPENBLAS_NUM_THREADS"], cores=4)
    assert seen == {"OPENBLAS_NUM_THREADS": {"2"}}
    assert_same(fresh, calm_smoke)
