# Chapter brownian_stopping: ex-post guarantees and their bounds; stopping on private validation data.
CHAPTERS["brownian_stopping"] = {
    "results": [
        "bounds.csv",
        "alpha_sweep.csv",
        "equivalence.csv",
        "moment.csv",
        "composition.csv",
        "crossing.csv",
        "immunity.csv",
        "loss_paths.csv",
        "accuracy.csv",
        "stopping.csv",
        "comparison.csv",
    ],
    "tables": [
        "immunity",
        "composition",
        "equivalence",
        "moment",
        "bounds_own",
        "bounds_tuned",
        "alpha_sweep",
        "crossing",
        "stops",
        "stops_spent",
        "arms",
        "checks_compared",
        "checks_least_price",
    ],
    "figures": ["bounds_by_noise", "losses", "accuracy_against_epsilon", "checks"],
}


include: "stopping_settings.smk"


rule brownian_stopping_immunity:
    output:
        multiext(f"{ROOT}results/brownian_stopping/immunity", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/brownian_stopping/immunity.log",
    benchmark:
        f"{ROOT}logs/brownian_stopping/immunity.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=config["brownian_stopping"]["immunity"],
        code=code_digest("search_immunity.py"),
    message:
        "Search the worst post-processing: every partition, {params.settings[random_kernels]} random kernels"
    script:
        "../scripts/search_immunity.py"


rule brownian_stopping_composition:
    output:
        multiext(f"{ROOT}results/brownian_stopping/composition", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/brownian_stopping/composition.log",
    benchmark:
        f"{ROOT}logs/brownian_stopping/composition.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        settings={},
        code=code_digest("compose_exactly.py"),
    message:
        "Compose adaptively on trees of coin tosses, exactly"
    script:
        "../scripts/compose_exactly.py"


rule brownian_stopping_bounds:
    output:
        f"{ROOT}results/brownian_stopping/bounds.csv",
        f"{ROOT}results/brownian_stopping/bounds.csv.stamp.json",
        f"{ROOT}results/brownian_stopping/alpha_sweep.csv",
        f"{ROOT}results/brownian_stopping/alpha_sweep.csv.stamp.json",
    log:
        f"{ROOT}logs/brownian_stopping/bounds.log",
    benchmark:
        f"{ROOT}logs/brownian_stopping/bounds.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        settings=config["brownian_stopping"]["bounds"],
        code=code_digest("tabulate_bounds.py"),
    message:
        "Tabulate the bounds of the Brownian mechanism at variances {params.settings[noise_variances]}"
    script:
        "../scripts/tabulate_bounds.py"


rule brownian_stopping_equivalence:
    output:
        multiext(f"{ROOT}results/brownian_stopping/equivalence", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/brownian_stopping/equivalence.log",
    benchmark:
        f"{ROOT}logs/brownian_stopping/equivalence.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=config["brownian_stopping"]["equivalence"],
        code=code_digest("compare_laws.py"),
    message:
        "Compare Brownian and sequential releases: {params.settings[draws]} paths each"
    script:
        "../scripts/compare_laws.py"


rule brownian_stopping_moment:
    output:
        multiext(f"{ROOT}results/brownian_stopping/moment", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/brownian_stopping/moment.log",
    benchmark:
        f"{ROOT}logs/brownian_stopping/moment.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=config["brownian_stopping"]["moment"],
        code=code_digest("estimate_moments.py"),
    message:
        "Estimate the ex-post moment at stopping rules: {params.settings[draws]} paths a row"
    script:
        "../scripts/estimate_moments.py"


rule brownian_stopping_crossing:
    output:
        multiext(f"{ROOT}results/brownian_stopping/crossing", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/brownian_stopping/crossing.log",
    benchmark:
        f"{ROOT}logs/brownian_stopping/crossing.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=config["brownian_stopping"]["crossing"],
        code=code_digest("count_crossings.py"),
    message:
        "Count crossings of each bound: {params.settings[paths]} paths on {params.settings[levels]} levels"
    script:
        "../scripts/count_crossings.py"


rule brownian_stopping_loss_paths:
    output:
        multiext(f"{ROOT}results/brownian_stopping/loss_paths", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/brownian_stopping/loss_paths.log",
    benchmark:
        f"{ROOT}logs/brownian_stopping/loss_paths.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=config["brownian_stopping"]["loss_paths"],
        code=code_digest("draw_loss_paths.py"),
    message:
        "Keep {params.settings[shown]} of {params.settings[runs]} loss paths for the figure"
    script:
        "../scripts/draw_loss_paths.py"


rule brownian_stopping_candidates:
    output:
        f"{ROOT}build/brownian_stopping/{{task}}_{{shard}}.npz",
    log:
        f"{ROOT}logs/brownian_stopping/candidates_{{task}}_{{shard}}.log",
    benchmark:
        f"{ROOT}logs/brownian_stopping/candidates_{{task}}_{{shard}}.tsv"
    wildcard_constraints:
        task="tabular|images",
        shard=r"\d+",
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=lambda wildcards: stopping_settings(wildcards.task),
        data=lambda wildcards: data_entries(
            f"brownian_stopping.stopping.tasks.{wildcards.task}.dataset",
            STOPPING["tasks"][wildcards.task]["dataset"],
        ),
        task="{task}",
        shard="{shard}",
        shards=STOPPING_SHARDS,
        code=code_digest("train_candidates.py"),
    message:
        "Train every candidate of task {wildcards.task}, {params.settings[repeats]} repeats"
    script:
        "../scripts/train_candidates.py"


rule brownian_stopping_stopping:
    input:
        **{task: stopping_paths(task) for task in STOPPING["tasks"]},
    output:
        f"{ROOT}results/brownian_stopping/stopping.csv",
        f"{ROOT}results/brownian_stopping/stopping.csv.stamp.json",
        f"{ROOT}results/brownian_stopping/accuracy.csv",
        f"{ROOT}results/brownian_stopping/accuracy.csv.stamp.json",
    log:
        f"{ROOT}logs/brownian_stopping/stopping.log",
    benchmark:
        f"{ROOT}logs/brownian_stopping/stopping.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=STOPPING,
        code=code_digest("stop_runs.py"),
    message:
        "Stop {params.settings[repeats]} repeats at every threshold, candidate list and check"
    script:
        "../scripts/stop_runs.py"


rule brownian_stopping_comparison:
    input:
        runs=f"{ROOT}results/brownian_stopping/stopping.csv",
    output:
        multiext(f"{ROOT}results/brownian_stopping/comparison", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/brownian_stopping/comparison.log",
    benchmark:
        f"{ROOT}logs/brownian_stopping/comparison.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=STOPPING,
        code=code_digest("compare_checks.py"),
    message:
        "Count over {params.settings[repeats]} paired repeats where the two checks differ"
    script:
        "../scripts/compare_checks.py"


rule publish_brownian_stopping:
    input:
        results=result_files("brownian_stopping"),
        captions=caption_files("brownian_stopping"),
    output:
        published("brownian_stopping"),
    log:
        f"{ROOT}logs/brownian_stopping/publish.log",
    benchmark:
        f"{ROOT}logs/brownian_stopping/publish.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=config["brownian_stopping"],
        chapter="brownian_stopping",
        language=LANGUAGE,
        code=code_digest("publish_chapter.py", "dpthesis.publishing.chapters.brownian_stopping"),
    message:
        "Publish the tables and figures of chapter {params.chapter}"
    script:
        "../scripts/publish_chapter.py"


rule brownian_stopping:
    input:
        chapter_files("brownian_stopping"),
    log:
        f"{ROOT}logs/brownian_stopping/verify.log",
    conda:
        "../../environment.yml"
    params:
        comparison=comparison(chapter_files("brownian_stopping"), "brownian_stopping"),
    message:
        "Compare chapter brownian_stopping with verified/{params.comparison[run]}"
    script:
        "../scripts/verify.py"
