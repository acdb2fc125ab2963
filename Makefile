# `make` lists the targets. Two matter: `make book` and `make test`.
PYTHON ?= python3
# The environment; `make test-python` has one of its own for each Python.
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
SITE := _build/html
# What is done with the built book: programs of `chapters/_ext`.
EXT = PYTHONPATH=chapters $(BIN)/python -m _ext
CORES := $(or $(shell getconf _NPROCESSORS_ONLN 2>/dev/null),2)
JOBS ?= $(CORES)
# One more than cores: tests that wait for a kernel or a browser leave room for another.
WORKERS ?= $(shell expr $(CORES) + 1)
PYTEST = OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist loadscope \
  --no-loadscope-reorder --durations 10
PORT ?= 8000
PACKAGES = bash .ci/packages $(BIN)/python
INSTALLED := $(VENV)/.installed
CLUSTER := $(VENV)/.cluster
HUB := $(VENV)/.hub
JUDGES := $(VENV)/.judges
PROXY := hub/node_modules/.package-lock.json
NO_NUMBERS := $(shell printf '%s\n' 'JOBS=$(JOBS)' 'WORKERS=$(WORKERS)' 'PORT=$(PORT)' \
  'RUNS=$(or $(RUNS),1)' | grep -vxE '[A-Z]+=[1-9][0-9]*')
$(if $(NO_NUMBERS),$(error $(NO_NUMBERS): expected a whole number from 1 on))
SCRIPTS := .ci/javascript/node_modules
AS_ROOT := $(if $(filter-out 0,$(shell id -u)),sudo)
unexport PYTHONDONTWRITEBYTECODE # without compiled files each process compiles our modules again
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

system: ## install what is no Python package: Chromium, libseccomp, PostgreSQL, npm (Debian, Ubuntu)
	@PYTHON=$(PYTHON) bash .ci/system

install: $(INSTALLED) ## make .venv with everything that the book and the tests need
$(INSTALLED): requirements.txt constraints.txt pyproject.toml
	@PYTHON=$(PYTHON) bash .ci/system python3-venv
	$(PYTHON) -m venv $(VENV)
	$(PACKAGES) -r requirements.txt -c constraints.txt
	$(PACKAGES) --no-deps -e .
	@touch $@

# What a student receives beside a notebook, and the pages on what the grader knows, are made.
GRADER := $(wildcard $(addprefix grading/,*.py check/*.py exercise/*.py content/*.py) solutions/*.py)
ASSIGNMENTS := $(notdir $(wildcard exercises/[0-9]*))
RELEASED := $(ASSIGNMENTS:%=exercises/%/cases.safetensors.gz)
CHECKS := $(ASSIGNMENTS:%=exercises/%/check.py)
STALE := $(VENV)/.stale
# Pages with the differences give the solutions away: SHOW=--without-differences leaves them out.
APPENDIX := chapters/appendix_matrix/.made$(SHOW)

exercises: $(INSTALLED) ## make what is released beside each notebook: check.py and its cases
	@rm -f $(STALE)
	@$(MAKE) -s --no-print-directory -j $(JOBS) released $(APPENDIX)

# One process makes all that are out of date: many would each import PyTorch.
released: $(CHECKS)
	@test ! -f $(STALE) || $(BIN)/python -m grading release --jobs $(JOBS) $$(sort -u $(STALE))

.SECONDEXPANSION:
$(RELEASED): exercises/%/cases.safetensors.gz: $(GRADER) $$(wildcard $$(addprefix grading/content/$$(shell echo $$* | cut -c4-)/,*.py */*.py))
	@echo $* >> $(STALE)

# Both are written at once; this is for one that was deleted.
$(CHECKS): exercises/%/check.py: exercises/%/cases.safetensors.gz
	@test -f $@ || echo $* >> $(STALE)

