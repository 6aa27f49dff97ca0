#!/usr/bin/env python3
"""A release of Tracy is one line and one column in proto/wire/items.h: with a made-up release added there, and nowhere else,
all code of the protocol compiles, and both ends support the new release.

    test_adding.py CC SOURCE
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

CHECK = r'''
#include "host/wire/hello.h"
#include "host/wire/items.h"
#include <stdio.h>

#define NEED(what) if (!(what)) return printf("not so: %s\n", #what), 1

int main(void)
{
    const struct td_wire_release *made = td_wire_release_for(MADE), *before = td_wire_release_for(BEFORE);
    struct td_wire_view view;
    struct td_err err = {0};
    uint8_t bytes[4096], *p = bytes;
    size_t at = 0;
    NEED(made && before && made == &td_wire_made && td_wire_release_for(MADE + 1) == NULL);
    NEED(td_wire_id(made, TD_ITEM_MadeUp) == 13 && !td_wire_has(before, TD_ITEM_MadeUp));
    NEED(td_wire_item_of(made, 13) == TD_ITEM_MadeUp && td_wire_fixed_bytes(made, TD_ITEM_MadeUp) == 11);
    NEED(td_wire_id(made, TD_ITEM_Terminate) == td_wire_id(before, TD_ITEM_Terminate) + 1);
    NEED(td_wire_id(made, TD_ITEM_Message) == 2 && made->short_forms && made->tagged_messages);
    p = td_wire_put_MadeUp(p, made, &(struct td_wire_MadeUp){.key = 77, .more = 5});
    p = td_wire_put_short_ZoneEnd(p, made, &(struct td_wire_ZoneEnd){100});
    NEED(td_wire_next(made, bytes, (size_t)(p - bytes), &at, &view, &err) == 1 && view.item == TD_ITEM_MadeUp);
    struct td_wire_MadeUp back = td_wire_get_MadeUp(view.payload, made);
    NEED(back.key == 77 && back.more == 5);
    NEED(td_wire_next(made, bytes, (size_t)(p - bytes), &at, &view, &err) == 1 && view.item == TD_ITEM_ZoneEnd);
    NEED(td_wire_get_ZoneEnd(view.payload, made).time == 100);
    at = 0;
    NEED(td_wire_next(before, bytes, (size_t)(p - bytes), &at, &view, &err) != 1 || view.item != TD_ITEM_MadeUp);
    struct td_wire_welcome welcome = {.pid = 5}, heard;
    td_wire_put_welcome(bytes, made, &welcome);
    td_wire_get_welcome(bytes, made, &heard);
    NEED(heard.pid == 5);
    return 0;
}
'''


def with_another_release(table):
    """The table with one more line and column; the protocols: the newest and the made-up one."""
    lines = re.findall(r"^    X\((\w+), (\d+), (\d+), (\d), (\d+), (\d+), [^)]*\)", table, re.M)
    name, before, column, context, welcome, gpu_type = lines[-1]
    made = int(before) + 8
    last = re.search(r"^    X\(%s, %s, [^\n]*\)$" % (name, before), table, re.M)
    line = last[0] + " \\\n    X(made, %d, %d, %s, %s, %s, \"99.0\")" % (
        made, int(column) + 1, context, welcome, gpu_type)
    table = table[:last.start()] + line + table[last.end():]

    def row(match):
        newest = match[2].split(",")[-1].strip()
        ident = newest if newest == "NO" else str(int(newest) + (int(newest) >= 13))
        return "    X(%s, (%s, %s)," % (match[1], match[2], ident)

    table, rows = re.subn(r"^    X\((\w+), \(([\d NO,]+)\),", row, table, flags=re.M)
    ids = ", ".join(["NO"] * (int(column) + 1) + ["13"])
    item = "    X(MadeUp, (%s), FIXED, NONE, F(u64, key) S(u16, more, %d)) \\\n" % (ids, made)
    return table.replace("    X(FrameImage, (", item + "    X(FrameImage, (", 1), rows, int(before), made


def main():
    cc, source = sys.argv[1:3]
    with open(os.path.join(source, "proto", "wire", "items.h"), encoding="utf-8") as file:
        table, rows, before, made = with_another_release(file.read())
    assert rows > 100, rows
    with tempfile.TemporaryDirectory() as scratch:
        os.makedirs(os.path.join(scratch, "proto", "wire"))
        with open(os.path.join(scratch, "proto", "wire", "items.h"), "w", encoding="utf-8") as file:
            file.write(table)
        with open(os.path.join(scratch, "check.c"), "w", encoding="utf-8") as file:
            file.write(CHECK)
        base = [cc, "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-I" + scratch,
                "-I" + source, "-I" + os.path.join(source, "host", "client", "include")]
        users = [path for folder in ("wire", "client", os.path.join("agent", "client"))
                 for path in sorted(glob.glob(os.path.join(source, "host", folder, "**", "*.c"), recursive=True))]
        assert len(users) > 40, users
        subprocess.run([*base, "-DTRACY_ENABLE", "-fsyntax-only", *users], check=True)
        program = os.path.join(scratch, "check")
        parts = [os.path.join(source, "host", "wire", "items.c"), os.path.join(source, "host", "wire", "hello.c"),
                 os.path.join(source, "host", "base", "err.c"), os.path.join(source, "host", "base", "plain_text.c")]
        subprocess.run([*base, "-DMADE=%d" % made, "-DBEFORE=%d" % before, os.path.join(scratch, "check.c"), *parts,
                        "-o", program], check=True)
        subprocess.run([program], check=True)
    print("%d rows, %d files with the made-up protocol %d" % (rows, len(users), made))


if __name__ == "__main__":
    main()
