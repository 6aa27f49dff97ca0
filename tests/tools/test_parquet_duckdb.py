#!/usr/bin/env python3
"""Files of tendril export --to parquet, read by DuckDB from npm: each cell of each table is as in tendril query. The folder
node_modules that has @duckdb/node-api is $TD_NODE_MODULES, or that of npm root -g."""
import json
import os
import shutil
import subprocess
import tempfile

from common import BINARY, SOURCE, TENDRIL, TRACE, check, exit_status

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = ["features", "demo"]


def find_modules():
    folder = os.environ.get("TD_NODE_MODULES")
    if not folder and shutil.which("npm"):
        folder = subprocess.run(["npm", "root", "-g"], capture_output=True, text=True, timeout=60, check=False).stdout.strip()
    return folder if folder and os.path.isdir(os.path.join(folder, "@duckdb", "node-api")) else None


def duckdb(modules, *questions):
    r = subprocess.run(["node", os.path.join(HERE, "duckdb_rows.js"), modules, *questions], capture_output=True, text=True,
                       timeout=200, check=False)
    check("DuckDB reads the files", r.returncode == 0, r.stderr)
    found = [[]]
    for line in r.stdout.split("\n")[:-1]:
        if line:
            found[-1].append(json.loads(line))
        else:
            found.append([])
    return found[:-1]


def is_same(found, wanted):
    """JSON has real numbers without a point as whole ones, and DuckDB's whole numbers are texts here."""
    if isinstance(wanted, (int, float)) and isinstance(found, str):
        found = int(found)
    return found == wanted


def main():
    modules = find_modules()
    if not shutil.which("node") or not modules:
        print("skipped: there is no node, or no @duckdb/node-api in $TD_NODE_MODULES or npm root -g")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        demo, out = os.path.join(folder, "demo.tracy"), os.path.join(folder, "fleet")
        subprocess.run([os.path.join(BINARY, "tests", "write_demo"), "demo", demo], check=True, stdout=subprocess.DEVNULL)
        traces = [TRACE, demo]
        subprocess.run([TENDRIL, "export", "--to", "parquet", "--fleet", "--host", "node7", "-o", out, *traces], check=True,
                       stdin=subprocess.DEVNULL)
        with open(os.path.join(SOURCE, "docs/query-tables.md"), encoding="utf-8") as f:
            tables = [line[3:].strip() for line in f if line.startswith("## ")]
        tables = [name for name in tables if os.path.exists(f"{out}/host=node7/run=demo/{name}.parquet")]
        check("there are tables", len(tables) > 30, tables)
        for trace, run in zip(traces, NAMES):
            found = duckdb(modules, *(f"SELECT * FROM '{out}/host=node7/run={run}/{t}.parquet'" for t in tables))
            for table, rows in zip(tables, found):
                asked = json.loads(subprocess.run([TENDRIL, "query", "--format", "json", trace, f"SELECT * FROM {table}"],
                                                  check=True, capture_output=True, text=True).stdout)
                rows = [row[:len(row) - 2] for row in rows]  # without host and run, of the folders
                check(f"{table} of {run}", len(rows) == len(asked) and all(
                    len(row) == len(wanted) and all(map(is_same, row, wanted.values())) for row, wanted in zip(rows, asked)),
                    rows[:3], asked[:3])
        counts = duckdb(modules, f"SELECT host, run, count(*) FROM read_parquet('{out}/*/*/zones.parquet', hive_partitioning = true) "
                        "GROUP BY ALL ORDER BY run")[0]
        check("all traces are read as one", [row[:2] for row in counts] == [["node7", "demo"], ["node7", "features"]] and
              all(int(row[2]) > 5 for row in counts), counts)
    return exit_status()


if __name__ == "__main__":
    raise SystemExit(main())
