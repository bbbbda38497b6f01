# Chapter lambda_randomization: many attributes, each kept with its own probability lambda.
CHAPTERS["lambda_randomization"] = {
    "results": [
        "scenarios.csv",
        "inverse.csv",
        "birkhoff.csv",
        "estimates.csv",
        "covariance.csv",
        "coverage.csv",
        "joint.csv",
        "design.csv",
        "high_dimension.csv",
    ],
    "tables": [
        "scenarios",
        "inverse",
        "birkhoff",
        "estimates_joint",
        "estimates_marginals",
        "likelihood",
        "covariance",
        "covariance_exceptions",
        "covariance_numeric",
        "coverage",
        "joint",
        "design",
        "high_dimension",
    ],
    "figures": [
        "strength_lambda",
        "error_individuals",
        "covariance_shrinkage",
        "interval_coverage",
        "many_attributes",
    ],
}
RESPONSE_SETTING = {key: config["lambda_randomization"][key] for key in ("population", "scenarios")}


rule lambda_randomization_exact:
    output:
        multiext(f"{ROOT}results/lambda_randomization/scenarios", ".csv", ".csv.stamp.json"),
        multiext(f"{ROOT}results/lambda_randomization/inverse", ".csv", ".csv.stamp.json"),
        multiext(f"{ROOT}results/lambda_randomization/birkhoff", ".csv", ".csv.stamp.json"),
        multiext(f"{ROOT}results/lambda_randomization/design", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/lambda_randomization/exact.log",
    benchmark:
        f"{ROOT}logs/lambda_randomization/exact.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        settings=RESPONSE_SETTING | {"design": config["lambda_randomization"]["design"]},
        code=code_digest("derive_exact_responses.py"),
    message:
        "Derive what is exact about lambda-randomization: protection, inverse, decomposition, design"
    script:
        "../scripts/derive_exact_responses.py"


rule lambda_randomization_estimates:
    output:
        multiext(f"{ROOT}results/lambda_randomization/estimates", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/lambda_randomization/estimates.log",
    benchmark:
        f"{ROOT}logs/lambda_randomization/estimates.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=RESPONSE_SETTING | {"estimates": config["lambda_randomization"]["estimates"]},
        code=code_digest("estimate_responses.py"),
    message:
        "Estimate from randomized responses: {params.settings[estimates][replicates]} samples a cell"
    script:
        "../scripts/estimate_responses.py"


rule lambda_randomization_covariance:
    output:
        multiext(f"{ROOT}results/lambda_randomization/covariance", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/lambda_randomization/covariance.log",
    benchmark:
        f"{ROOT}logs/lambda_randomization/covariance.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=RESPONSE_SETTING | {"covariance": config["lambda_randomization"]["covariance"]},
        code=code_digest("randomize_covariances.py"),
    message:
        "Randomize covariances: {params.settings[covariance][draws]} people a scenario"
    script:
        "../scripts/randomize_covariances.py"


rule lambda_randomization_coverage:
    output:
        multiext(f"{ROOT}results/lambda_randomization/coverage", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/lambda_randomization/coverage.log",
    benchmark:
        f"{ROOT}logs/lambda_randomization/coverage.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=RESPONSE_SETTING | {"coverage": config["lambda_randomization"]["coverage"]},
        code=code_digest("cover_responses.py"),
    message:
        "Measure the coverage of intervals: {params.settings[coverage][replicates]} samples a cell"
    script:
        "../scripts/cover_responses.py"


rule lambda_randomization_joint:
    output:
        multiext(f"{ROOT}results/lambda_randomization/joint", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/lambda_randomization/joint.log",
    benchmark:
        f"{ROOT}logs/lambda_randomization/joint.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=RESPONSE_SETTING | {"joint": config["lambda_randomization"]["joint"]},
        code=code_digest("compare_joint_mixing.py"),
    message:
        "Compare with uniform mixing of the joint cells: {params.settings[joint][replicates]} samples a row"
    script:
        "../scripts/compare_joint_mixing.py"


rule lambda_randomization_high_dimension:
    output:
        multiext(f"{ROOT}results/lambda_randomization/high_dimension", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/lambda_randomization/high_dimension.log",
    benchmark:
        f"{ROOT}logs/lambda_randomization/high_dimension.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings={"high_dimension": config["lambda_randomization"]["high_dimension"]},
        code=code_digest("scale_randomization.py"),
    message:
        "Estimate all pairs of attributes: {params.settings[high_dimension][attributes]} attributes"
    script:
        "../scripts/scale_randomization.py"


rule publish_lambda_randomization:
    input:
        results=result_files("lambda_randomization"),
        captions=caption_files("lambda_randomization"),
    output:
        published("lambda_randomization"),
    log:
        f"{ROOT}logs/lambda_randomization/publish.log",
    benchmark:
        f"{ROOT}logs/lambda_randomization/publish.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=config["lambda_randomization"],
        chapter="lambda_randomization",
        language=LANGUAGE,
        code=code_digest("publish_chapter.py", "dpthesis.publishing.chapters.lambda_randomization"),
    message:
        "Publish the tables and figures of chapter {params.chapter}"
    script:
        "../scripts/publish_chapter.py"


rule lambda_randomization:
    input:
        chapter_files("lambda_randomization"),
    log:
        f"{ROOT}logs/lambda_randomization/verify.log",
    conda:
        "../../environment.yml"
    params:
        comparison=comparison(chapter_files("lambda_randomization"), "lambda_randomization"),
    message:
        "Compare chapter lambda_randomization with verified/{params.comparison[run]}"
    script:
        "../scripts/verify.py"
