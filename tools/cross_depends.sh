#!/usr/bin/env bash
# Prints the Debian packages that programs of a cross build need. dpkg-shlibdeps only knows the
# packages that are installed on this machine.
# usage: cross_depends.sh SYSROOT PROGRAM...     SYSROOT: a folder of sysroot.sh
set -eu -o pipefail
libraries=${1:?usage: cross_depends.sh SYSROOT PROGRAM...}/.libraries
shift
needed=$(readelf --dynamic "$@" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u)
for name in $needed; do
  awk -v name="$name" '
    $1 == name && $2 !~ /-dev$/ { sub(/-[^-]*$/, "", $3); print $2 " (>= " $3 ")"; found = 1; exit }
    END { if (!found) { print "cross_depends: no package has " name > "/dev/stderr"; exit 1 } }' "$libraries"
done | sort -u | paste -sd, | sed 's/,/, /g'
