#!/usr/bin/env bash
# Runs the demo quadruped as a node of a ROS 2 graph and lets another participant of DDS look at it, before and after
# a third one sends nonsense.
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
"$program" run "$deployment" --headless --ros2 --socket "$folder/socket" >"$folder/log" 2>&1 &
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
timeout 60 "$peer" || fail "the peer is not content"
timeout 60 "$hostile" 1000 || fail "nonsense was not sent"
sleep 0.5
refused=$(count refused_messages)
[ "$refused" -ge 900 ] || fail "of 1000 messages without sense $refused were refused"
timeout 60 "$peer" || fail "the peer is not content after nonsense"
# It lives, and ends when it is told to, with success.
kill -INT "$running"
wait "$running"
