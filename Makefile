# Every target sets up what it needs first. PYTHON=... chooses the Python of .venv (default: the newest from 3.11 on).

.DEFAULT_GOAL := help
.PHONY: help play test test-extras quick quick-lowest ros fuzz check bench clean

PLAY_ARGS =
TEST_ARGS =
SEED =
BENCH_ARGS =

help:
	@echo "make play    open the playground          PLAY_ARGS='--port 8080 --no-browser'"
	@echo "make test    run all tests                TEST_ARGS='-k fabrik'"
	@echo "make test-extras   those that need PyTorch, the robots of other packages (gigabytes) or minutes"
	@echo "make quick   the tests that need no browser, server or compiler and less than a second each"
	@echo "make quick-lowest   the same with the lowest versions that limbik works with"
	@echo "make ros     ROS 2 with MoveIt's messages in .venv/ros, for the test of \`limbik ros --node\`"
	@echo "make fuzz    property tests, drawn at random   SEED=1234 draws again what a run drew"
	@echo "make check   lint, format and type checks"
	@echo "make bench   run the benchmarks           BENCH_ARGS='--help'"
	@echo "make clean   remove .venv, caches and build output"

play:
	@sh tools/prepare.sh app
	@.venv/bin/limbik play $(PLAY_ARGS)

test:
	@sh tools/prepare.sh --tests app dev
	@.venv/bin/python -m pytest -n auto --maxprocesses 4 --dist worksteal -m "not extra" $(TEST_ARGS)

test-extras:
	@sh tools/prepare.sh --tests --descriptions app dev torch
	@PYTHONPATH=.venv/descriptions .venv/bin/python -m pytest tests/integrations tests/formats/test_mjcf.py \
		tests/formats/test_registry.py tests/motion/test_humanoid.py tests/compiler/test_native.py $(TEST_ARGS)

QUICK = $(filter-out tests/app tests/browser tests/commands tests/compiler tests/integrations \
	tests/test_benchmarks.py tests/test_cli.py tests/test_examples.py tests/test_pictures.py tests/test_readme.py \
	tests/test_warmup.py tests/test_wheel.py, $(patsubst %/,%,$(wildcard tests/*/)) $(wildcard tests/test_*.py))

QUICK_RUN = -m pytest -q -n auto --maxprocesses 4 --dist worksteal -m "not slow and not extra" \
	--hypothesis-profile=quick $(QUICK) $(TEST_ARGS)

quick:
	@sh tools/prepare.sh app dev
	@.venv/bin/python $(QUICK_RUN)

quick-lowest:
	@sh tools/prepare.sh app dev
	@.venv/bin/python -m uv venv -q --allow-existing --python .venv/bin/python .venv/lowest
	@.venv/bin/python -m uv pip install -q --python .venv/lowest --resolution lowest-direct -e ".[app,dev]"
	@.venv/lowest/bin/python $(QUICK_RUN)

ros:
	@sh tools/prepare.sh app dev
	@.venv/bin/python tools/ros.py

fuzz:
	@sh tools/prepare.sh --tests app dev
	@seed="$(SEED)"; seed="$${seed:-$$(date +%s)}"; echo "SEED=$$seed"; \
	.venv/bin/python -m pytest -n auto --maxprocesses 4 --dist worksteal -m hypothesis \
		--hypothesis-profile=fuzz --hypothesis-seed=$$seed $(TEST_ARGS)

check:
	@sh tools/prepare.sh app dev
	@.venv/bin/ruff check
	@.venv/bin/ruff format --check
	@.venv/bin/mypy
	@.venv/bin/python tools/words.py > /dev/null

bench:
	@sh tools/prepare.sh app dev bench
	@.venv/bin/python benchmarks/classical.py $(BENCH_ARGS)

clean:
	@rm -rf .venv build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache test-results
	@find src tests tools benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
