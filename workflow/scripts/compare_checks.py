from dpthesis.experiments.stopping_comparison import comparison
from dpthesis.records.jobs import Job
from dpthesis.records.tables import read_table

job = Job(snakemake)
job.save(comparison(read_table(snakemake.input.runs)))
