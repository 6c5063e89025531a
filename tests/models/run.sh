#!/usr/bin/env bash
# Checks a model with spin: all of its states, then its broken variants, in each of which spin must find a fault.
# usage: run.sh MODEL FOLDER    MODEL: tests/models/MODEL.pml
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
model=$here/$1.pml
folder=$2/$1
command -v spin >/dev/null || {
  echo "spin is missing"
  exit 77 # ctest: skipped
}

# Prints the report of spin. usage: search NAME DEFINE...
search() {
  local work=$folder/$1
  shift
  rm -rf "$work"
  mkdir -p "$work"
  cd "$work"
  spin -a "$@" "$model" >/dev/null
  cc -O1 -w -DSAFETY -DVECTORSZ=2048 -o pan pan.c
  ./pan -m1000000
}

# usage: check NAME DEFINE...
check() {
  local report
  report=$(search "$@")
  if ! grep -q 'errors: 0' <<<"$report" || grep -q 'search not completed\|max search depth too small' <<<"$report"; then
    echo "$report"
    exit 1
  fi
  echo "$1: $(grep -E 'states, stored' <<<"$report" | xargs)"
}

# usage: expect_fault NAME DEFINE...
expect_fault() {
  local report
  report=$(search "$@")
  if grep -q 'errors: 0' <<<"$report"; then
    echo "$1: no fault was found in a broken model"
    exit 1
  fi
  echo "$1: $(grep -m 1 -E 'assertion violated|invalid end state' <<<"$report")"
}

# Variants of the model, one line of options each, in comments that begin with "check:".
variants=$(sed -n 's/^ *check: *//p' "$model")
number=0
while IFS= read -r options; do
  # shellcheck disable=SC2086  # several options
  check "variant $number" $options
  number=$((number + 1))
done <<<"$variants"
for broken in $(sed -nE 's/^ *BROKEN=([0-9]+):.*/\1/p' "$model"); do
  expect_fault "broken $broken" "-DBROKEN=$broken"
done
