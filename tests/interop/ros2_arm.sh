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
. "$here/ros2_program.sh"

start "$here/arm_actions.yaml" --ros2
timeout 250 "$client" || fail "the client failed"
"$program" call aggregator.addObject name=wall shape=box size=[0.6,0.02,0.6] --socket "$folder/socket" \
  'pose={"position":{"x":0.4,"y":-0.1,"z":0.3},"orientation":{"x":0,"y":0,"z":0,"w":1}}' >/dev/null
timeout 250 "$client" wall || fail "the client failed with a wall"
stop # the log is complete
grep -q "'wall' would touch after" "$folder/log" || fail "the log does not say what is in the way"
