#!/usr/bin/env bash
# Runs the demo quadruped in a graph of Debian's ROS 1.
# usage: ros1.sh PROGRAM [check|action|hostile|stop|kills|npm [ARGUMENT...]]     the program is `sinew`
#
# check: Debian's tools look at it; action: a client of actionlib; hostile: bad peers; stop: a node stops it, with the
# plugin ARGUMENT; kills: master and peers die, ARGUMENT times;
# npm: a client of another make, whose packages are in the folder ARGUMENT.
# In a network namespace with only `lo`, since nodes of roscpp listen on all addresses, and one of
# processes, so that none is left over. Where that is not permitted it says so, and uses a free port of
# the machine's own loopback.
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "${1:?usage: ros1.sh PROGRAM [check|action|hostile|stop|kills|npm [ARGUMENT...]]}")
what=${2:-check}
node=$(command -v node || true)
if [ "$what" = npm ] && [ -z "$node" ]; then
  echo "interop: node is missing, nothing was tried"
  exit 77 # what ctest takes as skipped
fi

# Whatever else is installed: the packages of Debian have their modules for Debian's Python.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
for needed in roscore rostopic rosservice rosnode rosbag \
  /usr/lib/joint_state_publisher/joint_state_publisher \
  /usr/lib/robot_state_publisher/robot_state_publisher; do
  if ! command -v "$needed" >/dev/null; then
    echo "interop: $needed is missing, nothing was tried"
    exit 77
  fi
done

run=(env SINEW_NODE="$node" /usr/bin/python3 -B "$here/ros1_$what.py" "$program" "${@:3}")
for alone in "unshare --net --pid --fork --kill-child --mount-proc" \
  "unshare --user --map-root-user --net --pid --fork --kill-child --mount-proc"; do
  if $alone true 2>/dev/null; then
    exec $alone -- "${run[@]}" --own-network
  fi
done
echo "interop: no network namespace is permitted here: using a free port of 127.0.0.1"
exec "${run[@]}"
