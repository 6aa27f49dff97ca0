"""Prints the median time in ms from an input in the browser to the picture that shows it, on this machine: a step of the wheel
over the timeline, until the page has drawn. Usage: input.py BUILD TIMES"""
import os
import statistics
import sys
import tempfile

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir)
os.environ["TD_BINARY_DIR"] = sys.argv[1]
for folder in ("tests/viewer", "tests/report"):
    sys.path.insert(0, os.path.join(SOURCE, folder))
from browser import PROGRAM, Browser  # noqa: E402
from web_client import Viewer  # noqa: E402

TRACE = os.path.join(SOURCE, "tests/data/trace/0.11.1/features.tracy")
# From the event until the next picture is drawn; graphics cards and their emulation have then got all commands.
STEP = """new Promise(done => {
  const begin = performance.now(), show = page.show;
  page.show = () => { page.show = show; page.show(); page.screen.gl.finish(); done(performance.now() - begin); };
  page.screen.canvas.dispatchEvent(new WheelEvent("wheel", {clientX: 700, clientY: 400, deltaY: %d, cancelable: true}));
})"""


def value(browser, expression):
    got = browser.call("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
    return got["result"].get("value")


def main():
    if not PROGRAM:
        return print("skipped: there is no chromium")
    with tempfile.TemporaryDirectory() as folder:
        try:
            viewer = Viewer(folder, TRACE)
        except RuntimeError as error:
            if "without" not in str(error):
                raise
            return print("skipped:", error)
        with viewer, Browser(folder, Browser.LOCAL) as browser:
            browser.call("Emulation.setDeviceMetricsOverride", {"width": 1600, "height": 900, "deviceScaleFactor": 1, "mobile": False})
            browser.call("Page.navigate", {"url": viewer.url})
            value(browser, "new Promise(done => { const look = () => window.page && page.drawn > 1 ? done() : setTimeout(look, 50); look(); })")
            times = []
            for i in range(int(sys.argv[2])):
                value(browser, "new Promise(done => setTimeout(done, 400))")  # the animation of the last step ends
                times.append(value(browser, STEP % (-100 if i % 2 else 100)))
    return print(statistics.median(times))


main()
