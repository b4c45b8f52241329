# Needs make and Python 3.11 or newer, nothing else: everything is installed into .venv, from the lock files.

PYTHON ?=
JOBS ?= auto
ARGS ?=

VENV_PYTHON := .venv/bin/python
PIP_INSTALL := $(VENV_PYTHON) -m pip --disable-pip-version-check install --quiet
UV_COMPILE := $(VENV_PYTHON) -m uv pip compile --quiet --universal --python-version 3.11 \
	--generate-hashes --no-header --no-emit-index-url --no-emit-find-links

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup run test check serve bench lock upgrade clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile
	@echo "PYTHON=python3.12 chooses the Python (after make clean); ARGS='-k colors' goes to pytest; JOBS=1 runs the tests in one process."

setup: .venv/.runtime ## only set up what the program needs, as .venv/bin/indexer

run: .venv/.runtime ## index Scryfall's cards (the sample cards where it can't be reached) and show the mismatches
	@sh tools/run.sh $(VENV_PYTHON)

test: .venv/.development ## all tests
	@$(VENV_PYTHON) -m pytest -n $(JOBS) --dist loadfile $(ARGS)

check: .venv/.development ## lint, formatting, strict types
	$(VENV_PYTHON) -m ruff check
	$(VENV_PYTHON) -m ruff format --check
	$(VENV_PYTHON) -m mypy

serve: .venv/.development ## look at the pool (the sample cards if there is no other) in a browser
	@test -e data/cards.db || export INDEXER_DATABASE_URL=$${INDEXER_DATABASE_URL:-sqlite:///data/sample.db}; \
	$(VENV_PYTHON) -m indexer serve $(ARGS)

bench: .venv/.development ## how long everything takes, beside a plain script (needs the shared reference data)
	@$(VENV_PYTHON) -m benchmarks.bench $(ARGS)
	@$(VENV_PYTHON) -m benchmarks.engine

lock: .venv/bin/python ## write the lock files anew for changed dependencies in pyproject.toml
	@$(VENV_PYTHON) -m uv --version >/dev/null 2>&1 || $(PIP_INSTALL) uv
	$(UV_COMPILE) $(ARGS) --group build --extra postgresql pyproject.toml -o requirements.lock
	$(UV_COMPILE) $(ARGS) --group build --group dev --all-extras -c requirements.lock pyproject.toml -o requirements-dev.lock

upgrade: ## the same, with the newest release of everything
	@$(MAKE) lock ARGS=--upgrade

clean: ## remove what make made; data/ stays
	rm -rf .venv build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The rest makes the virtual environment, and again only when a lock file has changed. Without its Python (which an upgrade
# of the system may have taken away), what is installed counts for nothing.

$(shell test -x $(VENV_PYTHON) || rm -f .venv/.runtime .venv/.development)

.venv/bin/python:
	@python=$$(sh tools/find_python.sh "$(PYTHON)") && \
	echo "Making .venv with $$python" >&2 && \
	"$$python" -m venv --clear .venv

.venv/.runtime: requirements.lock pyproject.toml | .venv/bin/python
	@echo "Installing what is in requirements.lock" >&2
	@$(PIP_INSTALL) --require-hashes -r requirements.lock
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

.venv/.development: requirements-dev.lock .venv/.runtime
	@echo "Installing what is in requirements-dev.lock" >&2
	@$(PIP_INSTALL) --require-hashes -r requirements-dev.lock
	@touch $@
