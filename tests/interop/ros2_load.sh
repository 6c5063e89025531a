#!/usr/bin/env bash
# A robot of 30 joints at 1 kHz as a node of ROS 2, with peers of two kinds of DDS.
# usage: ros2_load.sh stream|kill ROBOT PEER...     that is: `ros2_robot`, `ros2_stream`, `ros2_fastdds`
#   stream: all peers stream both ways at a time; not one message is lost or wrong
#   kill:   one peer streams while others are killed, at any time of their lives: it loses nothing,
#           the cycles of the robot stay what they were, and so does its memory; then new ones come
# SINEW_TEST_SCALE=20 makes it 60 s, or 100 dead peers.
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
# The address sanitizer keeps what was freed, up to a size that would hide what is not.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=8"
depth=5000 # of two peers 2.5 s: a machine that builds at the same time holds everybody up
# Where it may be, the robot is what it is on a robot: nothing that others do keeps it from its cycles. Nor does it
# keep its peers from taking what they are sent: who is starved while a robot sends a thousand a second loses some.
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
# Of the phase NAME: cycles in a thousand that there should be, of several the middle one and the least, and kB. What a
# death does to the cycle it does every time; a machine that stands still now and then does not do so whenever somebody dies.
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
# What PEER sent has come, all of it.
all_came() {
  local sent
  sent=$(sed -n "s/^sent $1: \\([0-9]*\\) messages.*/\\1/p" "$folder/peer$1.log")
  grep -q "^heard $1: $sent messages, 1 to $sent, 0 missing, 0 wrong$" "$folder/robot.log" ||
    fail "of the $sent messages of peer $1 not all came, or not as they were"
}
end_robot() {
  exec 3>&-
  wait "$running" || fail "not all that came was right"
}

stream() {
  local i processes=()
  phase begin
  for i in "${!peers[@]}"; do
    begin "$i" $((i + 1)) $((3 * scale))
    processes+=("$begun")
  done
  for i in "${!peers[@]}"; do
    wait "${processes[$i]}" || fail "peer $((i + 1)) is not content"
  done
  phase stream
  end_robot
  for i in "${!peers[@]}"; do
    all_came $((i + 1))
  done
  # Requests of who frames them in another way: all of them, and no other.
  local strange refused
  strange=$(sed -n 's/^sent .*; \([0-9]*\) strange requests$/\1/p' "$folder"/peer*.log)
  refused=$(sed -n 's/^phase stream: .* \([0-9]*\) refused.*/\1/p' "$folder/robot.log")
  [ "$refused" = "${strange:-0}" ] || fail "$refused requests were refused of ${strange:-0} strange ones"
}

# Some die while they find the robot, some while they stream and ask.
kill_peers() {
  local i lives=(7 2 15 11 4 20 9 13 1 17)
  for ((i = 0; i < 5 * scale; i++)); do
    begin $((i % ${#peers[@]})) $((100 + i)) 0
    local tenths=${lives[$((i / ${#peers[@]} % ${#lives[@]}))]}
    sleep "$((tenths / 10)).$((tenths % 10))"
    kill -KILL "$begun" 2>/dev/null || fail "peer $((100 + i)) did not live until it was killed"
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
    wait "$begun" || fail "peer $((i + 2)), that came after others had died, is not content"
  done
  phase after
  kill -INT "$steady"
  wait "$steady" || fail "the peer that stayed is not content"
  end_robot
  for i in 1 $(seq 2 $((${#peers[@]} + 1))); do
    all_came "$i"
  done
  local calm middle slowest
  read -r calm _ <<<"$(cycles calm)"
  read -r middle slowest <<<"$(cycles killing)"
  [ "$middle" -ge $((calm * enough / 100)) ] && [ "$slowest" -ge $((calm * least / 100)) ] ||
    fail "fewer cycles while peers died: of 1000 in the middle $middle, at least $slowest, in calm $calm"
  [ "$(memory after)" -le $(($(memory calm) + 30000)) ] || fail "the memory of the dead is not free"
}

case $what in
  stream) stream ;;
  kill) kill_test ;;
esac
grep -h "^phase\|^sent" "$folder"/*.log
