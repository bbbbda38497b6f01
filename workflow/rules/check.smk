# Claims, verification, manifest; and promotion of the present outputs to verified ones, on request.
from dpthesis.checking.claims import load_claims
from dpthesis.records.outputs import result_tables

VERIFIED = f"verified/{config['run']}"
HOUSE_FILES = [str(file.relative_to(HOUSE)) for file in sorted((HOUSE / VERIFIED).rglob("*")) if file.is_file()]

try:
    load_claims("config/claims.yaml", result_tables(HOUSE / "workflow/rules"))
except ConfigError as error:
    raise WorkflowError(str(error))


rule claims:
    input:
        results=[file for chapter in CHAPTERS for file in result_files(chapter) if file.endswith(".csv")],
        claims="config/claims.yaml",
        schema=SCHEMA,
    output:
        multiext(f"{ROOT}results/claims", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/claims.log",
    benchmark:
        f"{ROOT}logs/claims.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        settings={},
        code=code_digest("judge_claims.py"),
    message:
        "Judge what the sources state by the rules of {input.claims}"
    script:
        "../scripts/judge_claims.py"


rule verification:
    input:
        verified_files(),
        HOUSE_FILES,
    output:
        f"{ROOT}results/verification.csv",
    log:
        f"{ROOT}logs/verification.log",
    benchmark:
        f"{ROOT}logs/verification.tsv"
    conda:
        "../../environment.yml"
    params:
        comparison=comparison(verified_files()),
        code=code_digest("write_verification.py"),
    message:
        "Tabulate the comparison with verified/{params.comparison[run]}"
    script:
        "../scripts/write_verification.py"


rule manifest:
    input:
        verified_files(),
    output:
        f"{ROOT}results/manifest.json",
    log:
        f"{ROOT}logs/manifest.log",
    benchmark:
        f"{ROOT}logs/manifest.tsv"
    conda:
        "../../environment.yml"
    params:
        makers=lambda _: makers(),
        code=code_digest("write_manifest.py"),
    message:
        "List every output with its SHA-256, rule and stamp"
    script:
        "../scripts/write_manifest.py"


rule verify:
    input:
        verified_files(),
    log:
        f"{ROOT}logs/verify.log",
    conda:
        "../../environment.yml"
    params:
        comparison=comparison(verified_files()),
    message:
        "Compare every output with verified/{params.comparison[run]}, after making what was missing or out of date"
    script:
        "../scripts/verify.py"


# Without input: it makes nothing, not even what is missing.
rule compare:
    log:
        f"{ROOT}logs/compare.log",
    conda:
        "../../environment.yml"
    params:
        comparison=comparison(verified_files()),
    message:
        "Compare the outputs that are there with verified/{params.comparison[run]}; make nothing"
    script:
        "../scripts/verify.py"


rule promote:
    input:
        verified_files(),
    log:
        f"{ROOT}logs/promote.log",
    conda:
        "../../environment.yml"
    params:
        comparison=comparison(verified_files()),
    message:
        "Make the present outputs the verified ones of run {params.comparison[run]}"
    script:
        "../scripts/promote_outputs.py"
