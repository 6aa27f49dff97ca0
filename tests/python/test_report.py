"""`-r` leaves the folders and files that tt-metal's tools expect."""
import csv
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import kit
from kit import PROGRAMS, check, run

LOGS = ["tracy_ops_data.csv", "tracy_ops_times.csv", "tracy_profile_log_host.tracy"]


def tracy(folder, *words):
    return run("-m", "tracy", "-o", folder, *words, variables={"PATH": os.path.dirname(kit.TENDRIL) + ":/usr/bin:/bin"})


def reports_of(folder):
    return sorted(os.path.relpath(os.path.join(where, name), folder)
                  for where, _, names in os.walk(os.path.join(folder, "reports")) for name in names)


def files():
    with tempfile.TemporaryDirectory() as folder:
        code, out, err = tracy(folder, "-r", "-n", "first", "--child-functions", "helper", PROGRAMS + "/ops.py")
        check(code == 0 and out == "1024\n2048\n", f"{code} {out} {err}")
        logs = os.path.join(folder, ".logs")
        check(set(LOGS) <= set(os.listdir(logs)), str(os.listdir(logs)))
        date = "9999_99_99_99_99_99"
        check([re.sub(r"\d", "9", name) for name in reports_of(folder)] ==
              [f"reports/first/{date}/{name}" for name in (f"ops_perf_results_first_{date}.csv", "profile_log_device.csv",
                                                           "tracy_profile_log_host.tracy")], str(reports_of(folder)))
        with open(os.path.join(folder, reports_of(folder)[0]), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        codes = [(row["OP CODE"], row["OP TYPE"]) for row in rows]
        check(codes.count(("Run number 5", "signpost")) == 1 and codes.count(("softmax", "tt_dnn_device")) == 2 and
              len(codes) == 4, str(codes))
        attributes = [row["ATTRIBUTES"] for row in rows if row["OP CODE"] == "softmax"]
        check(sorted(re.sub("[^0-9]", "", text) for text in attributes) == ["1", "2"], str(attributes))
        check("CompileProgram_TT_HOST_FUNC [ns]" in rows[0], str(list(rows[0])[-4:]))
        with open(os.path.join(logs, LOGS[1]), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        check(list(rows[0]) == ["name", "src_file", "src_line", "zone_name", "zone_text", "ns_since_start", "exec_time_ns",
                                "thread", "special_parent_text"], str(list(rows[0])))
        op = [row for row in rows if row["name"] == "TT_DNN_DEVICE_OP_matmul"]
        child = [row for row in rows if row["name"] == "CompileProgram"]
        check(len(op) == 1 and op[0]["zone_text"] == "id:9216", str(op))
        check(len(child) == 1 and child[0]["special_parent_text"] == "id:9216", str(child))
        with open(os.path.join(logs, LOGS[0]), encoding="utf-8") as file:
            text = file.read()
        check(text.startswith("MessageName;total_ns\n"), text[:60])
        check("`TT_SIGNPOST: Run number 5\nafter warmup`;" in text and '"global_call_count": 9216}`;' in text, text)

        os.remove(os.path.join(logs, LOGS[0]))
        code, out, err = tracy(folder, "--process-logs-only")
        check(code == 0 and set(LOGS) <= set(os.listdir(logs)), f"--process-logs-only: {code} {out} {err}")


def failing_programs():
    with tempfile.TemporaryDirectory() as folder:
        code, _, err = tracy(folder, "-r", PROGRAMS + "/ops.py", "5")
        check(code == 5 and len(reports_of(folder)) == 3, f"{code} {err} {reports_of(folder)}")
    with tempfile.TemporaryDirectory() as folder:
        code, _, err = tracy(folder, "-r", "--check-exit-code", PROGRAMS + "/ops.py", "5")
        check(code == 4 and not reports_of(folder) and "exit code 5" in err, f"{code} {err} {reports_of(folder)}")


def port_and_stop():
    """A port of the user's choice; SIGTERM ends the program, and what was recorded is saved."""
    port = kit.free_port()
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "waits.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write("import time\ndef waits():\n    print('here', flush=True)\n    time.sleep(60)\nwaits()\n")
        words = [kit.PYTHON, "-m", "tracy", "-r", "-t", str(port), "-o", folder, script]
        process = subprocess.Popen(words, env=kit.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.stdout.readline()
        with open("/proc/net/tcp", encoding="ascii") as file:
            check(f":{port:04X} " in file.read(), f"the program does not listen at {port}")
        time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
        check(process.returncode not in (0, None), f"{process.returncode} {err}")
        trace = os.path.join(folder, ".logs", LOGS[2])
        check(os.path.exists(trace), f"no trace: {err}")
        info = subprocess.run([kit.TENDRIL, "info", trace], capture_output=True, text=True)
        check("PY_FUNC_waits" in info.stdout, info.stdout + info.stderr + err)


def board():
    """The cores of a board are in the same trace."""
    matmul = os.path.join(kit.BINARY, "examples", "hello", "hello")
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "drives.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"import subprocess\ndef drives():\n    subprocess.run([{matmul!r}], check=True)\ndrives()\n")
        code, out, err = tracy(folder, "-r", "-b", "tensix_sim", script)
        check(code == 0, f"{code} {out} {err}")
        info = subprocess.run([kit.TENDRIL, "info", os.path.join(folder, ".logs", LOGS[2])], capture_output=True, text=True)
        check("PY_FUNC_drives" in info.stdout and " hello " in info.stdout, info.stdout)


FOLLOWS = """import sys, tracy
seen = []
with tracy.on_op(seen.append, port=int(sys.argv[1])) as ops:
    assert not ops.join(0.01)
    assert ops.join(60)
assert all(op["kernel_ns"] > 0 for op in seen), seen
print([(op["name"], op["id"]) for op in seen])
"""
FAILS = """import sys, tracy
def fails(op):
    raise KeyError(op["name"])
try:
    tracy.on_op(fails, port=int(sys.argv[1])).join(60)
except KeyError as error:
    print(error)
"""


def callbacks():
    """tracy.on_op() gets the operations of a recording while it runs."""
    port = kit.free_port()
    matmul = os.path.join(kit.BINARY, "examples", "matmul", "matmul")
    with tempfile.TemporaryDirectory() as folder:
        followers = [subprocess.Popen([kit.PYTHON, "-c", program, str(port)], env=kit.environment(), text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE) for program in (FOLLOWS, FAILS)]
        subprocess.run([kit.TENDRIL, "record", "-q", "-b", "tensix_sim", "-o", folder + "/t.tracy", "--serve", str(port),
                        "--", matmul], env=kit.environment(), check=True, stdout=subprocess.DEVNULL)
        wanted = "[('Matmul', 1024), ('Matmul', 2048), ('Matmul', 3072)]\n", "'Matmul'\n"
        for follower, text in zip(followers, wanted):
            out, err = follower.communicate(timeout=60)
            check(out == text, out + err)


def main(which):
    {"files": files, "failing": failing_programs, "port": port_and_stop, "board": board, "callbacks": callbacks}[which]()
    return 1 if kit.failures() else print("ok") or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
