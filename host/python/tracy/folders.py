"""Where logs and reports are: the names and columns that tt-metal's tools use."""

import os
import re

TRACE = "tracy_profile_log_host.tracy"
OPS_TIMES = "tracy_ops_times.csv"
OPS_DATA = "tracy_ops_data.csv"
DATE = re.compile(r"\d{4}(_\d\d){5}")


class Folders:
    def __init__(self, output):
        home = os.environ.get("TT_METAL_HOME", os.getcwd())
        self.output = output or os.environ.get("TT_METAL_PROFILER_DIR") or os.path.join(home, "generated", "profiler")
        self.logs = os.path.join(self.output, ".logs")
        self.trace = os.path.join(self.logs, TRACE)
        self.ops_times = os.path.join(self.logs, OPS_TIMES)
        self.ops_data = os.path.join(self.logs, OPS_DATA)

    def reports(self, name):
        """The folders of reports of that name."""
        folder = os.path.join(self.output, "reports", *([name] if name else []))
        if not os.path.isdir(folder):
            return []
        return [os.path.join(folder, date) for date in os.listdir(folder) if DATE.fullmatch(date)]
