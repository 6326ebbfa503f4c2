CARGO ?= cargo
PYTHON ?= python3
ROOT := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))

# The data sets are not in the repository. Where a copy lies beside it, it is found.
ifeq ($(origin HFY_DATA_DIR),undefined)
ifneq ($(wildcard $(ROOT)../shared/data),)
export HFY_DATA_DIR := $(abspath $(ROOT)../shared/data)
export HFY_REQUIRE_DATA := 1 # tests that need them must not skip
endif
endif

SHELL := bash
.SHELLFLAGS := -o pipefail -c # what fails before a pipe has failed
.DEFAULT_GOAL := help
.PHONY: help demo reproduce tour test stress fuzz python bench doc lint

help: ## List these targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-9s %s\n", $$1, $$2 }'

demo: ## Pictures in a memory, damaged and recalled by every network; writes hfy-demo.html
	@echo "Building the program; the first time this takes some minutes."
	@$(CARGO) build --release -p hfy-cli --no-default-features
	@$(CARGO) run --quiet --release -p hfy-cli --no-default-features -- demo

ID ?= all
MODE ?= printed
OUT ?= hfy-reproduction
CELLS ?= $(wildcard docs/reproduction/cells/*.jsonl)
reproduce: ## The tables and figures of the paper; ID="fig4 table3", MODE=printed|defined|both, OUT=FOLDER, CELLS= for no kept cells
	@$(CARGO) run --quiet --release -p hfy-cli -- reproduce $(ID) --mode $(MODE) --out $(OUT) \
		$(addprefix --with-cells ,$(CELLS))

tour: ## A tour of the maps, in the terminal
	@$(CARGO) run --quiet --example tour

# Every line builds the whole workspace with the same features, so that each profile compiles a crate once.
test: python ## All tests and documentation tests, in all threads and in one, the tour, and the Python package
	$(CARGO) test --workspace
	@RAYON_NUM_THREADS=1 $(CARGO) test --quiet --workspace --test golden --test maps -- \
		--nocapture | grep -o 'golden [a-z_]*: .*' | sort
	$(CARGO) run --quiet --example tour > /dev/null

stress: ## The long form of the tests of memories: 1,000 kills, 4,000 additions at once, 20,000 flipped bits
	HFY_STRESS_KILLS=1000 HFY_STRESS_ADDS=1000 HFY_STRESS_FLIPS=20000 $(CARGO) test --workspace \
		--test crash --test concurrency --test damaged_folder -- --nocapture

TIME ?= 60
TARGETS ?= exchange segment npy npz csv maps
fuzz: ## Run each fuzz target for TIME=60 seconds; TARGETS="csv npz" selects (needs: cargo install cargo-fuzz)
	@for target in $(TARGETS); do \
		mkdir -p fuzz/found/$$target; \
		RUSTC_BOOTSTRAP=1 $(CARGO) fuzz run -s none $$target fuzz/found/$$target fuzz/corpus/$$target -- \
			-dict=fuzz/dictionaries/$$target.dict -max_total_time=$(TIME) -max_len=4096 -timeout=10 \
			-rss_limit_mb=512 -print_final_stats=1 || exit 1; \
	done

python: ## The wheel of the Python package into an environment of its own, and its tests, there
	$(PYTHON) bindings/python/check.py

bench: ## Time maps and retrieval, one JSON line a case; CASES="sparsemax fwd/" selects by substring
	RAYON_NUM_THREADS=1 $(CARGO) bench -p hfy --bench maps -- $(CASES)
	RAYON_NUM_THREADS=2 $(CARGO) bench -p hfy --bench maps -- $(CASES)
	RAYON_NUM_THREADS=2 $(CARGO) bench -p hfy --bench retrieval -- $(CASES)
	RAYON_NUM_THREADS=2 $(CARGO) bench -p hfy --bench structures -- $(CASES)
	RAYON_NUM_THREADS=1 $(CARGO) bench -p hfy-nn --bench step -- $(CASES)
	RAYON_NUM_THREADS=1 $(CARGO) bench -p hfy-nn --bench lstm -- $(CASES)
	RAYON_NUM_THREADS=2 $(CARGO) bench -p hfy-nn --bench lstm -- $(CASES)

doc: ## Build the documentation; a warning is an error
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps

lint: ## Formatting, clippy, the library without threads, and modules in a circle; a warning is an error
	$(PYTHON) scripts/module_cycles.py crates/hfy-kernel crates/hfy
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) clippy -p hfy --no-default-features -- -D warnings
