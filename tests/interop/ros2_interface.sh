#!/usr/bin/env bash
# A ROS 2 node receives from the configured network only, and DDS warnings about invalid packets are limited to one line a
# second. Two machines, as two network namespaces, with two cables between them.
# usage: ros2_interface.sh PROGRAM ROBOT
set -eu
[ $# -eq 2 ] || {
  echo "usage: ros2_interface.sh PROGRAM ROBOT"
  exit 2
}
program=$1 robot=$2 here=$(dirname "$(realpath "$0")")
if [ "${SINEW_OWN_NETWORK:-}" = "" ]; then
  export SINEW_OWN_NETWORK=1
  if [ "$(id -u)" = 0 ] && unshare --net true 2>/dev/null; then
    exec unshare --net -- "$0" "$@"
  elif unshare --user --map-root-user --net true 2>/dev/null; then
    exec unshare --user --map-root-user --net -- "$0" "$@"
  fi
  echo "interop: network namespaces are not permitted: skipped"
  exit 77
fi
folder=$(mktemp -d)
unshare --net sleep 600 &
other=$!
running=
finish() {
  [ -z "$running" ] || kill -9 "$running" 2>/dev/null || true # its network is about to go
  kill "$other" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT
fail() {
  echo "interop: $1; output of the program:"
  cat "$folder/log"
  exit 1
}
for ((i = 0; i < 500; i++)); do # until the other machine is there
  [ "$(readlink "/proc/$other/ns/net")" = "$(readlink /proc/self/ns/net)" ] || break
  sleep 0.02
done
ip link set lo up multicast on
for cable in 8 9; do
  ip link add "here$cable" type veth peer name "there$cable" netns "$other" || {
    echo "interop: veth is not available: skipped"
    exit 77
  }
  ip address add "10.$cable.0.1/24" dev "here$cable"
  ip link set "here$cable" up
  nsenter -t "$other" -n ip address add "10.$cable.0.2/24" dev "there$cable"
  nsenter -t "$other" -n ip link set "there$cable" up
done

start() { # OPTION...
  "$program" run "$robot" --ros2 --headless --set ros2.domain=77 "$@" --socket "$folder/socket" >"$folder/log" 2>&1 &
  running=$!
  for ((i = 0; i < 600; i++)); do
    ports=$(ss -Huln | awk '$4 ~ /^(0\.0\.0\.0|\*)/ {sub(/.*:/, "", $4); print $4}')
    if [ -n "$ports" ] && "$program" ls --socket "$folder/socket" >/dev/null 2>&1; then
      return 0
    fi
    sleep 0.1
  done
  fail "it does not start"
}
stop() {
  kill -INT "$running"
  wait "$running" || fail "it does not exit with success"
  running=
}
# Number of invalid packets that DDS reported after noise from the other machine, or this one, to all its ports.
warnings() {
  sed -n 's/.*(DDS, \([0-9]*\) lines\{0,1\} in the last second).*/\1/p' "$folder/log" | awk '{n += $1} END {print n + 0}'
}
noise() { # ADDRESS COUNT COMMAND...
  local address=$1 count=$2 port
  shift 2
  for port in $ports; do
    "$@" python3 -B "$here/ros2_noise.py" "$address" "$port" "$count"
  done
  sleep 2.5
}
there=(nsenter -t "$other" -n)

start --set ros2.interface=here8
noise 10.9.0.1 200 "${there[@]}"
[ "$(warnings)" = 0 ] || fail "it receives from the other network"
noise 10.8.0.1 200 "${there[@]}"
heard=$(warnings)
[ "$heard" -gt 100 ] || fail "it does not receive from its network: $heard warnings"
noise 10.8.0.1 200
[ "$(warnings)" -gt "$heard" ] || fail "it does not receive from this machine"
stop

start --set ros2.interface=10.9.0.1
noise 10.8.0.1 200 "${there[@]}"
[ "$(warnings)" = 0 ] || fail "by its address: it receives from the other network"
noise 10.9.0.1 200 "${there[@]}"
[ "$(warnings)" -gt 100 ] || fail "by its address: it does not receive from its network"
stop

start --set ros2.localhost_only=true
noise 10.8.0.1 200 "${there[@]}"
noise 10.9.0.1 200 "${there[@]}"
[ "$(warnings)" = 0 ] || fail "localhost_only receives from other machines"
noise 127.0.0.1 5000
heard=$(warnings)
[ "$heard" -gt 1000 ] || fail "localhost_only does not receive from this machine: $heard warnings"
lines=$(wc -l <"$folder/log") bytes=$(wc -c <"$folder/log")
[ "$bytes" -lt 20000 ] || fail "$heard bad packets make a log of $lines lines and $bytes bytes"
stop

if "$program" run "$robot" --ros2 --headless --set ros2.interface=none0 --socket "$folder/socket" >"$folder/log" 2>&1; then
  fail "it starts with a missing interface"
fi
grep -q "interface 'none0'" "$folder/log" || fail "the interface is not named"
echo "interop: $heard invalid packets give a log of $lines lines, $bytes bytes"
