# Everything runs from one environment, made on first use from the exact versions of the lock.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test lint bench corpus-test mutation-bench mutation-tests format clean

demo: $(READY)
	$(BIN)/asmevo demo --output demo --force

test: $(READY)
	$(BIN)/asmevo corpus fetch aiter >/dev/null || \
	  echo "the vendor corpus could not be fetched: its tests will be skipped"
	$(BIN)/python -m pytest -n 2 --dist worksteal

lint: $(READY)
	$(BIN)/ruff check src tests benchmarks kernels
	$(BIN)/ruff format --check src tests benchmarks kernels
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff check --fix src tests benchmarks kernels
	$(BIN)/ruff format src tests benchmarks kernels

# Long runs: results go to docs/results/ with date, machine and command.
bench: $(READY)
	$(BIN)/python -m benchmarks

corpus-test: $(READY)
	$(BIN)/asmevo corpus fetch aiter
	ASMEVO_CORPUS_TEST=1 $(BIN)/python -m pytest -m "corpus or not corpus"

mutation-bench: $(READY)
	$(BIN)/python -m benchmarks.mutation -o docs/results/mutation.md

mutation-tests: $(READY)
	$(BIN)/python -m tests.mutants

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	@echo "making the environment in $(VENV): about 200 MB to download, a minute or two"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(READY)

clean:
	rm -rf $(VENV) demo .pytest_cache .ruff_cache .hypothesis .import_linter_cache
