#!/usr/bin/env bash
# Examples have markers only if one of the options enables them.
set -eu
source=${TD_SOURCE_DIR:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# markers EXPECTED [OPTION]...: of the examples' host programs, how many are compiled with markers?
markers() {
  local expected=$1 found
  shift
  cmake -U TD_ENABLE_PROFILER -U ENABLE_TRACY -S "$source" -B "$work/build" -DTD_BUILD_DEVICE=OFF -DTD_BUILD_VIEWER=OFF -DTD_BUILD_TESTS=OFF -DTD_BUILD_BENCH=OFF \
    "$@" >"$work/log" 2>&1 || {
    cat "$work/log"
    exit 1
  }
  found=$(grep '"command".*examples/hello/hello.c' "$work/build/compile_commands.json" | grep -c -e -DTRACY_ENABLE || true)
  [ "$found" = "$expected" ] || {
    echo "cmake $*: markers in $found programs instead of $expected"
    exit 1
  }
}
markers 0
markers 1 -DTD_ENABLE_PROFILER=ON
markers 1 -DENABLE_TRACY=ON
markers 0 -DENABLE_TRACY=OFF
