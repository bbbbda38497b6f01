# Claims, verification, manifest; and promotion of the present outputs to verified ones, on request.
VERIFIED = f"verified/{config['run']}"
HOUSE_FILES = [str(file.relative_to(HOUSE)) for file in sorted((HOUSE / VERIFIED).rglob("*")) if file.is_file()]


def makers():
    """Which part of the workflow makes which file."""
    return {str(file): part.name for part in workflow.rules for file in part.output}


rule claims:
    input:
        results=[file for chapter in CHAPTERS for file in result_files(chapter) if file.endswith(".csv")],
        claims="config/claims.yaml",
    output:
        multiext(f"{ROOT}results/claims", ".csv", ".csv.stamp.json"),
    params:
        version=VERSION,
        settings={},
        folder=f"{ROOT}results",
        code=code_digest("judge_claims.py"),
    log:
        f"{ROOT}logs/claims.log",
    benchmark:
        f"{ROOT}logs/claims.tsv"
    conda:
        "../../environment.yml"
    message:
        "Judge what the sources state by the rules of config/claims.yaml"
    script:
        "../scripts/judge_claims.py"


rule verification:
    input:
        verified_files(),
        HOUSE_FILES,
    output:
        f"{ROOT}results/verification.csv",
    params:
        run=config["run"],
        root=ROOT,
        expected=verified_files(),
        code=code_digest("write_verification.py"),
    log:
        f"{ROOT}logs/verification.log",
    benchmark:
        f"{ROOT}logs/verification.tsv"
    conda:
        "../../environment.yml"
    message:
        "Tabulate the comparison with verified/{params.run}"
    script:
        "../scripts/write_verification.py"


rule manifest:
    input:
        verified_files(),
    output:
        f"{ROOT}results/manifest.json",
    params:
        makers=lambda _: makers(),
        code=code_digest("write_manifest.py"),
    log:
        f"{ROOT}logs/manifest.log",
    benchmark:
        f"{ROOT}logs/manifest.tsv"
    conda:
        "../../environment.yml"
    message:
        "List every output with its SHA-256, rule and stamp"
    script:
        "../scripts/write_manifest.py"


rule verify:
    input:
        verified_files(),
    params:
        run=config["run"],
        root=ROOT,
        expected=verified_files(),
    log:
        f"{ROOT}logs/verify.log",
    conda:
        "../../environment.yml"
    message:
        "Compare every output with verified/{params.run}"
    script:
        "../scripts/verify.py"


rule promote:
    input:
        verified_files(),
    params:
        run=config["run"],
        root=ROOT,
        expected=verified_files(),
    log:
        f"{ROOT}logs/promote.log",
    conda:
        "../../environment.yml"
    message:
        "Make the present outputs the verified ones of run {params.run}"
    script:
        "../scripts/promote_outputs.py"
