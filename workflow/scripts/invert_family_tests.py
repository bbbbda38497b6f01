from dpthesis.experiments.family_cells import inversion_cells
from dpthesis.experiments.family_inversion import simulate_inversion
from dpthesis.records.arrays import write_arrays
from dpthesis.records.jobs import Job

job = Job(snakemake)
inversion = job.params.settings["inversion"]
chosen = {name: inversion[name] for name in ("everywhere_up_to", "other_sizes")}
cells = inversion_cells(**job.params.settings["cells"], **chosen)
arrays = simulate_inversion(
    job.progress(cells, len(cells), "cells inverted"),
    root_seed=job.params.root_seed,
    replicates=inversion["replicates"],
    ends=inversion["ends"],
    shard=int(job.params.shard),
    shards=job.params.shards,
)
write_arrays(job.output[0], arrays)
