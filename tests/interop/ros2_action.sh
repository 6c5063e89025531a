#!/usr/bin/env bash
# Runs the demo quadruped as a ROS 2 node with an action client in another DDS participant; then again under other names,
# where a node also requests limbs and a servo is identified.
# usage: ros2_action.sh PROGRAM CLIENT NODE
# that is: `sinew`, `ros2_action`, `ros2_node`
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/ros2_network.sh"
[ $# -eq 3 ] || {
  echo "usage: ros2_action.sh PROGRAM CLIENT NODE"
  exit 2
}
program=$1 client=$2 node=$3
. "$here/ros2_program.sh"

start "$here/../../deployments/quadruped.yaml" --ros2 \
  --set execute.goal_time=10 --set ros2.depth=1000 # however slow the machine is
timeout 150 "$client" /execute/follow_joint_trajectory /joint_states 10 || fail "the client failed"
refused=$(count refused)
[ "$refused" -ge 500 ] || fail "$refused of 600 invalid requests were rejected"
[ "$(count refused_messages)" -ge 11 ] || fail "$(count refused_messages) goals were rejected, expected 11 or more"
# The controller is stopped while a goal is active.
timeout 150 "$client" /execute/follow_joint_trajectory /joint_states 10 stop >"$folder/said" &
stopped=$!
for ((i = 0; i < 1200; i++)); do
  ! grep -qs "is active" "$folder/said" || break
  sleep 0.05
done
grep -q "is active" "$folder/said" || fail "the goal of the client does not become active"
"$program" call execute.stop --socket "$folder/socket" >/dev/null
wait "$stopped" || fail "the client of a stopped controller failed"
stop # still running, exits with success

start "$here/ros2_named.yaml"
timeout 150 "$client" /arm/follow /robot/joint_states 5 || fail "the client failed with other names"
timeout 150 "$node" || fail "the node failed"
stop
