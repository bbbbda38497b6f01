from pathlib import Path

from dpthesis.publishing.captions import render
from dpthesis.publishing.chapter import publish
from dpthesis.publishing.language import Speaker
from dpthesis.records.jobs import Job

job = Job(snakemake)
captions = {Path(file).name.split(".")[0]: file for file in snakemake.input.captions}

publish(
    job.params.chapter,
    results={Path(file).stem: Path(file) for file in snakemake.input.results if file.endswith(".csv")},
    captions=lambda name: render(captions[name], job.params.settings, Speaker(job.params.language)),
    language=job.params.language,
    table_folder=Path(next(file for file in job.output if file.endswith(".md"))).parent,
    figure_folder=Path(next(file for file in job.output if file.endswith(".pdf"))).parent,
    stamp=job.stamp,
)
