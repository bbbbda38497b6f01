from dpthesis.experiments.laplace_lab import lab, lab_lines
from dpthesis.records.jobs import Job

job = Job(snakemake)
table = lab(**job.params.settings)
job.save(table, closed_form=["epsilon", "expected_rel_error_small", "sd_rel_error_small"])
job.save_text(lab_lines(table), job.output[2])
