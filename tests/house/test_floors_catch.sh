#!/usr/bin/env bash
# The floor check must fail on an include that goes up or across, on a circle, and on one that
# goes up between the rooms of a folder.
set -eu
check=$(dirname "$0")/check_floors.py
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/docs" "$tree/proto" "$tree/host/trace" "$tree/host/wire"
printf '| 3 | host/trace | a |\n| 3 | host/wire | b |\n| 1 | proto | c |\n' >"$tree/docs/design.md"
echo '#include "proto/a.h"' >"$tree/host/trace/t.c"
echo '' >"$tree/proto/a.h"
echo '' >"$tree/host/wire/w.h"

# shellcheck source=tests/house/expect.sh
. "$(dirname "$0")/expect.sh"
expect 0 "a sound tree"
echo '#include "host/trace/t.h"' >"$tree/proto/a.h"
echo '' >"$tree/host/trace/t.h"
expect 1 "an include that goes up"
echo '' >"$tree/proto/a.h"
echo '#include "host/wire/w.h"' >"$tree/host/trace/t.c"
expect 1 "an include that goes across"
echo '#include "b.h"' >"$tree/proto/a.h"
echo '#include "a.h"' >"$tree/proto/b.h"
echo '' >"$tree/host/trace/t.c"
expect 1 "a circle"
rm "$tree/proto/b.h"
echo '' >"$tree/proto/a.h"
printf '| host/trace | rooms: low, high, . |\n' >>"$tree/docs/design.md"
mkdir "$tree/host/trace/low" "$tree/host/trace/high"
echo '' >"$tree/host/trace/low/l.h"
echo '#include "host/trace/low/l.h"' >"$tree/host/trace/high/h.h"
echo '#include "host/trace/high/h.h"' >"$tree/host/trace/t.c"
expect 0 "rooms that include lower ones"
echo '#include "host/trace/high/h.h"' >"$tree/host/trace/low/l.c"
expect 1 "a room that includes a higher one"
rm "$tree/host/trace/low/l.c"
mkdir "$tree/host/trace/other"
echo '#include "host/trace/low/l.h"' >"$tree/host/trace/other/o.c"
expect 1 "a room that is not listed"
echo "ok"
