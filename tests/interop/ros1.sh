#!/usr/bin/env bash
# Runs the demo quadruped in a graph of Debian's ROS 1 and lets Debian's tools look at it.
# usage: ros1.sh PROGRAM [check|action]     the program is `sinew`
#
# In a network namespace with only `lo`, since nodes of roscpp listen on all addresses. Where that is
# not permitted it says so, and uses a free port of the machine's own loopback.
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "${1:?usage: ros1.sh PROGRAM [check|action]}")
what=${2:-check}

# Whatever else is installed: the packages of Debian have their modules for Debian's Python.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
for needed in roscore rostopic rosservice rosnode rosbag \
  /usr/lib/joint_state_publisher/joint_state_publisher \
  /usr/lib/robot_state_publisher/robot_state_publisher; do
  if ! command -v "$needed" >/dev/null; then
    echo "interop: $needed is missing, nothing was tried"
    exit 77 # what ctest takes as skipped
  fi
done

run=(/usr/bin/python3 -B "$here/ros1_$what.py" "$program" "$here")
if unshare --net true 2>/dev/null; then
  exec unshare --net -- "${run[@]}" --own-network
elif unshare --user --map-root-user --net true 2>/dev/null; then
  exec unshare --user --map-root-user --net -- "${run[@]}" --own-network
fi
echo "interop: no network namespace is permitted here: using a free port of 127.0.0.1"
exec "${run[@]}"
