#!/usr/bin/env bash
# What goes wrong in a graph: invalid requests of a client of Fast DDS, clients that flood or leave, noise on every port,
# two nodes of one name. Each is counted or logged, and the robot serves others as before.
# usage: ros2_bad.sh PROGRAM HOSTILE FAST_CALLS CALLS PARAMETERS
# that is: `sinew`, `ros2_fast_hostile`, `ros2_fast_calls`, `ros2_calls`, `ros2_parameters`
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/ros2_network.sh"
[ $# -eq 5 ] || {
  echo "usage: ros2_bad.sh PROGRAM HOSTILE FAST_CALLS CALLS PARAMETERS"
  exit 2
}
program=$1 hostile=$2 fast_calls=$3 calls=$4 parameters=$5
folder=$(mktemp -d)
pids=()
start() { # NAME
  "$program" run "$here/../../deployments/quadruped.yaml" --ros2 --headless --socket "$folder/$1" >"$folder/$1.log" 2>&1 &
  pids+=($!)
}
finish() {
  kill -INT "${pids[@]}" 2>/dev/null || true
  wait || true
  rm -rf "$folder"
}
trap finish EXIT
fail() {
  echo "interop: $1; output of the program:"
  tail -50 "$folder/first.log"
  exit 1
}
count() {
  "$program" call ros2.getState --socket "$folder/first" | sed -n "s/^$1: //p"
}
refused() {
  echo $(($(count refused_messages) + $(count refused)))
}
serves() { # clients of both middlewares
  timeout 150 "$fast_calls" calls 20 >/dev/null || fail "a client of Fast DDS is not served $1"
  timeout 150 "$calls" 20 >/dev/null || fail "a client of Cyclone is not served $1"
}

start first
serves "at first"
before=$(refused)
timeout 150 "$hostile" lies 10 >"$folder/lies" || fail "cannot send invalid requests"
lies=$(cat "$folder/lies")
for ((i = 0; i < 600; i++)); do
  rejected=$(($(refused) - before))
  [ "$rejected" -lt "$lies" ] || break
  sleep 0.1
done
[ "$rejected" = "$lies" ] || fail "$rejected of $lies invalid requests were rejected"
serves "after invalid requests"

# A flood of one client does not keep others from being served.
timeout 150 "$hostile" flood 20000 &
flood=$!
timeout 150 "$fast_calls" stop >/dev/null || fail "the emergency stop does not work during a flood"
timeout 150 "$calls" 20 >/dev/null || fail "a client of Cyclone is not served during a flood"
wait "$flood" || fail "the flood failed"
serves "after a flood"

timeout 150 "$hostile" leave 10 || fail "clients that leave failed"
serves "after clients that left"

# Packets that begin as those of DDS do, to every port that is open.
ports=$(awk 'NR > 1 { split($2, a, ":"); print a[2] }' /proc/net/udp | sort -u)
[ "$(echo "$ports" | wc -w)" -ge 4 ] || fail "only these ports are open: $ports"
for port in $ports; do
  python3 -B "$here/ros2_noise.py" 127.0.0.1 $((16#$port)) 2000
done
python3 -B "$here/ros2_noise.py" 239.255.0.1 7400 2000
serves "after noise on every port"
timeout 150 "$parameters" >/dev/null || fail "parameters are wrong after noise"

start second
for name in first second; do
  for ((i = 0; i < 600; i++)); do
    ! grep -q "another node has the same name" "$folder/$name.log" || break
    sleep 0.1
  done
  grep -q "another node has the same name" "$folder/$name.log" || fail "$name does not say that its name is taken"
done
kill -INT "${pids[@]}"
for pid in "${pids[@]}"; do
  wait "$pid" || fail "a robot failed"
done
echo "interop: $lies invalid requests, a flood, 10 clients that left, noise on $(echo "$ports" | wc -w) ports"
