#!/usr/bin/env bash
# A robot of 30 joints at 1 kHz as a ROS 2 node, with peers of two DDS implementations.
# usage: ros2_load.sh stream|kill ROBOT PEER...     that is: `ros2_robot`, `ros2_stream`, `ros2_fastdds`
#   stream: all peers stream in both directions at once; no message is lost or wrong
#   kill:   one peer streams while others are killed at random times: it loses nothing, the cycle rate
#           and the memory of the robot do not change; then new peers connect
# SINEW_TEST_SCALE=20 makes it 60 s, or 100 killed peers.
set -eu
. "$(dirname "$0")/ros2_network.sh"
[ $# -ge 3 ] || {
  echo "usage: ros2_load.sh stream|kill ROBOT PEER..."
  exit 2
}
what=$1 robot=$2
shift 2
peers=("$@")
scale=${SINEW_TEST_SCALE:-1}
# The quarantine of the address sanitizer would hide a leak.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=8"
depth=5000 # of two peers 2.5 s: a machine that builds at the same time holds everybody up
# With real-time priority if permitted, so that other load does not delay its cycles. It must leave time for its peers:
# a starved peer loses messages at 1 kHz.
priority=0 enough=90 least=50 ahead=()
if chrt -f 80 true 2>/dev/null; then
  priority=80 enough=98 least=90 ahead=(chrt -f 40)
fi

folder=$(mktemp -d)
started=()
finish() {
  for process in "${started[@]}"; do
    kill -KILL "$process" 2>/dev/null || true
  done
  rm -rf "$folder"
}
trap finish EXIT
fail() {
  echo "interop: $1"
  cat "$folder"/*.log
  exit 1
}
mkfifo "$folder/lines"
"$robot" $depth $priority <"$folder/lines" >"$folder/robot.log" 2>&1 &
running=$!
started+=("$running")
exec 3>"$folder/lines"

# A peer in the background: KIND SENDER SECONDS; its process becomes $begun.
begin() {
  "${ahead[@]}" "${peers[$1]}" "$2" "$3" >"$folder/peer$2.log" 2>&1 3>&- &
  begun=$!
  started+=("$begun")
}
phase() {
  echo "$1" >&3
}
# Of the phase NAME: cycles per thousand expected ones, median and lowest of several, and kB. An effect of a kill on the
# cycle appears every time, a pause of a busy machine does not, so the median is compared.
cycles() {
  local all
  mapfile -t all < <(sed -n "s/^phase $1: \\([0-9]*\\) cycles of \\([0-9]*\\).*/\\1 \\2/p" "$folder/robot.log" |
    while read -r is should; do
      echo $((1000 * is / should))
    done | sort -n)
  echo "${all[$((${#all[@]} / 2))]} ${all[0]}"
}
memory() {
  sed -n "s/^phase $1: .* \\([0-9]*\\) kB/\\1/p" "$folder/robot.log"
}
# All messages of PEER were received.
all_came() {
  local sent
  sent=$(sed -n "s/^sent $1: \\([0-9]*\\) messages.*/\\1/p" "$folder/peer$1.log")
  grep -q "^heard $1: $sent messages, 1 to $sent, 0 missing, 0 wrong$" "$folder/robot.log" ||
    fail "not all of the $sent messages of peer $1 were received correctly"
}
end_robot() {
  exec 3>&-
  wait "$running" || fail "wrong messages were received"
}

stream() {
  local i processes=()
  phase begin
  for i in "${!peers[@]}"; do
    begin "$i" $((i + 1)) $((3 * scale))
    processes+=("$begun")
  done
  for i in "${!peers[@]}"; do
    wait "${processes[$i]}" || fail "peer $((i + 1)) failed"
  done
  phase stream
  end_robot
  for i in "${!peers[@]}"; do
    all_came $((i + 1))
  done
  local refused
  refused=$(sed -n 's/^phase stream: .* \([0-9]*\) refused.*/\1/p' "$folder/robot.log")
  [ "$refused" = 0 ] || fail "$refused requests were refused"
}

# Some are killed during discovery, some while they stream and send requests.
kill_peers() {
  local i lives=(7 2 15 11 4 20 9 13 1 17)
  for ((i = 0; i < 5 * scale; i++)); do
    begin $((i % ${#peers[@]})) $((100 + i)) 0
    local tenths=${lives[$((i / ${#peers[@]} % ${#lives[@]}))]}
    sleep "$((tenths / 10)).$((tenths % 10))"
    kill -KILL "$begun" 2>/dev/null || fail "peer $((100 + i)) ended before it was killed"
    wait "$begun" 2>/dev/null || true
    phase killing
  done
}

kill_test() {
  local i steady
  begin 0 1 0
  steady=$begun
  sleep 1.5
  phase begin
  sleep 2
  phase calm
  kill_peers
  for i in "${!peers[@]}"; do
    begin "$i" $((i + 2)) 1
    wait "$begun" || fail "peer $((i + 2)), started after the kills, failed"
  done
  phase after
  kill -INT "$steady"
  wait "$steady" || fail "the remaining peer failed"
  end_robot
  for i in 1 $(seq 2 $((${#peers[@]} + 1))); do
    all_came "$i"
  done
  local calm middle slowest
  read -r calm _ <<<"$(cycles calm)"
  read -r middle slowest <<<"$(cycles killing)"
  [ "$middle" -ge $((calm * enough / 100)) ] && [ "$slowest" -ge $((calm * least / 100)) ] ||
    fail "fewer cycles while peers were killed: of 1000, median $middle, lowest $slowest, without kills $calm"
  [ "$(memory after)" -le $(($(memory calm) + 30000)) ] || fail "the memory of killed peers is not freed"
}

case $what in
  stream) stream ;;
  kill) kill_test ;;
esac
grep -h "^phase\|^sent" "$folder"/*.log
