"""Starts children in all ways, each of which calls work_NAME()."""
import multiprocessing
import os
import subprocess
import sys


def work_before():
    return 1


def work_forked():
    return 1


def work_pooled(n):
    return n * n


def work_spawned():
    return 1


if __name__ == "__main__":
    pid = os.fork()
    if not pid:
        work_forked()
        os._exit(3)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(work_pooled, range(4), 1))
        pool.close()
        pool.join()
    child = multiprocessing.get_context("spawn").Process(target=work_spawned)
    child.start()
    child.join()
    print(child.exitcode)
    done = subprocess.run([sys.executable, "-c", "def work_started(): print('child')\nwork_started()"], capture_output=True)
    print(done.returncode, done.stdout, done.stderr)
    try:
        os.execvp("no_such_program", ["no_such_program"])
    except FileNotFoundError as error:
        print(error)
    work_before()
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-c", "def work_after(): print('another program')\nwork_after()"])
