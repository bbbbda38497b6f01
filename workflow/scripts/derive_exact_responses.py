from dpthesis.experiments.response_design import design_table
from dpthesis.experiments.response_inverse import birkhoff_table, inverse_table
from dpthesis.experiments.response_setting import ResponseSetting
from dpthesis.experiments.response_strengths import scenario_table
from dpthesis.records.jobs import Job

job = Job(snakemake)
population, scenarios = job.params.settings["population"], job.params.settings["scenarios"]
tables = [
    scenario_table(ResponseSetting.from_config(population=population, scenarios=scenarios)),
    inverse_table(scenarios, population["categories"]),
    birkhoff_table(),
    design_table(**job.params.settings["design"]),
]
for path, table in zip(job.output[::2], tables, strict=True):
    job.save(table, path, closed_form=table.columns)
