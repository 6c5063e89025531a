#!/usr/bin/env bash
# Compares Sinew with npm packages: ROS message and MCAP readers and writers, a Foxglove client, a ROS 1 node, an
# expander of xacro.
# usage: run.sh FOLDER msg|mcap|foxglove|ros1|xacro|xacro_bench PROGRAM     packages are installed into FOLDER
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
usage="usage: run.sh FOLDER msg|mcap|foxglove|ros1|xacro|xacro_bench PROGRAM"
folder=${1:?$usage}
what=${2:?$usage}
program=${3:?$usage}

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  echo "interop: node or npm is missing, skipped"
  exit 77 # what ctest takes as skipped
fi

mkdir -p "$folder"
if ! cmp -s "$here/package-lock.json" "$folder/installed.json"; then
  rm -f "$folder/installed.json"
  cp "$here/package.json" "$here/package-lock.json" "$folder"
  (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
  cp "$here/package-lock.json" "$folder/installed.json"
fi
case $what in
  msg) "$program" | node "$here/msg_compare.mjs" "$folder" ;;
  foxglove) node "$here/foxglove_client.mjs" "$folder" "$program" "$here/foxglove.yaml" ;;
  ros1) "$here/ros1.sh" "$program" npm "$folder" ;;
  xacro) node "$here/xacro_compare.mjs" "$folder" "$program" "$here/xacro/cell.urdf.xacro" ;;
  xacro_bench) "$program" "$here/xacro/cell.urdf.xacro" "$(command -v node)" "$here/xacro_bench.mjs" "$folder" ;;
  mcap) node "$here/mcap_compare.mjs" "$folder" "$program" ;;
  *)
    echo "$usage" >&2
    exit 2
    ;;
esac
