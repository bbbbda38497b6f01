from dpthesis.experiments.budget import composition_table
from dpthesis.records.jobs import Job

job = Job(snakemake)
table = composition_table(settings=job.params.settings["composition"])
job.save(
    table,
    closed_form=["per_release_epsilon", "per_release_delta", "delta", "stated_epsilon"],
)
