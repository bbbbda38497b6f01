# Two commands do everything: `make reproduce` and `make test`. All others are for a part or for upkeep.
CORES ?= 2
PYTHON ?= python3
PY := .venv/bin/python
LOCK := $(shell cksum < requirements.txt | cut -d ' ' -f 1)
SNAKEMAKE := $(PY) -m snakemake --cores $(CORES)
RUN := $(PY) workflow/run.py --cores $(CORES)
export XDG_CACHE_HOME ?= $(CURDIR)/.cache
export PYTHONPATH := src
export PYTHONDONTWRITEBYTECODE := 1
SMOKE := --replace-workflow-config --configfile config/smoke.yaml

.PHONY: reproduce test stress benchmark smoke chapter compare remake preview lint promote provenance clean environment

reproduce: environment  ## the whole thesis run: results, tables, figures, claims, verification
	@$(RUN) all

test: environment  ## the whole test suite
	@$(PY) -m pytest -n $(CORES) --dist loadfile

stress: environment  ## faults, hostile machines, other processors, a cluster: half an hour, alone on two cores
	@$(PY) -m pytest -m stress tests/stress $(ARGS)

benchmark: environment  ## speed against peers, side by side, as ratios: benchmarks/ratios.md
	@PYTHONPATH=src:. $(PY) -m benchmarks.write_ratios

smoke: environment  ## the same run at a size that ends in a minute
	@$(RUN) all $(SMOKE)

chapter: environment  ## one chapter: make chapter NAME=laplace_lab
	@test -n "$(NAME)" || { echo "Say which chapter: make chapter NAME=laplace_lab"; exit 1; }
	@$(RUN) --chapter "$(NAME)"

compare: environment  ## compare the outputs that are there with verified/, make nothing; ARGS as for promote
	@$(RUN) compare $(ARGS)

remake: environment  ## one file anew: make remake FILE=figures/laplace_lab/replication_error.pdf
	@test -n "$(FILE)" || { echo "Say which file: make remake FILE=figures/laplace_lab/replication_error.pdf"; exit 1; }
	@$(RUN) --remake "$(FILE)" $(ARGS)

preview: FROM = $(if $(ROOT),$(ROOT:/=)/)
preview:  ## all tables, figures and quoted numbers on paper, with pdflatex: build/preview/preview.pdf
	@test -f "./$(FROM)thesis_tables/preview.tex" || { echo "There is nothing to print yet, $(FROM)thesis_tables/preview.tex is missing: run make reproduce first (or make smoke, then make preview ROOT=smoke/)." >&2; exit 1; }
	@command -v latexmk > /dev/null || { echo "make preview needs LaTeX: Debian's latexmk, texlive-latex-extra, lmodern."; exit 1; }
	@cd "./$(FROM)" && BIBINPUTS="$(CURDIR)/docs:" latexmk -pdf -interaction=nonstopmode -silent -outdir=build/preview \
		thesis_tables/preview.tex && echo "The preview is in $(FROM)build/preview/preview.pdf"

lint: environment  ## style of the code and of the workflow
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m snakefmt --check Snakefile workflow
	@$(SNAKEMAKE) --lint

promote: environment  ## make the present outputs the verified ones; ARGS="--configfile config/smoke.yaml ..." for another run
	@$(RUN) promote $(ARGS)

provenance: environment  ## where a file comes from: make provenance FILE=results/laplace_lab/lab.csv
	@test -n "$(FILE)" || { echo "Say which file: make provenance FILE=results/laplace_lab/lab.csv"; exit 1; }
	@$(PY) -m dpthesis.records.provenance "$(FILE)"

clean:  ## remove all outputs and Snakemake's memory of them, not the environment
	@rm -rf results figures thesis_tables report build logs smoke tiny real .snakemake
	@git checkout -q -- results/README.md figures/README.md thesis_tables/README.md

environment: .venv/lock-$(LOCK)

# Named by the lock's checksum: a fresh clone, a touch or a switch of branches installs nothing twice.
.venv/lock-$(LOCK):
	@echo "Making the environment from the hashed lock requirements.txt (once, about a minute) ..."
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, found %d.%d; write: make reproduce PYTHON=python3.11" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv .venv
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	@touch $@
