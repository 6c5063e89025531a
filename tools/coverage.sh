#!/usr/bin/env bash
# Builds with counters, runs the tests and reports which branches they take.
# usage: coverage.sh [CTEST_ARGUMENT...]     report: build/coverage/report.html
set -eu -o pipefail
cd "$(dirname "$0")/.."
folder=build/coverage
cmake --preset coverage >/dev/null
cmake --build --preset coverage >"$folder/build.log" || {
  tail -n 20 "$folder/build.log" >&2
  exit 1
}
find "$folder" -name '*.gcda' -delete
# A failing test is the business of `make test`: the machine is slow here.
CTEST_PARALLEL_LEVEL=${JOBS:-$(nproc)} ctest --preset coverage "$@" >"$folder/tests.log" 2>&1 ||
  echo "coverage: some tests failed, see $folder/tests.log" >&2
# Assertions are programmers' mistakes: no test can take their branches.
gcovr --root . --object-directory "$folder" --filter 'src/' --exclude-branches-by-pattern '.*SN_ASSERT.*' \
  --exclude-unreachable-branches --json-summary "$folder/summary.json" --html-details "$folder/report.html" \
  -j "$(nproc)" "$folder" >"$folder/gcovr.log" 2>&1 || {
  tail -n 20 "$folder/gcovr.log" >&2
  exit 1
}
tools/coverage_table.py "$folder/summary.json"
