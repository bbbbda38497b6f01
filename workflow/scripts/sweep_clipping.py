from dpthesis.experiments.clipping import clipping
from dpthesis.records.jobs import Job

job = Job(snakemake)
table = clipping(root_seed=job.params.root_seed, **job.params.settings)
job.save(table, closed_form=["epsilon", "radius"])
