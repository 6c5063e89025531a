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
. "$here/ros2_program.sh"

cat >"$folder/robot.yaml" <<END
include: [$here/../../deployments/walking.yaml]
robot: $here/../../robots/quadruped.yaml
END
start "$folder/robot.yaml" --ros2
timeout 400 "$peer" || fail "the peer failed"
stop
