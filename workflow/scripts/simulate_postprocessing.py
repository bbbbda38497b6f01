from dpthesis.experiments.small_cells_postprocessing import postprocessing_table
from dpthesis.records.jobs import Job

job = Job(snakemake)
table = postprocessing_table(root_seed=job.params.root_seed, settings=job.params.settings["postprocessing"])
# The posterior mean's moments are sums and integrals, the others formulas.
formula = table["post_processing"] != "posterior_mean"
job.save(table, closed_form=["epsilon"], partly={"expected_bias": formula, "expected_mean_abs_error": formula})
