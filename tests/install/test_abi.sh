#!/usr/bin/env bash
# The shared client library serves programs that were linked with its last release: abidiff finds no function, type or
# variable that is gone or has changed. Needs abigail-tools. What is new is no fault.
# Usage: test_abi.sh [--update], which stores what the build has: for a release, or with a new number (docs/client.md).
set -eu
build=${TD_BINARY_DIR:-build}
here=$(cd "$(dirname "$0")" && pwd)
library=$build/lib/libtendril-client.so
stored=$here/abi/$(uname -m).abi

for program in abidw abidiff; do
  command -v $program >/dev/null || { echo "skipped: no $program (package abigail-tools)"; exit 0; }
done
if [ "${1:-}" = --update ]; then
  abidw --no-show-locs --no-corpus-path --no-comp-dir-path --no-elf-needed --exported-interfaces-only --out-file "$stored" "$library"
  exit 0
fi
[ -e "$stored" ] || { echo "skipped: no description for $(uname -m)"; exit 0; }
readelf -S "$library" | grep -q debug_info || { echo "skipped: a build without debug information"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# abidiff's status: 1 it failed, 2 wrong usage, 4 something changed, 8 something that breaks programs.
broken() {
  local status=0
  abidiff --no-added-syms --exported-interfaces-only "$stored" "$1" >"$work/report" 2>&1 || status=$?
  [ $((status & 3)) = 0 ] || { cat "$work/report"; exit 1; }
  [ $((status & 12)) != 0 ]
}
if broken "$library"; then
  cat "$work/report"
  echo "programs linked with the last release break: undo the change, or raise TD_CLIENT_ABI in host/client/CMakeLists.txt"
  exit 1
fi

# The test can fail: a library that lacks a function, and one with another type of a result.
printf 'int td_client_port(void);\nint td_client_port(void) { return 0; }\n' >"$work/lacks.c"
cc -g -shared -fPIC "$work/lacks.c" -Wl,-soname,libtendril-client.so.0 -o "$work/lacks.so"
broken "$work/lacks.so" || { echo "abidiff does not notice functions that are gone"; exit 1; }
echo "no change breaks programs"
