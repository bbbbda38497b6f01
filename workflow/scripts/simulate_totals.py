from dpthesis.experiments.small_cells_totals import totals_table
from dpthesis.records.jobs import Job

job = Job(snakemake)
settings = job.params.settings
table = totals_table(
    root_seed=job.params.root_seed,
    data=settings["data"],
    settings=settings["totals"],
    od_entry=settings["od_entry"],
)
job.save(table, closed_form=["epsilon"])
