#!/usr/bin/env bash
# Builds every fuzz target with clang and runs each for a while.
# Usage: tests/fuzz/run.sh [SECONDS [TARGET ...]]      (default 60 s, all targets)
# Corpora and findings are kept in build-fuzz/corpus/TARGET and build-fuzz/findings.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-60}
[ $# -eq 0 ] || shift
build="build-fuzz"
command -v clang-14 >/dev/null || {
  echo "run.sh: clang is missing; install it with: apt-get install -y clang-14 libclang-rt-14-dev" >&2
  exit 1
}
CC=clang-14 CXX=clang++-14 cmake -S . -B $build -G Ninja -DTD_FUZZ=ON -DTD_BUILD_DEVICE=OFF -DTD_BUILD_VIEWER=OFF \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo >/dev/null
ninja -C $build >$build/build.log 2>&1 || {
  tail -n 40 $build/build.log >&2
  exit 1
}
mkdir -p $build/findings
status=0
for target in "$build"/fuzz/*; do
  name=$(basename "$target")
  if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then
    continue
  fi
  mkdir -p "$build/corpus/$name"
  seeds=()
  [ ! -d "tests/data/fuzz/$name" ] || seeds=("tests/data/fuzz/$name")
  # Traces of all releases, behind the byte that says how the target takes them: as they are.
  if [ "$name" = fuzz_file ] || [ "$name" = fuzz_container ]; then
    mkdir -p "$build/seeds/$name"
    while IFS= read -r trace; do
      { printf '\0' && cat "$trace"; } >"$build/seeds/$name/$(echo "$trace" | tr / _)"
    done < <(find tests/data/trace "${TD_CORPUS:-../shared/corpus}" -name '*.tracy' 2>/dev/null)
    seeds+=("$build/seeds/$name")
  fi
  # Recorded sessions, behind the byte that says in which pieces they come.
  if [ "$name" = fuzz_saved_session ]; then
    mkdir -p "$build/seeds/$name"
    for session in tests/data/session/*/features.stream; do
      { printf '\100' && cat "$session"; } >"$build/seeds/$name/$(echo "$session" | tr / _)"
    done
    seeds+=("$build/seeds/$name")
  fi
  # The questions that come with Tendril.
  [ "$name" != fuzz_sql ] || seeds+=(docs/queries)
  # Kernels' ELFs are seeds where a build has made some.
  if [ "$name" = fuzz_image ] && [ -d build/examples/hello ]; then
    seeds=(build/examples/hello build/examples/matmul)
  fi
  echo "== $name, $seconds s"
  if ! "$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix=$build/findings/ \
    "$build/corpus/$name" "${seeds[@]}" >"$build/$name.log" 2>&1; then
    tail -n 30 "$build/$name.log"
    status=1
  fi
  grep -E 'number_of_executed_units|new_units_added' "$build/$name.log" || true
done
exit $status
