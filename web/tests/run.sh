#!/usr/bin/env bash
# Runs tests of the cockpit; ctest calls it.
# usage: run.sh unit FOLDER VECTORS     unit tests; VECTORS: the program that prints messages
#        run.sh style FOLDER            types and formatting of the sources
#        run.sh browser FILE PROGRAM    one file of tests/browser, with the program
set -eu -o pipefail
web=$(cd "$(dirname "$0")/.." && pwd)

skip() {
  echo "web: $1"
  exit 77 # ctest: skipped
}
command -v node >/dev/null || skip "node is missing"
# The build of the program installs the packages.
[ -e "$web/node_modules/.installed" ] || skip "the packages of web/ are not installed"

case ${1:-} in
  unit)
    mkdir -p "$2"
    "$3" 20 >"$2/vectors"
    SINEW_MSG_VECTORS=$2/vectors node "$web/tests/run_unit.mjs" "$2/unit"
    ;;
  style)
    cd "$web"
    node node_modules/typescript/bin/tsc --noEmit
    node node_modules/prettier/bin/prettier.cjs --check .
    ;;
  browser) SINEW=$3 node --test "$2" ;;
  *)
    sed -n '3,5p' "$0" >&2
    exit 2
    ;;
esac
