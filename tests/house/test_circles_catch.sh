#!/usr/bin/env bash
# The check of circles must fail on files that use each other, directly or through others, in code or in data. It must
# pass files that only seem to. Usage: test_circles_catch.sh CC NM
set -eu
check=$(cd "$(dirname "$0")" && pwd)/check_circles.py
cc=$1 nm=$2
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/docs" "$tree/host/trace" "$tree/host/wire" "$tree/tests"
printf '| 3 | host/trace | a |\n| 3 | host/wire | b |\n| 1 | proto | c |\n' >"$tree/docs/design.md"

# build MODULE FILE...: makes a build with only one module, of these files.
build() {
  local module=$1 file object between=
  shift
  printf '[' >"$tree/compile_commands.json"
  for file in "$@"; do
    object=$module.dir/$(basename "$file").o
    mkdir -p "$tree/$module.dir"
    "$cc" -o "$tree/$object" -c "$tree/$file"
    printf '%s{"directory": "%s", "command": "%s -o %s -c %s", "file": "%s"}' "$between" "$tree" "$cc" "$object" \
      "$tree/$file" "$tree/$file" >>"$tree/compile_commands.json"
    between=,
  done
  printf ']\n' >>"$tree/compile_commands.json"
}

expect() { # expect CODE WHAT [TEXT that is printed]
  local code=0
  python3 "$check" "$tree" "$tree" "$nm" >"$tree/out" || code=$?
  [ "$code" = "$1" ] || {
    cat "$tree/out"
    echo "check_circles.py gave $code for $2, not $1"
    exit 1
  }
  [ $# -lt 3 ] || grep -qF "$3" "$tree/out" || {
    cat "$tree/out"
    echo "check_circles.py does not say '$3' for $2"
    exit 1
  }
}

t=$tree/host/trace
echo 'int low(void) { return 1; }' >"$t/low.c"
echo 'int low(void); int middle(void) { return low(); }' >"$t/middle.c"
echo 'int low(void), middle(void); int top(void) { return low() + middle(); }' >"$t/top.c"
build one host/trace/low.c host/trace/middle.c host/trace/top.c
expect 0 "files that use what is below them" "3 files in 1 modules, 0 with circles, 0 files not built"

echo 'int top(void); int low(void) { return top(); }' >"$t/low.c"
build one host/trace/low.c host/trace/middle.c host/trace/top.c
expect 1 "two files" "circle: host/trace/low.c -> host/trace/top.c -> host/trace/low.c"
expect 1 "two files" "host/trace/top.c uses of host/trace/low.c: low"

echo 'int low(void), middle(void); int top(void) { return middle(); }' >"$t/top.c"
build one host/trace/low.c host/trace/middle.c host/trace/top.c
expect 1 "three files" "host/trace/low.c -> host/trace/top.c -> host/trace/middle.c -> host/trace/low.c"

echo 'int middle(void); int (*const table[])(void) = {middle};' >"$t/top.c"
echo 'extern int (*const table[])(void); int low(void) { return table[0](); }' >"$t/low.c"
build one host/trace/low.c host/trace/middle.c host/trace/top.c
expect 1 "a table of functions" "host/trace/low.c uses of host/trace/top.c: table"

build one host/trace/low.c host/trace/top.c
expect 0 "an object that a former build has left" "2 files in 1 modules"
rm "$tree/one.dir/top.c.o"
expect 0 "a part that is not built" "1 files not built"
rm "$tree/one.dir/low.c.o"
expect 1 "nothing that is built"

echo 'int b(void); __attribute__((weak)) int shared(void) { return 1; } int a(void) { return b(); }' >"$t/a.c"
echo '__attribute__((weak)) int shared(void) { return 1; } int b(void) { return shared(); }' >"$t/b.c"
build one host/trace/a.c host/trace/b.c
expect 0 "what both files have"

echo 'int b(void); static int twice(void) { return 2; } int a(void) { return b() + twice(); }' >"$t/a.c"
echo 'int twice(void) { return 2; } int b(void) { return twice(); }' >"$t/b.c"
build one host/trace/a.c host/trace/b.c
expect 0 "a file's own function of a name that another one has too"

echo 'int b(void) __attribute__((weak)); int a(void) { return b ? b() : 0; }' >"$t/a.c"
echo 'int a(void); int b(void) { return a(); }' >"$t/b.c"
build one host/trace/a.c host/trace/b.c
expect 0 "a look whether another file is there"

echo 'int b(void); int a(void) { return b(); }' >"$tree/tests/a.c"
echo 'int a(void); int b(void) { return a(); }' >"$tree/tests/b.c"
build one tests/a.c tests/b.c host/trace/middle.c
expect 0 "what stands outside of the house" "1 files in 1 modules"
echo "ok"
