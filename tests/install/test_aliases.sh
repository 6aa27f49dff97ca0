#!/usr/bin/env bash
# What -DTD_INSTALL_ALIASES=ON makes and installs, links with the names that scripts call, acts as the command of that name.
set -eu
build=${TD_BINARY_DIR:?}
source=${TD_SOURCE_DIR:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake "-DTENDRIL=$build/bin/tendril" "-DTO=$work/prefix/bin" -P "$source/host/cli/aliases.cmake"
bin=$work/prefix/bin
ln -s "$build/bin/tendril" "$bin/tendril"

expect() {
  [ "$1" = "$2" ] || {
    echo "$3: '$1' instead of '$2'"
    exit 1
  }
}
for name in capture-release csvexport-release update-release import-chrome-release import-fuchsia-release tracy-capture \
  tracy-csvexport tracy-update tracy-import-chrome tracy-import-fuchsia iree-tracy-capture iree-tracy-csvexport; do
  command=${name#iree-}
  command=${command#tracy-}
  command=${command%-release}
  command=${command%-chrome}
  expect "$("$bin/$name" --help)" "$("$bin/tendril" "${command%-fuchsia}" --help)" "$name --help"
done
expect "$(find "$bin" -type l ! -name 'iree-tracy-profiler' | wc -l)" 13 "links"

# Calls the links as scripts call stock's programs.
trace=$source/tests/data/trace/0.11.1/features.tracy
expect "$("$bin/csvexport-release" -u "$trace" | sha256sum)" "$("$bin/tendril" csvexport -u "$trace" | sha256sum)" "a table"
"$bin/update-release" -h "$trace" "$work/again.tracy" >"$work/log"
expect "$("$bin/tracy-csvexport" "$work/again.tracy" | sha256sum)" "$("$bin/tendril" csvexport "$trace" | sha256sum)" "its rewritten form"
echo '[{"ph":"X","name":"zone","pid":1,"tid":1,"ts":1,"dur":2}]' >"$work/chrome.json"
for round in first second; do
  "$bin/import-chrome-release" "$work/chrome.json" "$work/chrome.tracy" >"$work/log"
  expect "$("$bin/tracy-csvexport" "$work/chrome.tracy" | grep -c '^zone,')" 1 "the imported zone, $round time"
done
