# Every target makes what it needs, from a bare checkout on.

PYTHON_BIN := .venv/bin/python
DEMO_OUTPUT ?= demo-output
WORKERS ?= 2

.PHONY: help demo test check docs bench clean
.NOTPARALLEL:

help: ## say what there is
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' Makefile

.venv/.ready: pyproject.toml .ci/setup
	@.ci/setup
	@touch $@

.venv/.ready-dev: pyproject.toml .ci/setup
	@.ci/setup dev
	@touch .venv/.ready $@

demo: .venv/.ready ## one whole evidence session on a bundled site, verified offline
	@$(PYTHON_BIN) -m understudy_cli.demo.run "$(DEMO_OUTPUT)"

test: .venv/.ready-dev ## every test, real Chromium included
	@$(PYTHON_BIN) -m pytest -q -n $(WORKERS) --dist loadfile $(TESTS)

check: .venv/.ready-dev ## lint, format, types, layers
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check --quiet .
	@.venv/bin/mypy
	@.venv/bin/lint-imports

docs: .venv/.ready-dev ## man pages and completions, from the command tree
	@$(PYTHON_BIN) -m tests.tools.generate_docs

bench: .venv/.ready-dev ## ratios against raw peers, in one run
	@$(PYTHON_BIN) -m tests.benchmarks.run

clean: ## remove whatever the other targets made
	rm -rf .venv dist build "$(DEMO_OUTPUT)" .mypy_cache .ruff_cache .pytest_cache \
		.hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
