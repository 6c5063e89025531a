#!/usr/bin/env bash
# Makes the cockpit's files: web/ -> FOLDER/dist. Installs packages only if the lock file has changed, builds only
# if a source has. Without npm, or if that fails, the page says so.
# usage: build_web.sh WEB FOLDER
set -u
web=${1:?usage: build_web.sh WEB FOLDER}
folder=${2:?usage: build_web.sh WEB FOLDER}
mkdir -p "$folder"
log=$folder/build.log

# A page in the place of the cockpit.
apologise() {
  echo "cockpit: $1" >&2
  rm -rf "$folder/dist"
  mkdir -p "$folder/dist"
  cat >"$folder/dist/index.html" <<EOF
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Sinew</title>
<h1>Sinew runs, but its cockpit was not built</h1>
<p>$1</p>
<p>Foxglove can connect to this address all the same.</p>
</html>
EOF
  exit 0
}

install_packages() {
  cmp -s package-lock.json node_modules/.installed && return 0
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error &&
    cp package-lock.json node_modules/.installed
}

# A file that is newer than the page that was built from it.
find_newer() {
  find . \( -name node_modules -o -name dist -o -name .lock \) -prune -o -newer dist/index.html -type f -print -quit
}

build() {
  install_packages || return 1
  if [ ! -e dist/index.html ] || [ -n "$(find_newer)" ]; then
    npm run build && touch dist/index.html
  fi
}

[ -e "$web/package.json" ] || apologise "There is no folder web in this tree."
command -v npm >/dev/null ||
  apologise "There was no npm when it was built: install the packages nodejs and npm, and build again."
# Several build trees share web/: one at a time.
exec 9>"$web/.lock"
flock 9
(cd "$web" && build) >"$log" 2>&1 ||
  apologise "npm failed when it was built: $(grep -m 1 -i error "$log" | tr -d '<>&' | head -c 200)"
rm -rf "$folder/dist"
cp -r "$web/dist" "$folder/dist"
