# Chapter small_cells: what noise does to quiet lines, to totals and to planners' decisions.
CHAPTERS["small_cells"] = {
    "results": ["errors.csv", "postprocessing.csv", "totals.csv", "decisions.csv", "smallest_epsilon.csv"],
    "tables": [
        "errors",
        "error_bins",
        "error_adjacency",
        "postprocessing",
        "postprocessing_geometric",
        "totals",
        "decisions",
        "decisions_whole",
        "smallest_epsilon",
    ],
    "figures": ["relative_error", "postprocessing_bias", "decision_errors"],
}


rule small_cells_errors:
    output:
        multiext(f"{ROOT}results/small_cells/errors", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/small_cells/errors.log",
    benchmark:
        f"{ROOT}logs/small_cells/errors.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=small_cells_settings("errors"),
        code=code_digest("simulate_errors.py"),
    message:
        "Simulate the errors of noisy counts by strata: {params.settings[errors][replicates]} tables"
    script:
        "../scripts/simulate_errors.py"


rule small_cells_postprocessing:
    output:
        multiext(f"{ROOT}results/small_cells/postprocessing", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/small_cells/postprocessing.log",
    benchmark:
        f"{ROOT}logs/small_cells/postprocessing.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings={"postprocessing": config["small_cells"]["postprocessing"]},
        code=code_digest("simulate_postprocessing.py"),
    message:
        "Simulate clipped, rounded and posterior-mean counts: {params.settings[postprocessing][draws]} draws a row"
    script:
        "../scripts/simulate_postprocessing.py"


rule small_cells_totals:
    output:
        multiext(f"{ROOT}results/small_cells/totals", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/small_cells/totals.log",
    benchmark:
        f"{ROOT}logs/small_cells/totals.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=small_cells_settings("totals"),
        code=code_digest("simulate_totals.py"),
    message:
        "Simulate line and network totals and their consistency: {params.settings[totals][replicates]} tables"
    script:
        "../scripts/simulate_totals.py"


rule small_cells_decisions:
    output:
        multiext(f"{ROOT}results/small_cells/decisions", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/small_cells/decisions.log",
    benchmark:
        f"{ROOT}logs/small_cells/decisions.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=small_cells_settings("decisions"),
        code=code_digest("simulate_decisions.py"),
    message:
        "Simulate planners' decisions at the threshold: {params.settings[decisions][draws]} draws a count"
    script:
        "../scripts/simulate_decisions.py"


rule small_cells_smallest_epsilon:
    output:
        multiext(f"{ROOT}results/small_cells/smallest_epsilon", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/small_cells/smallest_epsilon.log",
    benchmark:
        f"{ROOT}logs/small_cells/smallest_epsilon.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        settings={"smallest_epsilon": config["small_cells"]["smallest_epsilon"]},
        code=code_digest("solve_smallest_epsilon.py"),
    message:
        "Solve for the epsilon that avoids wrong decisions: {params.settings[smallest_epsilon][distances]} trips away"
    script:
        "../scripts/solve_smallest_epsilon.py"


rule publish_small_cells:
    input:
        results=result_files("small_cells"),
        captions=caption_files("small_cells"),
    output:
        published("small_cells"),
    log:
        f"{ROOT}logs/small_cells/publish.log",
    benchmark:
        f"{ROOT}logs/small_cells/publish.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=config["small_cells"],
        chapter="small_cells",
        language=LANGUAGE,
        code=code_digest("publish_chapter.py", "dpthesis.publishing.chapters.small_cells"),
    message:
        "Publish the tables and figures of chapter {params.chapter}"
    script:
        "../scripts/publish_chapter.py"


rule small_cells:
    input:
        chapter_files("small_cells"),
    log:
        f"{ROOT}logs/small_cells/verify.log",
    conda:
        "../../environment.yml"
    params:
        comparison=comparison(chapter_files("small_cells"), "small_cells"),
    message:
        "Compare chapter small_cells with verified/{params.comparison[run]}"
    script:
        "../scripts/verify.py"
