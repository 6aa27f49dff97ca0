#!/usr/bin/env bash
# The check of names must fail on a tag in two folders and on a tag that is a function, too.
set -eu
check=$(dirname "$0")/check_names.py
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/host/one" "$tree/host/two"

# shellcheck source=tests/house/expect.sh
. "$(dirname "$0")/expect.sh"
printf 'struct td_a {\n    int b;\n};\n/* struct td_b {\n */\n' >"$tree/host/one/a.h"
printf 'struct td_b {\n    int b;\n};\nint td_c(void);\n' >"$tree/host/two/b.h"
expect 0 "names with one meaning"
printf 'struct td_a {\n    int c;\n};\n' >"$tree/host/two/c.c"
expect 1 "a tag in two folders"
printf 'int td_a(void);\n' >"$tree/host/two/c.c"
expect 1 "a tag that is a function, too"
echo "ok"
