from dpthesis.experiments.budget import composition_table
from dpthesis.records.jobs import Job

job = Job(snakemake)
table = composition_table(settings=job.params.settings["composition"])
# The other totals are solved for, and so is the noise of the Gaussian mechanism.
formula = (table["mechanism"] == "laplace") & table["method"].isin(["basic", "advanced", "zcdp_simple"])
job.save(
    table,
    closed_form=["per_release_epsilon", "per_release_delta", "delta", "stated_epsilon"],
    partly=dict.fromkeys(["total_epsilon", "bound_before_min", "guaranteed_success"], formula),
)
