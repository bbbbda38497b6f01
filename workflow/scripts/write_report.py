from importlib import import_module
from pathlib import Path

from dpthesis.config import load_yaml
from dpthesis.publishing.language import Speaker
from dpthesis.publishing.references import read_references
from dpthesis.publishing.report import Inputs, Run, report_html
from dpthesis.publishing.report_words import WORDS
from dpthesis.publishing.words import COMMON
from dpthesis.records.files import write_text
from dpthesis.records.jobs import Job

job = Job(snakemake)
params = job.params
run = Run(root_seed=params.root_seed, settings=params.settings, chapters=params.chapters, **params.run)
modules = {name: import_module(f"dpthesis.publishing.chapters.{name}") for name in params.chapters}
captions = {(Path(file).parent.name, Path(file).name.split(".")[0]): Path(file) for file in snakemake.input.captions}
inputs = Inputs(
    caption_files=captions,
    claim_rules=load_yaml(snakemake.input.claims)["claims"],
    claim_texts={} if run.language == "en" else load_yaml(snakemake.input.claim_texts),
    references=read_references(snakemake.input.references),
    speakers={name: Speaker(run.language, COMMON, module.WORDS) for name, module in modules.items()},
    templates=Path(snakemake.input.templates[0]).parent,
)
page = report_html(run, Speaker(run.language, COMMON, WORDS), inputs)
write_text(job.output[0], page)
job.say(f"{job.output[0]}: {len(page.encode()) / 1e6:.1f} MB")
