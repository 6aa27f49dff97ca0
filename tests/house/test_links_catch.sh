#!/usr/bin/env bash
# The check of links must fail on a file that does not exist and on a heading that its page does not have.
set -eu
check=$(dirname "$0")/check_links.py
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# shellcheck source=tests/house/expect.sh
. "$(dirname "$0")/expect.sh"
cat >"$tree/a.md" <<'EOF'
# A page

## `one`: two, three

[here](#one-two-three), `[code](nowhere)`
EOF
printf '[a](a.md#a-page), [web](https://example.org)\n' >"$tree/b.md"
expect 0 "links that lead somewhere"
printf '[a](a.md#another-page)\n' >"$tree/b.md"
expect 1 "a heading that the page does not have"
printf '[c]: c.md\n' >"$tree/b.md"
expect 1 "a file that does not exist"
echo "ok"
