from dpthesis.checking.verification import verify_run
from dpthesis.records.tables import write_table

write_table(snakemake.output[0], verify_run(**snakemake.params.comparison).frame())
