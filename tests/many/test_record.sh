#!/bin/bash
# 24 chips in one recording: every lane of emulated and native cores has its zones in the trace.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$TD_SOURCE_DIR/bench/many/run.sh" --build "$TD_BINARY_DIR" --grid 1x1 --emulate 2 --zones 300 --out "$out/many.tracy" >"$out/log" 2>&1 ||
  { cat "$out/log"; exit 1; }
# 120 lanes with 300 zones and the kernel's own.
for line in 'tensix_sim: 10 cores (2 tiles) on emulators, 110 cores (22 tiles) compiled natively' '120 lanes filled' \
  'cores        120 of 120 wrote markers' 'zones        36120 on cores' 'messages     120 on cores' 'lost         0 zones, 0 other' \
  'tracks    0 threads, 120 cores'; do
  grep -qF "$line" "$out/log" || { echo "no line: $line"; cat "$out/log"; exit 1; }
done
