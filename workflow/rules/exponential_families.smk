# Chapter exponential_families: inference from noisy sufficient statistics.
CHAPTERS["exponential_families"] = {
    "results": [
        "calibration.csv",
        "coverage.csv",
        "variance.csv",
        "normality.csv",
        "equivalence.csv",
        "clipping.csv",
        "minimax.csv",
        "slopes.csv",
        "design_rule.csv",
        "tests.csv",
        "synthetic.csv",
        "example.csv",
        "census.csv",
        "census_readings.csv",
    ],
    "tables": [
        "calibration",
        "coverage_methods",
        "coverage_three_ways",
        "widths_repaired",
        "coverage_parameters",
        "coverage_bootstrap",
        "coverage_inversion",
        "widths",
        "variance_ratio",
        "equivalence",
        "synthetic",
        "type_one_error",
        "power",
        "adjacencies",
        "private_designs",
        "clipping_curve",
        "clipping_optimum",
        "clipping_methods",
        "census_pair",
        "census_readings",
        "census_definitions",
        "census_causes",
        "census_designs",
        "minimax",
        "slopes",
        "design_rule",
    ],
    "figures": [
        "coverage_by_method",
        "variance_by_epsilon",
        "synthetic_intervals",
        "bias_by_radius",
        "census_coverage",
        "privacy_error",
    ],
}


include: "family_settings.smk"


