import sys

from dpthesis.checking.verification import verify_run
from dpthesis.config import ConfigError
from dpthesis.records.files import write_text

try:
    verification = verify_run(**snakemake.params.comparison)
except ConfigError as error:
    sys.exit(str(error))
write_text(snakemake.output[0], verification.csv_text())
