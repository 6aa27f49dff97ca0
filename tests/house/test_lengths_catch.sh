#!/usr/bin/env bash
# The check of lengths must fail on a function of 81 lines.
set -eu
check=$(dirname "$0")/check_lengths.py
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/host"

# shellcheck source=tests/house/expect.sh
. "$(dirname "$0")/expect.sh"
write_function() { # write_function LINES: a function of so many lines, its signature included
  echo 'int td_a(int b)'
  echo '{'
  for _ in $(seq "$(($1 - 3))"); do echo '    b++;'; done
  echo '}'
}
write_function 80 >"$tree/host/a.c"
expect 0 "a function of 80 lines"
write_function 81 >"$tree/host/a.c"
expect 1 "a function of 81 lines"
echo "ok"
