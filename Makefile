# The two commands of the README: `make crawl START=URL` and `make test`. Each sets up all it needs.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT ?= articles.jsonl
ARGS ?=

.PHONY: crawl test check docs bench clean help

help:
	@echo "make crawl START=URL   crawl a site into $(OUT) (without START: the demonstration site, on loopback)"
	@echo "make test              install what the tests need, then lint, type-check and test"
	@echo "make bench             print every figure of the README (needs ../shared or SITECRAWL_DATA)"
	@echo "make docs              build the user guide and check its links"

$(VENV)/.crawl: pyproject.toml requirements.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing sitecrawl into $(VENV) ..."
	@$(BIN)/pip install -q --disable-pip-version-check -r requirements.txt 2>&1 | (grep -v "WARNING" || true); exit $${PIPESTATUS[0]}
	@touch $@

$(VENV)/.dev: $(VENV)/.crawl
	@echo "Installing what the tests need ..."
	@$(BIN)/pip install -q --disable-pip-version-check -e '.[dev]' 2>&1 | (grep -v "WARNING" || true); exit $${PIPESTATUS[0]}
	@touch $@

$(VENV)/.system: .ci/system-packages
	@bash .ci/install-system
	@mkdir -p $(VENV) && touch $@

crawl: $(VENV)/.crawl
	@$(BIN)/python -m sitecrawl crawl $(if $(START),"$(START)",--demo --scope site) -O "$(OUT)" -s SITECRAWL_REWRITE=1 $(ARGS)
	@echo "The articles are in $(OUT)"

test: $(VENV)/.dev $(VENV)/.system
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest -n auto

docs: $(VENV)/.dev
	@$(BIN)/python -m pytest tests/test_docs.py

bench: $(VENV)/.dev
	@$(BIN)/pip install -q --disable-pip-version-check -e '.[peers]'
	@$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache
