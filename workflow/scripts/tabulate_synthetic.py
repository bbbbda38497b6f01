from dpthesis.experiments.family_cells import Cell
from dpthesis.experiments.family_coverage import example, synthetic
from dpthesis.experiments.family_fits import Replicates
from dpthesis.records.arrays import StoredArrays
from dpthesis.records.jobs import Job

job = Job(snakemake)
replicates = Replicates([StoredArrays(file) for file in snakemake.input])
shown = job.params.settings["example"]
cell = Cell(**{name: shown[name] for name in ("family", "n", "epsilon")}, delta=job.params.settings["delta"])
job.save(synthetic(replicates), job.output[0], closed_form=["epsilon"])
picture = example(cell, replicates, parameter=shown["parameter"], count=shown["count"])
job.save(picture, job.output[2], closed_form=["epsilon", "truth"])
