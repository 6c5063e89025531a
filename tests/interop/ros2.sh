#!/usr/bin/env bash
# Runs the demo quadruped as a ROS 2 node and checks it with another DDS participant before, while and after a third one
# sends invalid data.
# usage: ros2.sh PROGRAM PEER HOSTILE DEPLOYMENT
# that is: `sinew`, `ros2_peer`, `ros2_hostile`, the quadruped
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/ros2_network.sh"
[ $# -eq 4 ] || {
  echo "usage: ros2.sh PROGRAM PEER HOSTILE DEPLOYMENT"
  exit 2
}
program=$1 peer=$2 hostile=$3 deployment=$4
. "$here/ros2_program.sh"

# Deep enough that no message is lost, even on a busy machine.
cat >"$folder/deep.yaml" <<END
include: [$(realpath "$deployment")]
components:
  ros2: {type: ros2, properties: {depth: 5000, input_depth: 5000}}
END
start "$folder/deep.yaml"
timeout 150 "$peer" || fail "the peer failed"
grep -q "node /sinew is running in domain" "$folder/log" || fail "the log does not name the node and its domain"
timeout 150 "$hostile" noise 500 >"$folder/noise" &
noise=$!
timeout 150 "$peer" || fail "the peer failed during noise"
wait "$noise" || fail "cannot send noise"
timeout 150 "$hostile" trash 20 || fail "cannot send trash"
sleep 0.5
# Messages that are wrong in one place only are each rejected and counted.
refused() {
  echo $(($(count refused_messages) + $(count refused)))
}
before=$(refused)
timeout 150 "$hostile" lies 20 >"$folder/lies" || fail "cannot send lies"
read -r lies questions <"$folder/lies"
for ((i = 0; i < 600; i++)); do
  rejected=$(($(refused) - before))
  [ "$rejected" != $((lies + questions)) ] || break
  sleep 0.1
done
[ "$rejected" = $((lies + questions)) ] || fail "$rejected of $lies messages and $questions requests were rejected"
# A damaged stop request still stops the robot.
"$program" call aggregator.resume name=ros2.sh --socket "$folder/socket" >/dev/null || fail "a damaged stop did not stop"
timeout 150 "$peer" || fail "the peer failed after invalid data"
stop

# With a depth of two, most of a flood is lost, and each lost message is counted.
start "$deployment" --ros2 --set ros2.input_depth=2
sent=3000
timeout 150 "$peer" flood $sent || fail "the flood failed"
for ((i = 0; i < 600; i++)); do
  received=$(count received) lost=$(count lost)
  [ $((received + lost)) -lt $sent ] || break
  sleep 0.1
done
[ $((received + lost)) -ge $sent ] || fail "of $sent messages $received were received and $lost lost"
[ "$lost" -le $sent ] || fail "of $sent messages $lost were lost"
"$program" call ros2.getState --socket "$folder/socket" >"$folder/state"
if [ "$lost" -gt 0 ]; then
  grep -q "follow.in_joints_ref" "$folder/state" || fail "the lossy input is not listed"
fi
stop
echo "of a flood of $sent messages $received were received and $lost lost"