rule exponential_families_calibration:
    output:
        multiext(f"{ROOT}results/exponential_families/calibration", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/exponential_families/calibration.log",
    benchmark:
        f"{ROOT}logs/exponential_families/calibration.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        settings=FAMILIES["calibration"],
        code=code_digest("calibrate_gaussian.py"),
    message:
        "Calibrate Gaussian noise: analytic and classical"
    script:
        "../scripts/calibrate_gaussian.py"


rule exponential_families_fits:
    output:
        f"{ROOT}build/exponential_families/fits_{{shard}}.npz",
    log:
        f"{ROOT}logs/exponential_families/fits_{{shard}}.log",
    benchmark:
        f"{ROOT}logs/exponential_families/fits_{{shard}}.tsv"
    priority: 1
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=family_settings("cells", "fits"),
        shard="{shard}",
        shards=SHARDS,
        code=code_digest("simulate_family_fits.py"),
    message:
        "Release and estimate: {params.settings[fits][replicates]} replicates a cell, part {wildcards.shard}"
    script:
        "../scripts/simulate_family_fits.py"


rule exponential_families_bootstrap:
    output:
        f"{ROOT}build/exponential_families/bootstrap_{{shard}}.npz",
    log:
        f"{ROOT}logs/exponential_families/bootstrap_{{shard}}.log",
    benchmark:
        f"{ROOT}logs/exponential_families/bootstrap_{{shard}}.tsv"
    priority: 2
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=family_settings("cells", "bootstrap"),
        shard="{shard}",
        shards=SHARDS,
        code=code_digest("bootstrap_family_fits.py"),
    message:
        "Bootstrap the first {params.settings[bootstrap][replicates]} replicates of a cell, part {wildcards.shard}"
    script:
        "../scripts/bootstrap_family_fits.py"


rule exponential_families_inversion:
    output:
        f"{ROOT}build/exponential_families/inversion_{{shard}}.npz",
    log:
        f"{ROOT}logs/exponential_families/inversion_{{shard}}.log",
    benchmark:
        f"{ROOT}logs/exponential_families/inversion_{{shard}}.tsv"
    priority: 3  # the longest job first, then the next
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=family_settings("cells", "inversion"),
        shard="{shard}",
        shards=SHARDS,
        code=code_digest("invert_family_tests.py"),
    message:
        "Invert tests on the first {params.settings[inversion][replicates]} replicates of a cell, part {wildcards.shard}"
    script:
        "../scripts/invert_family_tests.py"


rule exponential_families_variants:
    output:
        f"{ROOT}build/exponential_families/variants_{{shard}}.npz",
    log:
        f"{ROOT}logs/exponential_families/variants_{{shard}}.log",
    benchmark:
        f"{ROOT}logs/exponential_families/variants_{{shard}}.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings={"delta": FAMILIES["cells"]["delta"], **family_settings("variants")},
        shard="{shard}",
        shards=SHARDS,
        code=code_digest("vary_family_fits.py"),
    message:
        "Estimate under other adjacencies and private designs: {params.settings[variants][replicates]} replicates a cell, part {wildcards.shard}"
    script:
        "../scripts/vary_family_fits.py"


rule exponential_families_coverage:
    input:
        fits=family_parts("fits"),
        bootstrap=family_parts("bootstrap"),
        inversion=family_parts("inversion"),
        variants=family_parts("variants"),
    output:
        multiext(f"{ROOT}results/exponential_families/coverage", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/exponential_families/coverage.log",
    benchmark:
        f"{ROOT}logs/exponential_families/coverage.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=family_settings("cells", "fits", "bootstrap", "inversion", "variants"),
        code=code_digest("tabulate_coverage.py"),
    message:
        "Count covered, missed and failed of {params.settings[fits][replicates]} replicates a cell"
    script:
        "../scripts/tabulate_coverage.py"


rule exponential_families_moments:
    input:
        family_parts("fits"),
    output:
        multiext(f"{ROOT}results/exponential_families/variance", ".csv", ".csv.stamp.json"),
        multiext(f"{ROOT}results/exponential_families/normality", ".csv", ".csv.stamp.json"),
        multiext(f"{ROOT}results/exponential_families/equivalence", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/exponential_families/moments.log",
    benchmark:
        f"{ROOT}logs/exponential_families/moments.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=family_settings("cells", "fits"),
        code=code_digest("tabulate_moments.py"),
    message:
        "Compare variance and law of {params.settings[fits][replicates]} estimates a cell with theory"
    script:
        "../scripts/tabulate_moments.py"


rule exponential_families_synthetic:
    input:
        family_parts("fits"),
    output:
        multiext(f"{ROOT}results/exponential_families/synthetic", ".csv", ".csv.stamp.json"),
        multiext(f"{ROOT}results/exponential_families/example", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/exponential_families/synthetic.log",
    benchmark:
        f"{ROOT}logs/exponential_families/synthetic.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings={"delta": FAMILIES["cells"]["delta"], **family_settings("cells", "fits", "example")},
        code=code_digest("tabulate_synthetic.py"),
    message:
        "Judge analyses of {params.settings[fits][synthetic_sets]} synthetic sets"
    script:
        "../scripts/tabulate_synthetic.py"


rule exponential_families_tests:
    output:
        multiext(f"{ROOT}results/exponential_families/tests", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/exponential_families/tests.log",
    benchmark:
        f"{ROOT}logs/exponential_families/tests.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=FAMILIES["tests"],
        code=code_digest("reject_null_effects.py"),
    message:
        "Simulate type I error and power of the test of one coefficient: {params.settings[replicates]} replicates a cell"
    script:
        "../scripts/reject_null_effects.py"


rule exponential_families_minimax:
    output:
        multiext(f"{ROOT}results/exponential_families/minimax", ".csv", ".csv.stamp.json"),
        multiext(f"{ROOT}results/exponential_families/slopes", ".csv", ".csv.stamp.json"),
        multiext(f"{ROOT}results/exponential_families/design_rule", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/exponential_families/minimax.log",
    benchmark:
        f"{ROOT}logs/exponential_families/minimax.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=family_settings("minimax", "slopes", "design_rule"),
        code=code_digest("measure_minimax.py"),
    message:
        "Measure how fast the privacy error falls: {params.settings[minimax][replicates]} releases a cell"
    script:
        "../scripts/measure_minimax.py"


rule exponential_families_clipping:
    output:
        multiext(f"{ROOT}results/exponential_families/clipping", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/exponential_families/clipping.log",
    benchmark:
        f"{ROOT}logs/exponential_families/clipping.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=FAMILIES["clipping"],
        code=code_digest("sweep_clipping.py"),
    message:
        "Sweep the clipping radius: bias, variance and error over {params.settings[replicates]} replicates"
    script:
        "../scripts/sweep_clipping.py"


rule exponential_families_census:
    output:
        multiext(f"{ROOT}results/exponential_families/census", ".csv", ".csv.stamp.json"),
        multiext(f"{ROOT}results/exponential_families/census_readings", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/exponential_families/census.log",
    benchmark:
        f"{ROOT}logs/exponential_families/census.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=FAMILIES["census"],
        data=lambda _: data_entries("exponential_families.census.dataset", FAMILIES["census"]["dataset"]),
        code=code_digest("infer_census_income.py"),
    message:
        "Infer an income model from {params.settings[dataset]}, one cause of under-coverage at a time"
    script:
        "../scripts/infer_census_income.py"


rule publish_exponential_families:
    input:
        results=result_files("exponential_families"),
        captions=caption_files("exponential_families"),
    output:
        published("exponential_families"),
    log:
        f"{ROOT}logs/exponential_families/publish.log",
    benchmark:
        f"{ROOT}logs/exponential_families/publish.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=config["exponential_families"],
        chapter="exponential_families",
        language=LANGUAGE,
        code=code_digest("publish_chapter.py", "dpthesis.publishing.chapters.exponential_families"),
    message:
        "Publish the tables and figures of chapter {params.chapter}"
    script:
        "../scripts/publish_chapter.py"


rule exponential_families:
    input:
        chapter_files("exponential_families"),
    log:
        f"{ROOT}logs/exponential_families/verify.log",
    conda:
        "../../environment.yml"
    params:
        comparison=comparison(chapter_files("exponential_families"), "exponential_families"),
    message:
        "Compare chapter exponential_families with verified/{params.comparison[run]}"
    script:
        "../scripts/verify.py"
