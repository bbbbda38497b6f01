import pandas as pd

from dpthesis.experiments.family_coverage import coverage
from dpthesis.experiments.family_fits import Replicates
from dpthesis.experiments.family_inversion import inversion_coverage
from dpthesis.records.jobs import Job

job = Job(snakemake)
parts = [coverage(Replicates(list(files))) for files in (snakemake.input.fits, snakemake.input.bootstrap)]
parts += [inversion_coverage(list(snakemake.input.inversion)), coverage(Replicates(list(snakemake.input.variants)))]
job.save(pd.concat(parts, ignore_index=True), closed_form=["epsilon", "delta"])
