#!/usr/bin/env bash
# Builds the marked program of this folder against a stock Tracy: stock.sh SOURCE_DIR STOCK OUT. STOCK holds
# src/public. A program of an earlier run is used again if it is newer than its source.
set -eu
source=$1 stock=$2 out=$3
[[ $out -nt $source/bench/capture/marks.cpp && $out -nt $stock/src/public/TracyClient.cpp ]] && exit 0
mkdir -p "$(dirname "$out")"
"${CXX:-c++}" -std=c++11 -O2 -w -DNDEBUG -DTRACY_ENABLE -D_GNU_SOURCE -I"$stock/src/public" -I"$stock/src/public/tracy" \
  "$source/bench/capture/marks.cpp" "$stock/src/public/TracyClient.cpp" -lpthread -ldl -o "$out.new.$$"
mv "$out.new.$$" "$out"
