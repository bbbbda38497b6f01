from dpthesis.experiments.family_cells import variant_cells
from dpthesis.experiments.family_fits import estimate_variant, simulate
from dpthesis.records.arrays import write_arrays
from dpthesis.records.jobs import Job

job = Job(snakemake)
variants = job.params.settings["variants"]
cells = variant_cells(sizes=variants["sizes"], epsilons=variants["epsilons"], delta=job.params.settings["delta"])
arrays = simulate(
    job.progress(cells, len(cells), "cells estimated"),
    estimate_variant(sets=variants["synthetic_sets"]),
    "synthetic",
    root_seed=job.params.root_seed,
    replicates=variants["replicates"],
    shard=int(job.params.shard),
    shards=job.params.shards,
)
write_arrays(job.output[0], arrays)
