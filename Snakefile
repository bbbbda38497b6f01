# Wires only: settings, rules, targets. What is computed stands in config/, how in src/dpthesis/.
configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/laplace_lab.smk"
include: "workflow/rules/small_cells.smk"
include: "workflow/rules/budget.smk"
include: "workflow/rules/exponential_families.smk"
include: "workflow/rules/lambda_randomization.smk"
include: "workflow/rules/brownian_stopping.smk"
include: "workflow/rules/audit.smk"
include: "workflow/rules/check.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        everything(),
    log:
        f"{ROOT}logs/all.log",
    conda:
        "environment.yml"
    params:
        comparison=comparison(verified_files()),
    message:
        "Compare every output with verified/{params.comparison[run]}"
    script:
        "workflow/scripts/verify.py"


refuse_unwritable_folders()
