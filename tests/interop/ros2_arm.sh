#!/usr/bin/env bash
# Runs the desktop arm as a ROS 2 node, with a client of its actions in another DDS participant.
# usage: ros2_arm.sh PROGRAM CLIENT
# that is: `sinew`, `ros2_arm`
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/ros2_network.sh"
[ $# -eq 2 ] || {
  echo "usage: ros2_arm.sh PROGRAM CLIENT"
  exit 2
}
program=$1 client=$2

folder=$(mktemp -d)
running=
finish() {
  if [ "$running" != "" ]; then
    kill -INT "$running" 2>/dev/null || true
    wait "$running" || true
  fi
  rm -rf "$folder"
}
trap finish EXIT
fail() {
  echo "interop: $1; output of the program:"
  cat "$folder/log"
  exit 1
}
"$program" run "$here/arm_actions.yaml" --ros2 --headless --socket "$folder/socket" >"$folder/log" 2>&1 &
running=$!
timeout 250 "$client" || fail "the client failed"
"$program" call aggregator.addObject name=wall shape=box size=[0.6,0.02,0.6] --socket "$folder/socket" \
  'pose={"position":{"x":0.4,"y":-0.1,"z":0.3},"orientation":{"x":0,"y":0,"z":0,"w":1}}' >/dev/null
timeout 250 "$client" wall || fail "the client failed with a wall"
grep -q "'wall' would touch after" "$folder/log" || fail "the log does not say what is in the way"
kill -INT "$running"
wait "$running" # still running, exits with success
running=
