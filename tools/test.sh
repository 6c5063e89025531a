#!/usr/bin/env bash
# Everything that is checked before a change is good; stops at the first failure.
# usage: test.sh [STEP...]     all steps, or only these, in the order given
#        A+B+C runs B, then C, at low priority beside A
# The output of a step goes to build/logs/STEP.log. JOBS sets the number of parallel jobs.
set -u -o pipefail
cd "$(dirname "$0")/.." || exit 1

export JOBS=${JOBS:-$(nproc)}
export CMAKE_BUILD_PARALLEL_LEVEL=$JOBS
export CTEST_PARALLEL_LEVEL=$((JOBS + 1)) # many tests wait: for a browser, for a robot to move
# asan uses Clang with the same warnings, and dev builds the benchmarks, so `clang` and `bench` add nothing.
# While tests wait, steps that only compute run beside them.
steps="setup format layers dev+tidy+build-asan+build-tsan+build-fuzz asan+consumer tsan fuzz package"

# Each step is a function that fails if a command fails. Its headline:
title() {
  case $1 in
    setup) echo "install what is missing" ;;
    format) echo "clang-format changes nothing" ;;
    layers) echo "includes point one way" ;;
    dev) echo "GCC, benchmarks, all tests" ;;
    clang) echo "Clang, all tests" ;;
    asan) echo "Clang, address and undefined-behaviour sanitizers, all tests" ;;
    tsan) echo "thread sanitizer, tests with threads" ;;
    fuzz) echo "a short run of each fuzz target" ;;
    tidy) echo "clang-tidy reports nothing" ;;
    bench) echo "benchmarks build" ;;
    consumer) echo "programs build against the installed tree" ;;
    build-*) echo "builds what the step ${1#build-} needs" ;;
    arm64 | armhf) echo "cross build for $1: tests under QEMU, the same bits, the package" ;;
    package) echo "the Debian package runs from an empty folder" ;;
    *) return 1 ;;
  esac
}

step_setup() {
  tools/setup.sh test
}

step_format() {
  local files
  files=$(tools/files.sh '*.c' '*.h' '*.cpp' '*.hpp')
  xargs clang-format --dry-run -Werror <<<"$files" || {
    echo "make format fixes it"
    return 1
  }
  echo "$(wc -l <<<"$files") files"
}

step_layers() {
  tools/check_layers.py --self-test
  tools/check_layers.py
}

build() {
  cmake --preset "$1"
  cmake --build --preset "$1"
}
build_and_test() {
  build "$1"
  ctest --preset "$1" || run_again_alone "$1"
}
# Tests of whole processes in real time compete for the processors with each other and with a step
# beside them. Such a test gets a second run, alone, and the summary names it. No other test does.
run_again_alone() {
  local failed="build/$1/Testing/Temporary/LastTestsFailed.log"
  if [ ! -s "$failed" ] || grep -qvE '^[0-9]+:(apps|docs|hostile|interop|web)/' "$failed"; then
    return 1
  fi
  echo "== run again alone: $(cut -d: -f2 "$failed" | tr '\n' ' ')"
  CTEST_PARALLEL_LEVEL=1 ctest --preset "$1" --rerun-failed
}
step_dev() { build_and_test dev; }
step_clang() { build_and_test clang; }
step_asan() { build_and_test asan; }
step_tsan() { build_and_test tsan; }
step_fuzz() { build_and_test fuzz; }
step_build-asan() { build asan; }
step_build-tsan() { build tsan; }
step_build-fuzz() { build fuzz; }

step_tidy() {
  local checked=build/tidy/checked
  cmake --preset tidy
  # The build runs clang-tidy on changed files only; a changed list of checks needs a clean build.
  if [ ! .clang-tidy -ot $checked ]; then
    cmake --build --preset tidy --target clean
  fi
  cmake --build --preset tidy -- -k 0 2>&1 | tee build/tidy/output || { # all findings at once
    echo "== in short:"
    grep 'error:' build/tidy/output | sort -u
    return 1
  }
  touch $checked
  echo "$(grep -c '"file":' build/tidy/compile_commands.json) files"
}

step_bench() {
  cmake --preset bench
  cmake --build --preset bench
}

step_consumer() {
  tests/consumer/run.sh build/consumer
}

# Not among the default steps: QEMU takes half an hour for all tests.
step_cross() {
  tools/setup.sh cross
  tools/sysroot.sh "$1" "build/sysroot/$1"
  cmake --preset release
  cmake --build --preset release
  cmake --preset "$1"
  cmake --build --preset "$1"
  tests/cross/run.sh "$1"
}
step_arm64() { step_cross arm64; }
step_armhf() { step_cross armhf; }

step_package() {
  tests/package/run.sh build/package
}

# The summary of a step: the line of ctest, or the last one.
closing_line() {
  grep -E '^[0-9]+% tests passed|^No tests were found|^== run again alone' "$1" || tail -n 1 "$1"
}

now_ms() {
  echo $(($(date +%s%N) / 1000000))
}

seconds() {
  printf '%d.%d s' $(($1 / 1000)) $(($1 % 1000 / 100))
}

# Ends the shell on failure; a step that runs beside another has its own shell.
run_step() {
  local name=$1 log=build/logs/$1.log start elapsed rc line
  printf '== %-10s %s\n' "$name" "$(title "$name")"
  start=$(now_ms)
  (
    set -e
    "step_$name"
  ) >"$log" 2>&1
  rc=$?
  elapsed=$(seconds $(($(now_ms) - start)))
  if [ $rc -ne 0 ]; then
    tail -n 80 "$log"
    echo "make test: step '$name' failed after $elapsed; full output in $log; run it again with tools/test.sh $name" >&2
    exit 1
  fi
  line=$(closing_line "$log")
  printf '   %-10s %8s  %s\n' "$name" "$elapsed" "${line:-nothing to do}" | tee -a $summary
}

# usage: run_beside A B...
# In the background: bash ignores `set -e` in a command before `||`.
run_beside() {
  local first beside
  (run_step "$1") &
  first=$!
  shift
  (
    renice -n 19 $BASHPID >/dev/null
    for name in "$@"; do
      run_step "$name"
    done
  ) &
  beside=$!
  wait "$first" && wait "$beside" || {
    kill "$beside" 2>/dev/null
    exit 1
  }
}

if [ $# -gt 0 ]; then
  for name in ${*//+/ }; do
    title "$name" >/dev/null || {
      echo "test: unknown step '$name', expected one of: $steps" >&2
      exit 2
    }
  done
  steps=$*
fi
mkdir -p build/logs
summary=build/logs/summary
: >$summary
begin=$(now_ms)
for name in $steps; do
  case $name in
    # shellcheck disable=SC2086
    *+*) run_beside ${name//+/ } ;; # split on purpose
    *) run_step "$name" ;;
  esac
done
echo "== summary"
cat $summary
echo "make test: all good in $(seconds $(($(now_ms) - begin)))"
