from dpthesis.checking.verification import verify_run
from dpthesis.records.files import write_text

write_text(snakemake.output[0], verify_run(**snakemake.params.comparison).csv_text())
