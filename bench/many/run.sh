#!/bin/bash
# Records 24 chips of 64 tiles of 5 cores, 7,680 lanes, in one run, and says what that took.
#
#   bench/many/run.sh [--build DIR] [--emulate TILES] [--zones N] [--grid WxH] [--out FILE.tracy]
#
# The first TILES tiles run on emulators, the others natively with the same runtime; the simulator says how many. Each
# lane is filled with N zones. Next to the trace: a picture of it, where the viewer is built.
set -eu
cd "$(dirname "$0")/../.."
build=build emulate=16 zones=1000 grid=8x8 out=
while [ $# -gt 0 ]; do
  case $1 in
  --build) build=$2 ;;
  --emulate) emulate=$2 ;;
  --zones) zones=$2 ;;
  --grid) grid=$2 ;;
  --out) out=$2 ;;
  *)
    echo "usage: bench/many/run.sh [--build DIR] [--emulate TILES] [--zones N] [--grid WxH] [--out FILE.tracy]" >&2
    exit 2
    ;;
  esac
  shift 2
done
build=$(cd "$build" && pwd)
out=${out:-$build/many/many.tracy}
folder=$(mktemp -d /dev/shm/tendril-many-XXXXXX)
bar=$folder/board.bar
elfs=$(printf '%s,' "$build"/kernels/fill.*.elf)

"$build/bin/tensix_sim" --bar "$bar" -b bench/many/galaxy.board --grid "$grid" --emulate "$emulate" --native "${elfs%,}" &
sim=$!
trap 'kill $sim 2>/dev/null || true; wait $sim 2>/dev/null || true; rm -rf "$folder"' EXIT
until printf TDRLBAR1 | cmp -s -n 8 - "$bar"; do # which it begins with once the board is there
  kill -0 $sim
  sleep 0.1
done

# Largest resident size of a process that ends here, and its times.
measured() {
  python3 - "$@" <<'PYTHON'
import os, resource, subprocess, sys, time
start = time.time()
code = subprocess.call(sys.argv[1:])
u = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{os.path.basename(sys.argv[1])} {sys.argv[2]}: {time.time() - start:.1f} s, {u.ru_utime + u.ru_stime:.1f} s CPU, "
      f"{u.ru_maxrss / 1024:.0f} MiB at most", flush=True)
sys.exit(code)
PYTHON
}

measured "$build/bin/tendril" record --at "$bar" -o "$out" -- "$build/many/fill_all" "$build/kernels" "$zones"
echo "tensix_sim: $(awk '/VmHWM/ { print int($2 / 1024) }' /proc/$sim/status) MiB at most, board included"
measured "$build/bin/tendril" info "$out" | sed -n '/^time/p; /^tracks/p; /^zones/p; /^messages/p; /^lost/p; /^clock/p; /^tendril/p'
if "$build/bin/tendril" view --help >/dev/null 2>&1; then
  measured "$build/bin/tendril" view --screenshot "${out%.tracy}.png" "$out" | tail -1
  echo "picture: ${out%.tracy}.png"
fi
