#!/usr/bin/env bash
# Runs a quadruped whose base moves as a ROS 2 node, with another DDS participant that reads and moves it.
# usage: ros2_base.sh PROGRAM PEER PLUGIN
# that is: `sinew`, `ros2_base`, the plugin with the type Base
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/ros2_network.sh"
[ $# -eq 3 ] || {
  echo "usage: ros2_base.sh PROGRAM PEER PLUGIN"
  exit 2
}
program=$1 peer=$2 plugin=$(realpath "$3")
. "$here/ros2_program.sh"

cat >"$folder/robot.yaml" <<END
include: [$here/../../deployments/quadruped.yaml]
plugins: ["$plugin"]
components:
  base: {type: Base}
  ros2: {type: ros2, properties: {frame_prefix: robot1/, best_effort: ["base.in_*"]}}
END
start "$folder/robot.yaml" --set ros2.odometry=base.out_base
timeout 250 "$peer" || fail "the peer failed"
stop
