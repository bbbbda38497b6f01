from dpthesis.experiments.budget import inverse_table
from dpthesis.records.jobs import Job

job = Job(snakemake)
table = inverse_table(settings=job.params.settings["inverse"])
job.save(
    table,
    closed_form=["target_epsilon", "delta"],
)
