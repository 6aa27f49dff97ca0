#!/usr/bin/env bash
# examples/markers, recorded: every frame and tile is in the trace.
set -eu
build=${TD_BINARY_DIR:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
port=$(python3 "$(dirname "$0")/../ports.py")
TENDRIL_WAIT_CONNECT_MS=30000 TRACY_PORT=$port "$build/examples/markers/markers" &
timeout 200 "$build/bin/tendril" capture -f -p "$port" -o "$work/markers.tracy" | tee "$work/said"
wait $!
grep -q '^messages *3, 30 frames, 30 plot points$' "$work/said"
"$build/bin/tendril" csvexport "$work/markers.tracy" | tee "$work/zones.csv"
grep -q '^frame,.*,30,' "$work/zones.csv"
grep -q '^fill,.*,1920,' "$work/zones.csv"
