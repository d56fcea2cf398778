# Two commands for a fresh machine with Python 3.11 and git:  make demo   ·   make test
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.can-run
TEST := $(VENV)/.can-test
# Most tests wait for programs they have started: four at once keep two cores busy.
SIDE_BY_SIDE ?= 4
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test test-slow lint bench bench-agents bench-montecarlo release wheel r-package barrier clean help

help:
	@echo "make demo       run the recorded demonstration (needs Python >= 3.11, git and bubblewrap)"
	@echo "make test       linters, types and the fast tests"
	@echo "make test-slow  tests that need R or minutes"
	@echo "make bench      the measurements in benchmarks/"
	@echo "make bench-agents  what barrier and bridge cost an agent program, and the memory of three at once"
	@echo "make bench-montecarlo  what the Monte Carlo engine costs beside a loop written by hand"
	@echo "make release    what a release consists of: wheel, source archive, R package, recipe for conda-forge"
	@echo "make wheel      the same, tried outside the checkout with pip, pipx and uv"
	@echo "make r-package  build and check the R package in r/ (needs R)"

$(RUN): pyproject.toml
	@command -v git >/dev/null || { echo "error: git is missing. Install it (Debian: apt-get install git)."; exit 8; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "error: Python 3.11 or newer is needed. Fix: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11"; exit 8; }
	@echo "setting up $(VENV) …"
	@$(PYTHON) -m venv $(VENV) || { echo "error: no venv module. Fix: apt-get install python3-venv"; exit 8; }
	@$(PIP) -e '.[demo]'
	@touch $@

$(TEST): $(RUN)
	@$(PIP) -e '.[demo,dev]'
	@touch $@

barrier:
	@tools/get-bubblewrap

demo: $(RUN) barrier
	@$(BIN)/statsclaw demo
	@echo "(in this checkout, statsclaw is $(BIN)/statsclaw)"

test: $(TEST) barrier lint
	$(BIN)/python -m pytest -n $(SIDE_BY_SIDE) --dist worksteal -m "not slow"

test-slow: $(TEST) barrier
	$(BIN)/python -m pytest -n $(SIDE_BY_SIDE) --dist worksteal -m slow

lint: $(TEST)
	$(BIN)/ruff check src tests benchmarks release
	$(BIN)/ruff format --check src tests benchmarks release
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(TEST) barrier
	@for file in benchmarks/bench_*.py benchmarks/honest/bench_*.py; do echo "# $$file"; $(BIN)/python $$file || exit 1; done

bench-agents: $(TEST) barrier
	@for file in benchmarks/agents/bench_*.py; do echo "# $$file"; $(BIN)/python $$file || exit 1; done

bench-montecarlo: $(TEST)
	@$(BIN)/python benchmarks/montecarlo/bench_montecarlo.py

release: $(TEST)
	@$(BIN)/python release/release.py dist

wheel: release barrier
	@$(BIN)/python tests/wheel/try_wheel.py dist

r-package: $(RUN)
	@command -v R >/dev/null || { echo "error: R is missing. Install it (Debian: apt-get install r-base-core)."; exit 8; }
	@mkdir -p dist && cd dist && rm -rf statsclaw.Rcheck statsclaw_*.tar.gz && R CMD build --no-manual ../r && \
	  STATSCLAW=$(CURDIR)/$(BIN)/statsclaw R CMD check --no-manual statsclaw_*.tar.gz

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
