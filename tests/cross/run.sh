#!/usr/bin/env bash
# A build for another architecture, run under QEMU: its unit tests, the same bits as this machine's
# program, and its Debian package.
# usage: run.sh ARCH     ARCH: arm64 or armhf; a release build of this machine must exist
# TESTS: a regular expression of the unit tests to run, default all that fit into TIMEOUT seconds each (300)
set -eu -o pipefail
cd "$(dirname "$0")/../.."
arch=${1:?usage: run.sh ARCH}
# The C library uses fused multiply-add in exp(), atan2() and others where the processor has it: 64-bit
# ARM has it, 32-bit ARM has not, and here it is switched off to compare with that.
here=()
case $arch in
  arm64) emulator=qemu-aarch64 ;;
  armhf)
    emulator=qemu-arm
    here=(env GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA_Usable,-AVX2,-AVX2_Usable,-FMA4)
    ;;
  *)
    echo "cross: '$arch' is not one of arm64, armhf" >&2
    exit 2
    ;;
esac
sysroot=$PWD/build/sysroot/$arch
work=$PWD/build/cross/$arch
rm -rf "$work"
mkdir -p "$work"

fail() {
  echo "cross: $*" >&2
  exit 1
}

# Everything that a run in simulated time publishes must be the same, bit for bit.
compare_bits() {
  local name=$1
  shift
  "${here[@]}" build/release/sinew "$@" --record "$work/here.mcap" >"$work/here.txt" 2>"$work/here.log" ||
    fail "$name: fails on this machine: $(tail -n 1 "$work/here.log")"
  "$emulator" -L "$sysroot" "build/$arch/sinew" "$@" --record "$work/there.mcap" >"$work/there.txt" 2>"$work/there.log" ||
    fail "$name: fails on $arch: $(tail -n 1 "$work/there.log")"
  for where in here there; do
    build/release/sinew export "$work/$where.mcap" --csv -o "$work/$where.csv"
  done
  cmp "$work/here.csv" "$work/there.csv" || fail "$name: $arch computes other bits"
  echo "cross: $name: $(sha256sum <"$work/here.csv" | cut -c1-16), $(stat -c %s "$work/here.csv") bytes of values"
}
compare_bits quadruped run robots/quadruped.yaml --headless --clock sim --duration 5 --quiet
compare_bits arm6 run robots/arm6.yaml --headless --clock sim --duration 5 --quiet
compare_bits sway run deployments/demo_sway.yaml --headless --clock sim --duration 10 --quiet
compare_bits walk play robots/quadruped.urdf tests/cross/walk.json

# Tests that measure, or that talk to programs of this machine, say nothing about the other architecture.
CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-2} ctest --test-dir "build/$arch" --output-on-failure \
  --timeout "${TIMEOUT:-300}" -R "${TESTS:-/test_}" -E '^apps/|_deviation$|_figures$'

make deb ARCH="$arch"
package=$(realpath build/deb-"$arch"/sinew_*.deb)
cp -al "$sysroot/usr" "$sysroot/lib" "$work"
dpkg-deb -x "$package" "$work"
cd "$work"
env -i PATH="$PATH" "$emulator" -L "$work" usr/bin/sinew demo --headless --clock sim --duration 2 ||
  fail "the demo of the package does not run"
echo "cross: $(basename "$package") runs"
