# Chapter laplace_lab: the lab to the byte, and the replication of the noise against theory.
CHAPTERS["laplace_lab"] = {
    "results": ["lab.txt", "lab.csv", "replication.csv"],
    "tables": ["lab", "replication"],
    "figures": ["replication_error", "small_cells_noise"],
}


rule laplace_lab_lab:
    output:
        multiext(f"{ROOT}results/laplace_lab/lab", ".csv", ".csv.stamp.json", ".txt", ".txt.stamp.json"),
    log:
        f"{ROOT}logs/laplace_lab/lab.log",
    benchmark:
        f"{ROOT}logs/laplace_lab/lab.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        settings=config["laplace_lab"]["lab"],
        code=code_digest("run_lab.py"),
    message:
        "Run the chapter 4 lab: {params.settings[cells]} counts, {params.settings[draws]} draws each"
    script:
        "../scripts/run_lab.py"


rule laplace_lab_replication:
    output:
        multiext(f"{ROOT}results/laplace_lab/replication", ".csv", ".csv.stamp.json"),
    log:
        f"{ROOT}logs/laplace_lab/replication.log",
    benchmark:
        f"{ROOT}logs/laplace_lab/replication.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=config["laplace_lab"]["replication"],
        code=code_digest("replicate_noise.py"),
    message:
        "Test the noise against its law: {params.settings[draws]} draws an epsilon"
    script:
        "../scripts/replicate_noise.py"


rule publish_laplace_lab:
    input:
        results=result_files("laplace_lab"),
        captions=caption_files("laplace_lab"),
    output:
        published("laplace_lab"),
    log:
        f"{ROOT}logs/laplace_lab/publish.log",
    benchmark:
        f"{ROOT}logs/laplace_lab/publish.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=config["laplace_lab"],
        chapter="laplace_lab",
        language=LANGUAGE,
        code=code_digest("publish_chapter.py", "dpthesis.publishing.chapters.laplace_lab"),
    message:
        "Publish the tables and figures of chapter {params.chapter}"
    script:
        "../scripts/publish_chapter.py"


rule laplace_lab:
    input:
        chapter_files("laplace_lab"),
    log:
        f"{ROOT}logs/laplace_lab/verify.log",
    conda:
        "../../environment.yml"
    params:
        comparison=comparison(chapter_files("laplace_lab"), "laplace_lab"),
    message:
        "Compare chapter laplace_lab with verified/{params.comparison[run]}"
    script:
        "../scripts/verify.py"
