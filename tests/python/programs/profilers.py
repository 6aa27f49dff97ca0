"""Sets profilers of its own, and prints what they saw."""
import cProfile
import pstats
import sys

seen = []


def leaf():
    return len("x")


def branch():
    return leaf() + leaf()


def note(frame, event, arg):
    seen.append((event, frame.f_code.co_name, getattr(arg, "__name__", None)))


def trace(frame, event, arg):
    seen.append((event, frame.f_code.co_name, frame.f_lineno))
    return trace


def after():
    return branch()


print(sys.getprofile(), sys.gettrace())
sys.setprofile(note)
branch()
print(sys.getprofile() is note)
sys.setprofile(None)
sys.settrace(trace)
branch()
sys.settrace(None)
for line in seen:
    print(line)
profiler = cProfile.Profile()
profiler.enable()
branch()
profiler.disable()
print(sorted((key[2], value[0]) for key, value in pstats.Stats(profiler).stats.items()))
for _ in range(10):
    after()
