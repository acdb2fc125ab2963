# `make` lists the targets. Two matter: `make book` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
SITE := _build/html
JOBS ?= 2
INSTALLED := .venv/.installed
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(INSTALLED) ## make .venv with everything that the book and the tests need
$(INSTALLED): requirements.txt constraints.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt -c constraints.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

constraints: $(INSTALLED) ## write the versions of .venv down in constraints.txt
	@{ echo "# Every package of the environment, at the version that the tests passed with;"; \
	   echo "# written by \`make constraints\`."; \
	   $(BIN)/pip freeze --exclude-editable | sed 's/^\(torch==[0-9.]*\)+.*/\1/'; } > constraints.txt

lint: $(INSTALLED) ## check style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

.PHONY: help install constraints lint
