import os
import sys

from dpthesis.checking.summary import made_line, run_summary
from dpthesis.checking.verification import verify_run
from dpthesis.checking.verification_words import report_lines
from dpthesis.config import ConfigError
from dpthesis.records.files import write_text

try:
    verification = verify_run(**snakemake.params.comparison)
except ConfigError as error:
    sys.exit(str(error))
compared = [each.file for each in verification.comparisons]
lines = [
    *report_lines(verification),
    *made_line(verification.root, compared, float(os.environ["RUN_BEGAN"])),
    *run_summary(verification, snakemake.params.comparison["chapter"]),
]
print(*lines, sep="\n", file=sys.stderr)
write_text(snakemake.log[0], "\n".join(lines) + "\n")  # Snakemake shows a failed job's log last
sys.exit(1 if verification.failed else 0)
