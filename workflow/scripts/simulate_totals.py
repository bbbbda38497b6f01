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
# The posterior mean's moments are sums and integrals, the others formulas.
formula = table["post_processing"] != "posterior_mean"
job.save(table, closed_form=["epsilon"], partly={"expected_bias": formula, "expected_rmse": formula})
