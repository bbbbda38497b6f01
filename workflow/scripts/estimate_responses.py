from dpthesis.experiments.response_estimates import estimates_table
from dpthesis.experiments.response_setting import ResponseSetting
from dpthesis.records.jobs import Job

job = Job(snakemake)
settings = job.params.settings
setting = ResponseSetting.from_config(population=settings["population"], scenarios=settings["scenarios"])
table = estimates_table(setting, root_seed=job.params.root_seed, **settings["estimates"])
job.save(table, closed_form=["predicted_rmse", "guess_rmse"])
