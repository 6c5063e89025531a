#!/usr/bin/env bash
# Builds the files of the cockpit: web/ -> FOLDER/dist. Installs packages only if the lock file has changed, builds only
# if a source has changed. Without npm, or if the build fails, the page explains that.
# usage: build_web.sh WEB FOLDER
set -u
web=${1:?usage: build_web.sh WEB FOLDER}
folder=${2:?usage: build_web.sh WEB FOLDER}
mkdir -p "$folder"
log=$folder/build.log

# Write a page that explains why there is no cockpit.
replace_page() {
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
<p>Foxglove can still connect to this address.</p>
</html>
EOF
  exit 0
}

install_packages() {
  cmp -s package-lock.json node_modules/.installed && return 0
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error &&
    cp package-lock.json node_modules/.installed
}

# A file that is newer than the built page.
find_newer() {
  find . \( -name node_modules -o -name dist -o -name .lock \) -prune -o -newer dist/index.html -type f -print -quit
}

build() {
  install_packages || return 1
  if [ ! -e dist/index.html ] || [ -n "$(find_newer)" ]; then
    npm run build && touch dist/index.html
  fi
}

[ -e "$web/package.json" ] || replace_page "The folder web is missing."
command -v npm >/dev/null ||
  replace_page "npm was missing during the build: install the packages nodejs and npm, and build again."
# Build trees share web/: one build at a time.
exec 9>"$web/.lock"
flock 9
(cd "$web" && build) >"$log" 2>&1 ||
  replace_page "npm failed during the build: $(grep -m 1 -i error "$log" | tr -d '<>&' | head -c 200)"
rm -rf "$folder/dist"
cp -r "$web/dist" "$folder/dist"
