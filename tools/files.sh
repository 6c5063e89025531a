#!/usr/bin/env bash
# Lists the project's files whose names match any of the patterns, one per line.
# usage: files.sh '*.c' '*.h'
# Fails if there is none. Asks git if there is a repository (including new files, without ignored ones), else lists the folder.
set -eu -o pipefail
cd "$(dirname "$0")/.."

list() {
  git ls-files --cached --others --exclude-standard -- "$@" 2>/dev/null && return
  for pattern in "$@"; do
    find . -path ./build -prune -o -type f -path "./$pattern" -printf '%P\n'
  done
}

list "$@" | sort -u | while read -r file; do
  if [ -e "$file" ]; then # git also lists deleted files
    echo "$file"
  fi
done | grep . # fails without a line
