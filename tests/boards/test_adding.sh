#!/usr/bin/env bash
# Adds a board by docs/adding-a-board.md: its example's text and its commands, with the installed tools and nothing of this tree.
set -eu
build=${TD_BINARY_DIR:?}
source=${TD_SOURCE_DIR:?}
page=$source/docs/adding-a-board.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"

block() { # the text of the page's first block of this kind
  sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$page" | sed '1d;$d'
}
mkdir "$work/new"
cd "$work/new"
block ini >pair.board
block sh >commands
grep -q '^name=pair$' pair.board
grep -q 'td_ldgen' commands
cp "$source/examples/hello/kernel.c" "$build/examples/hello/hello" .
echo "include $work/prefix/share/tendril/device/tendril.mk" >Makefile
unset MAKEFLAGS MAKELEVEL TENDRIL_BOARDS
PATH=$work/prefix/bin:$PATH bash -eu commands

"$work/prefix/bin/tendril" info --json pair.tracy >info.json
python3 - <<'END'
import json
info = json.load(open("info.json"))
cores = [t for t in info["tracks"] if t["kind"] == "core" and t["zones"]]
assert info["board"] == "pair 2x1", info["board"]
assert [t["name"] for t in cores] == ["chip 0 tile 0,0 MAIN"], cores
assert cores[0]["zones"] == 11, cores[0]
assert "MAIN-KERNEL" in [n["name"] for n in cores[0]["names"]], cores[0]
END

# The same description in a folder of boards: it is found by name and listed, and an error in it is reported.
mkdir kept
cp pair.board kept
TENDRIL_BOARDS=$PWD/kept "$work/prefix/bin/tendril" boards >list
grep -Eq '^pair +3x2 +MAIN HELPER +12 +shm \(simulated\)$' list
sed -i 's/^code_base=0x30000/code_base=0x20000/' kept/pair.board
if TENDRIL_BOARDS=$PWD/kept "$work/prefix/bin/tendril" sim --check pair 2>said; then
  echo "overlapping code is not refused" >&2
  exit 1
fi
grep -q "kept/pair.board:48: HELPER's code (0x20000 to 0x40000) overlaps MAIN's code" said || {
  cat said >&2
  exit 1
}
TENDRIL_BOARDS=$PWD/kept "$work/prefix/bin/tendril" boards >list
grep -q '^pair  *cannot be read: .*kept/pair.board:48: ' list
echo "the page's board runs"
