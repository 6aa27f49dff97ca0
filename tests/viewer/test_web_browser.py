"""tendril view --web in a real browser: what it shows is what the window shows, mouse, wheel, keys and clipboard work, the page
survives a reload and a lost connection, links hold a place, and files come and go."""
import base64
import os
import sys
import tempfile
import time

from driven import start
from web_client import viewer_or_skip
from web_page import COMPARE, Page

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests/tools"))
sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests/report"))
from browser import Browser  # noqa: E402
from common import TRACE, check, exit_status  # noqa: E402

WIDTH, HEIGHT = 1280, 800


def check_quiet(page):
    wrong = [e for e in page.browser.events
             if e.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")]
    check("no errors in the page", not wrong, wrong[:2])


def check_pictures(page, client, folder):
    """The same commands in a window without a display, whose pictures OpenGL draws."""
    begin = page.state()["trace"]["from_ns"]
    for commands in (["fit"], ["zoom %dns..%dns" % (begin + 3500000, begin + 4100000)], ["open statistics", "open messages"],
                     ["layout 2"], ["layout 1", "close messages", "find work"], ["find", "close statistics", "open help"], ["close help"]):
        for command in commands:
            check(command, client.ask(command)["ok"])
            page.run(*command.split(" ", 1))
        picture = os.path.join(folder, "window.png")
        check("a screenshot", client.ask("screenshot", picture)["ok"])
        page.value("page.send(['leave'])")
        page.settle()
        with open(picture, "rb") as file:
            same = page.value(COMPARE % (base64.b64encode(file.read()).decode(), WIDTH, HEIGHT, WIDTH, HEIGHT))
        check(f"the picture after {commands}", same[0] < 0.002 and same[1] < 0.5 and same[2:] == [WIDTH, HEIGHT], same)


def check_input(page):
    page.run("fit")
    page.settle()
    whole = page.state()["range"]
    page.mouse("mouseMoved", 700, 400)
    page.mouse("mouseWheel", 700, 400, deltaX=0, deltaY=-300)
    page.settle()
    near = page.state()["range"]
    check("the wheel zooms", near["to_ns"] - near["from_ns"] < (whole["to_ns"] - whole["from_ns"]) * 0.9, near)
    page.mouse("mousePressed", 700, 400, button="left", clickCount=1)
    for x in range(690, 500, -10):
        page.mouse("mouseMoved", x, 400, button="left", buttons=1)
    page.mouse("mouseReleased", 510, 400, button="left", clickCount=1)
    page.settle()
    moved = page.state()["range"]
    check("a drag pans", moved["from_ns"] > near["from_ns"] and abs(moved["to_ns"] - moved["from_ns"] - near["to_ns"] + near["from_ns"]) < 1000, moved)
    page.run("fit")
    page.press("/", "/")
    page.type("comp")
    page.settle()
    check("typed letters are found", page.state()["find"] == "comp", page.state()["find"])
    page.press("Escape")
    page.run("find")
    page.value("navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }")
    page.value("page.run('find', 'o')")
    page.run("next")
    page.settle()
    page.press("c", "", 2)
    page.wait("window.copied", "a copy")
    selected = page.state()["selected"]
    check("what is copied", selected["name"] in page.value("window.copied"), selected, page.value("window.copied"))
    page.press("/", "/")
    page.settle()
    page.value("""(() => { const d = new DataTransfer(); d.setData("text/plain", "pasted");
        document.getElementById("keys").dispatchEvent(new ClipboardEvent("paste", {clipboardData: d, cancelable: true})); })()""")
    page.settle()
    check("a paste", "pasted" in page.state()["find"], page.state()["find"])
    page.press("Escape")
    page.run("find")
    page.run("select")


def check_touch(page):
    """A finger drags, two zoom."""
    def touch(kind, *points):
        page.browser.call("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]})
    page.run("fit")
    page.settle()
    whole = page.state()["range"]
    touch("touchStart", (600, 400), (700, 400))
    for wide in range(10, 100, 10):
        touch("touchMove", (600 - wide, 400), (700 + wide, 400))
    touch("touchEnd")
    page.settle()
    near = page.state()["range"]
    check("two fingers zoom", near["to_ns"] - near["from_ns"] < (whole["to_ns"] - whole["from_ns"]) * 0.8, whole, near)
    touch("touchStart", (700, 400))
    for x in range(690, 500, -10):
        touch("touchMove", (x, 400))
    touch("touchEnd")
    page.settle()
    moved = page.state()["range"]
    check("a finger pans", moved["from_ns"] > near["from_ns"], near, moved)


def check_size(page):
    metrics = {"width": 900, "height": 600, "deviceScaleFactor": 2, "mobile": False}
    page.browser.call("Emulation.setDeviceMetricsOverride", metrics)
    page.wait("page.screen.canvas.width === 1800 && page.screen.canvas.height === 1200", "a picture of the browser's scale")
    page.browser.call("Emulation.setDeviceMetricsOverride", {**metrics, "width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1})
    page.wait("page.screen.canvas.width === %d" % WIDTH, "and back")


def check_rest(page):
    page.mouse("mouseMoved", 5, 5)
    page.settle()
    before = page.value("page.drawn")
    time.sleep(0.4)
    check("nothing comes while nothing moves", page.value("page.drawn") == before)


def check_places(page, viewer):
    begin = page.state()["trace"]["from_ns"]
    page.run("zoom", f"{begin + 2000000}ns..{begin + 3000000}ns")
    page.run("find", "o")
    page.run("next")
    kept = page.state()
    link = page.value("page.link()")
    page.open(viewer.url)
    check("a reload keeps the place", page.state()["range"] == kept["range"] and page.state()["selected"] == kept["selected"])
    page.value("page.socket.close()")
    page.wait("page.socket && page.socket.readyState === 1", "connects again")
    check("after a lost connection, too", page.state()["range"] == kept["range"])
    page.run("fit")
    page.run("select")
    page.value("sessionStorage.clear()")  # another tab
    page.open(link)
    page.wait("location.hash === ''", "the link is followed")
    page.settle()
    there = page.state()
    check("a link holds a place", abs(there["range"]["from_ns"] - kept["range"]["from_ns"]) <= 1 and
          there["selected"] == kept["selected"], there["range"], kept["range"])


def check_find_link(page):
    """As the report's page has them."""
    page.value("location.hash = '#find=frame%20body'")
    page.wait("location.hash === ''", "the link is followed")
    page.settle()
    there = page.state()
    check("a link to a name", there["find"] == "frame body" and there["selected"]["name"] == "frame body", there["find"], there["selected"])
    page.run("find")
    page.run("select")


def check_files(page):
    with open(TRACE, "rb") as file:
        trace = base64.b64encode(file.read()).decode()
    page.run("open", "statistics")
    page.value("""page.saveBlob = (blob, name) => { window.saved = [blob, name]; };
                  page.save = (url, name) => { window.saved = [url, name]; };""")
    page.value("page.saveTable('statistics')")
    csv = page.value("saved[0].text()")
    check("a table", page.value("saved[1]") == "statistics.csv" and csv.count("\n") > 5 and "," in csv.splitlines()[0], csv[:80])
    page.value("window.saved = null; page.savePicture()")
    page.wait("window.saved", "a picture to save")
    check("its kind", page.value("saved[0].type") == "image/png" and page.value("saved[0].size") > 10000)
    page.value("window.saved = null; page.send(['download'])")
    page.wait("window.saved", "the trace to save")
    check("its bytes", page.value("(async () => btoa(String.fromCharCode(...new Uint8Array(await (await fetch(saved[0])).arrayBuffer()))))()")
          == trace)
    page.value("""page.uploadFile(new File([Uint8Array.from(atob(%r), c => c.charCodeAt(0))], "dropped.tracy"))""" % trace)
    page.wait("document.title.includes('dropped.tracy')", "an uploaded trace is shown")
    page.wait("document.getElementById('notice').hidden", "the progress ends")
    page.value("page.openMenu()")
    check("the menu", page.value("[...document.querySelectorAll('#menu button')].map(b => b.textContent).join()").startswith("Save picture,"))
    page.value("page.closeMenu()")


def main():
    with tempfile.TemporaryDirectory() as folder:
        viewer = viewer_or_skip(folder, TRACE)
        if not viewer:
            return 0
        with viewer, Browser(folder, Browser.LOCAL) as browser:
            browser.call("Emulation.setDeviceMetricsOverride",
                         {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False})
            page = Page(browser)
            page.open(viewer.url)
            window, client = start(os.path.join(folder, "socket"), "--size", f"{WIDTH}x{HEIGHT}", TRACE)
            if client:
                check_pictures(page, client, folder)
                client.ask("quit")
                window.wait(60)
            check_input(page)
            check_touch(page)
            check_size(page)
            check_rest(page)
            check_places(page, viewer)
            check_find_link(page)
            check_files(page)
            check_quiet(page)
            page.value("sessionStorage.clear()")
            browser.call("Page.navigate", {"url": viewer.url.replace(viewer.token, "0" * 32)})
            page.wait("document.getElementById('text')?.textContent.includes('not valid any more')", "a wrong token is said")
        check("the end", viewer.status == 0 and not viewer.errors, viewer.status, viewer.errors)
    return exit_status()


sys.exit(main())
