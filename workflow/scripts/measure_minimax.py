from dpthesis.experiments.minimax import design_rule, minimax, slopes
from dpthesis.records.jobs import Job

job = Job(snakemake)
settings = job.params.settings
table = minimax(root_seed=job.params.root_seed, **settings["minimax"])
job.save(table, job.output[0], closed_form=["epsilon", "delta", "lower_bound", "privacy_expected"])
job.save(slopes(table, **settings["slopes"]), job.output[2])
rule = design_rule(**settings["design_rule"])
# Gaussian noise is solved for.
formula = rule["mechanism"] == "laplace"
job.save(
    rule,
    job.output[4],
    closed_form=["epsilon", "delta", "variance_share"],
    partly={"n_needed": formula, "n_epsilon_squared": formula},
)
