# What examiners and the author meet: numbers in prose, a preview of all tables and figures, the report.
CHAPTER_MODULES = [f"dpthesis.publishing.chapters.{chapter}" for chapter in CHAPTERS]
CHAPTER_SETTINGS = {chapter: config[chapter] for chapter in CHAPTERS}
CHAPTER_RESULTS = [file for chapter in CHAPTERS for file in result_files(chapter) if file.endswith(".csv")]
SHOWN = sum(len(CHAPTERS[chapter][kind]) for chapter in CHAPTERS for kind in ("tables", "figures"))
TEMPLATES = [f"src/dpthesis/publishing/templates/report.{ending}" for ending in ("html.j2", "css", "js")]


rule numbers:
    input:
        CHAPTER_RESULTS,
    output:
        tex=f"{ROOT}thesis_tables/numbers.tex",
        list=f"{ROOT}thesis_tables/numbers.md",
        preview=f"{ROOT}thesis_tables/preview.tex",
    log:
        f"{ROOT}logs/numbers.log",
    benchmark:
        f"{ROOT}logs/numbers.tsv"
    conda:
        "../../environment.yml"
    params:
        version=VERSION,
        root_seed=config["root_seed"],
        settings=CHAPTER_SETTINGS,
        chapters=CHAPTERS,
        shown=SHOWN,
        language=LANGUAGE,
        whole=config["run"] == "thesis",
        code=code_digest("write_numbers.py", *CHAPTER_MODULES),
    message:
        "Write the numbers that the prose quotes, and a preview of {params.shown} tables and figures"
    script:
        "../scripts/write_numbers.py"


rule report:
    input:
        verified_files(),
        f"{ROOT}results/verification.csv",
        f"{ROOT}results/manifest.json",
        captions=[file for chapter in CHAPTERS for file in caption_files(chapter)],
        claims="config/claims.yaml",
        claim_texts="workflow/report/claims.pt.yaml",
        references="docs/references.bib",
        templates=TEMPLATES,
    output:
        f"{ROOT}report/index.html",
    log:
        f"{ROOT}logs/report.log",
    benchmark:
        f"{ROOT}logs/report.tsv"
    conda:
        "../../environment.yml"
    params:
        run={
            "name": config["run"],
            "root": ROOT,
            "language": LANGUAGE,
            "version": VERSION,
            **commit(),
        },
        root_seed=config["root_seed"],
        settings=CHAPTER_SETTINGS,
        chapters=CHAPTERS,
        shown=SHOWN,
        code=code_digest("write_report.py", *CHAPTER_MODULES),
    message:
        "Write the report on {params.shown} tables and figures: {output}"
    script:
        "../scripts/write_report.py"
