"""tendril merge: contents of several traces in one, on one clock."""
import json
import os
import subprocess
import sys
import tempfile

from common import SOURCE, TENDRIL, check, exit_status, unchanged

DATA = os.path.join(SOURCE, "tests/data/trace")
OLD, NEW = os.path.join(DATA, "0.11.1/features.tracy"), os.path.join(DATA, "0.14.0/synthetic.tracy")
GPU = os.path.join(DATA, "0.11.1/gpu.tracy")


def run(*args):
    return subprocess.run([TENDRIL, *args], capture_output=True, text=True, timeout=60)


def merge(out, *args):
    done = run("merge", "-q", "-o", out, *args)
    check(f"merge {args}", done.returncode == 0, done.stderr)
    return out


def info(path):
    return unchanged(json.loads(run("info", "--json", path).stdout))


def rows(path, *options):
    return run("csvexport", *options, path).stdout.splitlines()[1:]


def messages(path):
    """(text, time in ns), in the order of the trace."""
    found = []
    for line in rows(path, "-m"):
        text, _, time = line.rpartition(",")
        if time.isdigit():
            found.append((text, int(time)))
    return found


def zone_sums(*paths):
    """By name, file and line: the count and the total time."""
    sums = {}
    for path in paths:
        for line in rows(path):
            cells = line.split(",")
            total, count = sums.get(tuple(cells[:3]), (0, 0))
            sums[tuple(cells[:3])] = (total + int(cells[3]), count + int(cells[5]))
    return sums


def contents(path):
    with open(path, "rb") as f:
        return f.read()


def check_sums(folder):
    first = ["--align", "first"]
    out = merge(os.path.join(folder, "sum.tracy"), *first, OLD, NEW, GPU)
    facts, parts = info(out), [info(p) for p in (OLD, NEW, GPU)]
    for field in ("zones", "gpu_zones", "open_zones", "threads"):
        check(f"{field} are those of all", facts[field] == sum(p[field] for p in parts), facts[field], [p[field] for p in parts])
    merged, apart = zone_sums(out), zone_sums(OLD, NEW, GPU)
    check("times of zones are those of all", merged == apart, [(k, merged.get(k), apart.get(k)) for k in {**merged, **apart}
                                                               if merged.get(k) != apart.get(k)][:5])
    check("messages", sorted(m[0] for m in messages(out)) == sorted(m[0] for p in (OLD, NEW, GPU) for m in messages(p)))
    check("a line for each source", len(facts["sources"]) == 3 and all("aligned by" in s for s in facts["sources"]), facts["sources"])
    other = merge(os.path.join(folder, "other.tracy"), *first, GPU, OLD, NEW)
    check("the order of files makes no difference", contents(out) == contents(other))
    small = merge(os.path.join(folder, "small.tracy"), "--memory", "64k", *first, NEW, GPU, OLD)
    check("nor does the memory", contents(out) == contents(small))
    again = merge(os.path.join(folder, "again.tracy"), *first, out, NEW)
    check("a merged trace can be merged", info(again)["zones"] == facts["zones"] + parts[1]["zones"])


def check_alone(folder):
    for path in (OLD, NEW, GPU):
        one = merge(os.path.join(folder, "one.tracy"), path)
        run("update", "--format", "any", path, os.path.join(folder, "same.tracy"))
        check(f"{path} alone is unchanged", contents(one) == contents(os.path.join(folder, "same.tracy")))


def check_alignment(folder):
    text, first = messages(OLD)[len(messages(OLD)) // 2]
    out = os.path.join(folder, "aligned.tracy")
    copy = os.path.join(folder, "copy.tracy")
    subprocess.run(["cp", OLD, copy], check=True)
    merge(out, "--align", "message:" + text, OLD, copy)
    found = [m[1] for m in messages(out) if m[0] == text]
    check("messages are at one time", found[:2] == [first, first], found, first)
    merge(out, "--align", "message:" + text, "--offset", "copy.tracy=12345", OLD, copy)
    found = [m[1] for m in messages(out) if m[0] == text]
    check("an offset moves one", found[:2] == [first, first + 12345], found, first)
    sets = [s for s in info(OLD)["frame_sets"] if s["frames"] > 3]
    merge(out, "--align", f"frame:{sets[-1]['name']}:3", OLD, copy)
    merge(out, "--align", "first", OLD, NEW)
    merge(out, "--align", "first", OLD, copy)
    labels = [source.partition(":")[0] for source in info(out)["sources"]]
    check("the files' names follow, without .tracy", labels == ["features copy", "features features"], labels)
    merge(out, "--name", f"{OLD}=left", "--name", f"{copy}=right", OLD, copy)
    names = [t["name"] for t in info(out)["tracks"]]
    check("tracks have the names", any(n.startswith("left: ") for n in names) and any(n.startswith("right: ") for n in names))


def check_mistakes(folder):
    out = os.path.join(folder, "none.tracy")
    damaged = os.path.join(folder, "damaged.tracy")
    with open(damaged, "wb") as f:
        f.write(contents(OLD)[:3000])
    mistakes = [["--align", "message:no such text", OLD, NEW], ["--align", "frame:None:1", OLD, NEW], ["--align", "tea", OLD], [OLD, NEW],
                ["--align", "frame:x", OLD], ["--align", "frame:x:-1", OLD], ["--offset", "x=1", OLD], ["--offset", f"{OLD}=y", OLD],
                ["--offset", OLD, OLD], ["--name", f"{OLD}=", OLD, NEW], [OLD, OLD], [OLD, damaged], [OLD, folder], [],
                [OLD, os.path.join(folder, "missing")], ["--memory", "x", OLD]]
    for mistake in mistakes:
        done = run("merge", "-q", "-o", out, *mistake)
        check(f"{mistake} is an error", done.returncode in (1, 2), done.returncode)
        check(f"{mistake} prints one line", len(done.stderr.strip().splitlines()) == 1, done.stderr)
        check(f"{mistake} writes nothing", not os.path.exists(out))
    check("an output is needed", run("merge", OLD).returncode == 2)


def check_stock(folder):
    stock = os.environ.get("TD_STOCK_DIR", "")
    out = merge(os.path.join(folder, "stock.tracy"), OLD, GPU)
    for release in ("0.11.1", "0.13.1", "0.14.0"):
        program = os.path.join(stock, release, "bin", "csvexport")
        if not stock or not os.path.exists(program):
            continue
        done = subprocess.run([program, out], capture_output=True, text=True, timeout=60)
        count = sum(int(line.split(",")[5]) for line in done.stdout.splitlines()[1:])
        check(f"stock {release} reads it", done.returncode == 0 and count == info(out)["zones"] - info(out)["open_zones"], count)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_sums(folder)
        check_alone(folder)
        check_alignment(folder)
        check_mistakes(folder)
        check_stock(folder)
    return exit_status()


if __name__ == "__main__":
    sys.exit(main())
