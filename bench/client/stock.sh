#!/usr/bin/env bash
# Builds the marked program of this folder against a stock Tracy: stock.sh SOURCE_DIR STOCK OUT [on-demand|sampling]. STOCK holds
# src/public and lib/libTracyClient.a; on demand its client is built as well, which takes a while.
set -eu
source=$1 stock=$2 out=$3
flags=(-O2 -DNDEBUG -DTRACY_ENABLE -D_GNU_SOURCE -I"$stock/src/public" -I"$source")
library=$stock/lib/libTracyClient.a
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ "${4:-}" = on-demand ]; then
  flags+=(-DTRACY_ON_DEMAND)
  library=$folder/TracyClient.o
  "${CXX:-c++}" -std=c++11 "${flags[@]}" -c "$stock/src/public/TracyClient.cpp" -o "$library"
fi
if [ "${4:-}" = sampling ]; then # its client is built here, too, and the program is another one
  "${CXX:-c++}" -std=c++11 "${flags[@]}" -c "$stock/src/public/TracyClient.cpp" -o "$folder/TracyClient.o"
  "${CC:-cc}" "${flags[@]}" -fno-omit-frame-pointer -I"$stock/src/public/tracy" -c "$source/bench/client/sampled.c" \
    -o "$folder/sampled.o"
  "${CXX:-c++}" "$folder/sampled.o" "$folder/TracyClient.o" -lpthread -ldl -o "$out"
  exit
fi
"${CC:-cc}" "${flags[@]}" -c "$source/bench/client/marks.c" -o "$folder/marks.o"
"${CXX:-c++}" -std=c++11 "${flags[@]}" -c "$source/bench/client/marks_cpp.cpp" -o "$folder/marks_cpp.o"
"${CXX:-c++}" "$folder/marks.o" "$folder/marks_cpp.o" "$library" -lpthread -ldl -o "$out"
