# Chapter audit: every mechanism under attack, broken ones caught, the rider's view, floating point.
CHAPTERS["audit"] = {
    "results": ["bounds.csv", "controls.csv", "power.csv", "rider.csv", "float.csv"],
    "tables": ["bounds", "controls", "rider_laplace", "rider_geometric", "membership", "float"],
    "figures": ["claims_under_attack", "power_curves", "rider_success"],
}


rule audit_bounds:
    output:
        multiext(f"{ROOT}results/audit/bounds", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/audit/bounds.log",
    benchmark:
        f"{ROOT}logs/audit/bounds.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=config["audit"]["bounds"],
        code=code_digest("attack_mechanisms.py"),
    message:
        "Attack every sound mechanism: {params.settings[trials]} outputs under each input"
    script:
        "../scripts/attack_mechanisms.py"


rule audit_controls:
    output:
        multiext(f"{ROOT}results/audit/controls", ".csv", ".csv.stamp.json"),
        multiext(f"{ROOT}results/audit/power", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/audit/controls.log",
    benchmark:
        f"{ROOT}logs/audit/controls.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=config["audit"]["controls"],
        code=code_digest("catch_broken.py"),
    message:
        "Catch the mechanisms that are broken on purpose: {params.settings[repeats]} audits each"
    script:
        "../scripts/catch_broken.py"


rule audit_rider:
    output:
        multiext(f"{ROOT}results/audit/rider", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/audit/rider.log",
    benchmark:
        f"{ROOT}logs/audit/rider.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=config["audit"]["rider"],
        code=code_digest("watch_riders.py"),
    message:
        "Watch {params.settings[replicates]} riders through a year of daily tables"
    script:
        "../scripts/watch_riders.py"


rule audit_float:
    output:
        multiext(f"{ROOT}results/audit/float", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/audit/float.log",
    benchmark:
        f"{ROOT}logs/audit/float.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=config["audit"]["float"],
        code=code_digest("read_low_bits.py"),
    message:
        "Read the low bits of {params.settings[draws]} releases"
    script:
        "../scripts/read_low_bits.py"


rule publish_audit:
    input:
        results=result_files("audit"),
        captions=caption_files("audit"),
    output:
        published("audit"),
    log:
        f"{ROOT}logs/audit/publish.log",
    benchmark:
        f"{ROOT}logs/audit/publish.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=config["audit"],
        chapter="audit",
        language=LANGUAGE,
        code=code_digest("publish_chapter.py", "dpthesis.publishing.chapters.audit"),
    message:
        "Publish the tables and figures of chapter {params.chapter}"
    script:
        "../scripts/publish_chapter.py"


rule audit:
    input:
        chapter_files("audit"),
    log:
        f"{ROOT}logs/audit/verify.log",
    conda:
        "../../environment.yml"
    params:
        comparison=comparison(chapter_files("audit"), "audit"),
    message:
        "Compare chapter audit with verified/{params.comparison[run]}"
    script:
        "../scripts/verify.py"
