#!/usr/bin/env bash
# Runs the demo quadruped in a graph of Debian's ROS 1.
# usage: ros1.sh PROGRAM [check|action|arm|base|walk|hostile|stop|kills|npm [ARGUMENT...]]     the program is `sinew`
#
# check: Debian's tools; action: an actionlib client; arm: clients that move a tool and a gripper; base: odometry, IMU and
# further actions, with the plugin ARGUMENT; walk: MoveBase and cmd_vel; hostile: invalid peers; stop: a node stops the robot, with the
# plugin ARGUMENT; kills: master and peers are killed ARGUMENT times;
# npm: another client library, whose packages are in the folder ARGUMENT.
# Runs in a network namespace with only `lo`, since roscpp nodes listen on all addresses, and in a process
# namespace, so that no process is left over. Without permission it prints this and uses a free loopback port.
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "${1:?usage: ros1.sh PROGRAM [check|action|arm|base|walk|hostile|stop|kills|npm [ARGUMENT...]]}")
what=${2:-check}
node=$(command -v node || true)
if [ "$what" = npm ] && [ -z "$node" ]; then
  echo "interop: node is missing, skipped"
  exit 77 # what ctest takes as skipped
fi

# Debian's ROS packages need Debian's Python.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
for needed in roscore rostopic rosservice rosnode rosbag \
  /usr/lib/joint_state_publisher/joint_state_publisher \
  /usr/lib/robot_state_publisher/robot_state_publisher; do
  if ! command -v "$needed" >/dev/null; then
    echo "interop: $needed is missing, skipped"
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
echo "interop: network namespaces are not permitted: using a free port of 127.0.0.1"
exec "${run[@]}"
