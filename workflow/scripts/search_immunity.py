from dpthesis.experiments.ex_post_immunity import immunity
from dpthesis.records.jobs import Job

job = Job(snakemake)
table = immunity(root_seed=job.params.root_seed, **job.params.settings)
job.save(table, closed_form=["delta", "worst_after", "before", "limit"])
