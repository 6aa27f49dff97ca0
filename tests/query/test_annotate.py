#!/usr/bin/env python3
"""tendril annotate, query and info show the known samples of a made-up trace (made_up.h), the same in
text, JSON and CSV. With the corpus: of a trace by stock Tracy, too."""
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile

SOURCE, BINARY = os.environ["TD_SOURCE_DIR"], os.environ["TD_BINARY_DIR"]
sys.path.insert(0, os.path.join(SOURCE, "tests"))
from unchanged import unchanged  # noqa: E402

TENDRIL = os.path.join(BINARY, "bin/tendril")
CORPUS = os.environ.get("TD_CORPUS", os.path.join(SOURCE, "../shared/corpus"))
failures = []


def check(what, ok, *detail):
    if not ok:
        failures.append(what)
        print("FAILED", what, *detail)


def run(*arguments, status=0):
    done = subprocess.run([TENDRIL, *arguments], capture_output=True, text=True)
    check(f"{' '.join(arguments)}: exit status", done.returncode == status, done.returncode, done.stderr)
    return done.stdout if status == 0 else done.stderr


def annotate(*arguments):
    return json.loads(run("annotate", "--json", *arguments))


def check_lists(trace):
    plain = {f["name"]: (f["self"], f["total"]) for f in annotate(trace)["functions"]}
    check("functions", plain == {"main": (0, 107), "work": (71, 107), "leaf": (30, 30), "schedule": (6, 6),
                                 "[unknown]": (3, 3)}, plain)
    work = annotate(trace)["functions"][0]
    check("a function", (work["address"], work["self"], round(work["share"], 4), round(work["total_share"], 4), work["hardware"]["cycles"]) ==
          (annotate(trace, "work")["function"]["address"], 71, .6455, .9727, annotate(trace, "work")["function"]["hardware"]["cycles"]), work)
    inlined = {f["name"]: (f["self"], f["total"]) for f in annotate("--inlines", trace)["functions"]}
    check("inlined functions", inlined["work"] == (41, 107) and inlined["helper"] == (30, 30), inlined)
    rows = list(csv.DictReader(io.StringIO(run("query", "--format", "csv", trace, "SELECT * FROM symbols"))))
    table = {row["name"]: (int(row["self"]), int(row["total"])) for row in rows}
    check("query", table == inlined, table)
    check("counters", [r["cycles"] for r in rows if r["name"] == "helper"] == ["8"], rows)
    text = run("annotate", trace)
    check("text", "110 samples in 5 functions" in text and "\n  64.55 %   71 97.27 %   107  work  work.c:18, 0.50 instructions a cycle\n" in text, text)


def check_choice(trace):
    def samples(*options):
        return annotate(*options, trace)["samples"]
    check("thread by number", samples("--thread", "78") == 10)
    check("two threads", samples("--thread", "77", "--thread", "78") == 110)
    check("range", samples("--range", "1us..41us") == 50)
    check("range and thread", samples("--range", "1us..41us", "--thread", "77") == 40)
    check("no such thread", "no thread has the name" in run("annotate", "--thread", "nosuch", trace, status=1))
    for wrong in ("5", "2s..1s", "a..b", "-1s..2s"):
        run("annotate", f"--range={wrong}", trace, status=2)
    run("annotate", "--att", "--intel", trace, status=2)
    run("annotate", "--waits", trace, "work", status=2)


