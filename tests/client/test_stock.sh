#!/usr/bin/env bash
# Live against stock Tracy: captures of every release that is there take our client's session, our collecting end takes
# the client's of 0.11.1, and all counts are exact. Usage: test_stock.sh SOURCE_DIR BUILD_DIR. Needs TD_STOCK_DIR (a
# folder with RELEASE/bin, 0.11.1/src and 0.11.1/lib); says so and passes without.
set -eu
source=$1 build=$2
stock=${TD_STOCK_DIR:-}/0.11.1
if [ -z "${TD_STOCK_DIR:-}" ] || [ ! -x "$stock/bin/capture" ]; then
  echo "skipped: TD_STOCK_DIR names no folder with stock programs"
  exit 0
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

expect() { # FILE LINE...
  local file=$1 line
  shift
  for line in "$@"; do
    grep -qx -- "$line" "$file" || { echo "missing in $file: $line"; cat "$file"; exit 1; }
  done
}

# Our client, captures of every release that is there.
serve() { # CAPTURE PROGRAM MODE [NAME=VALUE...]: the trace is $out/MODE.tracy
  local capture=$1 program=$2 mode=$3
  shift 3
  port=$(python3 "$source/tests/ports.py")
  env "$@" TRACY_PORT="$port" TENDRIL_WAIT_CONNECT_MS=20000 "$build/tests/$program" "$mode" &
  marked=$!
  timeout 200 "$capture" -f -a 127.0.0.1 -p "$port" -o "$out/$mode.tracy" >"$out/$mode.log" 2>&1 ||
    { cat "$out/$mode.log"; exit 1; }
  wait $marked || [ "$mode" = open ]
}

# Stock's csvexport must read the file. It does not count zones of 0 ns, which there are where the clock has steps of 10 ns.
zones() { # BIN MODE: "name,count" a line
  "$1/csvexport" "$out/$2.tracy" >/dev/null
  "$build/bin/tendril" info --json "$out/$2.tracy" |
    python3 -c 'import json, sys; [print("%s,%d" % (n["name"], n["count"])) for n in json.load(sys.stdin)["names"]]' |
    sort >"$out/$2.csv"
}

releases=0
for bin in "$TD_STOCK_DIR"/*/bin; do
  if [ ! -x "$bin/capture" ] || [ ! -x "$bin/csvexport" ]; then
    continue
  fi
  case $bin in
  */0.9.0/bin) continue ;; # its capture does not notice sessions of less than 100 ms; 0.9.1 speaks the same protocol
  */ttfork/bin) export TENDRIL_PEER=tt ;;
  *) unset TENDRIL_PEER ;;
  esac
  releases=$((releases + 1))
  for mode in all short frames open; do
    serve "$bin/capture" client_marked $mode
    zones "$bin" $mode
  done
  expect "$out/all.csv" all,20 named,20 made,20
  [ "$(grep -c '^all,20$' "$out/all.csv")" = 2 ]
  expect "$out/short.csv" "short zone,39900"
  serve "$bin/capture" client_features features
  zones "$bin" features
  expect "$out/features.csv" "across threads,30" "with stack,10"
  ! grep -qi "instrumentation failure" "$out/features.log" || { cat "$out/features.log"; exit 1; }
  if "$bin/csvexport" -m "$out/all.tracy" >"$out/all.messages" 2>"$out/all.usage"; then # not in 0.9
    expect <(tail -n +2 "$out/all.messages" | wc -l) 81
    expect <("$bin/csvexport" -m "$out/features.tracy" | tail -n +2 | wc -l) 40
  fi
  serve "$bin/capture" client_features signals
  zones "$bin" signals
  expect "$out/signals.csv" "interrupted,200000"
  handled=$({ "$bin/csvexport" -m "$out/signals.tracy" 2>&1 || true; } | sed -n 's/^handled \([0-9]*\),.*/\1/p')
  [ -z "$handled" ] || expect "$out/signals.csv" "handler,$handled"

  # On demand: two captures of one program, each with its own part of it.
  port=$(python3 "$source/tests/ports.py")
  TRACY_ON_DEMAND=1 TRACY_PORT="$port" "$build/tests/client_features" later &
  marked=$!
  for part in 1 2; do
    tries=0
    until timeout 200 "$bin/capture" -f -a 127.0.0.1 -p "$port" -s $((3 - 2 * (part - 1))) -o "$out/part.tracy" \
      >"$out/part.log" 2>&1 && [ -s "$out/part.tracy" ]; do
      tries=$((tries + 1))
      [ $tries -lt 20 ] || { cat "$out/part.log"; exit 1; }
      sleep 0.2
    done
    zones "$bin" part
    expect "$out/part.csv" "after,20"
    if grep -q before "$out/part.csv"; then
      exit 1
    fi
    rm -f "$out/part.tracy"
  done
  wait $marked
  echo "our client with $bin: counts exact"
done
unset TENDRIL_PEER
[ $releases -gt 0 ]
serve "$stock/bin/capture" client_marked two
zones "$stock/bin" two
expect "$out/two.csv" numbered,2000000

# Stock client, our collecting end. The program's source is the same.
if [ ! -e "$stock/lib/libTracyClient.a" ]; then
  echo "skipped: there is no $stock/lib/libTracyClient.a"
  exit
fi
gcc -O1 -DTRACY_ENABLE -I"$stock/src/public" -c "$source/tests/client/marked.c" -o "$out/marked.o" 2>/dev/null
g++ "$out/marked.o" "$stock/lib/libTracyClient.a" -lpthread -ldl -o "$out/marked"
for mode in all two short; do
  port=$(python3 "$source/tests/ports.py")
  TRACY_PORT="$port" TRACY_NO_EXIT=1 "$out/marked" $mode &
  marked=$!
  timeout 200 "$build/tests/client_collect" "$port" >"$out/$mode.counts"
  wait $marked
done
expect "$out/all.counts" "result 0" "zones 80" "messages 81" "zone named 20" "zone made 20" "ignored 0" "unnamed 0"
expect "$out/two.counts" "result 0" "zones 2000000" "zone numbered 2000000" "ignored 0" "unnamed 0"
expect "$out/short.counts" "result 0" "zones 39900" "ignored 0" "unnamed 0"
echo "our collecting end with stock's client: counts exact"
