from pathlib import Path

from dpthesis.checking.claims import evaluate_claims
from dpthesis.records.jobs import Job

job = Job(snakemake)
job.save(evaluate_claims(Path(snakemake.input.claims), Path(job.output[0]).parent))
