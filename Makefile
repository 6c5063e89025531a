# Everyday commands; CMake and tools/ do the work.
# PREFIX, DESTDIR: where `make install` installs.  STEPS: steps of `make test`, default all.
PREFIX ?= /usr/local
STEPS ?=

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

SINEW := build/release/sinew
# Build; print nothing if everything is up to date.
BUILD := cmake --build --preset release | \
  { grep --line-buffered -vE 'no work to do|Re-checking globbed' || true; }

.PHONY: build run test coverage install deb wheel format clean help

build: ## build the library and the program into build/release (the default)
	@tools/setup.sh run
	@[ -f build/release/build.ninja ] || cmake --preset release
	@$(BUILD)

run: build ## build, then run the demo robot; open the address in a browser, stop with Ctrl-C
	@exec $(SINEW) demo

test: ## everything that is checked before a change is merged
	@tools/setup.sh test
	@tools/test.sh $(STEPS)

coverage: ## which branches the tests take: build/coverage/report.html and a table by folder
	@tools/setup.sh coverage
	@tools/coverage.sh

install: build ## install below PREFIX
	@cmake --preset release -DCMAKE_INSTALL_PREFIX="$(PREFIX)" >/dev/null
	@$(BUILD)
	@cmake --install build/release

ifdef ARCH
DEB := build/deb-$(ARCH)
deb:
	@tools/setup.sh cross
	@tools/sysroot.sh $(ARCH) build/sysroot/$(ARCH)
	@cmake --preset $(ARCH) -B $(DEB) -DSINEW_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_EXE_LINKER_FLAGS=-s \
	  -DCMAKE_MODULE_LINKER_FLAGS=-s >/dev/null
	@cmake --build $(DEB)
else
DEB := build/release
deb: build ## build a Debian package in build/release; ARCH=arm64 or armhf: in build/deb-ARCH
	@cmake --preset release -DCMAKE_INSTALL_PREFIX=/usr >/dev/null
	@$(BUILD)
endif
	@cd $(DEB) && cpack -G DEB >cpack.log 2>&1 || { cat cpack.log >&2; exit 1; }
	@ls $(DEB)/*.deb

wheel: build ## build a wheel of the Python module in build/release
	@tools/make_wheel.py build/release/python build/release

format: ## format every C and C++ file with clang-format
	@tools/setup.sh test
	@tools/files.sh '*.c' '*.h' '*.cpp' '*.hpp' | xargs clang-format -i

clean: ## remove the build folder
	rm -rf build

help: ## print this list
	@awk -F ': .*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
