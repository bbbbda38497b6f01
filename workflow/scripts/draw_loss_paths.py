from dpthesis.experiments.brownian_loss_paths import loss_paths
from dpthesis.records.jobs import Job

job = Job(snakemake)
table = loss_paths(root_seed=job.params.root_seed, **job.params.settings)
job.save(table, closed_form=["noise_variance", "ex_post_rdp", "gaussian_probabilistic"])
