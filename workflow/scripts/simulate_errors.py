from dpthesis.experiments.small_cells_data import open_od_table
from dpthesis.experiments.small_cells_errors import error_table
from dpthesis.records.jobs import Job

job = Job(snakemake)
settings = job.params.settings
if settings["od_entry"]:
    job.tell(open_od_table(settings["od_entry"]).note)
table = error_table(
    root_seed=job.params.root_seed,
    data=settings["data"],
    settings=settings["errors"],
    od_entry=settings["od_entry"],
)
job.save(table, closed_form=["epsilon", *(name for name in table.columns if name.startswith("expected_"))])
