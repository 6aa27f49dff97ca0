"""The measured programs: many calls, and loops. Prints nanoseconds of the processor a call or a pass.

    workload.py calls|loops COUNT plain|cprofile|callback

`cprofile` measures under cProfile. `callback` measures under a profiler as tt-metal's tool has it: a function in Python
that begins and ends zones by the client's C interface, which it calls with ctypes."""
import ctypes
import glob
import os
import sys
import time


class Point:
    def __init__(self, x):
        self.x = x

    def moved(self, by):
        return add(self.x, by)


def add(a, b):
    return a + b


def calls(count):
    """4 calls a pass."""
    point = Point(1)
    for _ in range(count // 4):
        point.moved(add(1, 2))
        add(3, 4)


def loops(count):
    """A pass has arithmetic and a call of a function that is written in C."""
    total, values = 0, []
    for i in range(count):
        total += i * i & 0xFF
        if i & 3:
            total ^= i
        values.append(total)
    return len(values)


def marking_callback():
    import tracy

    library = ctypes.CDLL(glob.glob(os.path.join(os.path.dirname(tracy.__file__), "_tracy*.so"))[0])

    class Context(ctypes.Structure):
        _fields_ = [("id", ctypes.c_uint32), ("active", ctypes.c_int32)]

    place = library.___tracy_alloc_srcloc
    place.argtypes = [ctypes.c_uint32, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint32]
    place.restype = ctypes.c_uint64
    begin, end = library.___tracy_emit_zone_begin_alloc, library.___tracy_emit_zone_end
    begin.argtypes, begin.restype = [ctypes.c_uint64, ctypes.c_int32], Context
    end.argtypes, end.restype = [Context], None
    open_zones = []

    def on_event(frame, event, arg):
        if event in ("call", "c_call"):
            file, function = frame.f_code.co_filename.encode(), b"PY_FUNC_" + frame.f_code.co_name.encode()
            zone = place(frame.f_lineno, file, len(file), function, len(function), 0)
            open_zones.append(begin(zone, 1))
        elif open_zones:
            end(open_zones.pop())

    return on_event


def main():
    program, count, how = {"calls": calls, "loops": loops}[sys.argv[1]], int(sys.argv[2]), sys.argv[3]
    program(1000)
    start = stop = lambda: None
    if how == "cprofile":
        import cProfile

        profiler = cProfile.Profile()
        start, stop = profiler.enable, profiler.disable
    elif how == "callback":
        callback = marking_callback()
        start, stop = (lambda: sys.setprofile(callback)), (lambda: sys.setprofile(None))
    start()
    before = time.thread_time_ns()
    program(count)
    after = time.thread_time_ns()
    stop()
    print((after - before) / count)


main()
