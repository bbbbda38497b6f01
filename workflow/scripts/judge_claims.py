from pathlib import Path

from dpthesis.checking.claims import evaluate_claims
from dpthesis.config import load_yaml
from dpthesis.records.jobs import Job
from dpthesis.settings.words import options

job = Job(snakemake)
known = options(load_yaml(snakemake.input.schema))
job.save(evaluate_claims(Path(snakemake.input.claims), Path(job.output[0]).parent, options=known))
