#!/usr/bin/env bash
# Compares two builds of tendril over every trace and saved session of the corpus: output, files, exit codes.
# Usage: same_output.sh OLD NEW [FOLDER]...     (the binaries; default folders: $TD_CORPUS and tests/data)
# For a change that must not change behaviour. Durations and rates in the output are ignored; messages on standard
# error are compared separately. No test runs it: it needs a build of the tree before the change.
set -u
[ $# -ge 2 ] || {
  echo "usage: same_output.sh OLD NEW [FOLDER]..." >&2
  exit 2
}
old=$1 new=$2
shift 2
root=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -gt 0 ] || set -- "${TD_CORPUS:-$root/../shared/corpus}" "$root/tests/data"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
runs=0 differ=0 messages=0

run() { # run NAME BINARY ARGS...: output, exit code and written file of one build
  local name=$1 binary=$2
  shift 2
  rm -f "$work/out.tracy"
  "$binary" "$@" >"$work/$name" 2>"$work/$name.err" </dev/null
  echo "exit $?" >>"$work/$name"
  [ ! -f "$work/out.tracy" ] || sha256sum <"$work/out.tracy" >>"$work/$name"
  sed -i -E 's/[0-9.]+ (s|ms|MB\/s)\b/TIME/g; s/"(load|save)[a-z_]*":[^,}]*//g' "$work/$name" "$work/$name.err"
}

compare() { # compare ARGS...
  run old "$old" "$@"
  run new "$new" "$@"
  runs=$((runs + 1))
  cmp -s "$work/old.err" "$work/new.err" || {
    messages=$((messages + 1))
    echo "says something else: tendril $*"
    diff "$work/old.err" "$work/new.err" | head -4
  }
  cmp -s "$work/old" "$work/new" && return
  differ=$((differ + 1))
  echo "differs: tendril $*"
  diff "$work/old" "$work/new" | head -4
}

while IFS= read -r trace; do
  compare update -4 -j2 "$trace" "$work/out.tracy"
  compare update "$trace" "$work/out.tracy"
  compare info "$trace"
  compare info --json "$trace"
  compare csvexport "$trace"
  compare csvexport -u "$trace"
  compare csvexport -m "$trace"
  compare csvexport -p "$trace"
  compare compare "$trace" "$trace"
done < <(find "$@" -name '*.tracy' | sort)
while IFS= read -r input; do
  compare import "$input" -o "$work/out.tracy"
done < <(find "$@" \( -name '*.json' -o -name '*.json.zst' -o -name '*.session' -o -name '*.stream' \) | sort)
for command in record capture import info csvexport compare update boards sim probe size view; do
  compare "$command" --no-such-option
  compare "$command" /no/such/file
done
echo "$runs runs, $differ differ, $messages with other messages"
[ "$differ" = 0 ]
