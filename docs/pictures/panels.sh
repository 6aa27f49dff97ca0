#!/usr/bin/env bash
# Takes the pictures of docs/viewer.md: panels.sh BUILD [NAME...]. BUILD has the targets tendril, tendril-client,
# traffic and e2e_traffic; NAME is a picture, such as viewer-locks. The folder /tmp/pictures must not be there: its
# name is seen in some pictures. Samples need perf events, and root's rights for the kernel's functions. Those of
# docs/tutorials are taken by tests/tutorials/run_page.py --update.
set -eu
build=$(realpath "${1:?the folder of a build}")
shift
wanted=" $* "
here=$(dirname "$(realpath "$0")")
root=$(realpath "$here/../..")
work=/tmp/pictures
mkdir "$work"
trap 'rm -rf "$work"' EXIT
export XDG_CONFIG_HOME=$work/state XDG_STATE_HOME=$work/state XDG_DATA_HOME=$work/state
cd "$work"

# Makes docs/NAME.png: NAME SIZE COMMANDS [TRACE [OPTION...]]
picture() {
  local name=$1 size=$2 commands=$3 trace=${4:-demo.tracy}
  shift 3
  [ $# = 0 ] || shift
  [ "$wanted" = "  " ] || [[ $wanted == *" $name "* ]] || return 0
  "$build/bin/tendril" view --screenshot "$root/docs/$name.png" --size "$size" --command "$commands" "$@" "$trace"
}

# Compiles a program of this folder: NAME OPTION...
compile() {
  local name=$1
  shift
  cp "$here/$name.cpp" "$work"
  g++ -std=c++11 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -DTRACY_ENABLE "$@" \
    -I"$root/host/client/include" -I"$root" \
    "$name.cpp" -o "$name" -L"$build/lib" -l:libtendril-client.a -llz4 -lm -lpthread
}

# Records a program: TRACE PROGRAM ARGUMENT...
capture() {
  local trace=$1 program=$2 port
  shift 2
  port=$(python3 "$root/tests/ports.py")
  TENDRIL_WAIT_CONNECT_MS=30000 TRACY_PORT=$port "./$program" "$@" &
  "$build/bin/tendril" capture -f -p "$port" -o "$trace" >/dev/null
  wait $!
}

cp "$root/host/viewer/app/demo.tracy" .
compile game -O1
compile sorter -O2
TRACY_NO_SYSTEM_TRACING=1 capture game.tracy game
TRACY_NO_SYSTEM_TRACING=1 capture before.tracy game 120
capture sorter.tracy sorter
"$build/bin/tendril" record -o traffic.tracy --clock insn --grid 5x4 -- \
  "$build/tests/e2e/traffic" "$build/tests/kernels/e2e_traffic.elf" 4 >/dev/null
unshare -rn python3 "$here/windows.py" "$build" "$root/docs" "$wanted"

picture demo 1600x900 'find KERNEL; next; find; open statistics'
picture viewer-menu 1100x600 'find main; next; menu'
picture viewer-palette 1100x600 'palette'
picture viewer-light 1100x600 'set colours light; open statistics'
picture viewer-manual 1100x600 'manual statistics'
picture viewer-help 1100x600 'open help'
picture viewer-options 1100x760 'open options'
picture viewer-cores 1400x800 'layout cores'
picture viewer-find 1400x800 'find multiply; next; layout find'
picture viewer-chips 1100x600 'chip busy'
picture viewer-instances 1400x600 'find multiply; next; close details; open instances'
picture viewer-lanes 1100x600 'open lanes'
picture viewer-losses 1100x600 'open losses'
picture viewer-messages 1100x600 'open messages'
picture viewer-notes 1100x600 'note 1ms..2ms "slow launch"; open notes'
picture viewer-operations 1100x600 'operation 1'
picture viewer-plots 1100x600 'open plots'
picture viewer-range 1100x600 'open cells'
picture viewer-trace 1100x380 'open trace'
picture viewer-waits 1100x600 'open waits'
picture viewer-zone 1100x600 'find launch; next; find'
picture viewer-zones 1100x600 'open statistics'
picture viewer-flame 1280x640 'open flame'

picture viewer-compare 1300x700 'open compare; find load_texture; next' game.tracy --compare before.tracy
picture viewer-frames 1100x600 'open frames; frame 22' game.tracy
picture viewer-locks 1100x600 'pin Locks; open locks' game.tracy
picture viewer-memory 1100x600 'open memory; memory stacks' game.tracy
picture viewer-memory-map 1100x600 'open memory; memory map' game.tracy
picture viewer-playback 1100x600 'open playback; playback 12' game.tracy

picture viewer-cpus 1100x600 'find sort; next; next; next; zoom; find; close details; runs "sorter 1"' sorter.tracy
picture viewer-critical 1100x600 'hide "CPU data"; critical "Main thread" 0s..20s' sorter.tracy
picture viewer-callstack 1100x600 'find sort; next; next; next; zoom; find; close details; hide "CPU data"; open callstack' sorter.tracy
picture viewer-entries 1100x600 'open entries' sorter.tracy
picture viewer-source 1500x760 'set ghosts empty; symbol partition' sorter.tracy
picture viewer-registers 1500x760 'set ghosts empty; symbol partition; code registers on; code at +0xf' sorter.tracy
picture viewer-symbols 1100x600 'open symbols' sorter.tracy
picture viewer-waitstacks 1100x600 'open waitstacks' sorter.tracy
picture viewer-zone-samples 1100x700 'find sort; next; open details' sorter.tracy

picture viewer-noc 1300x640 'find BRISC-KERNEL; next; zoom; find; close details; set transfers all; chip noc' traffic.tracy
