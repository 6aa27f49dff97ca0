# For tests that a check fails where it should. The caller has set `check`, the check, and `tree`, its argument.
# shellcheck shell=bash disable=SC2154
expect() { # expect CODE WHAT
  local code=0
  python3 "$check" "$tree" >/dev/null || code=$?
  [ "$code" = "$1" ] || {
    echo "$(basename "$check") gave $code for $2, not $1"
    exit 1
  }
}
