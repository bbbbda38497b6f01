from dpthesis.experiments.small_cells_decisions import decision_table
from dpthesis.records.jobs import Job

job = Job(snakemake)
settings = job.params.settings
table = decision_table(
    root_seed=job.params.root_seed,
    data=settings["data"],
    settings=settings["decisions"],
    od_entry=settings["od_entry"],
)
job.save(table, closed_form=["epsilon", "expected_wrong_rate"])
