from dpthesis.experiments.audit_controls import controls, power
from dpthesis.records.jobs import Job

job = Job(snakemake)
settings = job.params.settings
shared = {"root_seed": job.params.root_seed, "error_rate": settings["error_rate"], "mechanisms": settings["mechanisms"]}
caught = controls(**shared, trials=settings["trials"], repeats=settings["repeats"])
curves = power(**shared, trials=settings["power_trials"], repeats=settings["power_repeats"])
job.save(caught, job.output[0], closed_form=["claimed_epsilon", "delta", "error"])
job.save(curves, job.output[2])
