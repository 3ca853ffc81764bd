# make site        the site of our own catalog, every port proven, in site/
# make programs    the programs of our models in other frameworks, each proven, for the next site; takes half an hour
# make serve       the same with live reload
# make test        lint, types, import contracts and every test
# make check       the same with the tests that need no browser, no environment and no whole port
# make known       the diff of every pair of ports of which the answer is known: make test leaves out four of large ones
# make bench       what can be measured, by name; make bench-NAME measures it, and may write a page of the guide
#                  with TO=TARGET, ONLY=NAME, LINES=FILE, SET=1 to 7, STEP=N, LIMIT=N, PORTS="10 100", EVENTS=N where it takes them
# make screenshots pictures of the main pages of site/, for README and guide
# make fuzz        broken files through every parser of data; COUNT=N inputs each, SEED=N, ONLY=PARSER

PYTHON ?= python3
BIN := .venv/bin
export NO_MKDOCS_2_WARNING := 1
# Compiled tests are kept: rewriting their assertions takes ten seconds a process.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: site proofs programs serve test check lint known golden bench screenshots fuzz clean

site: proofs
	$(BIN)/modeldocs build --strict

# Environments of frameworks are made on first use; proofs that the store holds are not made again.
proofs: .venv/ready
	$(BIN)/modeldocs env create
	$(BIN)/modeldocs verify --strict

# A program is made once, too; the site shows those that are there.
programs: .venv/ready
	$(BIN)/modeldocs env create
	$(BIN)/modeldocs generate

serve: .venv/ready
	$(BIN)/modeldocs env create
	$(BIN)/modeldocs serve

test: .venv/ready-dev lint
	@tests/install-chromium
	@$(BIN)/python -m compileall -q modeldocs
	$(BIN)/python -m pytest -n 2 --dist loadgroup --no-loadscope-reorder --durations=25 --durations-min=5

# For the time between two edits: parts on small inputs, in a minute or so.
QUICK := tests/ir tests/normal tests/diff tests/verdict tests/fold tests/catalog tests/diagram tests/tasks/test_store.py \
	tests/loaders/onnx tests/loaders/caffe tests/loaders/torch7 tests/test_errors.py tests/test_formatting.py
check: .venv/ready-dev lint
	$(BIN)/python -m pytest -n 2 -m "not browser and not slow and not whole" $(QUICK)

lint: .venv/ready-dev
	$(BIN)/ruff check modeldocs models tests evaluation
	$(BIN)/ruff format --check modeldocs models tests evaluation
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

known: .venv/ready-dev
	$(BIN)/modeldocs env create
	$(BIN)/python -m pytest --every-pair tests/diff/test_expected.py

golden: .venv/ready-dev
	$(BIN)/python -m pytest --rewrite-golden tests/test_golden.py

# Networks of other packages are built in environments of their own, once, and kept as graphs; runs of
# this machine are recorded once. A thousand ports (bench-scale) take half an hour on two cores.
MEASURE := $(BIN)/python -m evaluation
CHOSEN := $(if $(TO),--to "$(TO)") $(if $(ONLY),--only "$(ONLY)") $(if $(LINES),--lines "$(LINES)") $(if $(LIMIT),--limit $(LIMIT))

bench: .venv/ready-dev
	$(MEASURE)

bench-%: .venv/ready-dev
	$(BIN)/modeldocs env create
	$(MEASURE) $* $(CHOSEN) $(MODELS) $(PORTS) $(EVENTS)

bench-published: .venv/ready-dev
	$(MEASURE) published --set $(or $(SET),1) $(CHOSEN) $(if $(filter no,$(MAPS)),--no-maps) $(if $(TRUTH),--truth) $(if $(ONLY)$(TRUTH),,--page)

bench-sizes: .venv/ready-dev
	$(MEASURE) published.resized --step $(or $(STEP),1) $(CHOSEN) --page

bench-all-layers: .venv/ready-dev
	$(MEASURE) all_layers site

bench-serve: .venv/ready-dev
	$(MEASURE) scale.serve $(PORTS)

screenshots: .venv/ready-dev
	$(MEASURE) screenshots

# Each input has 10 s and its process 2 GiB; a parser has an hour, and takes some minutes.
fuzz: .venv/ready-dev
	$(BIN)/modeldocs env create tensorflow
	$(BIN)/python -m tests.fuzz $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only "$(ONLY)")

clean:
	rm -rf .venv .modeldocs site

# torch comes first and pinned: asked for later, or openly, pip takes a build with CUDA of several GB.
.venv/ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("modeldocs needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet torch==2.13.0
	$(BIN)/python -m pip install --quiet --editable '.[all]'
	touch $@

.venv/ready-dev: .venv/ready
	$(BIN)/python -m pip install --quiet --group dev
	touch $@
