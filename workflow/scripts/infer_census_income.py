from dpthesis.data.census import acs_income, census2000_income
from dpthesis.data.files import data_file
from dpthesis.experiments.census import census
from dpthesis.records.jobs import Job

job = Job(snakemake)
files = [data_file(name, entry) for name, entry in job.params.data.items()]
read = {"census2000": lambda: census2000_income(files[0]), "acs": lambda: acs_income(files)}
population = read[job.params.settings["dataset"]]()
table = census(population, root_seed=job.params.root_seed, **job.params.settings)
job.save(table, closed_form=["epsilon", "delta", "clip_share"])
job.say(f"{population.people.sum()} people, {len(population.rows)} distinct rows of {population.covariates}")
