#!/usr/bin/env python3
"""tendril report on tt-metal's logs: the numbers of the corpus, what the host said, and inputs that are wrong."""
import csv
import glob
import json
import os
import subprocess
import sys
import tempfile

SOURCE, BINARY = os.environ["TD_SOURCE_DIR"], os.environ["TD_BINARY_DIR"]
sys.path.insert(0, os.path.join(SOURCE, "tests", "tools"))
from common import TENDRIL, check, exit_status  # noqa: E402

CORPUS = os.environ.get("TD_CORPUS", os.path.join(SOURCE, "../shared/corpus"))
HEAD15 = ("ARCH: blackhole, CHIP_FREQ[MHz]: 1350, Max Compute Cores: 130\n"
          "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, trace id, "
          "trace id counter, zone name, type, source line, source file, meta data\n")


def run(*arguments):
    done = subprocess.run([TENDRIL, "report", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True)
    return done.returncode, done.stdout, done.stderr


def rows_of(folder, name="ops_perf_results"):
    paths = glob.glob(os.path.join(folder, "reports", "*", name + "*.csv"))
    if len(paths) != 1:
        return []
    with open(paths[0], newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def corpus_log(folder):
    log = os.path.join(CORPUS, "tt", "profile_log_device.wh_13col.csv")
    if not os.path.exists(log):
        print("skipped: no corpus")
        return
    status, out, _ = run("--json", "-o", folder, log)
    check("the corpus' log is reported", status == 0, out)
    found = json.loads(out)
    check("its rows and operations", (found["log_rows"], found["operations"], found["open"]) == (200, 5, 1), found)
    rows = rows_of(folder)
    expected = {1024: (9241, 8181), 2048: (8608, 7467), 3072: (9204, 8147), 4096: (8533, 7380)}
    with open(log, encoding="utf-8") as f:
        lines = f.read().splitlines(True)
    other = os.path.join(folder, "other", "profile_log_device.csv")
    write(other, "".join(lines[:2] + [line.replace(",1024,", ",0,", 1) for line in lines[2:]]))
    moved = sum(",1024," in line for line in lines[2:])
    check("rows without an operation are counted in one line", found["no_operation_rows"] == 0 and moved and
          f"no operation {moved} rows" in run("-o", os.path.join(folder, "o"), other)[1], (found, moved))
    for row in rows:
        fw_kernel = expected.get(int(row["GLOBAL CALL COUNT"]))
        if fw_kernel:
            check("durations of " + row["GLOBAL CALL COUNT"],
                  (int(row["DEVICE FW DURATION [ns]"]), int(row["DEVICE KERNEL DURATION [ns]"])) == fw_kernel, row)
    check("the open operation has a start alone",
          rows[-1]["GLOBAL CALL COUNT"] == "5120" and rows[-1]["DEVICE FW START CYCLE"] == "2171916009844" and
          not rows[-1]["DEVICE FW END CYCLE"], rows[-1])
    pairs = rows_of(folder, "per_core_op_to_op_times")
    check("times between operations of the core", pairs[0]["op2op ID"] == "1024 -> 2048" and
          int(pairs[0]["1; 1 [ns]"]) == 480782043 - 1500, pairs)


def device_rows(op, start, end, core=1, trace=",", counters=""):
    """A launch of BRISC in which the kernel's zone is 100 cycles shorter at both ends."""
    text = ""
    for name, at, phase in (("BRISC-FW", start, "START"), ("BRISC-FW", end, "END"),
                            ("BRISC-KERNEL", start + 100, "START"), ("BRISC-KERNEL", end - 100, "END")):
        text += f"0,{core},2,BRISC,1,{at},0,{op << 10},{trace},{name},ZONE_{phase},1,fw.cc,\n"
    return text + counters


OPS_DATA = """MessageName;total_ns
`TT_SIGNPOST: warm
up`;100
`TT_DNN_DEVICE_OP: "Matmul", 77, 0, false, 1024 ->
{"global_call_count": 1024, "op_code": "Matmul", "op_type": "tt_dnn_device", "device_id": 0, "op_hash": 77,
 "attributes": {"a": "x;y", "b": 2}, "input_tensors": [{"shape": {"W": "1[1]", "Z": "1[1]", "Y": "32[32]", "X": "64[64]"},
 "layout": "TILE", "dtype": "BFLOAT16", "storage_type": {"device_id": 0, "memory_config": {"buffer_type": "l1",
 "memory_layout": "interleaved"}}}], "output_tensors": [], "kernel_info": {"compute_kernels": [{"math_fidelity": "HiFi4",
 "source": "mm.cpp", "name": "mm/1"}], "datamovement_kernels": [{"source": "r.cpp", "name": "r/2"}], "kernel_sizes":
 {"tensix_dm_0_max_kernel_size": 900}}, "performance_model": {"ideal_ns": 10, "compute_ns": 600, "bandwidth_ns": 5,
 "input_bws": [1.5, 2], "output_bws": []}}`;300
`TT_METAL_TRACE_BEGIN: 0, 9`;400
`TT_DNN_DEVICE_OP: "Matmul", 77, 0, true, 2048`;450
`TT_METAL_TRACE_END: 0, 9`;500
`TT_METAL_TRACE_REPLAY: 0, 9`;600
`TT_METAL_TRACE_REPLAY: 0, 9`;700
"""
OPS_TIMES = """name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,special_parent_text
TT_DNN_DEVICE_OP,a.cpp,1,,id:1024,290,50,1,
TT_DNN_DEVICE_OP,a.cpp,1,,id:2048,440,20,1,
CompileProgram,b.cpp,1,,,300,7,1,id:1024
CompileProgram,b.cpp,1,,,310,8,1,id:1024
"""


def host_and_device(folder):
    logs = os.path.join(folder, ".logs/")
    write(logs + "tracy_ops_data.csv", OPS_DATA)
    write(logs + "tracy_ops_times.csv", OPS_TIMES)
    write(logs + "profile_log_device.csv", HEAD15 + device_rows(2, 90000, 91550, trace="9,2") +
          device_rows(1, 1000, 2550) + device_rows(1, 1010, 2560, core=3) + device_rows(2, 50000, 51550, trace="9,1"))
    status, out, err = run(folder)
    check("a folder of logs is reported", status == 0, err)
    rows = rows_of(folder)
    check("signpost, operation, two replays", [r["OP CODE"] for r in rows] == ["warm", "Matmul", "Matmul", "Matmul"], out)
    row = rows[1]
    expected = {
        "OP TYPE": "tt_dnn_device", "GLOBAL CALL COUNT": "1024", "DEVICE ID": "0", "DEVICE ARCH": "blackhole",
        "ATTRIBUTES": "{'a': 'x;y'; 'b': 2}", "MATH FIDELITY": "HiFi4", "CORE COUNT": "2",
        "AVAILABLE WORKER CORE COUNT": "130", "HOST START TS": "290", "HOST END TS": "340", "HOST DURATION [ns]": "50",
        "DEVICE FW START CYCLE": "1000", "DEVICE FW END CYCLE": "2560", "OP TO OP LATENCY [ns]": "0",
        "DEVICE FW DURATION [ns]": "1156", "DEVICE KERNEL DURATION [ns]": "1007",
        "DEVICE KERNEL DURATION PER CORE MAX [ns]": "1000", "DEVICE KERNEL FIRST TO LAST START [ns]": "7",
        "INPUT_0_Y_PAD[LOGICAL]": "32[32]", "INPUT_0_MEMORY": "DEV_0_L1_INTERLEAVED", "METAL TRACE ID": "",
        "COMPUTE KERNEL SOURCE": "['mm.cpp']", "DATA MOVEMENT KERNEL HASH": "['r/2']", "PROGRAM HASH": "77",
        "PROGRAM CACHE HIT": "False", "TENSIX DM 0 MAX KERNEL SIZE [B]": "900", "PM COMPUTE [ns]": "600",
        "PM REQ I BW": "[1.5; 2]", "PM FPU UTIL (%)": "59.583", "CompileProgram_TT_HOST_FUNC [ns]": "15"}
    for column, value in expected.items():
        check("value of " + column, row.get(column) == value, row.get(column))
    check("replays are numbered", [(r["METAL TRACE ID"], r["METAL TRACE REPLAY SESSION ID"]) for r in rows[2:]] ==
          [("9", "1"), ("9", "2")], rows)
    check("a later launch has the first one's facts", rows[3]["PROGRAM CACHE HIT"] == "True" and
          rows[3]["INPUT_0_LAYOUT"] == "TILE" and rows[3]["OP TO OP LATENCY [ns]"] == "28630", rows[3])


def without_trace_columns(folder):
    """An older log: the n-th run of an operation of a trace is its n-th replay."""
    log = "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\nPCIe slot, core_x, core_y, RISC processor type, timer_id, " \
          "time[cycles since reset], data, run host ID,  zone name, type, source line, source file, meta data\n"
    for start in (5000, 9000):
        log += device_rows(2, start, start + 1000, trace="").replace(",2048,,", ",2048,")
    write(folder + "/tracy_ops_data.csv", OPS_DATA)
    write(folder + "/profile_log_device.csv", log)
    status, _, err = run(folder)
    rows = [r for r in rows_of(folder) if r["GLOBAL CALL COUNT"] == "2048"]
    check("runs are replays", status == 0 and [r["METAL TRACE REPLAY SESSION ID"] for r in rows] == ["1", "2"], err, rows)


def wrong_input(folder):
    good = HEAD15 + device_rows(1, 1000, 2550)

    def refused(what, text, *in_line, name="profile_log_device.csv"):
        write(f"{folder}/{what}/profile_log_device.csv", good)
        write(f"{folder}/{what}/{name}", text)
        status, out, err = run("-o", folder + "/out", f"{folder}/{what}")
        check(what + " is an error", status != 0 and not out, status, out)
        check(what + " is one line that says where", err.count("\n") == 1 and all(i in err for i in in_line), err)

    refused("no header", "nonsense\n", "profile_log_device.csv")
    refused("wrong columns", "ARCH: x, CHIP_FREQ[MHz]: 1000\na,b,c\n", "profile_log_device.csv:2")
    refused("a time that is none", good.replace("2550", "later"), "profile_log_device.csv:4")
    refused("a message without its time", "MessageName;total_ns\n`TT_SIGNPOST: x`;soon\n", "tracy_ops_data.csv:2", "soon",
            name="tracy_ops_data.csv")
    refused("messages without columns", "a;b\n", "tracy_ops_data.csv:1", "MessageName", name="tracy_ops_data.csv")
    write(folder + "/cut/profile_log_device.csv", good + "0,1,2,BRI")
    status, out, _ = run("-o", folder + "/cut", folder + "/cut")
    check("the rows before a cut are counted", status == 0 and "ends inside of a row" in out, out)
    write(folder + "/none/profile_log_device.csv", HEAD15)
    status, out, _ = run("-o", folder + "/none", folder + "/none")
    check("a log without operations is a report without rows", status == 0 and "0 on devices" in out, out)
    write(folder + "/json/profile_log_device.csv", good)
    write(folder + "/json/tracy_ops_data.csv", "MessageName;total_ns\n`TT_DNN_DEVICE_OP: \"A\", 5, 0, true, 1024`;5\n")
    status, out, _ = run(folder + "/json")
    check("an operation whose JSON is missing has its device's columns", status == 0 and
          rows_of(folder + "/json")[0]["DEVICE FW DURATION [ns]"] == "1148", out)
    for arguments in (("--only", "nothing", folder), (folder + "/nowhere",), ("-n", "a/b", folder + "/cut")):
        status, out, err = run(*arguments)
        check(f"{arguments[0]} is refused", status != 0 and err.count("\n") == 1, err)


with tempfile.TemporaryDirectory() as scratch:
    for test in (corpus_log, host_and_device, without_trace_columns, wrong_input):
        place = os.path.join(scratch, test.__name__)
        os.makedirs(place)
        test(place)
sys.exit(exit_status())
