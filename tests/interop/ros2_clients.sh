#!/usr/bin/env bash
# Clients of both middlewares of ROS 2 call services and actions of the demo quadruped at the same time; every call is
# answered once. First of all the emergency stop, from a client of Fast DDS, which is the default of ROS 2.
# usage: ros2_clients.sh PROGRAM CALLS GOALS FAST_CALLS FAST_GOALS
# that is: `sinew`, `ros2_calls`, `ros2_goals`, `ros2_fast_calls`, `ros2_fast_goals`
# SINEW_TEST_SCALE=25 makes it 10,000 calls and 1,000 goals.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/ros2_network.sh"
[ $# -eq 5 ] || {
  echo "usage: ros2_clients.sh PROGRAM CALLS GOALS FAST_CALLS FAST_GOALS"
  exit 2
}
program=$1 calls=$2 goals=$3 fast_calls=$4 fast_goals=$5
scale=${SINEW_TEST_SCALE:-1}
call_count=$((200 * scale)) goal_count=$((20 * scale)) # of each middleware
. "$here/ros2_program.sh"

start "$here/../../deployments/quadruped.yaml" --ros2 --set execute.goal_time=10
timeout 150 "$fast_calls" stop || fail "the emergency stop of a client of Fast DDS failed"

before=$(count calls)
clients=()
begin() {
  timeout $((150 * scale)) "$@" &
  clients+=($!)
}
begin "$calls" $call_count
begin "$fast_calls" calls $call_count
begin "$goals" /execute/follow_joint_trajectory /joint_states $goal_count
begin "$fast_goals" /execute/follow_joint_trajectory head_joint1 $goal_count
for client in "${clients[@]}"; do
  wait "$client" || fail "a client failed"
done
# A goal is a call of send_goal and one of get_result.
expected=$((2 * call_count + 4 * goal_count))
served=$(($(count calls) - before))
[ "$served" = "$expected" ] || fail "$served calls were served of $expected"
[ "$(count refused)" = 0 ] || fail "$(count refused) calls were refused"
stop
echo "interop: $((2 * call_count)) calls and $((2 * goal_count)) goals of clients of both middlewares"
