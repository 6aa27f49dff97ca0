"""Ends in the way that the argument names."""
import asyncio
import os
import signal
import sys
import threading
import time
import _thread


def leaf(how):
    if how == "raise":
        raise RuntimeError("trouble") from ValueError("cause")
    if how == "exit":
        sys.exit(5)
    if how == "exit-text":
        sys.exit("last words")
    if how == "os-exit":
        sys.stdout.flush()
        os._exit(6)
    if how == "signal":
        os.kill(os.getpid(), signal.SIGTERM)
    if how == "interrupt":
        os.kill(os.getpid(), signal.SIGINT)
    if how == "recursion":
        leaf(how)
    if how == "thread":
        thread = threading.Thread(target=leaf, args=("raise",), name="worker")
        thread.start()
        thread.join()
        done = threading.Event()
        threading.excepthook = print
        _thread.start_new_thread(lambda: (done.set(), 1 / 0), ())
        done.wait()
        time.sleep(0.2)
        try:
            _thread.start_new_thread(3, ())
        except TypeError as error:
            print(error)
    if how == "task":
        async def failing():
            await asyncio.sleep(0)
            raise RuntimeError("in a task")

        async def run():
            await asyncio.gather(failing(), failing(), return_exceptions=False)

        asyncio.run(run())
    if how == "stdin":
        print(sys.stdin.read().upper(), input)
    if how == "names":
        print(__name__, __file__, sys.argv, sys.path, sys.modules["__main__"].__dict__.keys(), sys.flags, sys.orig_argv)
        print(os.environ.get("PYTHONPATH"), sorted(name for name in os.environ if name.startswith("TENDRIL_PY")))
        print(os._exit, _thread.start_new_thread.__name__, sys.getprofile(), sys.gettrace())


leaf(sys.argv[1])
