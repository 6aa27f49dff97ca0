"""Prints the median time in ms from an input in the browser to the picture that shows it, on this machine: a step of the wheel
over the timeline, until the page has drawn. Then how many pictures are shown in a second while a drag pans over the lanes of
TRACE; that depends on the graphics card, or on the processor without one. Usage: input.py BUILD TIMES TRACE"""
import os
import statistics
import sys
import tempfile

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir)
os.environ["TD_BINARY_DIR"] = sys.argv[1]
for folder in ("tests/viewer", "tests/report"):
    sys.path.insert(0, os.path.join(SOURCE, folder))
from browser import PROGRAM, Browser  # noqa: E402
from web_client import Viewer, viewer_or_skip  # noqa: E402

TRACE = os.path.join(SOURCE, "tests/data/trace/0.11.1/features.tracy")
# Waits until all is drawn: gl.finish does not in Chromium.
DRAWN = """window.drawn = () => {
  const gl = page.screen.gl;
  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
}"""
# From the event until the next picture is drawn.
STEP = """new Promise(done => {
  const begin = performance.now(), show = page.show;
  page.show = () => { page.show = show; page.show(); drawn(); done(performance.now() - begin); };
  page.screen.canvas.dispatchEvent(new WheelEvent("wheel", {clientX: 700, clientY: 400, deltaY: %d, cancelable: true}));
})"""


# A drag to and fro, for a while in ms.
DRAG = """new Promise(done => {
  let x = 900, step = -7, shown = 0;
  const begin = performance.now(), show = page.show;
  page.show = () => { show.call(page); drawn(); shown++; };
  page.send(["move", x, 400]);
  page.send(["down", 0, 1]);
  const move = () => {
    x += step;
    if (x < 300 || x > 1200)
      step = -step;
    page.send(["move", x, 400]);
    const past = performance.now() - begin;
    if (past < %d)
      return setTimeout(move, 12);
    page.send(["up", 0]);
    page.show = show;
    done(shown / past * 1000);
  };
  move();
})"""


def value(browser, expression):
    got = browser.call("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
    return got["result"].get("value")


def open_page(browser, viewer):
    browser.call("Emulation.setDeviceMetricsOverride", {"width": 1600, "height": 900, "deviceScaleFactor": 1, "mobile": False})
    browser.call("Page.navigate", {"url": viewer.url})
    value(browser, "new Promise(done => { const look = () => window.page && page.drawn > 1 ? done() : setTimeout(look, 50); look(); })")
    value(browser, DRAWN)


def measure_input(browser, times):
    taken = []
    for i in range(times):
        value(browser, "new Promise(done => setTimeout(done, 400))")  # the animation of the last step ends
        taken.append(value(browser, STEP % (-100 if i % 2 else 100)))
    return statistics.median(taken)


def measure_shown(browser, milliseconds):
    value(browser, "page.run('expand')")
    for _ in range(5):
        value(browser, STEP % -300)
    return value(browser, DRAG % milliseconds)


def main():
    if not PROGRAM:
        print("skipped: there is no chromium")
        return
    times = int(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        viewer = viewer_or_skip(folder, TRACE)
        if not viewer:
            return
        with Browser(folder, Browser.LOCAL) as browser:
            with viewer:
                open_page(browser, viewer)
                ms = measure_input(browser, times)
            with Viewer(folder, sys.argv[3]) as viewer:
                open_page(browser, viewer)
                print(ms, measure_shown(browser, 100 * times))


main()
