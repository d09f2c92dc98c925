# Everything a fresh machine needs: Python 3.11 or later, make, and the package registries.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
RUNNING := $(VENV)/.running
READY := $(VENV)/.ready
# All extras but torch: it is large, and what needs it is tested where it is installed.
EXTRAS := $(addprefix --extra ,baselines dask figures hf metrics pandas polars)
LOCKING := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	--no-annotate --no-emit-index-url --no-emit-package commonground
INSTALL := bash scripts/install.sh $(RUN)

.PHONY: demo test tools lint bench fuzz faults docs docs-site figures results lock clean

# In two steps: what runs commonground, for the demo, and on top of it what its tests need.
$(RUNNING): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	awk '/^uv==/,!/\\$$/' requirements.lock > $(VENV)/uv.lock
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(VENV)/uv.lock
	$(INSTALL) --require-hashes -r requirements.lock
	$(INSTALL) --no-deps --no-build-isolation -e .
	touch $(RUNNING)

$(READY): requirements-dev.lock $(RUNNING)
	$(INSTALL) --require-hashes -r requirements-dev.lock
	touch $(READY)

demo: $(RUNNING)  ## five small invented corpora: written, imported, asked, shown, scored, drawn
	@PATH="$(CURDIR)/$(RUN):$$PATH" bash scripts/demo.sh

test: $(READY) lint  ## all tests; those on real files where COMMONGROUND_DATA names a folder
	$(RUN)/python -m pytest -n auto tests

tools:  ## installs Chromium (page tests) and strace (fault tests), on Debian as root; else says how
	@bash scripts/install_tools.sh

lint: $(READY)
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy

bench: $(READY)  ## speed and memory as ratios in one run
	$(RUN)/python -m benchmarks

fuzz: $(READY)  ## mutated documents through every reader and checker, longer than in the tests
	COMMONGROUND_FUZZ=$${COMMONGROUND_FUZZ:-10000} $(RUN)/python -m pytest -n auto tests/contract/test_fuzz.py

faults: $(READY)  ## kills, full disks, power cuts everywhere; 3,000 mutations a corpus; 10,000 steps of people
	COMMONGROUND_FAULTS=$${COMMONGROUND_FAULTS:-3000} COMMONGROUND_STEPS=$${COMMONGROUND_STEPS:-10000} \
		$(RUN)/python -m pytest -n auto tests/faults tests/unit/collect/test_machine.py

docs: $(READY)  ## the generated pages of docs/
	$(RUN)/python scripts/write_docs.py

docs-site: $(READY)  ## the documentation as a site, in build/docs-site; a dead link is an error
	$(RUN)/python scripts/build_docs_site.py

figures: $(READY)  ## docs/figures/ from a store of the real corpora; CORPORA names new ones
	$(RUN)/python scripts/write_figures.py $(CORPORA)
	$(RUN)/python scripts/write_docs.py

results: $(READY)  ## the numbers behind docs/results.md, from a store of the real corpora
	$(RUN)/python scripts/write_results.py

lock: $(READY)  ## renews requirements.lock and requirements-dev.lock, which agree
	$(RUN)/$(LOCKING) --group dev $(EXTRAS) -o requirements-dev.lock pyproject.toml
	$(RUN)/$(LOCKING) --group run --extra baselines -c requirements-dev.lock -o requirements.lock pyproject.toml

clean:
	rm -rf $(VENV) build demo .mypy_cache .ruff_cache .pytest_cache
