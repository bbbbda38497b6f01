# Chapter budget: what an epsilon means after a year of tables, by every method of composition.
CHAPTERS["budget"] = {
    "results": ["composition.csv", "inverse.csv"],
    "tables": ["protocol_question", "composition_laplace", "composition_gaussian", "riders", "methods", "inverse"],
    "figures": ["yearly_epsilon"],
}


rule budget_composition:
    output:
        multiext(f"{ROOT}results/budget/composition", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/budget/composition.log",
    benchmark:
        f"{ROOT}logs/budget/composition.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        settings={"composition": config["budget"]["composition"]},
        code=code_digest("compose_budget.py"),
    message:
        "Add up a day and a year of tables by every method: {params.settings[composition][days]} days"
    script:
        "../scripts/compose_budget.py"


rule budget_inverse:
    output:
        multiext(f"{ROOT}results/budget/inverse", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/budget/inverse.log",
    benchmark:
        f"{ROOT}logs/budget/inverse.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        settings={"inverse": config["budget"]["inverse"]},
        code=code_digest("invert_budget.py"),
    message:
        "Solve for the release that keeps a year at the target: {params.settings[inverse][days]} days"
    script:
        "../scripts/invert_budget.py"


rule publish_budget:
    input:
        results=result_files("budget"),
        captions=caption_files("budget"),
    output:
        published("budget"),
    log:
        f"{ROOT}logs/budget/publish.log",
    benchmark:
        f"{ROOT}logs/budget/publish.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        settings=config["budget"],
        chapter="budget",
        language=LANGUAGE,
        code=code_digest("publish_chapter.py", "dpthesis.publishing.chapters.budget"),
    message:
        "Publish the tables and figures of chapter {params.chapter}"
    script:
        "../scripts/publish_chapter.py"


rule budget:
    input:
        chapter_files("budget"),
    log:
        f"{ROOT}logs/budget/verify.log",
    conda:
        "../../environment.yml"
    params:
        comparison=comparison(chapter_files("budget"), "budget"),
    message:
        "Compare chapter budget with verified/{params.comparison[run]}"
    script:
        "../scripts/verify.py"
