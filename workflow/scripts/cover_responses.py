from dpthesis.experiments.response_coverage import coverage_table
from dpthesis.experiments.response_setting import ResponseSetting
from dpthesis.records.jobs import Job

job = Job(snakemake)
settings = job.params.settings
setting = ResponseSetting.from_config(population=settings["population"], scenarios=settings["scenarios"])
table = coverage_table(setting, root_seed=job.params.root_seed, **settings["coverage"])
job.save(table)
