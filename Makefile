# make site        the site of our own catalog, every port proven, in site/
# make serve       the same with live reload
# make test        lint, types, import contracts and every test
# make check       the same with the tests that need no browser, no environment and no whole port
# make bench-load  how long loading takes by framework, and what a load costs beside its import
# make bench-diff  how right and how fast the diff is; writes its figures into site_src/guide/diff-accuracy.md
# make bench-pairs how right the diff is on networks of other packages; LINES=FILE writes all its lines
# make bench-published  what is said of pairs of published networks, against a truth made by machine;
#                       SET=1 to 4 or all, ONLY=NAME, LINES=FILE, MAPS=no leaves out the maps of weights,
#                       TRUTH=1 measures the truth instead
# make bench-sizes  published networks against themselves at another batch, length or image; STEP=N takes
#                       every N-th, LINES=FILE writes all lines
# make bench-bugs  bugs planted in ports of another style, and whether the diff names them
# make bench-regions  what was decided by structure, by number and by undoing; on the ports of bench-bugs
# make bench-generated  graphs of every operator and version, with one change each, held against onnxruntime;
#                       LIMIT=N cases, LINES=FILE writes what is wrong
# make bench-maps  maps of weights applied to the checkpoints of both frameworks; ONLY=MODEL
# make bench-overviews  whether the overviews of all ports fit a screen, and what an inserted layer moves
# make bench-all-layers  the page of all layers of site/ at 1,000 ports of 140 layers: first rows, filters
# make bench-pages      weight of the pages of site/, and time until they are painted
# make screenshots      pictures of the main pages of site/, for README and guide
# make bench-families  the families of every model's ports, and the tree of their least differences
# make bench-traces  time and memory of reading traces of a million events; EVENTS=N
# make bench-scale    time, memory and size of builds of large catalogs; PORTS="10 100"; writes site_src/guide/large-catalogs.md
# make bench-serve    time from saving a file to the reload under `modeldocs serve`; PORTS="100 1000"; writes site_src/guide/large-catalogs.md
# make bench-proof what proofs catch of faults planted in what was loaded
# make bench-regression  how often the verdict on two recorded runs is right; writes site_src/guide/reading-benchmarks.md
# make fuzz        broken files through every parser of data; COUNT=N inputs each, SEED=N, ONLY=PARSER

PYTHON ?= python3
BIN := .venv/bin
export NO_MKDOCS_2_WARNING := 1
# Compiled tests are kept: rewriting their assertions takes ten seconds a process.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: site proofs serve test check lint golden bench-load bench-diff bench-pairs bench-published bench-sizes bench-bugs bench-regions bench-generated bench-maps bench-overviews bench-families bench-traces bench-all-layers bench-pages bench-scale bench-serve screenshots bench-proof bench-regression fuzz clean

site: proofs
	$(BIN)/modeldocs build --strict

# Environments of frameworks are made on first use; proofs that the store holds are not made again.
proofs: .venv/ready
	$(BIN)/modeldocs env create
	$(BIN)/modeldocs verify --strict

serve: .venv/ready
	$(BIN)/modeldocs env create
	$(BIN)/modeldocs serve

test: .venv/ready-dev lint
	@tests/install-chromium
	$(BIN)/python -m pytest -n 2 --dist loadgroup --no-loadscope-reorder

# For the time between two edits: parts on small inputs, in a minute or so.
QUICK := tests/ir tests/normal tests/diff tests/families tests/fold tests/catalog tests/diagram tests/tasks/test_store.py \
	tests/loaders/onnx tests/loaders/caffe tests/loaders/torch7 tests/test_errors.py tests/test_spelling.py
check: .venv/ready-dev lint
	$(BIN)/python -m pytest -n 2 -m "not browser and not slow and not whole" $(QUICK)

lint: .venv/ready-dev
	$(BIN)/ruff check modeldocs models tests
	$(BIN)/ruff format --check modeldocs models tests
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

golden: .venv/ready-dev
	$(BIN)/python -m pytest --rewrite-golden tests/test_golden.py

bench-load: .venv/ready-dev
	$(BIN)/modeldocs env create
	$(BIN)/python tests/bench/loads.py
	$(BIN)/python -m tests.bench.load_cost

bench-diff: .venv/ready-dev
	$(BIN)/modeldocs env create
	$(BIN)/python -m tests.bench.diff

# Networks of other packages are built in environments of their own, once, and kept as graphs.
bench-pairs: .venv/ready-dev
	$(BIN)/python -m tests.bench.pairs $(if $(ONLY),--only "$(ONLY)") $(if $(LINES),--lines "$(LINES)")

bench-published: .venv/ready-dev
	$(BIN)/python -m tests.bench.published --set $(or $(SET),1) $(if $(ONLY),--only "$(ONLY)") $(if $(LINES),--lines "$(LINES)") $(if $(filter no,$(MAPS)),--no-maps) $(if $(TRUTH),--truth) $(if $(ONLY)$(TRUTH),,--page)

bench-sizes: .venv/ready-dev
	$(BIN)/python -m tests.bench.published.resized --step $(or $(STEP),1) $(if $(LINES),--lines "$(LINES)") --page

bench-bugs: .venv/ready-dev
	$(BIN)/modeldocs env create
	$(BIN)/python -m tests.bench.bugs

bench-regions: .venv/ready-dev
	$(BIN)/modeldocs env create
	$(BIN)/python -m tests.bench.regions

bench-generated: .venv/ready-dev
	$(BIN)/python -m tests.bench.generated $(if $(LIMIT),--limit $(LIMIT)) $(if $(LINES),--lines "$(LINES)")

bench-maps: .venv/ready-dev
	$(BIN)/modeldocs env create
	$(BIN)/python -m tests.bench.maps $(if $(ONLY),--only "$(ONLY)")

bench-overviews: .venv/ready-dev
	$(BIN)/modeldocs env create
	$(BIN)/python -m tests.bench.overviews
	$(BIN)/python -m tests.bench.stability

bench-all-layers: .venv/ready-dev
	$(BIN)/python -m tests.bench.all_layers site

bench-pages: .venv/ready-dev
	$(BIN)/python -m tests.bench.pages

screenshots: .venv/ready-dev
	$(BIN)/python -m tests.bench.screenshots

bench-families: .venv/ready-dev
	$(BIN)/modeldocs env create
	$(BIN)/python -m tests.bench.families $(MODELS)

bench-traces: .venv/ready-dev
	$(BIN)/python -m tests.bench.traces $(EVENTS)

# A thousand ports take half an hour on two cores.
bench-scale: .venv/ready-dev
	$(BIN)/python -m tests.bench.scale $(PORTS)

bench-serve: .venv/ready-dev
	$(BIN)/python -m tests.bench.scale.serve $(PORTS)

bench-proof: .venv/ready-dev
	$(BIN)/modeldocs env create
	$(BIN)/python -m tests.bench.proof

# Runs on this machine are recorded once, for some ten minutes, and kept outside of the tree.
bench-regression: .venv/ready-dev
	$(BIN)/python -m tests.bench.regression

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
