"""How this process was started by `python -m tracy`."""

doPartial = False  # -p: zones only between Profiler.enable() and Profiler.disable()
doLine = False  # -l: zones of lines
