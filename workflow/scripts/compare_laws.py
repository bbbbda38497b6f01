from dpthesis.experiments.brownian_equivalence import equivalence
from dpthesis.records.jobs import Job

job = Job(snakemake)
table = equivalence(root_seed=job.params.root_seed, **job.params.settings)
job.save(table, closed_form=["checkpoint", "expected"])
