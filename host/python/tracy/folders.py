"""Where logs and reports are: the names and columns that tt-metal's tools use."""

import os
import time

TRACE = "tracy_profile_log_host.tracy"
OPS_TIMES = "tracy_ops_times.csv"
OPS_DATA = "tracy_ops_data.csv"


class Folders:
    def __init__(self, output):
        home = os.environ.get("TT_METAL_HOME", os.getcwd())
        self.output = output or os.environ.get("TT_METAL_PROFILER_DIR") or os.path.join(home, "generated", "profiler")
        self.logs = os.path.join(self.output, ".logs")
        self.trace = os.path.join(self.logs, TRACE)
        self.ops_times = os.path.join(self.logs, OPS_TIMES)
        self.ops_data = os.path.join(self.logs, OPS_DATA)

    def new_report(self, name, now=None):
        """A new folder of reports: (folder, what is appended to names of files)."""
        date = time.strftime("%Y_%m_%d_%H_%M_%S", now or time.localtime())
        folder = os.path.join(self.output, "reports", *([name] if name else []), date)
        os.makedirs(folder, exist_ok=True)
        return folder, f"{name}_{date}" if name else date
