# Every target sets itself up: a virtual environment in .venv/, from requirements.lock (with hashes).
VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready

.PHONY: help demo test check bench soak conformance protos lock clean
help:
	@echo 'make demo   explain the shipped example dump'
	@echo 'make test   the tests, with branch coverage of the pure packages'
	@echo 'make check  format, lint, types, architecture, dependencies'
	@echo 'make bench  the benchmarks of speed/ (ratios against a reference in the same run; status 1 if one is over its limit)'
	@echo 'make soak [SOAK=20000] [SEED=1]  exact beside brute force on many scenarios, the laws on many examples, the agent killed at every moment'
	@echo 'make conformance [N=2000] [SEED=1]  beside the reference implementations, kubectl and a DRA driver in Go (needs Go 1.26 and its module proxy; builds containerd)'
	@echo '            RUNTIMES= runs pods in them too (root; apt-get install containerd runc busybox-static)'
	@echo 'make protos write the kubelet messages from src/aliquot/node/protos/*.proto again'
	@echo 'make lock   resolve requirements.lock again'

$(READY): requirements.lock pyproject.toml tools/make-venv
	tools/make-venv $(VENV)

demo: $(READY)
	@tools/demo

test: $(READY)
	tools/install-consumers
	$(PY) -m pytest -n auto --cov --cov-report= $(ARGS)
	$(PY) tools/coverage_of_pure.py

check: $(READY)
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/basedpyright
	$(VENV)/bin/lint-imports
	$(VENV)/bin/deptry src

bench: $(READY)
	$(PY) -m speed

SEED ?= 1
SOAK ?= 20000
soak: $(READY)
	$(PY) -m scenarios.soak --count $(SOAK) --seed $(SEED)
	$(PY) -m scenarios.deaths
	$(PY) -m scenarios.node.kill_matrix
	HYPOTHESIS_PROFILE=deep $(PY) -m pytest -n auto -m law --timeout 7200 $(ARGS)

N ?= 2000
RUNTIMES ?= --no-pods
conformance: $(READY)
	$(PY) -m conformance --count $(N) --seed $(SEED) $(ARGS)
	$(PY) -m conformance.runtimes --seed $(SEED) $(RUNTIMES)
	$(PY) -m conformance.commands --seed $(SEED)
	$(PY) -m conformance.node

protos: $(READY)
	PYTHON=$(PY) tools/make-protos

# needs uv on PATH (pip install uv); the lock names no host
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url \
	  --group dev pyproject.toml -o requirements.lock

clean:
	rm -rf $(VENV) conformance/.build .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage*
