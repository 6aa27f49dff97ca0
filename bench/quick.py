"""What the tests of benchmarks share: one quick run whose lines are objects of the five keys."""
import json
import subprocess
import sys


def run(bench, environment):
    """Returns the objects by name."""
    done = subprocess.run([bench, "--quick", "--json", "--no-limits"], env=environment, capture_output=True,
                          timeout=240, check=False, text=True)
    sys.stderr.write(done.stderr)
    done.check_returncode()
    lines = {}
    for line in done.stdout.splitlines():
        values = json.loads(line)
        assert set(values) == {"name", "unit", "ours", "baseline", "limit"}, line
        assert isinstance(values["ours"], (int, float)), line
        lines[values["name"]] = values
    return lines
