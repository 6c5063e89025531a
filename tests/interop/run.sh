#!/usr/bin/env bash
# Compares messages with the packages of npm that read and write ROS messages.
# usage: run.sh FOLDER MSG_VECTORS     packages are installed into FOLDER
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?usage: run.sh FOLDER MSG_VECTORS}
vectors=${2:?usage: run.sh FOLDER MSG_VECTORS}

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  echo "interop: node or npm is missing, nothing was compared"
  exit 77 # what ctest takes as skipped
fi

mkdir -p "$folder"
if ! cmp -s "$here/package-lock.json" "$folder/installed.json"; then
  rm -f "$folder/installed.json"
  cp "$here/package.json" "$here/package-lock.json" "$folder"
  (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
  cp "$here/package-lock.json" "$folder/installed.json"
fi
"$vectors" | node "$here/msg_compare.mjs" "$folder"
