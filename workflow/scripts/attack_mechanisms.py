from dpthesis.experiments.audit_bounds import bounds
from dpthesis.records.jobs import Job

job = Job(snakemake)
job.save(
    bounds(root_seed=job.params.root_seed, **job.params.settings), closed_form=["claimed_epsilon", "delta", "error"]
)
