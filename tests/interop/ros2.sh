#!/usr/bin/env bash
# Runs the demo quadruped as a node of a ROS 2 graph and lets another participant of DDS look at it, before and after
# a third one sends nonsense.
# usage: ros2.sh PROGRAM PEER HOSTILE DEPLOYMENT
# that is: `sinew`, `ros2_peer`, `ros2_hostile`, the quadruped
#
# In a network namespace with only `lo`. Where that is not permitted it says so, and uses the
# machine's own loopback and a domain that few use.
set -eu
if [ "${SINEW_OWN_NETWORK:-}" = "" ]; then
  export SINEW_OWN_NETWORK=1
  if unshare --net true 2>/dev/null; then
    exec unshare --net -- "$0" "$@"
  elif unshare --user --map-root-user --net true 2>/dev/null; then
    exec unshare --user --map-root-user --net -- "$0" "$@"
  fi
  echo "interop: no network namespace is permitted here: using domain 97 on the loopback"
  export ROS_DOMAIN_ID=97
else
  ip link set lo up multicast on
fi
[ $# -eq 4 ] || {
  echo "usage: ros2.sh PROGRAM PEER HOSTILE DEPLOYMENT"
  exit 2
}
program=$1 peer=$2 hostile=$3 deployment=$4

lo='<NetworkInterface name="lo" multicast="true"/>'
export CYCLONEDDS_URI="<CycloneDDS><Domain><General><Interfaces>$lo</Interfaces></General></Domain></CycloneDDS>"

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
# Peers that die without a word, at any time: while they find each other, listen, ask, publish.
for tenths in 1 2 3 4 5 6 7 8 9 10; do
  "$peer" >/dev/null 2>&1 &
  dying=$!
  sleep "$((tenths / 10)).$((tenths % 10))"
  kill -KILL "$dying" 2>/dev/null || true
  wait "$dying" 2>/dev/null || true
done
timeout 60 "$peer" || fail "the peer is not content after others died"
# It lives, and ends when it is told to, with success.
kill -INT "$running"
wait "$running"
