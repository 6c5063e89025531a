# The few commands of a working day; everything behind them is CMake and tools/.
# PREFIX, DESTDIR: where `make install` puts things.  STEPS: what `make test` runs, default all.
PREFIX ?= /usr/local
STEPS ?=

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

SINEW := build/release/sinew
# Build, but say nothing if there is nothing to build.
BUILD := cmake --build --preset release | \
  { grep --line-buffered -vE 'no work to do|Re-checking globbed' || true; }

.PHONY: build run test install deb format clean help

build: ## build the library and the program into build/release (the default)
	@tools/setup.sh run
	@[ -f build/release/build.ninja ] || cmake --preset release
	@$(BUILD)

run: build ## build, then run the demo robot; open the address in a browser, end with Ctrl-C
	@exec $(SINEW) demo

test: ## everything that is checked before a change is good
	@tools/test.sh $(STEPS)

install: build ## install below PREFIX
	@cmake --preset release -DCMAKE_INSTALL_PREFIX="$(PREFIX)" >/dev/null
	@$(BUILD)
	@cmake --install build/release

deb: build ## a Debian package, in build/release
	@cmake --preset release -DCMAKE_INSTALL_PREFIX=/usr >/dev/null
	@$(BUILD)
	@cd build/release && cpack -G DEB >cpack.log 2>&1 || { cat cpack.log >&2; exit 1; }
	@ls build/release/*.deb

format: ## lay out every C and C++ file as .clang-format says
	@tools/setup.sh test
	@tools/files.sh '*.c' '*.h' '*.cpp' | xargs clang-format -i

clean: ## remove all that was built
	rm -rf build

help: ## this list
	@awk -F ': .*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
