#!/usr/bin/env bash
# Installs the library in several forms and builds a user's program against each, by find_package
# and by pkg-config.
# usage: run.sh FOLDER     builds and installs there
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "${1:?usage: run.sh FOLDER}"
work=$(cd "$1" && pwd)

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

# run_program FORM HOW PROGRAM: it must work with what is installed and nothing else
run_program() {
  local prefix=$work/$1/prefix good="quadruped, 6 chains, first axis of length 1.000000" output wanted
  wanted=$(printf 'JointState from JSON: ok\nyaml: %s\ncpf: %s' "$good" "$good")
  if [ "$1" = minimal ]; then
    wanted=$(printf 'JointState from JSON: %s\nyaml: %s\ncpf: %s' "not supported by this build" \
      "not supported by this build" "$good")
  fi
  output=$(cd / && LD_LIBRARY_PATH=$prefix/lib "$3" "$prefix/share/sinew/robots") ||
    die "$1, $2: the program fails and prints '$output'"
  [ "$output" = "$wanted" ] || die "$1, $2: the program prints '$output', expected '$wanted'"
  passed=$((passed + 1))
}

by_find_package() {
  local form=$1
  rm -rf "$work/$form/find_package"
  cmake -S "$here" -B "$work/$form/find_package" -G Ninja \
    -DCMAKE_PREFIX_PATH="$work/$form/prefix"
  cmake --build "$work/$form/find_package"
  run_program "$form" find_package "$work/$form/find_package/consumer"
}

# by_pkg_config FORM OPTION...: options for pkg-config
by_pkg_config() {
  local form=$1 flags
  shift
  flags=$(PKG_CONFIG_PATH=$work/$form/prefix/lib/pkgconfig pkg-config "$@" --cflags --libs sinew)
  # Word by word on purpose.
  # shellcheck disable=SC2086
  "${CC:-cc}" -std=c17 -Wall -Wextra -Werror "$here/consumer.c" $flags -o "$work/$form/pkg_config"
  run_program "$form" pkg-config "$work/$form/pkg_config"
}

passed=0
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
