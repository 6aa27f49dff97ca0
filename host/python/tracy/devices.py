"""Options that set variables for hardware: tt-metal's runtime reads them."""

import os

from .options import UsageError

COUNTER_GROUPS = {"fpu": 0, "sfpu": 0, "pack": 1, "unpack": 2, "l1_0": 3, "l1_1": 4, "instrn": 5, "l1_2": 6, "l1_3": 7,
                  "l1_4": 8}
ALL_COUNTERS = ("fpu", "pack", "unpack", "l1_0", "instrn")
BLACKHOLE_ONLY = ("l1_2", "l1_3", "l1_4")
NO_ANALYSIS = ("no_runtime_analysis", "enable_sum_profiling", "profile_dispatch_cores", "profiler_capture_perf_counters")


def _counter_bits(text, environment):
    groups = [group.strip().lower() for group in text.split(",")]
    for group in groups:
        if group != "all" and group not in COUNTER_GROUPS:
            raise UsageError(f"--profiler-capture-perf-counters: there is no group '{group}' (there are: "
                             f"{', '.join(COUNTER_GROUPS)}, all)")
    arch = next((environment[name] for name in ("TT_METAL_DEVICE_ARCH", "TT_ARCH_NAME", "ARCH_NAME")
                 if environment.get(name)), None)
    for group in groups:
        if group in BLACKHOLE_ONLY and arch and arch.strip().lower() != "blackhole":
            raise UsageError(f"--profiler-capture-perf-counters: only Blackhole has the group '{group}', "
                             f"and the device is {arch}")
    if "all" in groups:
        groups = ALL_COUNTERS
    if sum(group.startswith("l1_") for group in set(groups)) > 1:
        raise UsageError("--profiler-capture-perf-counters: one run can count one of the groups l1_0 to l1_4")
    bits = 0
    for group in groups:
        bits |= 1 << COUNTER_GROUPS[group]
    return str(bits)


def _check(values):
    if values.dump_device_data_mid_run:
        for name in ("device_trace_profiler", "profile_dispatch_cores"):
            if getattr(values, name):
                raise UsageError(f"--dump-device-data-mid-run and --{name.replace('_', '-')} exclude each other")
    count = values.op_support_count
    if count is not None and (not count.isdigit() or int(count) < 1):
        raise UsageError(f"--op-support-count: '{count}' is not a count")


def variables(values, logs, environment=os.environ):
    """What the options set: ({variable: value or None}, lines that say so). None: the variable is removed."""
    _check(values)
    computed = {
        "TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT": lambda: values.op_support_count,
        "TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH": lambda: os.path.abspath(logs),
        "TT_METAL_PROFILE_PERF_COUNTERS":
            lambda: _counter_bits(values.profiler_capture_perf_counters, environment),
    }
    result = {"TT_METAL_PROFILER_NO_CACHE_OP_INFO": None}
    lines = []
    for option in values.given:
        for name, value in option.sets.items():
            result[name] = computed[name]() if value is None else value
            lines.append(f"{option.names[-1]}: {name}={result[name]}")
    for kind in values.device_analysis_types:
        lines.append(f"--device-analysis-types: {kind} sets nothing, a report here has all analyses")
    if values.no_runtime_analysis:
        lines.append("--no-runtime-analysis: TT_METAL_PROFILER_CPP_POST_PROCESS is not set")
    if not any(getattr(values, name) for name in NO_ANALYSIS):
        result["TT_METAL_PROFILER_CPP_POST_PROCESS"] = "1"
    return result, lines
