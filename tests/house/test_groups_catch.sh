#!/usr/bin/env bash
# Sources that are checked in groups: what cppcheck finds has their own names and lines, and names that two of them
# define mean what they mean in each.
set -eu
group=$(cd "$(dirname "$0")" && pwd)/group_sources.py
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree"
mkdir -p host/a groups

cat >host/a/a.h <<'END'
struct td_a {
    int four[4];
};
END
for name in one two three; do
  cat >host/a/$name.c <<'END'
#include "host/a/a.h"
#define COUNT 4
enum { LAST = 3 };
static int last(const struct td_a *a) { return a->four[LAST]; }
int td_NAME(const struct td_a *a) { return last(a) + a->four[COUNT - 1]; }
END
  sed -i "s/NAME/$name/" host/a/$name.c
done
for name in four five; do
  printf '#include "host/a/a.h"\n#define SIZE 3\nint td_%s(const struct td_a *a) { return a->four[SIZE]; }\n' $name >host/a/$name.c
done
sed -i 's/SIZE 3/SIZE_5 4/; s/SIZE]/SIZE_5]/' host/a/five.c
sed -i 's/LAST = 3/LAST = 4/' host/a/two.c

find host -name '*.c' | sort | python3 "$group" groups >list
count=$(wc -l <list)
[ "$count" = 3 ] || {
  echo "five files, three of which define the same name, are $count groups, not 3"
  exit 1
}
found=$(xargs <list cppcheck --quiet --std=c11 --language=c -I. --template='{file}:{line} {id}' 2>&1 | sort)
wanted='host/a/five.c:3 arrayIndexOutOfBounds
host/a/two.c:4 arrayIndexOutOfBounds'
[ "$found" = "$wanted" ] || {
  echo "cppcheck found"
  echo "$found"
  exit 1
}
echo ok
