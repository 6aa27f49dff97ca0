#!/usr/bin/env bash
# Checks the rules of style that tools can check.
# Usage: check_style.sh format|cppcheck|shellcheck|docs, or clang with TD_BINARY_DIR set to a build with GCC.
# The slow ones look at files that the last commits or the working tree have changed; with TD_THOROUGH at all.
set -eu
cd "$(dirname "$0")/../.."

# Files of the tree: those that git tracks, or, without git, all files outside of build folders.
files() {
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -- "$@"
  else
    local patterns=() p
    for p in "$@"; do patterns+=(-o -name "$p"); done
    find . -path ./build -prune -o -type f \( "${patterns[@]:1}" \) -print
  fi
}

# Of the names that it reads, those that changed in the last N commits (20) or since; without git, or where the rules
# changed, all.
changed() { # [N]
  local names log
  names=$(cat)
  if [ -z "${TD_THOROUGH:-}" ] && git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    log=$({ git log -n "${1:-20}" --format= --name-only && git diff --name-only HEAD; } | sort -u)
    if ! grep -qxF -e .clang-format -e tests/house/cppcheck.txt <<<"$log"; then
      names=$(grep -xF -f <(echo "$log") <<<"$names" || true)
    fi
  fi
  echo "$(grep -c . <<<"$names") files" >&2
  [ -z "$names" ] || echo "$names"
}

case ${1:-} in
format)
  files '*.c' '*.h' '*.cpp' '*.hpp' | changed | xargs -r clang-format --dry-run --Werror
  ;;
cppcheck) # in groups: alone, most files take longer for their headers than for themselves
  groups=$(mktemp -d)
  trap 'rm -rf "$groups"' EXIT
  files 'host/*.c' 'boards/*.c' | changed | python3 tests/house/group_sources.py "$groups" >"$groups/list"
  xargs -r <"$groups/list" cppcheck --quiet --std=c11 --language=c --error-exitcode=1 -j2 \
    --enable=warning,portability --inline-suppr --suppressions-list=tests/house/cppcheck.txt \
    -I. -D__x86_64__ -D__linux__ -D__SIZEOF_POINTER__=8 -D_GNU_SOURCE \
    -D__ORDER_LITTLE_ENDIAN__=1234 -D__BYTE_ORDER__=1234 --template='{file}:{line}: {severity}: {message} [{id}]'
  ;;
clang) # some seconds for a few files; all of them take minutes, each night
  files '*.c' '*.cpp' | changed 5 | python3 tests/house/check_clang.py "${TD_BINARY_DIR:-build}"
  ;;
shellcheck)
  { files '*.sh' && echo .ci/run; } | xargs shellcheck
  ;;
docs) # Prose is wrapped; rows of tables and code are not.
  files '*.md' | xargs awk '
    FNR == 1 { code = 0 }
    /^ *```/ { code = !code }
    !code && !/^\|/ && !/^\[.*\]: / && length > 110 { print FILENAME ":" FNR ": " length " columns"; bad = 1 }
    END { exit bad }'
  ;;
*)
  echo "usage: check_style.sh format|cppcheck|clang|shellcheck|docs" >&2
  exit 2
  ;;
esac
echo ok
