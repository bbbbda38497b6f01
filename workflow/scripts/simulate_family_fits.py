from dpthesis.experiments.family_cells import grid
from dpthesis.experiments.family_fits import estimate_all, simulate
from dpthesis.records.arrays import write_arrays
from dpthesis.records.jobs import Job

job = Job(snakemake)
cells = list(grid(**job.params.settings["cells"]))
fits = job.params.settings["fits"]
arrays = simulate(
    job.progress(cells, len(cells), "cells estimated"),
    estimate_all(sets=fits["synthetic_sets"]),
    "synthetic",
    root_seed=job.params.root_seed,
    replicates=fits["replicates"],
    shard=int(job.params.shard),
    shards=job.params.shards,
)
write_arrays(job.output[0], arrays)
