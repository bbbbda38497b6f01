from dpthesis.experiments.response_covariance import covariance_table
from dpthesis.experiments.response_setting import ResponseSetting
from dpthesis.records.jobs import Job

job = Job(snakemake)
settings = job.params.settings
setting = ResponseSetting.from_config(population=settings["population"], scenarios=settings["scenarios"])
table = covariance_table(setting, root_seed=job.params.root_seed, **settings["covariance"])
job.save(table, closed_form=["true_covariance", "predicted_covariance", "before_binning"])
