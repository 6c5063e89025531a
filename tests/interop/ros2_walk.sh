#!/usr/bin/env bash
# Runs the demo quadruped on its feet as a ROS 2 node, with another DDS participant that moves it or its world.
# usage: ros2_walk.sh PROGRAM PEER
# that is: `sinew`, `ros2_walk` or `ros2_world`
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/ros2_network.sh"
[ $# -eq 2 ] || {
  echo "usage: ros2_walk.sh PROGRAM PEER"
  exit 2
}
program=$1 peer=$2

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
cat >"$folder/robot.yaml" <<END
include: [$here/../../deployments/walking.yaml]
robot: $here/../../robots/quadruped.yaml
END
"$program" run "$folder/robot.yaml" --ros2 --headless --socket "$folder/socket" >"$folder/log" 2>&1 &
running=$!
timeout 400 "$peer" || {
  echo "interop: the peer failed; output of the program:"
  cat "$folder/log"
  exit 1
}
kill -INT "$running"
wait "$running" # still running, exits with success
running=
