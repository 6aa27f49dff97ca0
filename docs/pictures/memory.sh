#!/usr/bin/env bash
# Records memory.cpp, and takes the pictures of the panel Memory that docs/viewer.md shows: memory.sh BUILD
set -eu
build=$(realpath "${1:?the folder of a build}")
here=$(dirname "$(realpath "$0")")
root=$(realpath "$here/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
g++ -std=c++11 -g -O1 -fno-omit-frame-pointer -ffile-prefix-map="$here"=/src -DTRACY_ENABLE \
  -I"$root/host/client/include" -I"$root" \
  "$here/memory.cpp" -o "$work/game" -L"$build/lib" -l:libtendril-client.a -llz4 -lm -lpthread
port=$(python3 "$root/tests/ports.py")
TENDRIL_WAIT_CONNECT_MS=30000 TRACY_PORT=$port "$work/game" &
"$build/bin/tendril" capture -f -p "$port" -o "$work/game.tracy"
wait $!
export XDG_DATA_HOME=$work XDG_CONFIG_HOME=$work
"$build/bin/tendril" view --size 1100x600 --command 'open memory; memory stacks' \
  --screenshot "$root/docs/viewer-memory.png" "$work/game.tracy"
"$build/bin/tendril" view --size 1100x600 --command 'open memory; memory map' \
  --screenshot "$root/docs/viewer-memory-map.png" "$work/game.tracy"
