# The README's commands, `demo` and `test`, what they need, and what is built
# seldom. Demo and tests are built with one profile into one folder that outlives
# this checkout.

cache := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)
export CARGO_TARGET_DIR ?= $(cache)/uncaged-workflow/target
CARGO ?= cargo

.PHONY: demo test packages v8 tools release bench

# Adds an example bundle to a fresh store, runs it, shows its steps and nodes.
demo: v8
	$(CARGO) build --quiet
	sh examples/demo.sh "$(CARGO_TARGET_DIR)/debug/uncaged-workflow"

test: v8
	$(CARGO) test

# The table of npm packages and built-ins that do the same here as under Node.
packages: v8
	UNCAGED_TEST_REQUIRE_NPM=1 $(CARGO) test --test it -- packages:: built_ins:: bundlers::

# The library that the `v8` crate links, where its own download is out of reach.
v8: tools
	sh .cargo/v8/install.sh

# What the build needs besides Rust: a C and C++ compiler, perl, xz and libclang.
tools:
	sh .cargo/tools.sh

# The program that you install: slow to build, fast to run.
release: v8
	$(CARGO) build --release

bench: v8
	$(CARGO) bench
