from importlib import import_module
from pathlib import Path

from dpthesis.publishing import numbers
from dpthesis.publishing.language import Speaker
from dpthesis.publishing.preview import preview_tex
from dpthesis.publishing.report_words import WORDS
from dpthesis.publishing.words import COMMON
from dpthesis.records.files import write_text
from dpthesis.records.jobs import Job
from dpthesis.records.tables import read_table

job = Job(snakemake)
chapters = job.params.chapters
speaker = Speaker(job.params.language, COMMON, WORDS)
quoted = []
for chapter in chapters:
    module = import_module(f"dpthesis.publishing.chapters.{chapter}")
    files = [Path(file) for file in snakemake.input if Path(file).parent.name == chapter]
    frames = {file.stem: read_table(file) for file in files}
    declared = getattr(module, "NUMBERS", ())  # a chapter may quote none
    quoted += numbers.quote(chapter, declared, frames, speaker, whole=job.params.whole)
write_text(job.output.tex, numbers.macros_tex(quoted, job.stamp))
write_text(job.output.list, numbers.list_markdown(quoted, speaker, job.stamp))
write_text(job.output.preview, preview_tex(chapters, quoted, speaker, job.stamp))
job.say(f"{len(quoted)} numbers of {len(chapters)} chapters")
