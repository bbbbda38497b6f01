from dpthesis.experiments.audit_float import floating_point
from dpthesis.records.jobs import Job

job = Job(snakemake)
table = floating_point(root_seed=job.params.root_seed, **job.params.settings)
job.save(table, closed_form=["epsilon", "expected_proof_share"])
