#!/usr/bin/env bash
# Runs the demo quadruped as a node of a ROS 2 graph and lets another participant of DDS look at it, before, while and
# after a third one sends nonsense.
# usage: ros2.sh PROGRAM PEER HOSTILE DEPLOYMENT
# that is: `sinew`, `ros2_peer`, `ros2_hostile`, the quadruped
set -eu
. "$(dirname "$0")/ros2_network.sh"
[ $# -eq 4 ] || {
  echo "usage: ros2.sh PROGRAM PEER HOSTILE DEPLOYMENT"
  exit 2
}
program=$1 peer=$2 hostile=$3 deployment=$4

folder=$(mktemp -d)
# As deep as a test needs that counts every single message, also while the machine is busy.
cat >"$folder/deep.yaml" <<END
include: [$(realpath "$deployment")]
components:
  ros2: {type: ros2, properties: {depth: 5000, input_depth: 5000}}
END
"$program" run "$folder/deep.yaml" --headless --socket "$folder/socket" >"$folder/log" 2>&1 &
running=$!
finish() {
  kill -INT "$running" 2>/dev/null || true
  wait "$running" || true
  rm -rf "$folder"
}
trap finish EXIT
fail() {
  echo "interop: $1; the program said:"
  cat "$folder/log"
  exit 1
}
count() {
  "$program" call ros2.getState --socket "$folder/socket" | sed -n "s/^$1: //p"
}
timeout 150 "$peer" || fail "the peer is not content"
timeout 150 "$hostile" noise 500 >"$folder/noise" &
noise=$!
timeout 150 "$peer" || fail "the peer is not content while there is noise"
wait "$noise" || fail "the noise was not sent"
timeout 150 "$hostile" trash 20 || fail "trash was not sent"
sleep 0.5
# Of what is wrong in one place only, each one is refused, and counted.
refused() {
  echo $(($(count refused_messages) + $(count refused)))
}
before=$(refused)
timeout 150 "$hostile" lies 20 >"$folder/lies" || fail "lies were not sent"
read -r lies questions <"$folder/lies"
for ((i = 0; i < 600; i++)); do
  told=$(($(refused) - before))
  [ "$told" != $((lies + questions)) ] || break
  sleep 0.1
done
[ "$told" = $((lies + questions)) ] || fail "refused were $told of $lies messages and $questions requests"
# A request to stop that is damaged still stops the robot.
"$program" call aggregator.resume name=ros2.sh --socket "$folder/socket" >/dev/null || fail "a damaged stop did not stop"
timeout 150 "$peer" || fail "the peer is not content after nonsense"
# It lives, and ends when it is told to, with success.
kill -INT "$running"
wait "$running"

# Where two messages may wait, most of a flood is lost, and every one that was is counted.
"$program" run "$deployment" --ros2 --set ros2.input_depth=2 --headless --socket "$folder/socket" >"$folder/log" 2>&1 &
running=$!
sent=3000
timeout 150 "$peer" flood $sent || fail "there was no flood"
for ((i = 0; i < 600; i++)); do
  received=$(count received) lost=$(count lost)
  [ $((received + lost)) -lt $sent ] || break
  sleep 0.1
done
[ $((received + lost)) -ge $sent ] || fail "of $sent messages $received were received and $lost lost"
[ "$lost" -le $sent ] || fail "of $sent messages $lost were lost"
"$program" call ros2.getState --socket "$folder/socket" >"$folder/state"
if [ "$lost" -gt 0 ]; then
  grep -q "follow.in_joints_ref" "$folder/state" || fail "it is not told whose messages were lost"
fi
kill -INT "$running"
wait "$running"
echo "of a flood of $sent messages $received were received and $lost lost"
