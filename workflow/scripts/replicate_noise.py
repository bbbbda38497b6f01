from dpthesis.experiments.replication import replication
from dpthesis.records.jobs import Job

job = Job(snakemake)
table = replication(root_seed=job.params.root_seed, **job.params.settings)
job.save(table, closed_form=["epsilon", "expected"])
