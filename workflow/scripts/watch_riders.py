from dpthesis.experiments.audit_rider import rider
from dpthesis.records.jobs import Job

job = Job(snakemake)
job.save(rider(root_seed=job.params.root_seed, **job.params.settings), closed_form=["epsilon", "limit"])
