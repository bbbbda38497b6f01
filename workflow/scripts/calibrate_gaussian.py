from dpthesis.experiments.calibration import calibration
from dpthesis.records.jobs import Job

job = Job(snakemake)
job.save(calibration(**job.params.settings), closed_form=["epsilon", "delta", "sigma_over_sensitivity", "true_delta"])
