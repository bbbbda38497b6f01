from dpthesis.experiments.brownian_bounds import alpha_sweep, bounds
from dpthesis.records.jobs import Job

job = Job(snakemake)
settings = dict(job.params.settings)
alphas, list_lengths = settings.pop("alphas"), settings.pop("list_lengths")
table = bounds(list_lengths=list_lengths, **settings)
job.save(table, closed_form=["delta", "noise_variance", "parameter", "epsilon"])
sweep = alpha_sweep(alphas=alphas, **settings)
job.save(sweep, job.output[2], closed_form=[name for name in sweep.columns if name != "excess"])
