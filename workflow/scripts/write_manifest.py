from dpthesis.records.manifest import write_manifest

write_manifest(snakemake.output[0], list(snakemake.input), snakemake.params.makers)
