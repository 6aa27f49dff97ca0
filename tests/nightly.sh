#!/usr/bin/env bash
# Runs what takes too long for each change. It continues after a part that fails, and ends with 1 if any did.
#
#   nightly.sh             all parts, one after the other; output in build/nightly/PART.log
#   nightly.sh PART...     these parts
#   nightly.sh --list      a line for each part: its name and its command
set -euo pipefail
cd "$(dirname "$0")/.."

# The first one builds what most others need.
parts=(
  "thorough|./build.sh --test --thorough"
  "questions|ninja -C build random_questions"
  "kernels|ninja -C build random_kernels random_kernels_ttsim"
  "programs|ninja -C build random_programs"
  "calls|ninja -C build every_failing_call"
  "asan|./build.sh --asan --test --build-dir build-asan"
  "monkey|ninja -C build-asan monkey"
  "fuzz|tests/fuzz/run.sh 60"
  "arm64|tests/install/build_for_host.sh arm64 build/nightly/arm64"
  "riscv64|tests/install/build_for_host.sh riscv64 build/nightly/riscv64"
  "packages|tests/install/build_packages.sh build/nightly/packages"
)

command_of() {
  local part
  for part in "${parts[@]}"; do
    [ "${part%%|*}" != "$1" ] || echo "${part#*|}"
  done
}

if [ "${1:-}" = --list ]; then
  printf '%s\n' "${parts[@]/|/ }"
  exit
fi
for name in "$@"; do
  [ -n "$(command_of "$name")" ] || {
    echo "nightly.sh: no part '$name'; see nightly.sh --list" >&2
    exit 2
  }
done
[ $# -gt 0 ] || set -- "${parts[@]%%|*}"
failed=()
mkdir -p build/nightly
for name in "$@"; do
  read -ra words <<<"$(command_of "$name")"
  SECONDS=0
  echo "== $name: ${words[*]}"
  "${words[@]}" >"build/nightly/$name.log" 2>&1 && result=passed || result=failed
  [ "$result" = passed ] || failed+=("$name")
  echo "   $result after $SECONDS s (build/nightly/$name.log)"
done
[ ${#failed[@]} = 0 ] || echo "failed: ${failed[*]}"
[ ${#failed[@]} = 0 ]
