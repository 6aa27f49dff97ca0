"""`tendril serve FILE`: a recorder of any release that connects gets the whole trace. Each trace of the test data is
served to `tendril capture` in every protocol, and to the stock recorders in TD_STOCK_DIR."""
import os
import sys
import tempfile

import serving
from serving import BINARY, RELEASES, SOURCE, Server, differences, info, normal, run

TENDRIL = os.path.join(BINARY, "bin", "tendril")
TRACES = ["0.11.1/features", "0.14.0/killed", "0.10/gpu", "0.14.0/synthetic", "ttfork/synthetic"]


def expected_loss(trace, difference):
    """What a session cannot carry, or not in this form."""
    if difference.startswith((".threads:", ".tracks: only in the second: ")) and "features" in trace:
        return True  # the thread that runs the fiber has a track of its own
    if difference.startswith(".gpu_contexts:"):
        return "period_ns" in difference  # times are in ns: ticks and overflows of GPU clocks are not sent
    # The parts of this trace, which no program made, do not agree with each other.
    return "synthetic" in trace and not difference.startswith((".zones", ".messages", ".open_zones", ".gpu_zones",
                                                               ".names", ".frame_sets", ".locks", ".images"))


def stock_bug(release, difference):
    """Stock 0.12.2 does not store when a fiber starts."""
    return release == "0.12.2" and difference.startswith(".context_switches:") and '"thread": 4294967296' in difference


def check(trace, what, served, received):
    """Compares in the received file's version, which may lack something."""
    with tempfile.TemporaryDirectory() as folder:
        same = os.path.join(folder, "same.tracy")
        made = run([TENDRIL, "update", "-q", "--format", what, served, same])
        assert made.returncode == 0, made.stderr
        found = differences(normal(info(TENDRIL, same)), normal(info(TENDRIL, received)))
    found = [d for d in found if not expected_loss(trace, d) and not stock_bug(what, d)]
    if found:
        print(f"{trace} in {what}:\n  " + "\n  ".join(found[:10]))
    return not found


def serve_once(trace, release, recorder, folder):
    path = os.path.join(SOURCE, "tests", "data", "trace", trace + ".tracy")
    out = os.path.join(folder, "out.tracy")
    env = dict(os.environ, TENDRIL_PEER="tt") if release == "tt" else None
    server = Server(TENDRIL, path, "--once", env=env)
    arguments = [*recorder, "-f", "-a", "127.0.0.1", "-p", str(server.port), "-o", out]
    result = run(arguments)
    code, said, errors = server.end()
    assert result.returncode == 0, (trace, release, result.returncode, result.stdout[-500:], result.stderr[-500:])
    assert code == 0 and "1 served, 0 refused, 0 cut off" in said, (trace, release, code, said, errors)
    return check(trace, release, path, out)


def main():
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for trace in TRACES:
            for release in RELEASES:
                good &= serve_once(trace, release, [TENDRIL, "capture", "--no-sources", "--format", release], folder)
        for path in serving.stock_captures():
            for trace in TRACES[:3]:
                good &= serve_once(trace, serving.release_of(path), [path], folder)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
