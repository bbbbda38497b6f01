from dpthesis.experiments.brownian_moment import moments
from dpthesis.records.jobs import Job

job = Job(snakemake)
table = moments(root_seed=job.params.root_seed, **job.params.settings)
job.save(table, closed_form=["alpha"])
