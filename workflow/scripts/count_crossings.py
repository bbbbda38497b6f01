from dpthesis.experiments.brownian_crossing import crossing
from dpthesis.records.jobs import Job

job = Job(snakemake)
table = crossing(root_seed=job.params.root_seed, **job.params.settings)
job.save(table, closed_form=["delta"])
