from dpthesis.experiments.ex_post_composition import composition
from dpthesis.records.jobs import Job

job = Job(snakemake)
job.save(composition(), closed_form=["moment"])
