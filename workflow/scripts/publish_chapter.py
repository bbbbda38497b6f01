from pathlib import Path

import jinja2

from dpthesis.publishing.chapter import publish
from dpthesis.records.jobs import Job

job = Job(snakemake)
captions = {Path(file).name.split(".")[0]: Path(file) for file in snakemake.input.captions}


def caption(name):
    """Fill in a caption as Snakemake's own report does."""
    template = jinja2.Template(captions[name].read_text(encoding="utf-8"), undefined=jinja2.StrictUndefined)
    return " ".join(template.render(snakemake=snakemake).split())


publish(
    job.params.chapter,
    results={Path(file).stem: Path(file) for file in snakemake.input.results if file.endswith(".csv")},
    captions=caption,
    language=job.params.language,
    table_folder=Path(next(file for file in job.output if file.endswith(".tex"))).parent,
    figure_folder=Path(next(file for file in job.output if file.endswith(".pdf"))).parent,
    stamp=job.stamp,
)
