#!/usr/bin/env bash
# Installs the library in several forms and builds a user's programs against each, by find_package
# and by pkg-config. Together with the program and the examples they call every public function.
# usage: run.sh FOLDER     builds and installs there
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "${1:?usage: run.sh FOLDER}"
work=$(cd "$1" && pwd)

# Each takes the folder of the robots; some of them more, see run_programs.
programs="consumer arena model kinematics dynamics inverse solver motion runtime controller client"

die() {
  echo "consumer: $*" >&2
  exit 1
}

# install_library FORM OPTION...: into $work/FORM/prefix
install_library() {
  local form=$1
  shift
  cmake -S "$root" -B "$work/$form/library" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_INSTALL_PREFIX="$work/$form/prefix" -DSINEW_TESTS=OFF -DSINEW_WERROR=ON "$@"
  cmake --build "$work/$form/library"
  rm -rf "$work/$form/prefix" # so that nothing of an earlier run helps
  cmake --install "$work/$form/library"
  if grep -rIlE "$root/(src|include|cmake)|$work/$form/library" "$work/$form/prefix"; then
    die "$form: the installed files above name the folder they were built in"
  fi
}

# run_consumer FORM HOW FOLDER: what it prints must be right
run_consumer() {
  local prefix=$work/$1/prefix good="quadruped, 6 chains, first axis of length 1.000000" output wanted
  wanted=$(printf 'JointState from JSON: ok\nyaml: %s\ncpf: %s' "$good" "$good")
  if [ "$1" = minimal ]; then
    wanted=$(printf 'JointState from JSON: %s\nyaml: %s\ncpf: %s' "not supported by this build" \
      "not supported by this build" "$good")
  fi
  output=$(cd / && LD_LIBRARY_PATH=$prefix/lib "$3/consumer" "$prefix/share/sinew/robots") ||
    die "$1, $2: the program fails and prints '$output'"
  [ "$output" = "$wanted" ] || die "$1, $2: the program prints '$output', expected '$wanted'"
}

# run_programs FORM HOW FOLDER: they must work with what is installed and nothing else
run_programs() {
  local prefix=$work/$1/prefix program argument
  for program in $programs; do
    argument=
    case $program in
      consumer)
        run_consumer "$@"
        passed=$((passed + 1))
        continue
        ;;
      runtime) argument=$3/plugin.so ;;
      controller) [ "$1" != minimal ] || argument=- ;;
      client)
        start_robot "$1"
        argument=$socket
        ;;
    esac
    (cd / && LD_LIBRARY_PATH=$prefix/lib "$3/$program" "$prefix/share/sinew/robots" \
      ${argument:+"$argument"}) || die "$1, $2: $program fails"
    stop_robot
    passed=$((passed + 1))
  done
}

# start_robot FORM: run the installed program for the client; a minimal one has no control socket
start_robot() {
  socket=-
  [ "$1" != minimal ] || return 0
  socket=$sockets/$1
  rm -f "$socket"
  (cd / && exec "$work/$1/prefix/bin/sinew" run "$work/$1/prefix/share/sinew/robots/arm6.urdf" \
    --headless --quiet --socket "$socket" >"$work/$1/robot.log" 2>&1) &
  robot=$!
  for _ in $(seq 300); do
    [ ! -S "$socket" ] || return 0
    kill -0 "$robot" 2>/dev/null || break
    sleep 0.1
  done
  cat "$work/$1/robot.log" >&2
  die "$1: the robot does not start"
}

stop_robot() {
  if [ -n "$robot" ]; then
    kill "$robot" 2>/dev/null || true
    wait "$robot" || true
    robot=
  fi
}

by_find_package() {
  local form=$1
  rm -rf "$work/$form/find_package"
  cmake -S "$here" -B "$work/$form/find_package" -G Ninja \
    -DCMAKE_PREFIX_PATH="$work/$form/prefix" -DCONSUMER_PROGRAMS="${programs// /;}"
  cmake --build "$work/$form/find_package"
  run_programs "$form" find_package "$work/$form/find_package"
}

# by_pkg_config FORM OPTION...: options for pkg-config
by_pkg_config() {
  local form=$1 flags program
  local folder=$work/$form/pkg_config
  shift
  rm -rf "$folder"
  mkdir "$folder"
  flags=$(PKG_CONFIG_PATH=$work/$form/prefix/lib/pkgconfig pkg-config "$@" --cflags --libs sinew)
  # Word by word on purpose.
  # shellcheck disable=SC2086
  {
    for program in $programs; do
      "${CC:-cc}" -std=c17 -Wall -Wextra -Werror "$here/$program.c" $flags -o "$folder/$program"
    done
    "${CC:-cc}" -std=c17 -Wall -Wextra -Werror -fPIC -shared "$here/plugin.c" $flags \
      -o "$folder/plugin.so"
  }
  run_programs "$form" pkg-config "$folder"
}

passed=0
robot=
sockets=$(mktemp -d) # a path that is short enough for a socket
trap 'stop_robot; rm -rf "$sockets"' EXIT
for form in static shared minimal; do
  case $form in
    static) install_library static -DCMAKE_INSTALL_LIBDIR=lib -DSINEW_COCKPIT=OFF -DSINEW_ROS2=OFF ;;
    shared) install_library shared -DCMAKE_INSTALL_LIBDIR=lib -DSINEW_COCKPIT=OFF -DSINEW_ROS2=OFF \
      -DBUILD_SHARED_LIBS=ON ;;
    minimal)
      install_library minimal -DCMAKE_INSTALL_LIBDIR=lib -DSINEW_YAML=OFF -DSINEW_JSON=OFF \
        -DSINEW_COCKPIT=OFF
      ;;
  esac
  by_find_package $form
  if [ $form = shared ]; then
    by_pkg_config shared
    "$root/tools/check_abi.py" --self-test
    "$root/tools/check_abi.py" "$work/shared/prefix/lib/libsinew.so"
  else
    by_pkg_config $form --static
  fi
  "$work/$form/prefix/bin/sinew" --version
done
echo "consumer: $passed programs built against the installed tree and ran"
