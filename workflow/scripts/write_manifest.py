import sys

from dpthesis.records.manifest import write_manifest

try:
    write_manifest(snakemake.output[0], list(snakemake.input), snakemake.params.makers)
except ValueError as error:
    sys.exit(str(error))
