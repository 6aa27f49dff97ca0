#!/usr/bin/env bash
# Off means off: without TRACY_ENABLE, code with markers compiles to the same bytes as code without them.
# And on means on: the C++ macros compile, warn of nothing, link without a C++ runtime and are collected.
# Usage: test_off.sh CC SOURCE_DIR BUILD_DIR [LINK_FLAGS]
set -eu
cc=$1 source=$2 build=$3 link=${4:-}
here=$source/tests/client include=$source/host/client/include
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

compare() { # COMPILER STANDARD FILE
  local level
  for level in -O0 -O2 -Os; do
    # One name for both, as it stands in the object.
    cp "$here/$3" "$out/$3"
    (cd "$out" && $1 "-std=$2" -Wall -Wextra -Werror $level -I"$include" -c "$3" -o marked.o &&
      $1 "-std=$2" -Wall -Wextra -Werror $level -DPLAIN -c "$3" -o plain.o)
    cmp "$out/marked.o" "$out/plain.o" || { echo "$3 $level: markers that are off leave something"; exit 1; }
  done
  echo "$3: the same bytes with markers that are off and without markers"
}

compare "$cc" c11 off.c
if ! command -v g++ >/dev/null; then
  echo "skipped: no g++ for the C++ header"
  exit 0
fi
compare g++ c++11 off.cpp

g++ -std=c++11 -Wall -Wextra -Werror -O1 -DTRACY_ENABLE -I"$include" -fno-exceptions -fno-rtti \
  -c "$here/on.cpp" -o "$out/on.o"
# shellcheck disable=SC2086
$cc $link "$out/on.o" -o "$out/on" "$build/lib/libtendril-client.a" -llz4 -lpthread -lm
port=$(python3 "$source/tests/ports.py")
TRACY_PORT=$port TENDRIL_WAIT_CONNECT_MS=60000 "$out/on" &
"$build/tests/client_collect" "$port" | tee "$out/counts"
wait $!
for line in "result 0" "zones 31" "messages 2" "plot_points 40" "frames 11" "ignored 0" "zone step 10" \
  "zone inner 10" "zone made 10" "zone main 1"; do
  grep -qx "$line" "$out/counts" || { echo "missing: $line"; exit 1; }
done
