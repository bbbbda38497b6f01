from dpthesis.experiments.small_cells_postprocessing import postprocessing_table
from dpthesis.records.jobs import Job

job = Job(snakemake)
table = postprocessing_table(root_seed=job.params.root_seed, settings=job.params.settings["postprocessing"])
job.save(table, closed_form=["epsilon"])
