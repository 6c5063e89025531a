#!/usr/bin/env bash
# Fetches the Debian packages that a cross build of Sinew needs and unpacks them into a folder. The
# machine's own packages stay as they are.
# usage: sysroot.sh ARCH FOLDER     ARCH: arm64 or armhf
set -u -o pipefail
arch=${1:?usage: sysroot.sh ARCH FOLDER}
folder=${2:?usage: sysroot.sh ARCH FOLDER}

die() {
  echo "sysroot: $*" >&2
  exit 1
}

case $arch in
  arm64 | armhf) ;;
  *) die "'$arch' is not one of arm64, armhf" ;;
esac
# The last ones are for the bridges and for the Python module.
packages="libc6-dev libstdc++-12-dev libexpat1-dev libyaml-dev libjansson-dev libzstd-dev liblz4-dev libcmocka-dev
  libwebsockets-dev cyclonedds-dev libfastrtps-dev libpython3-dev"

mkdir -p "$folder" || die "cannot create $folder"
folder=$(cd "$folder" && pwd)
wanted="$arch $packages"
[ "$(cat "$folder/.complete" 2>/dev/null)" != "$wanted" ] || exit 0

# apt with a state of its own: an empty list of installed packages makes it fetch all dependencies.
state=$folder/.apt
mkdir -p "$state/lists/partial" "$state/archives/partial"
: >"$state/status"
log=$state/log
apt() {
  apt-get -q -y --no-install-recommends -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
    -o Dir::State="$state" -o Dir::State::lists="$state/lists" -o Dir::State::status="$state/status" \
    -o Dir::Cache="$state" -o Dir::Cache::archives="$state/archives" "$@" >>"$log" 2>&1
}
: >"$log"
apt update # a list that cannot be fetched matters only if a package is missing then
# shellcheck disable=SC2086
apt --download-only install $packages ||
  die "cannot fetch the packages: $(grep -m 1 '^E:' "$log" || tail -n 1 "$log")"
: >"$folder/.libraries" # LIBRARY PACKAGE VERSION: which package a program needs for a library
for file in "$state"/archives/*.deb; do
  dpkg-deb --extract "$file" "$folder" || die "cannot unpack $file"
  package=$(dpkg-deb --show --showformat='${Package} ${Version}' "$file")
  dpkg-deb --contents "$file" | awk -v package="$package" '
    $6 ~ /\/lib\// && $6 ~ /\.so(\.|$)/ { sub(/.*\//, "", $6); print $6, package }' >>"$folder/.libraries"
done
# Links to absolute paths would lead to this machine's libraries.
find "$folder" -path "$state" -prune -o -type l -lname '/*' -print | while read -r link; do
  ln -sfn "$folder$(readlink "$link")" "$link"
done
echo "$wanted" >"$folder/.complete"
