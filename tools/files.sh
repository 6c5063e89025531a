#!/usr/bin/env bash
# Lists the project's files whose names match any of the patterns, one per line.
# usage: files.sh '*.c' '*.h'
# Fails if there is none. From git where there is a repository (new files too, ignored ones not), else from the folder.
set -eu -o pipefail
cd "$(dirname "$0")/.."

list() {
  git ls-files --cached --others --exclude-standard -- "$@" 2>/dev/null && return
  for pattern in "$@"; do
    find . -path ./build -prune -o -type f -path "./$pattern" -printf '%P\n'
  done
}

list "$@" | sort -u | while read -r file; do
  if [ -e "$file" ]; then # git also lists what was deleted a moment ago
    echo "$file"
  fi
done | grep . # fails without a line
