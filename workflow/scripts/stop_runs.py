from dpthesis.experiments.stopping_run import stop_runs
from dpthesis.records.arrays import read_arrays
from dpthesis.records.jobs import Job

job = Job(snakemake)
shards = {task: [read_arrays(file) for file in snakemake.input[task]] for task in job.params.settings["tasks"]}
runs, accuracy = stop_runs(shards, job.params.settings, root=job.params.root_seed)
job.save(runs, closed_form=["alpha", "delta", "threshold"])
job.save(accuracy, job.output[2], closed_form=["epsilon"])
