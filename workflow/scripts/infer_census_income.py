from dpthesis.data.census import acs_income, census2000_income
from dpthesis.data.files import data_file
from dpthesis.experiments.census import census
from dpthesis.experiments.census_readings import census_readings
from dpthesis.records.jobs import Job

job = Job(snakemake)
files = [data_file(name, entry) for name, entry in job.params.data.items()]
read = {"census2000": lambda: census2000_income(files[0]), "acs": lambda: acs_income(files)}
population = read[job.params.settings["dataset"]]()
table = census(population, root_seed=job.params.root_seed, **job.params.settings)
job.save(table, job.output[0], closed_form=["epsilon", "delta", "clip_share"])
shared = {name: job.params.settings[name] for name in ("dataset", "epsilons", "delta", "replicates")}
clip_share, n = max(job.params.settings["clip_shares"]), min(job.params.settings["sizes"])
readings = census_readings(population, root_seed=job.params.root_seed, clip_share=clip_share, n=n, **shared)
job.save(readings, job.output[2], closed_form=["epsilon"])
job.say(f"{population.people.sum()} people, {len(population.rows)} distinct rows of {population.covariates}")
