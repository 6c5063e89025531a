#!/usr/bin/env bash
# Another DDS participant stops the demo quadruped, with working components and with one in an endless loop; then an arm
# with servos on a bus, which stops although the control loop hangs.
# usage: ros2_stop.sh PROGRAM PEER PLUGIN
# that is: `sinew`, `ros2_stop`, the plugin with the type Obstacle
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/ros2_network.sh"
[ $# -eq 3 ] || {
  echo "usage: ros2_stop.sh PROGRAM PEER PLUGIN"
  exit 2
}
program=$(realpath "$1") peer=$(realpath "$2") plugin=$(realpath "$3")

folder=$(mktemp -d)
mkfifo "$folder/to_peer" "$folder/to_servos"
running= servos=
kill_children() { # a program that hangs does not end otherwise
  for child in $running $servos; do
    kill -KILL "$child" 2>/dev/null || true
    wait "$child" 2>/dev/null || true
  done
  running= servos=
}
finish() {
  kill_children
  rm -rf "$folder"
}
trap finish EXIT
fail() {
  echo "interop: $1; output of the peer:"
  cat "$folder/said"
  echo "output of the program:"
  cat "$folder/log"
  head -20 "$folder/first" "$folder/last" 2>/dev/null || true
  exit 1
}
start() { # TEXT: what the deployment says
  printf 'plugins: ["%s"]\n%s' "$plugin" "$1" >"$folder/robot.yaml"
  rm -f "$folder/socket"
  "$program" run "$folder/robot.yaml" --headless --socket "$folder/socket" >"$folder/log" 2>&1 &
  running=$!
}
ask() {
  "$program" "$@" --socket "$folder/socket"
}
# The peer runs in the background; what it waits for is written to descriptor 3.
talk() { # ARGUMENT...
  timeout 250 "$peer" "$@" <"$folder/to_peer" >"$folder/said" 2>&1 &
  talking=$!
  exec 3>"$folder/to_peer"
}
hear() { # WORD: until the peer says it
  for ((i = 0; i < 4000; i++)); do
    ! grep -qs "^$1" "$folder/said" || return 0
    kill -0 "$talking" 2>/dev/null || break
    sleep 0.05
  done
  grep -qs "^$1" "$folder/said" || fail "the peer does not print '$1'"
}
show() { # position and goal of each servo, as they say it themselves
  : >"$folder/servos"
  echo show >&4
  for ((i = 0; i < 200; i++)); do
    [ "$(wc -l <"$folder/servos")" -lt 6 ] || break
    sleep 0.02
  done
  sed 's/ rad, goal */ /; s/,.*//; s/.*at *//' "$folder/servos"
}
# Largest difference of column COLUMN of two snapshots, in thousandths of a rad.
differ() { # COLUMN FILE FILE
  paste "$2" "$3" | awk -v c="$1" '{d = $c - $(c + 2); if (d < 0) d = -d; if (d > m) m = d} END {printf "%d\n", 1000 * m}'
}

start "include: [$here/../../deployments/quadruped.yaml]
components: {obstacle: {type: Obstacle}, ros2: {type: ros2}}
"
talk obey head_joint1 head_joint2
hear stopped
ask call aggregator.getStop >"$folder/state"
grep -q "stopped: true" "$folder/state" || fail "getStop does not report the stop"
echo >&3
wait "$talking" || fail "the peer failed"
ask call aggregator.getStop | grep -q "stopped: false" || fail "getStop does not report the end of the stop"

# Simulated servos are stepped by the cycle: when it hangs, the stop cannot be confirmed.
talk hang "'plant' (the step of 'obstacle' does not end)" head_joint1
hear moves
ask set obstacle.loops true >/dev/null
echo >&3
wait "$talking" || fail "the peer failed: stop without confirmation"
grep "^refused" "$folder/said"
kill_children

# Servos on a bus are stopped by the bus thread, without the cycle.
"$program" bus simulate --family feetech_sts --ids 1-6 --port "$folder/bus" <"$folder/to_servos" >>"$folder/servos" &
servos=$!
exec 4>"$folder/to_servos"
for ((i = 0; i < 1000; i++)); do
  [ ! -e "$folder/bus" ] || break
  sleep 0.02
done
start "include: [standard.yaml]
robot: $here/../../robots/arm6.yaml
components:
  obstacle: {type: Obstacle}
  ros2: {type: ros2}
  plant:
    type: driver_feetech
    properties:
      ports: [$folder/bus]
      period: 0.05
      answer_time: 0.02
      stop: hold
      goal_timeout: 10
      guard_timeout: 10
      servos:
$(for i in 1 2 3 4 5 6; do echo "        - {joint: joint$i, id: $i}"; done)
"
talk hang "" joint1 joint2
hear moves
ask set obstacle.loops true >/dev/null
echo >&3
hear stopped
show >"$folder/first"
[ "$(wc -l <"$folder/first")" = 6 ] || fail "no state of the servos"
wait "$talking" || fail "the peer failed: stop by the bus thread"
for ((i = 0; i < 60; i++)); do # they come to rest beside their goals
  show >"$folder/then"
  sleep 1
  show >"$folder/last"
  [ "$(differ 1 "$folder/then" "$folder/last")" -gt 1 ] || break
done
[ "$(differ 1 "$folder/then" "$folder/last")" -le 1 ] || fail "servos do not come to rest"
[ "$(differ 1 "$folder/first" "$folder/last")" -lt 150 ] || fail "servos went on after the stop"
[ "$(differ 2 "$folder/first" "$folder/last")" = 0 ] || fail "goals of servos changed after the stop"
echo "interop: the bus thread stops the servos while the control loop hangs"
