#!/usr/bin/env python3
"""Budgets of tendril compare decide the exit status, with one trace and with two. Its JUnit report is XML with the
elements and attributes that GitLab and Jenkins read, also when names are hostile."""
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

from common import TENDRIL, check, exit_status

HOSTILE = "</testcase><script>alert('\"&\x01\u202e')"
# What the schema junit-10.xsd of Jenkins' xUnit plugin has, as far as it is used here: attributes, with those that
# are required in capitals, and children.
SCHEMA = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": ({"NAME", "TESTS", "FAILURES", "ERRORS", "skipped", "time", "timestamp", "hostname"}, {"testcase"}),
    "testcase": ({"NAME", "classname", "time"}, {"failure", "error", "skipped"}),
    "failure": ({"type", "message"}, set()),
    "error": ({"type", "message"}, set()),
    "skipped": ({"type", "message"}, set()),
}
BUDGETS = """; a comment
[load is fast]
names = ^load$
max = 12us
mean = <=11 us
count = >=10
[mul does not grow]
names = ^mul
mean = +5%
gone = no
new = no
"""


def make_trace(folder, name, mul_us, zones):
    """A trace with ten zones `load` of 10 us, ten zones `mul` of mul_us, and one zone of each other name."""
    events = []
    for i in range(10):
        events.append({"ph": "X", "pid": 1, "tid": 1, "ts": 1000 * i, "dur": 10, "name": "load"})
        events.append({"ph": "X", "pid": 1, "tid": 1, "ts": 1000 * i + 100, "dur": mul_us, "name": "mul"})
    for i, zone in enumerate(zones):
        events.append({"ph": "X", "pid": 1, "tid": 1, "ts": 20000 + 10 * i, "dur": 2, "name": zone})
    source, trace = os.path.join(folder, name + ".json"), os.path.join(folder, name + ".tracy")
    with open(source, "wb") as f:
        f.write(json.dumps({"traceEvents": events}, ensure_ascii=False).replace("BAD", "\udcff").encode("utf-8", "surrogateescape"))
    subprocess.run([TENDRIL, "import", source, trace], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return trace


def compare(*words):
    got = subprocess.run([TENDRIL, "compare", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False)
    return got.returncode, got.stdout.decode("utf-8", "replace")


def expect(what, words, status, *says):
    got, text = compare(*words)
    check(what + ": exit status", got == status, got, text)
    for line in says:
        check(what + ": says", line in text, line, text)
    return text


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def check_schema(element):
    check("an element of the schema", element.tag in SCHEMA, element.tag)
    attributes, children = SCHEMA[element.tag]
    known = {a.lower() for a in attributes}
    check("attributes of the schema", set(element.attrib) <= known, element.tag, element.attrib)
    check("required attributes", {a.lower() for a in attributes if a.isupper()} <= set(element.attrib), element.tag)
    for child in element:
        check("children of the schema", child.tag in children, element.tag, child.tag)
        check_schema(child)


def read_junit(path):
    """The cases by class and name: failure, error, skipped or None. The counts agree with the cases."""
    root = ET.parse(path).getroot()
    check("the root", root.tag == "testsuites", root.tag)
    check_schema(root)
    cases, kinds = {}, {"failure": 0, "error": 0, "skipped": 0}
    for case in root.iter("testcase"):
        kind = case[0].tag if len(case) else None
        cases[case.get("classname"), case.get("name")] = kind
        if kind:
            kinds[kind] += 1
    suite = root.find("testsuite")
    counts = [int(suite.get(n)) for n in ("tests", "failures", "errors", "skipped")]
    check("counts of the suite", counts == [len(cases), kinds["failure"], kinds["error"], kinds["skipped"]], counts, kinds)
    return cases


def check_budgets(folder, before, after):
    file, junit = write(os.path.join(folder, "b.ini"), BUDGETS), os.path.join(folder, "junit.xml")
    expect("a trace that did not change", ["-b", file, before, before], 0)
    expect("a budget of a change", ["-b", file, "--junit", junit, before, after], 1,
           "budget 'mul does not grow' (mean = +5%) is not kept: mul: mean 20.00 us -> 22.00 us (+10.0%)\n")
    cases = read_junit(junit)
    check("the cases", cases == {
        ("load is fast", "load: max = 12us"): None, ("load is fast", "load: mean = <=11 us"): None,
        ("load is fast", "load: count = >=10"): None, ("mul does not grow", "mul: mean = +5%"): "failure",
        ("mul does not grow", "mul: gone = no"): None, ("mul does not grow", "mul: new = no"): None}, cases)
    expect("one trace", ["-b", file, "--junit", junit, after], 0, "3 limits of budgets compare two traces: not judged")
    cases = read_junit(junit)
    check("changes are skipped with one trace", cases["mul does not grow", "mul: mean = +5%"] == "skipped", cases)
    tight = write(os.path.join(folder, "tight.ini"), "[tight]\nnames = load\nmax = 9.9us\n")
    expect("one trace that breaks a budget", ["-b", tight, after], 1, "budget 'tight' (max = 9.9us) is not kept: load: max 10.00 us")
    expect("two files of budgets", ["-b", tight, "-b", file, before, after], 1, "'tight'", "'mul does not grow'")
    rare = write(os.path.join(folder, "rare.ini"), "[rare]\nmin-count = 11\nnames = .\nmax = 1ns\n"
                                                   "[absent]\noptional = yes\nnames = ^absent$\nmax = 1ns\n")
    expect("names with few zones and absent names", ["-b", rare, "--junit", junit, after], 0,
           "rule 'max = 1ns' judges nothing: no name that it matches has 11 or more (-n)")
    check("they are skipped", set(read_junit(junit).values()) == {"skipped"})
    absent = write(os.path.join(folder, "absent.ini"), "[absent]\nnames = ^absent$\nmax = 1ns\n")
    expect("a budget that guards nothing", ["-b", absent, "--junit", junit, after], 2, "budget 'absent' matches no zone of the trace")
    check("it is an error", list(read_junit(junit).values()) == ["error"])


def check_mistakes(folder, trace):
    path = os.path.join(folder, "wrong.ini")
    for text, says in (("max = 3ms\n", ":1: max is not in a section"),
                       ("[a]\nmax = 3ms\n", "budget [a] has no line 'names = REGEX'"),
                       ("[a]\nnames = load\n[b]\nnames = load\nmax = 1s\n", "budget [a] has no limit"),
                       ("[a]\nnames = (\nmax = 3ms\n", ":2: names: "),
                       ("[a]\nnames = load\nmax = 3\n", ":3: '3' is not a limit of max"),
                       ("[a]\nnames = load\ncount = 3ms\n", ":3: '3ms' is not a limit of count"),
                       ("[a]\nnames = load\nmax = 3%\n", ":3: '3%' is not a limit"),
                       ("[a]\nnames = load\ngone = yes\n", ":3: 'yes' is not a limit of gone, such as no"),
                       ("[a]\nnames = load\nmode = 3ms\n", ":3: 'mode' is neither a statistic"),
                       ("[a]\nnames = load\nby = thread\n", ":3: by is one of zone|"),
                       ("[a]\nnames = load\nmin-count = 0\n", ":3: min-count: '0' is not a number from 1 on"),
                       ("[a]\nnames = a\nnames = b\n", ":3: budget [a] has two lines 'names'"),
                       ("[a]\nnames = .\nby = core\nself = 3ms\n", "only zones have a self time"),
                       ("nonsense\n", ":1: neither [section]"), ("", "has no budget")):
        write(path, text)
        expect("budgets " + repr(text), ["-b", path, trace], 2, says)
    expect("no such file", ["-b", path + "x", trace], 2, "there is no file")
    expect("a rule of changes, one trace", ["-f", "load:+5%", trace], 2, "compares two traces")
    expect("junit cannot be written", ["--junit", "/nowhere/at/all.xml", trace], 2, "/nowhere/at/all.xml")


def check_hostile(folder, before):
    after, junit = make_trace(folder, "hostile", 20, [HOSTILE, "BAD bytes", "a\nb\tc"]), os.path.join(folder, "junit.xml")
    got, _ = compare("-f", ".:>1ns", "-f", ".:new", "--junit", junit, before, after)
    check("rules fire for hostile names", got == 1, got)
    cases = read_junit(junit)
    names = {name for kind, name in cases if kind == ".:new"}
    check("hostile names are text", names == {"load", "mul", HOSTILE.replace("\x01", "\ufffd").replace("\u202e", "\ufffd"),
                                              "\ufffd bytes", "a\nb\tc"}, names)
    check("new names fail, others do not", sorted(str(v) for (kind, _), v in cases.items() if kind == ".:new") ==
          ["None", "None", "failure", "failure", "failure"], cases)


def main():
    with tempfile.TemporaryDirectory() as folder:
        before, after = make_trace(folder, "before", 20, []), make_trace(folder, "after", 22, [])
        check_budgets(folder, before, after)
        check_mistakes(folder, before)
        check_hostile(folder, before)
    return exit_status()


sys.exit(main())
