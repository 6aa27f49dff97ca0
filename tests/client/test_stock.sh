#!/usr/bin/env bash
# Live against stock Tracy 0.11.1: its capture takes our client's session, our collecting end takes its client's, and
# all counts are exact. Usage: test_stock.sh SOURCE_DIR BUILD_DIR. Needs TD_STOCK_DIR (a folder with 0.11.1/bin and
# 0.11.1/src, 0.11.1/lib); says so and passes without.
set -eu
source=$1 build=$2
stock=${TD_STOCK_DIR:-}/0.11.1
if [ -z "${TD_STOCK_DIR:-}" ] || [ ! -x "$stock/bin/capture" ]; then
  echo "skipped: TD_STOCK_DIR names no folder with stock programs"
  exit 0
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
port=$((40000 + $$ % 20000))

expect() { # FILE LINE...
  local file=$1 line
  shift
  for line in "$@"; do
    grep -qx -- "$line" "$file" || { echo "missing in $file: $line"; cat "$file"; exit 1; }
  done
}

# Our client, stock capture.
for mode in all two short frames open; do
  port=$((port + 1))
  TRACY_PORT=$port TENDRIL_WAIT_CONNECT_MS=20000 "$build/tests/client_marked" $mode &
  marked=$!
  timeout 60 "$stock/bin/capture" -f -a 127.0.0.1 -p $port -o "$out/$mode.tracy" >"$out/$mode.log" 2>&1 ||
    { cat "$out/$mode.log"; exit 1; }
  wait $marked || [ $mode = open ]
  "$stock/bin/csvexport" "$out/$mode.tracy" | cut -d, -f1,6 | sort >"$out/$mode.csv"
  "$stock/bin/csvexport" -m "$out/$mode.tracy" | tail -n +2 | wc -l >"$out/$mode.messages"
done
expect "$out/all.csv" all,20 named,20 made,20 name,counts
[ "$(grep -c '^all,20$' "$out/all.csv")" = 2 ]
expect "$out/all.messages" 81
expect "$out/two.csv" numbered,2000000
expect "$out/short.csv" "short zone,39900"
echo "stock capture of our client: counts exact"

# Stock client, our collecting end. The program's source is the same.
gcc -O1 -DTRACY_ENABLE -I"$stock/src/public" -c "$source/tests/client/marked.c" -o "$out/marked.o" 2>/dev/null
g++ "$out/marked.o" "$stock/lib/libTracyClient.a" -lpthread -ldl -o "$out/marked"
for mode in all two short; do
  port=$((port + 1))
  TRACY_PORT=$port TRACY_NO_EXIT=1 "$out/marked" $mode &
  marked=$!
  timeout 60 "$build/tests/client_collect" $port >"$out/$mode.counts"
  wait $marked
done
expect "$out/all.counts" "result 0" "zones 80" "messages 81" "zone named 20" "zone made 20" "ignored 0" "unnamed 0"
expect "$out/two.counts" "result 0" "zones 2000000" "zone numbered 2000000" "ignored 0" "unnamed 0"
expect "$out/short.counts" "result 0" "zones 39900" "ignored 0" "unnamed 0"
echo "our collecting end with stock's client: counts exact"
