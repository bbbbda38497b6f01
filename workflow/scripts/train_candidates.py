from dpthesis.data.files import data_file
from dpthesis.experiments.stopping_run import train_candidates
from dpthesis.records.arrays import write_arrays
from dpthesis.records.jobs import Job

job = Job(snakemake)
files = [data_file(name, entry) for name, entry in job.params.data.items()]
paths = train_candidates(
    job.params.task,
    job.params.settings,
    files,
    root=job.params.root_seed,
    shard=int(job.params.shard),
    shards=job.params.shards,
)
write_arrays(job.output[0], paths)
job.say(f"{job.params.task}: {len(paths['repeat'])} repeats")
