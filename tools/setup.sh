#!/usr/bin/env bash
# Installs the Debian packages that are missing; silent if there are none.
# usage: setup.sh [run|bench|test|cross|coverage]     run: build and run; bench: also the libraries that benchmarks
#                                            compare with; test: everything that `make test` needs;
#                                            cross: builds for ARM and their tests; coverage: its report
set -u

die() {
  echo "setup: $*" >&2
  exit 1
}

purpose=${1:-run}
# `make deb` uses `file` to find programs that need libraries.
packages="build-essential cmake ninja-build pkg-config libexpat1-dev libyaml-dev libjansson-dev libzstd-dev liblz4-dev libwebsockets-dev cyclonedds-dev libfastrtps-dev python3-dev python3-numpy file"
peers="liborocos-kdl-dev libkdl-parser-dev liburdfdom-dev libeigen3-dev libfcl-dev libmujoco-dev"
# libclang-rt-dev has the runtimes of the sanitizers and of libFuzzer, llvm their symbolizer.
checks="clang clang-format clang-tidy libclang-rt-dev llvm lld libcmocka-dev python3 python3-jsonschema python3-yaml locales strace chromium openssl zstd lz4 spin"
# A ROS 1 graph for the tests of the bridge: master, tools, publishers, recorder.
ros1="python3-roslaunch python3-rostopic python3-rosservice python3-rosnode python3-rosparam python3-rosmsg"
ros1="$ros1 python3-rospy python3-sensor-msgs python3-std-srvs python3-tf2-msgs python3-rosbag python3-actionlib"
ros1="$ros1 joint-state-publisher ros-robot-state-publisher iproute2"
# Generators for the message definitions of Sinew, and the packages that these depend on.
ros1="$ros1 python3-genpy python3-catkin-pkg python3-trajectory-msgs ros-trajectory-msgs ros-geometry-msgs ros-std-msgs python3-rosidl"
# DDS participants for the tests of the ROS 2 node: generators of types.
ros2="cyclonedds-tools fastddsgen"
cross="gcc-aarch64-linux-gnu g++-aarch64-linux-gnu gcc-arm-linux-gnueabihf g++-arm-linux-gnueabihf qemu-user libcmocka-dev"
case $purpose in
  run) ;;
  cross) packages="$packages $cross" ;;
  coverage) packages="$packages $checks gcovr" ;;
  bench) packages="$packages $peers" ;;
  test) packages="$packages $peers $checks $ros1 $ros2" ;;
  *) die "'$purpose' is not one of run, bench, test, cross, coverage" ;;
esac

# Node builds the cockpit and runs peers of the tests. Keep a newer node than Debian's: the two conflict.
if [ "$purpose" != bench ] && ! { command -v node && command -v npm; } >/dev/null; then
  packages="$packages nodejs npm"
fi

if ! command -v dpkg-query apt-get >/dev/null; then
  echo "setup: not a Debian system; install the contents of these packages: $packages" >&2
  exit 0
fi

# Word splitting on purpose: no name contains a space.
# shellcheck disable=SC2086
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $packages 2>/dev/null)
missing=
for package in $packages; do
  grep -qx "installed $package" <<<"$installed" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || die "missing packages; as root: apt-get install$missing"
  as_root=sudo
fi

log=$(mktemp) || die "cannot create a temporary file"
trap 'rm -f "$log"' EXIT
apt() {
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 "$@" \
    >"$log" 2>&1
}
# shellcheck disable=SC2086
install_missing() {
  apt install --no-install-recommends $missing
}

echo "setup: installing$missing"
# Package lists are empty on a fresh machine and outdated on an old one.
install_missing || { apt update && install_missing; } ||
  die "cannot install$missing: $(grep -m 1 '^E:' "$log" || tail -n 1 "$log")"
echo "setup: installed $(wc -w <<<"$missing") packages"
