#!/usr/bin/env bash
# Clients of both middlewares find the robot in every way that ROS 2 has: by multicast, on this machine (by either
# variable) and by static peers. The clients are configured as the middlewares of Jazzy configure themselves; those that
# are on another machine run in a second network namespace.
# usage: ros2_discovery.sh PROGRAM GOALS CALLS FAST_CALLS
# that is: `sinew`, `ros2_goals`, `ros2_calls`, `ros2_fast_calls`
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/ros2_network.sh"
unset CYCLONEDDS_URI
[ $# -eq 4 ] || {
  echo "usage: ros2_discovery.sh PROGRAM GOALS CALLS FAST_CALLS"
  exit 2
}
program=$1 goals=$2 calls=$3 fast_calls=$4

folder=$(mktemp -d)
running= other=
finish() {
  for process in $running $other; do
    kill -KILL "$process" 2>/dev/null || true
    wait "$process" 2>/dev/null || true
  done
  rm -rf "$folder"
}
trap finish EXIT
fail() {
  echo "interop: $1; output of the program:"
  tail -50 "$folder/log"
  exit 1
}

# Two machines at one cable.
unshare --net sleep 1000 2>/dev/null &
other=$!
there="nsenter --net=/proc/$other/ns/net"
connect() {
  sleep 0.5 # until the second namespace is there
  ip link add robot type veth peer name client netns "$other" && ip address add 10.77.0.1/24 dev robot &&
    ip link set robot up multicast on && ip route add default dev robot && $there ip link set lo up &&
    $there ip address add 10.77.0.2/24 dev client && $there ip link set client up multicast on &&
    $there ip route add default dev client
}
connect 2>"$folder/problem" || {
  echo "interop: network namespaces cannot be connected here: $(head -1 "$folder/problem")"
  exit 77
}

start() { # VARIABLE=VALUE...
  env "$@" "$program" run "$here/../../deployments/quadruped.yaml" --ros2 --headless --socket "$folder/socket" \
    --set execute.goal_time=10 >"$folder/log" 2>&1 &
  running=$!
  for ((i = 0; i < 600; i++)); do
    ! grep -qs "node /sinew is running" "$folder/log" || return 0
    sleep 0.1
  done
  fail "the node does not start"
}
stop() {
  kill -INT "$running"
  wait "$running" || fail "the program failed"
  running=
}
# NAME WHERE PEERS RANGE: the action and topics with Cyclone, the stop and a topic with Fast DDS.
find_it() {
  local name=$1 where=$2 peers=$3 range=$4 multicast=true list=
  [ "$range" != LOCALHOST ] || {
    multicast=false
    list='<Peer address="localhost"/>'
  }
  [ "$peers" = "" ] || list="$list<Peer address=\"$peers\"/>"
  local index='<ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>32</MaxAutoParticipantIndex>'
  local uri="<CycloneDDS><Domain><General><AllowMulticast>$multicast</AllowMulticast></General>"
  uri="$uri<Discovery>$index<Peers>$list</Peers></Discovery></Domain></CycloneDDS>"
  local found fast_found
  found=$(CYCLONEDDS_URI=$uri timeout 150 $where "$calls" found) || fail "$name: not found by Cyclone"
  CYCLONEDDS_URI=$uri timeout 150 $where "$goals" /execute/follow_joint_trajectory /joint_states 1 >"$folder/said" 2>&1 ||
    fail "$name: Cyclone: $(cat "$folder/said")"
  fast_found=$(ROS_STATIC_PEERS=$peers ROS_AUTOMATIC_DISCOVERY_RANGE=$range timeout 150 $where "$fast_calls" found) ||
    fail "$name: not found by Fast DDS"
  ROS_STATIC_PEERS=$peers ROS_AUTOMATIC_DISCOVERY_RANGE=$range timeout 150 $where "$fast_calls" stop >"$folder/said" 2>&1 ||
    fail "$name: Fast DDS: $(cat "$folder/said")"
  echo "$name: found by Cyclone in $found ms, by Fast DDS in $fast_found ms, and served"
}
must_not_find() { # WHERE: five seconds are not proof, but more than discovery needs
  ! timeout 5 $1 "$fast_calls" stop >"$folder/said" 2>&1 || fail "found from another machine"
}

start
find_it "multicast" "$there" "" SUBNET
find_it "multicast, same machine" "" "" SUBNET
find_it "static peer of the client" "$there" 10.77.0.1 LOCALHOST
stop
for variable in ROS_LOCALHOST_ONLY=1 ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST; do
  start "$variable"
  find_it "$variable" "" "" LOCALHOST
  must_not_find "$there"
  stop
done
start ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST ROS_STATIC_PEERS=10.77.0.2
find_it "static peer of the robot" "$there" "" LOCALHOST
stop
start ROS_AUTOMATIC_DISCOVERY_RANGE=OFF
must_not_find ""
stop
