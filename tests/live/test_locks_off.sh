#!/usr/bin/env bash
# Without TRACY_ENABLE, the wrappers of tendril/locks.h compile to the same bytes as the locks that they wrap. With it the
# header compiles as C and C++ without warnings. Usage: test_locks_off.sh CC SOURCE_DIR
set -eu
cc=$1 source=$2
include=$source/host/client/include
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"
cp "$source/tests/live/locks_off.c" "$source/tests/live/locks.c" .
for level in -O0 -O2 -Os; do
  "$cc" -std=gnu11 -Wall -Wextra -Werror $level -I"$include" -c locks_off.c -o wrapped.o
  "$cc" -std=gnu11 -Wall -Wextra -Werror $level -DPLAIN -c locks_off.c -o plain.o
  cmp wrapped.o plain.o || { echo "$level: wrappers that are off leave something"; exit 1; }
done
for warnings in "-Wall -Wextra -Wpedantic" "-Wall -Wextra -Wmissing-braces"; do
  # shellcheck disable=SC2086
  "$cc" -std=c11 -D_GNU_SOURCE $warnings -Wno-unused-parameter -Werror -DTRACY_ENABLE -I"$include" -I"$source" -c locks.c
done
if command -v g++ >/dev/null; then
  g++ -std=c++14 -x c++ -Wall -Wextra -Wno-unused-parameter -Werror -DTRACY_ENABLE -I"$include" -I"$source" -c locks.c
fi
echo "the same bytes"