$(APPENDIX): $(GRADER) $(wildcard grading/content/*/*.py grading/content/*/*/*.py)
	@rm -f chapters/appendix_matrix/.made*
	@$(BIN)/python -m grading appendix $(SHOW)
	@touch $@

book: exercises ## build the book to _build/html and say where it is
	@echo "Building the book. The first time, and after a change in the code, its notebooks run: minutes."
	@JOBS=$(JOBS) $(BIN)/jupyter-book build . -W -n --keep-going --quiet
	@$(EXT).site.contents

serve: ## serve the built book on localhost (PORT=8000)
	@$(EXT).site.serve $(PORT)

pdf: $(INSTALLED) ## print the built book into one PDF; needs Chromium
	@$(EXT).exports.pdf

slides: $(INSTALLED) ## write a deck for each chapter, with speaker's notes, to _build/slides
	@$(EXT).exports.slides

solutions-book: $(INSTALLED) ## run the solutions to the chapters' exercises, for instructors (minutes)
	@OMP_NUM_THREADS=1 $(EXT).exports.solutions_book $(PAGES)

lighthouse: $(INSTALLED) ## score the built pages with Lighthouse (PAGES=, RUNS=3); needs Node.js and Chromium
	@$(EXT).site.lighthouse $(RUNS:%=--runs %) $(PAGES)

looks: book ## take anew the pictures of pages that look different, and show them beside the old ones
	@LOOKS=new $(BIN)/python -m pytest -n 0 -q -s tests/site/test_looks.py -k "as_it_did or anything_else"

rooms: $(INSTALLED) ## draw the rooms of the project, and who uses whom, into CONTRIBUTING.md
	@$(BIN)/python .ci/rooms.py

clean: ## remove the built book and the outputs kept for it
	@test ! -d _build || find _build -mindepth 1 -maxdepth 1 ! -name hub -exec rm -rf {} +

cluster: $(CLUSTER) ## add what grading on several machines, or into PostgreSQL, needs
$(CLUSTER): requirements-cluster.txt $(INSTALLED)
	$(PACKAGES) -r requirements-cluster.txt -c constraints.txt
	@touch $@

hub: $(HUB) $(PROXY) exercises ## start JupyterHub here, with an instructor and two students (PORT=8000); needs root
	@$(BIN)/python -m compileall -q -j 0 $(VENV)/lib >/dev/null || true # its users cannot write there
	@$(AS_ROOT) env PORT=$(PORT) HUB_LOGIN="$(HUB_LOGIN)" NODE="$$(command -v node)" bash hub/start

$(HUB): requirements-hub.txt $(INSTALLED)
	$(PACKAGES) -r requirements-hub.txt -c constraints.txt
	@touch $@
$(PROXY): hub/package-lock.json
	@command -v npm > /dev/null || { echo "JupyterHub's proxy needs Node.js 20 or newer, with npm."; exit 1; }
	cd hub && npm ci --silent --no-audit --no-fund

hub-clean: ## remove all that the hub has kept: homes, course, exchange, passwords
	$(AS_ROOT) rm -rf _build/hub

style: $(INSTALLED) $(SCRIPTS)/.package-lock.json ## check the style of the code (ruff; Biome for the scripts of pages)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(SCRIPTS)/.bin/biome check --error-on-warnings

# What checks the scripts of pages comes from npm, at fixed versions.
$(SCRIPTS)/.package-lock.json: .ci/javascript/package-lock.json
	@bash .ci/system npm
	cd .ci/javascript && npm ci --silent --no-audit --no-fund
	@touch $@

hooks: $(INSTALLED) ## from now on, check style and types before each commit
	@$(BIN)/pre-commit install

test: system cluster $(HUB) $(JUDGES) $(SCRIPTS)/.package-lock.json book ## run everything: style, code, chapters, grading, the site in a browser
	$(PYTEST) tests

test-changed: exercises ## run what tests the files that differ from main; CONTRIBUTING.md has the table
	@$(BIN)/python .ci/changed.py

test-code: style types book ## run what needs neither Linux nor a browser: style, code, chapters
	$(PYTEST) tests/solutions tests/chapters

types: $(INSTALLED) $(SCRIPTS)/.package-lock.json ## check types (mypy; tsc for the scripts of pages) and who may import whom (import-linter)
	$(BIN)/mypy
	$(SCRIPTS)/.bin/tsc
	PYTHONPATH=.:chapters $(BIN)/lint-imports

test-python: ## run what can differ on another Python, in an environment of its own (PYTHON=python3.13)
	@$(MAKE) --no-print-directory test-short \
	  VENV=.venv-$$($(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')

# Imports, shapes in signatures, the check beside a student, the sandbox, one class graded by
# nbgrader, and one chapter as it is stored. (Containers have a Python of their own.)
test-short: $(INSTALLED) exercises
	$(PYTEST) tests/test_imports.py tests/solutions tests/grading/test_check.py \
	  tests/grading/sandbox tests/grading/test_nbgrader.py \
	  --ignore tests/grading/sandbox/test_container.py
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 0 --nbval --nbval-current-env \
	  --nbval-sanitize-with chapters/nbval.cfg chapters/01_attention_function.ipynb

test-container: exercises ## run submissions in containers, with an image made here (Podman; minutes)
	PYTHON=$(BIN)/python bash .ci/container
	CONTAINERS_CONF=$(CURDIR)/.ci/containers.conf $(BIN)/python -m pytest -n 0 tests/grading/sandbox/test_container.py

test-launch: $(INSTALLED) ## run a chapter's copy in an empty environment, as Colab does (minutes)
	$(BIN)/python -m pytest -n 0 -m launch tests/launch

test-hub: system $(HUB) $(PROXY) exercises ## take a class on a hub from release to regrade, in a browser (minutes); needs root
	$(AS_ROOT) env NODE="$$(command -v node)" PYTHONDONTWRITEBYTECODE=1 \
	  $(BIN)/python -m pytest -n 0 -p no:cacheprovider -m hub tests/hub

bench: exercises ## time the models against the obvious alternatives; needs a quiet machine
	$(BIN)/python -m benchmarks.models

bench-grading: exercises ## compare grading a class with stock nbgrader; needs a quiet machine
	$(BIN)/python -m benchmarks.grade_class

$(JUDGES): requirements-models.txt $(INSTALLED)
	$(PACKAGES) -r requirements-models.txt -c constraints.txt
	@touch $@

models: $(JUDGES) ## train the models that ship, or go on where that stopped (hours), and judge them
	$(BIN)/python -m models.train_writer
	$(BIN)/python -m models.train_translator
	$(BIN)/python -m models.train_masked_head
	$(BIN)/python -m models.fine_tuning
	$(BIN)/python -m models.judge

lab: exercises ## open JupyterLab on the exercises
	$(BIN)/jupyter lab exercises

constraints: $(INSTALLED) ## write the versions of .venv down in constraints.txt
	@{ echo "# Every package of the environment, at the version that the tests passed with;"; \
	   echo "# written by \`make constraints\`."; \
	   $(BIN)/pip freeze --exclude-editable | sed 's/^\(torch==[0-9.]*\)+.*/\1/'; } > constraints.txt

.PHONY: help system install exercises released cluster hub hub-clean test-hub book serve pdf slides solutions-book lighthouse looks rooms clean style hooks test test-changed test-code types test-python test-short test-container test-launch bench bench-grading models lab constraints