def check_function(trace, folder):
    work = annotate(trace, "work")
    code = work["code"]["instructions"]
    check("instructions", [(i["mnemonic"], i["operands"], i["self"], i["called"]) for i in code] == [
        ("xor", "eax, eax", 41, 0), ("nop", "", 0, 0), ("add", "eax, 1", 30, 0), ("call", "0x3000", 0, 36),
        ("jmp", "0x2000", 0, 0), ("ret", "", 0, 0)], code)
    check("target", code[4]["target"] == 0x2000 and code[4]["kind"] == "jump", code[4])
    check("lines of an instruction", [(x["function"], x["line"]) for x in code[2]["lines"]] == [
        ("helper", 5), ("work", 22)], code[2])
    lines = {x["line"]: (x["self"], x["inlined"], x["called"]) for x in work["source"]["lines"] if x["line"] >= 20}
    check("source lines", lines == {20: (0, 0, 37), 21: (41, 0, 0), 22: (0, 30, 0)}, lines)
    check("AT&T", annotate("--att", trace, "work")["code"]["instructions"][2]["operands"] == "$1, %eax")
    if shutil.which("llvm-mca"):
        costs = annotate("--cpu", "skylake", trace, "work")["code"]["instructions"]
        check("costs", [i.get("latency_cycles") for i in costs[:2]] == [0, 1], costs)
        check("costs as text", "  lat   every  uops" in run("annotate", "--cpu", "skylake", trace, "work"))
    error = run("annotate", "--cpu", "no such", trace, "work", status=2)
    check("no such processor", error.count("\n") == 1 and "no name of a processor" in error, error)
    run("annotate", "--cpu", "skylake", trace, status=2)
    helper = annotate(trace, "helper")
    check("an inlined function", helper["function"]["inlined"] and helper["code"]["function"] == "work", helper)
    check("by address", annotate(trace, "0x2000")["function"]["name"] == "work")
    text = run("annotate", trace, "work")
    check("text of the function", "71 of 110 samples (64.55 %) in it" in text and "add      eax, 1" in text and
          "work.c:22 > helper.h:5" in text, text)
    callers = annotate("--callers", trace, "leaf")["callers"]
    check("callers", [(c["function"], c["parent"], c["samples"]) for c in callers] == [
        ("leaf", 0, 30), ("work", 1, 30), ("main", 2, 30)], callers)
    listing = os.path.join(folder, "listing.txt")
    run("annotate", "-o", listing, trace, "work")
    with open(listing, encoding="utf-8") as f:
        check("a listing in a file", f.read() == text)
    check("no such function", "no sample is in a function" in run("annotate", trace, "nosuch", status=1))
    here = os.path.join(SOURCE, "tests/query/made_up")
    moved = annotate("--path", f"^main(.*)$;{here}$1", trace, "main")["source"]
    check("a file of this machine", moved["origin"] in ("disk", "newer") and moved["path"] == here + ".c", moved["origin"])
    run("view", "--path", f"^main(.*)$;{here}$1", "--command", f"symbol main; listing {listing}", "--screenshot",
        os.path.join(folder, "source.png"), trace)
    with open(listing, encoding="utf-8") as f, open(here + ".c", encoding="utf-8") as source:
        text = f.read()
        check("the viewer shows it", source.read().splitlines()[-2] in text, text)
    wrong = run("view", "--path", "(;x", "--screenshot", os.path.join(folder, "none.png"), trace, status=2)
    check("a wrong pattern", "regular expression" in wrong, wrong)


def check_waits(trace):
    waits = annotate("--waits", trace)["wait_stacks"]
    check("waits", len(waits) == 1 and waits[0]["count"] == 4 and waits[0]["total_ns"] == 4000 and
          waits[0]["stack"][0]["function"] == "schedule", waits)
    check("text of waits", "4 waits with 1 call stacks, 0.004 ms" in run("annotate", "--waits", trace))
    info = unchanged(json.loads(run("info", "--json", trace)))
    check("info: samples", info["samples"]["running"] == 110 and info["samples"]["waiting"] == 4 and
          info["samples"]["kernel"] == 6 and info["samples"]["unknown"] == 3, info["samples"])
    check("info: wait stacks", info["wait_stacks"] == {"stacks": 1, "waits": 4, "timed": 4, "total_ns": 4000})
    switches = info["context_switches"]
    check("info: switches", switches == [{"thread": 78, "count": 5, "running_ns": 5000, "waiting_ns": 4000,
                                          "woken_ns": 2000, "migrations": 0}], switches)
    text = run("info", trace)
    check("info: text", "samples   110 of call stacks in 5 functions, 6 in the kernel, 3 in code" in text and
          "waits     4 with 1 call stacks" in text, text)


def check_corpus():
    trace = os.path.join(CORPUS, "0.11.1/sampling.tracy")
    if not os.path.exists(trace):
        print("skipped: a trace by stock Tracy (no corpus)")
        return
    functions = annotate("--all", trace)
    check("corpus: sums", sum(f["self"] for f in functions["functions"]) == functions["samples"], functions["samples"])
    check("corpus: first", functions["functions"][0]["name"] == "burn_a", functions["functions"][0])
    burn = annotate(trace, "burn_a")
    check("corpus: text from the trace", burn["source"]["origin"] == "trace" and
          any("burn_a" in x.get("text", "") for x in burn["source"]["lines"]), burn["source"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "made_up.tracy")
        subprocess.run([os.path.join(BINARY, "tests/write_made_up"), trace], check=True)
        check_lists(trace)
        check_choice(trace)
        check_function(trace, folder)
        check_waits(trace)
        check_corpus()
        empty = os.path.join(SOURCE, "tests/data/trace/0.11.1/features.tracy")
        check("a trace without samples", "0 samples in 0 functions" in run("annotate", empty))
    print("ok" if not failures else f"{len(failures)} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
