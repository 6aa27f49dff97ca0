#!/usr/bin/env python3
"""docs/client.md has each of the client's settings, and no others: the list is tendril/settings_list.h."""
import os
import re

from traces import SOURCE, check

# Definitions that only the headers use, and switches of other recorders.
NOT_OF_THE_CLIENT = {"TRACY_CALLSTACK", "TRACY_ROCPROF", "TRACY_ROCPROF_CALIBRATION", "TRACY_ROCPROF_COUNTERS"}
# The recorder sets the folder; the debug log has a page of its own.
NOT_IN_TABLES = {"TENDRIL_RUN_DIR", "TENDRIL_DEBUG", "TENDRIL_MALLOC_DEPTH"}


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as f:
        return f.read()


def main():
    listed = set(re.findall(r"^TD_CLIENT_\w+_\(\w+, (\w+)", read("host/client/include/tendril/settings_list.h"), re.M))
    page = read("docs/client.md")
    settings = page[page.index("\n## Settings\n"):]
    settings = settings[:settings.index("\n## ", 1)]
    cells = re.findall(r"^\| (.*?) \|", settings, re.M)
    named = set(re.findall(r"`((?:TRACY|TENDRIL)_\w+)", " ".join(cells))) - NOT_OF_THE_CLIENT
    mentioned = set(re.findall(r"`((?:TRACY|TENDRIL)_\w+)", page))
    check(len(listed) > 40, listed)
    check(listed - NOT_IN_TABLES == named, "only in the list:", listed - NOT_IN_TABLES - named, "only on the page:", named - listed)
    check(NOT_IN_TABLES <= mentioned, NOT_IN_TABLES - mentioned)
    print("ok")


main()
