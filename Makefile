# `make crawl START=URL` and `make test` each set up all they need.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT ?= articles.jsonl
ARGS ?=
# The processes of the tests load compiled modules, whatever the environment says of others.
unexport PYTHONDONTWRITEBYTECODE

PY := $(BIN)/python
# pip would compile every module of every package, at a third of its time; Python compiles those that are imported.
PIP := $(PY) -m pip install --disable-pip-version-check --progress-bar off --no-compile
# One line a package while pip works; its exit code is kept.
SHOWN := awk '/^(Collecting|Installing|Building|ERROR|error)/ { sub(/ \(from .*/, ""); print "  " $$0; fflush() }'; exit $${PIPESTATUS[0]}

.PHONY: crawl test test-matrix train models dist check docs bench lock clean help

# A checkout that was copied or moved with its environment installs itself anew: the environment names the old folder.
ifneq ($(shell cat $(VENV)/.place 2>/dev/null),$(CURDIR))
$(shell rm -f $(VENV)/.crawl $(VENV)/.dev)
endif

help:
	@echo "make crawl START=URL   crawl a site into $(OUT) (without START: the demonstration site, on loopback)"
	@echo "make test              install what the tests need, then lint, type-check and test"
	@echo "make test-matrix       some tests with the oldest and newest versions allowed, by each Python from 3.11 on that is installed"
	@echo "make train             train the link model on training_data/ into models/links.npz"
	@echo "make models            build all seven models into models/; UNSEEN=FOLD: a set that has not seen a fold of sites"
	@echo "make dist              build a wheel and a source archive into dist/"
	@echo "make check             lint and type-check only"
	@echo "make docs              build the user guide into site-docs/"
	@echo "make bench             print the figures of the README, but those of open sites and of scope=section (needs ../shared or SITECRAWL_DATA)"
	@echo "make lock              write constraints.txt anew from the environment"

$(VENV)/.crawl: pyproject.toml requirements.txt constraints.txt
	@test -x $(PY) || $(PYTHON) -m venv $(VENV)
	@echo "Installing sitecrawl into $(VENV) ..."
	@$(PIP) -r requirements.txt 2>&1 | $(SHOWN)
	@echo "$(CURDIR)" > $(VENV)/.place
	@touch $@

$(VENV)/.dev: $(VENV)/.crawl
	@echo "Installing what the tests need ..."
	@$(PIP) -c constraints.txt -e '.[dev]' 2>&1 | $(SHOWN)
	@touch $@

$(VENV)/.system: .ci/system-packages
	@bash .ci/install-system
	@mkdir -p $(VENV) && touch $@

crawl: $(VENV)/.crawl
	@$(PY) -m sitecrawl crawl $(if $(START),"$(START)",--demo --scope site) -O "$(OUT)" -s SITECRAWL_REWRITE=1 $(ARGS)

check: $(VENV)/.dev
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy

# pip and apt-get work side by side. One worker more than there are cores: half of the time, a test waits for a server or a browser.
test:
	@$(MAKE) --no-print-directory -j2 $(VENV)/.dev $(VENV)/.system
	@$(MAKE) --no-print-directory check
	@$(PY) -m pytest -n $$(( $$(nproc) + 1 )) --dist worksteal

test-matrix:
	@$(PYTHON) -m tests.matrix

train: $(VENV)/.crawl
	@$(PY) -m sitecrawl train training_data -o models/links.npz $(ARGS)

models: $(VENV)/.dev
	@$(PY) -m benchmarks models $(if $(UNSEEN),--unseen $(UNSEEN)) $(ARGS)

dist: $(VENV)/.dev
	@$(PY) -m build -o dist .

docs: $(VENV)/.dev
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict -q
	@echo "The guide is in site-docs/index.html"

bench: $(VENV)/.dev
	@$(PY) -m benchmarks crawl --unseen --sites kept
	@$(PY) -m benchmarks extraction --unseen --sites kept
	@$(PY) -m benchmarks links

lock: $(VENV)/.dev
	@echo "# The versions that make crawl and make test install, those the tests ran with. make lock writes this file anew." > constraints.txt
	@$(PY) -m pip freeze --exclude-editable --disable-pip-version-check >> constraints.txt

clean:
	rm -rf $(VENV) build dist site-docs *.egg-info .mypy_cache .ruff_cache .pytest_cache
