from dpthesis.experiments.response_joint import joint_table
from dpthesis.experiments.response_setting import ResponseSetting
from dpthesis.records.jobs import Job

job = Job(snakemake)
settings = job.params.settings
setting = ResponseSetting.from_config(population=settings["population"], scenarios=settings["scenarios"])
table = joint_table(setting, root_seed=job.params.root_seed, **settings["joint"])
job.save(table, closed_form=["epsilon", "predicted_mse"])
