"""Is profiled in part."""
from tracy import Profiler


def before():
    return 1


def inside(n):
    total = 0
    for i in range(n):
        total += i
    return helper(total)


def helper(x):
    return x


before()
profiler = Profiler()
profiler.enable()
inside(3)
inside(3)
profiler.disable()
before()
with Profiler():
    helper(1)
helper(2)
