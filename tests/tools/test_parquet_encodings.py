#!/usr/bin/env python3
"""Files of Parquet with all kinds of numbers and texts, in groups of all sizes, are read as they were written. Usage:
test_parquet_encodings.py WRITE_PARQUET"""
import json
import os
import subprocess
import sys
import tempfile

import parquet_reader
from common import check, exit_status


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "made.parquet")
        printed = subprocess.run([sys.argv[1], path], check=True, capture_output=True, text=True).stdout
        groups = [json.loads(line) for line in printed.splitlines()]
        columns, sizes, keys = parquet_reader.read(path)
        check("sizes and keys", sizes == [len(group) for group in groups[::3]] and keys == {"name": "value"}, sizes, keys)
        for number, (name, (_, values)) in enumerate(columns.items()):
            at = 0
            for size, wanted in zip(sizes, groups[number::3]):
                found = values[at:at + size]
                check(f"{name} of a group of {size} rows", found == wanted, *[
                    (i, a, b) for i, (a, b) in enumerate(zip(found, wanted)) if a != b][:3])
                at += size
    return exit_status()


if __name__ == "__main__":
    raise SystemExit(main())
