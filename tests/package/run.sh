#!/usr/bin/env bash
# The Debian package: what is in it, and does it run from an empty folder?
# usage: run.sh FOLDER     FOLDER is emptied
set -eu -o pipefail
cd "$(dirname "$0")/../.."
folder=${1:?usage: run.sh FOLDER}
rm -rf "$folder"
mkdir -p "$folder/root" "$folder/work"

make deb
package=$(realpath build/release/sinew_*.deb)
python_package=$(realpath build/release/python3-sinew_*.deb)
dpkg-deb -x "$package" "$folder/root"
dpkg-deb -x "$python_package" "$folder/python"
dpkg-deb -f "$package" Depends | grep -q libexpat1
dpkg-deb -f "$python_package" Depends | grep -q python3-numpy
root=$(realpath "$folder/root")/usr

fail() {
  echo "package: $*" >&2
  exit 1
}
for file in bin/sinew share/man/man1/sinew.1.gz share/doc/sinew/copyright share/doc/sinew/changelog.gz \
  share/doc/sinew/THIRD-PARTY.md share/doc/sinew/running.md share/sinew/deployments/standard.yaml \
  share/sinew/robots/quadruped.urdf share/sinew/servos/xl330.yaml share/bash-completion/completions/sinew share/zsh/site-functions/_sinew \
  lib/systemd/system/sinew@.service include/sinew/sinew.h share/sinew_msgs/package.xml \
  share/sinew_msgs/msg/ResourceRequest.msg share/sinew_msgs/ros2/srv/GetOwners.srv; do
  [ -s "$root/$file" ] || fail "there is no usr/$file"
done
[ -z "$(find "$folder/root" -type d -empty)" ] || fail "empty folders: $(find "$folder/root" -type d -empty)"
[ -z "$(find "$folder/root" -perm /022 ! -type l)" ] || fail "files that others may write"
grep -q '^ExecStart=/usr/bin/sinew run /etc/sinew/%i.yaml' "$root/lib/systemd/system/sinew@.service" ||
  fail "the unit starts something else"

python_folder=$(realpath "$folder/python")/usr/lib/python3/dist-packages
cd "$folder/work"
env -i PYTHONPATH="$python_folder" /usr/bin/python3 -B -c "
import sinew
arm = sinew.load('$root/share/sinew/robots/arm6.urdf').chain('arm')
arm.ik(arm.fk([0.2] * 6))" || fail "the Python module does not work"
env -i "$root/bin/sinew" demo --headless --clock sim --duration 2 || fail "the demo does not run"
env -i "$root/bin/sinew" run "$root/share/sinew/robots/arm6.urdf" --headless --clock sim --duration 1 \
  --record a.mcap --quiet || fail "a robot does not run"
env -i "$root/bin/sinew" replay a.mcap
env -i "$root/bin/sinew" doctor >doctor.txt || { cat doctor.txt; fail "the doctor says no"; }
if command -v man >/dev/null; then
  [ -z "$(man --warnings -E UTF-8 -l "$root/share/man/man1/sinew.1.gz" 2>&1 >/dev/null)" ] ||
    fail "the manual page has warnings"
fi
echo "package: $(basename "$package"), $(dpkg-deb -c "$package" | grep -vc '/$') files"
