#!/usr/bin/env bash
# Parameters, log, diagnostics, controllers, types and time of a robot as a ROS 2 node.
# usage: ros2_interfaces.sh PROGRAM PARAMETERS STATUS
# that is: `sinew`, `ros2_parameters`, `ros2_status`
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/ros2_network.sh"
[ $# -eq 3 ] || {
  echo "usage: ros2_interfaces.sh PROGRAM PARAMETERS STATUS"
  exit 2
}
program=$1 parameters=$2 status=$3
. "$here/ros2_program.sh"
start_robot() {
  start "$here/../../deployments/quadruped.yaml" --ros2 "$@"
}

start_robot
timeout 150 "$parameters" || fail "the parameters are wrong"
# Changes that no node has made are reported, too.
timeout 150 "$parameters" elsewhere >"$folder/listener" 2>&1 &
listener=$!
while kill -0 "$listener" 2>/dev/null; do # until it is connected
  "$program" set aggregator.reference_timeout 0.125 --socket "$folder/socket" || fail "sinew set"
  sleep 0.2
done
wait "$listener" || fail "sinew set: $(cat "$folder/listener")"
timeout 150 "$status" || fail "the status is wrong"
stop

# A robot whose clock is not the real one publishes /clock.
for clock in x3 sim; do
  start_robot --clock $clock --duration 100000
  timeout 150 "$status" clock || fail "/clock of a robot with the clock $clock is wrong"
  stop || [ $clock = sim ] # an interrupted simulation
done

# One with use_sim_time follows it; a jump back is counted and logged.
start_robot --set ros2.use_sim_time=true
timeout 150 "$status" followed || fail "/clock is not followed"
[ "$(count clock_jumps)" = 1 ] || fail "$(count clock_jumps) jumps of /clock instead of 1"
grep -q "jumped back from 501.000 s to 20.000 s" "$folder/log" || fail "the jump is not in the log"
[ "$(count refused_messages)" = 1 ] || fail "$(count refused_messages) times were rejected instead of 1"
stop
echo "interop: parameters, log, diagnostics, controllers, types, time"
