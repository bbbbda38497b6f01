from dpthesis.experiments.family_cells import grid
from dpthesis.experiments.family_fits import estimate_bootstrap, simulate
from dpthesis.records.arrays import write_arrays
from dpthesis.records.jobs import Job

job = Job(snakemake)
cells = list(grid(**job.params.settings["cells"]))
bootstrap = job.params.settings["bootstrap"]
arrays = simulate(
    job.progress(cells, len(cells), "cells bootstrapped"),
    estimate_bootstrap(draws=bootstrap["draws"]),
    "bootstrap",
    root_seed=job.params.root_seed,
    replicates=bootstrap["replicates"],
    shard=int(job.params.shard),
    shards=job.params.shards,
)
write_arrays(job.output[0], arrays)
