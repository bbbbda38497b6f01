from dpthesis.experiments.family_tests import tests
from dpthesis.records.jobs import Job

job = Job(snakemake)
job.save(tests(root_seed=job.params.root_seed, **job.params.settings), closed_form=["epsilon", "effect"])
