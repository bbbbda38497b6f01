from dpthesis.experiments.small_cells_decisions import smallest_epsilon_table
from dpthesis.records.jobs import Job

job = Job(snakemake)
table = smallest_epsilon_table(settings=job.params.settings["smallest_epsilon"])
# A formula for Laplace noise, a root for geometric noise.
job.save(table, closed_form=["wrong_rate"], partly={"epsilon": table["mechanism"] == "laplace"})
