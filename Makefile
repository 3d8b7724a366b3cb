# Everything here works on a machine that has Python 3.11 or newer, make and a C++ compiler, and nothing else.
#
#   make test                      the whole test suite
#   make demo                      scaffold a backend, train and run three models through it, prove it
#   make test ARGS="-k softmax"    arguments for pytest, or for the demo
#   make PYTHON=python3.12 test    another interpreter for the virtual environment

PYTHON ?= python3
VENV ?= .venv
TORCH ?= -r requirements/torch.txt
JOBS ?= 2
ARGS ?=

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check
NOX := $(BIN)/nox --no-venv --no-install --non-interactive

# A change in any of these needs another installation; Python sources do not, the installation is editable.
BUILD_INPUTS := pyproject.toml CMakeLists.txt $(wildcard requirements/*.txt) \
  $(wildcard sdk/torchport/native/*) $(wildcard sdk/torchport/include/torchport/*.h)

# Nothing in the project may ask a model hub for anything. Workers share the cores: idle OpenMP threads must sleep.
export HF_HUB_OFFLINE := 1
export TOKENIZERS_PARALLELISM := false
export OMP_WAIT_POLICY ?= passive
# Tools of the environment (the compiler driver, ninja) are found by name.
export PATH := $(abspath $(BIN)):$(PATH)

.DEFAULT_GOAL := help
.PHONY: help demo test venv dev-venv lint types docs gen clean distclean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  %-10s %s\n", $$1, $$2 }'

demo: $(VENV)/.installed ## Scaffold, integrate and prove a backend; report in out/demo
	$(BIN)/python demo/demo.py $(ARGS)

test: $(VENV)/.installed ## Run the whole test suite
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal --durations=15 $(ARGS)

venv: $(VENV)/.installed ## Make the virtual environment for demo and test

dev-venv: $(VENV)/.installed-dev ## The same with the tools of lint, types and docs

lint: $(VENV)/.installed-dev ## ruff, clang-format, import layers
	$(NOX) -s lint -- $(ARGS)

types: $(VENV)/.installed-dev ## mypy --strict
	$(NOX) -s types -- $(ARGS)

docs: $(VENV)/.installed-dev ## Build the site into docs/_build/html
	$(NOX) -s docs -- $(ARGS)

gen: $(VENV)/.installed-dev ## Rewrite every generated file
	$(NOX) -s gen -- $(ARGS)

clean: ## Remove what was built; the virtual environment stays
	rm -rf out build dist docs/_build docs/reference/generated .mypy_cache .ruff_cache .pytest_cache \
	  .import_linter_cache .hypothesis
	rm -f $(VENV)/.installed $(VENV)/.installed-dev
	find sdk reference_backends conformance templates tests demo docs -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## Remove the virtual environment too
	rm -rf $(VENV)

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "torchport needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)

# PyTorch comes first and alone: with it in place no later package makes pip choose another one.
$(VENV)/.torch: requirements/torch.txt | $(VENV)/bin/python
	@echo "installing PyTorch into $(VENV)"
	@$(PIP) install $(TORCH)
	@touch $@

$(VENV)/.installed: $(VENV)/.torch $(BUILD_INPUTS)
	@echo "building torchport and installing what the tests need"
	@$(PIP) install -r requirements/build.txt
	@$(PIP) install --no-build-isolation --editable '.[test]'
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	@echo "installing the tools of lint, types and docs"
	@$(PIP) install --no-build-isolation --editable '.[test,docs,dev]'
	@touch $@
