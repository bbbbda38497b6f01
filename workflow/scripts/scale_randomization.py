from dpthesis.experiments.response_scale import high_dimension_table
from dpthesis.records.jobs import Job

job = Job(snakemake)
table = high_dimension_table(root_seed=job.params.root_seed, **job.params.settings["high_dimension"])
job.save(table, closed_form=["lambda", "epsilon", "predicted_rmse"])
