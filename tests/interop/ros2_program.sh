# Sourced by tests of one program in a ROS 2 graph, after they have set `program`: starts and stops it, and prints its
# output if something fails. $folder is removed at the end.
folder=$(mktemp -d)
running=
start() { # ARGUMENT of `sinew run`...
  "$program" run "$@" --headless --socket "$folder/socket" >"$folder/log" 2>&1 &
  running=$!
}
stop() { # fails unless the program still runs, and exits with success
  local stopped=$running
  running=
  kill -INT "$stopped"
  wait "$stopped"
}
finish() {
  if [ "$running" != "" ]; then
    stop || true
  fi
  rm -rf "$folder"
}
trap finish EXIT
fail() {
  echo "interop: $1; output of the program:"
  tail -50 "$folder/log"
  exit 1
}
# A number of the state of the node.
count() {
  "$program" call ros2.getState --socket "$folder/socket" | sed -n "s/^$1: //p"
}
