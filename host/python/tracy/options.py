"""The options of `python -m tracy`: one table, from which the parser, the help and the check of the page are made."""

import getopt
import textwrap


class UsageError(Exception):
    """Wrong usage: one line."""


class Option:
    def __init__(self, names, meaning, value=None, sets=None, many=False):
        self.names = names.split()  # the first one names the result
        self.meaning = meaning
        self.value = value  # what help calls the argument; None: a flag
        self.sets = sets or {}  # variables of the program's environment
        self.many = many
        self.key = self.names[-1].lstrip("-").replace("-", "_")

    def default(self):
        return [] if self.many else False if self.value is None else None


OPTIONS = [
    Option("-m --module", "the first argument is a module, as after python -m"),
    Option("-p --partial", "zones only between Profiler.enable() and Profiler.disable()"),
    Option("-l --lines", "with -p: zones of lines, too"),
    Option("-r --report", "records the program, and writes an op report"),
    Option("-v --verbose", "prints what is set and run, and what the recorder prints"),
    Option("-o --output-folder", "folder of logs and reports", "DIR"),
    Option("-n --name-append", "is added to the names of the report and its folder", "NAME"),
    Option("-t --port", "port at which the program listens (default: the first free one from 8086)", "PORT"),
    Option("--check-exit-code", "with -r: no report when the program fails; the exit code is 4"),
    Option("--process-logs-only", "runs nothing: reports from the logs that exist"),
    Option("--child-functions", "zones whose times are summed for each op; commas separate several", "NAMES"),
    Option("-b --board", "with -r: also records this board (tendril record -b)", "BOARD", many=True),
    Option("--at", "with -r: attaches to the board that is there (tendril record --at)", "WHERE", many=True),
    Option("--tracy-tools-folder", "folder where tendril is", "DIR"),
    Option("--no-device", "with -r: does not set TT_METAL_DEVICE_PROFILER, records no board"),
    Option("--no-op-info-cache", "all data of an op in each of its messages",
           sets={"TT_METAL_PROFILER_NO_CACHE_OP_INFO": "1"}),
    Option("--op-support-count", "room for so many ops between two reads of a device", "COUNT",
           sets={"TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT": None}),
    Option("--profile-dispatch-cores", "also dispatch cores",
           sets={"TT_METAL_DEVICE_PROFILER_DISPATCH": "1"}),
    Option("--enable-sum-profiling", "sums of zones", sets={"TT_METAL_PROFILER_SUM": "1"}),
    Option("--sync-host-device", "relates the clocks of host and devices", sets={"TT_METAL_PROFILER_SYNC": "1"}),
    Option("--device-trace-profiler", "durations of whole trace replays",
           sets={"TT_METAL_TRACE_PROFILER": "1"}),
    Option("--device-memory-profiler", "buffers in L1 and DRAM", sets={"TT_METAL_MEM_PROFILER": "1"}),
    Option("--dump-device-data-mid-run", "reads device data while the program runs",
           sets={"TT_METAL_PROFILER_MID_RUN_DUMP": "1"}),
    Option("--disable-device-data-dump-to-files", "no files with device data",
           sets={"TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES": "1"}),
    Option("--disable-device-data-push-to-tracy", "no device data in the trace",
           sets={"TT_METAL_PROFILER_DISABLE_PUSH_TO_TRACY": "1"}),
    Option("--collect-noc-traces", "events of the NoC, as files in the folder of logs",
           sets={"TT_METAL_DEVICE_PROFILER_NOC_EVENTS": "1", "TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH": None}),
    Option("--no-runtime-analysis", "does not set TT_METAL_PROFILER_CPP_POST_PROCESS"),
    Option("-a --device-analysis-types", "accepted: a report has all analyses; may be repeated", "TYPE", many=True),
    Option("--profiler-capture-perf-counters",
           "groups of counters: fpu, pack, unpack, instrn, l1_0 to l1_4, all; commas separate several", "GROUPS",
           sets={"TT_METAL_PROFILE_PERF_COUNTERS": None}),
    Option("-h --help", "this text"),
]

USAGE = "Usage: python -m tracy [options] [-m] SCRIPT | MODULE | COMMAND [ARGS]"


class Values:
    """The value of each option by its last name; `given`: the options that were given, in order."""

    def __init__(self):
        self.given = []
        for option in OPTIONS:
            setattr(self, option.key, option.default())


def _find(name):
    return next(option for option in OPTIONS if name in option.names)


def parse(words):
    """(Values, the words that are no options)."""
    short, long = "", []
    for option in OPTIONS:
        for name in option.names:
            if name.startswith("--"):
                long.append(name[2:] + ("=" if option.value else ""))
            else:
                short += name[1:] + (":" if option.value else "")
    try:
        pairs, rest = getopt.getopt(words, short, long)
    except getopt.GetoptError as error:
        raise UsageError(f"{error} (see python -m tracy --help)") from None
    values = Values()
    for name, value in pairs:
        option = _find(name)
        if option not in values.given:
            values.given.append(option)
        if option.many:
            getattr(values, option.key).append(value)
        else:
            setattr(values, option.key, value if option.value else True)
    return values, rest


COLUMN, WIDTH = 34, 100


def help_text():
    lines = [USAGE, "Profiles a Python program, or the Python programs that a command runs.", "", "Options:"]
    for option in OPTIONS:
        names = "  " + ", ".join(option.names) + (f" {option.value}" if option.value else "")
        text = textwrap.wrap(option.meaning, WIDTH - COLUMN)
        if len(names) >= COLUMN:
            lines.append(names)
            names = ""
        lines.append(names.ljust(COLUMN) + text[0])
        lines += [" " * COLUMN + line for line in text[1:]]
    return "\n".join(lines)
