import pandas as pd

from dpthesis.experiments.family_coverage import coverage
from dpthesis.experiments.family_fits import Replicates
from dpthesis.experiments.family_inversion import inversion_coverage
from dpthesis.records.arrays import StoredArrays
from dpthesis.records.jobs import Job

job = Job(snakemake)
fits, bootstrap, inversion, variants = (
    [StoredArrays(file) for file in snakemake.input[name]] for name in ("fits", "bootstrap", "inversion", "variants")
)
parts = [coverage(Replicates(shards)) for shards in (fits, bootstrap)]
parts += [inversion_coverage(inversion), coverage(Replicates(variants))]
job.save(pd.concat(parts, ignore_index=True), closed_form=["epsilon", "delta"])
