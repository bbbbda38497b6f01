from dpthesis.experiments.small_cells_decisions import smallest_epsilon_table
from dpthesis.records.jobs import Job

job = Job(snakemake)
job.save(smallest_epsilon_table(settings=job.params.settings["smallest_epsilon"]), closed_form=["wrong_rate"])
