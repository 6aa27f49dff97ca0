#!/usr/bin/env bash
# Takes the pictures of docs/viewer.md that show the demo trace: panels.sh BUILD
set -eu
build=$(realpath "${1:?the folder of a build}")
root=$(realpath "$(dirname "$(realpath "$0")")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CONFIG_HOME=$work XDG_STATE_HOME=$work
cp "$root/host/viewer/app/demo.tracy" "$work"
cd "$work"
# Makes docs/NAME.png: NAME SIZE COMMANDS
picture() {
  "$build/bin/tendril" view --screenshot "$root/docs/$1.png" --size "$2" --command "$3" demo.tracy
}
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
picture viewer-frames 1100x600 'open frames'
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
