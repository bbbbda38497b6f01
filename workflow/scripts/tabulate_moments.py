from dpthesis.experiments.family_fits import Replicates
from dpthesis.experiments.family_moments import equivalence, normality, variance
from dpthesis.records.arrays import StoredArrays
from dpthesis.records.jobs import Job

job = Job(snakemake)
replicates = Replicates([StoredArrays(file) for file in snakemake.input])
for path, table in zip(job.output[::2], (variance, normality, equivalence), strict=True):
    job.save(table(replicates), path, closed_form=["epsilon"])
