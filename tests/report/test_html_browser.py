#!/usr/bin/env python3
"""The page of tendril report --html in a real browser: it loads from a file without errors and without requests,
tables sort and filter, hostile names stay text, tooltips appear, dark and printed pages have their colours, and the page
can be read without JavaScript."""
import base64
import json
import subprocess
import sys
import tempfile

from browser import Browser
from pages import HOSTILE, OP_NAME_BYTES, TENDRIL, check, failures, make_page

COLUMN = ("Array.from(document.querySelectorAll('#op-table tbody tr')).filter(r => !r.hidden)"
          ".map(r => r.cells[%d].textContent)")
WHITE, DARK = "rgb(255, 255, 255)", "rgb(21, 24, 27)"


def check_quiet(browser, page):
    """No errors, and no requests but that for the page."""
    check(not browser.seen("Runtime.exceptionThrown"), "exceptions: %s" % browser.seen("Runtime.exceptionThrown"))
    check(not browser.seen("Log.entryAdded"), "the browser's log: %s" % browser.seen("Log.entryAdded"))
    urls = [e["request"]["url"] for e in browser.seen("Network.requestWillBeSent")]
    check(urls == ["file://" + page], "requests: %s" % urls)


def click(browser, table, column):
    browser.value("document.querySelectorAll('#%s th span')[%d].click()" % (table, column))


def check_table(browser):
    check(browser.value("document.querySelectorAll('#op-table tbody tr').length") == 12, "rows")
    check(browser.value("document.querySelectorAll('.bar-row').length") == 12, "bars")
    names = browser.value(COLUMN % 0)
    click(browser, "op-table", 0)
    check(browser.value(COLUMN % 0) == sorted(names), "sorted by name: %s" % browser.value(COLUMN % 0))
    click(browser, "op-table", 0)
    check(browser.value(COLUMN % 0) == sorted(names, reverse=True), "and backwards")
    click(browser, "op-table", 6)
    longest = [float(t.split()[0]) for t in browser.value(COLUMN % 6)]
    check(longest == sorted(longest, reverse=True), "numbers are sorted as numbers, the largest first: %s" % longest)
    click(browser, "op-table", 6)
    check([float(t.split()[0]) for t in browser.value(COLUMN % 6)] == sorted(longest), "then the smallest first")
    check(browser.value("document.querySelectorAll('#op-table th')[6].getAttribute('aria-sort')") == "ascending", "and says so")
    browser.value("(f => { f.value = 'OP 1'; f.dispatchEvent(new Event('input')); })(document.getElementById('filter'))")
    check(sorted(browser.value(COLUMN % 0)) == ["op 1", "op 10", "op 11"], "the filter: %s" % browser.value(COLUMN % 0))
    check(browser.value("Array.from(document.querySelectorAll('.bar-row')).filter(b => !b.hidden).length") == 3, "bars, too")


def check_links(browser):
    """Names lead into a viewer whose address is given, and to nothing else."""
    browser.value("(f => { f.value = ''; f.dispatchEvent(new Event('input')); })(document.getElementById('filter'))")
    enter = "(v => { v.value = %r; v.dispatchEvent(new Event('input')); })(document.getElementById('viewer'))"
    links = "Array.from(document.querySelectorAll('#op-table tbody a')).map(a => a.href)"
    names = browser.value(COLUMN % 0)
    for wrong in ("", "javascript:alert(1)", "127.0.0.1"):
        browser.value(enter % wrong)
        check(browser.value(links) == [] and browser.value(COLUMN % 0) == names, "no links to %r" % wrong)
    browser.value(enter % "http://127.0.0.1:8090/?token=abc#t=1")
    found = browser.value(links)
    check(found == ["http://127.0.0.1:8090/?token=abc#find=" + name.replace(" ", "%20") for name in names], "links: %s" % found)
    check(browser.value(COLUMN % 0) == names, "names stay")


def check_tooltip(browser):
    browser.value("document.querySelector('.chip').scrollIntoView({block: 'center'})")
    box = browser.value("(b => [b.x + b.width / 2, b.y + b.height / 2])(document.querySelector('.chip g').getBoundingClientRect())")
    browser.call("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": box[0], "y": box[1]})
    tip = browser.value("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent")
    check(tip.startswith("tile 0,0\nBRISC: busy ") and tip.count("\n") == 5, "a tile's tooltip: %r" % tip)


FLAME = "Array.from(document.querySelectorAll('#flame-zones g'))"


def boxes(browser):
    """Name, total, depth and width of each box that is to be seen."""
    return browser.value(FLAME + ".filter(g => !g.hidden && !g.hasAttribute('hidden')).map(g => [g.dataset.n, Number(g.dataset.t),"
                         " Number(g.dataset.d), Number(g.querySelector('rect').getAttribute('width'))])")


def click_box(browser, number):
    browser.value(FLAME + "[%d].dispatchEvent(new MouseEvent('click', {bubbles: true}))" % number)


def check_flame(browser, trace):
    got = subprocess.run([TENDRIL, "query", "--format", "json", trace, "SELECT sum(self_ns) AS ns FROM zones"],
                         capture_output=True, text=True, check=True)
    all_boxes = boxes(browser)
    check(all_boxes[0][:3] == ["all", json.loads(got.stdout)[0]["ns"], 0], "all of the flame graph: %s" % all_boxes[0])
    deepest = max(range(len(all_boxes)), key=lambda i: (all_boxes[i][2], all_boxes[i][1]))
    check(all_boxes[deepest][2] >= 2, "zones in zones")
    click_box(browser, deepest)
    zoomed = boxes(browser)
    check([b[2] for b in zoomed] == list(range(len(zoomed))) and all(b[3] == 960 for b in zoomed),
          "a box and those that it is in have the whole width: %s" % zoomed)
    click_box(browser, 0)
    check(boxes(browser) == all_boxes, "a click on all goes back")
    name = all_boxes[deepest][0]
    browser.value("(f => { f.value = %s; f.dispatchEvent(new Event('input')); })(document.querySelector('#flame-zones input'))" %
                  json.dumps(name.upper()))
    found = sum(b[1] for b in all_boxes if name in b[0]) / all_boxes[0][1] * 100
    said = browser.value("document.querySelector('#flame-zones output').textContent")
    check(said == "%.2f %% of all found" % found, "the share that was found: %s, %s" % (said, found))
    check(browser.value("document.querySelectorAll('#flame-zones g.hit').length") ==
          len([b for b in all_boxes if name in b[0]]), "boxes that were found")
    browser.value("(f => { f.value = ''; f.dispatchEvent(new Event('input')); })(document.querySelector('#flame-zones input'))")
    check(browser.value("document.querySelectorAll('#flame-zones g.hit').length") == 0, "the search ends")


def check_looks(browser):
    colour = "getComputedStyle(document.body).backgroundColor"
    for media, scheme, wanted in (("screen", "light", WHITE), ("screen", "dark", DARK), ("print", "dark", WHITE)):
        browser.call("Emulation.setEmulatedMedia",
                     {"media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        check(browser.value(colour) == wanted, "%s, %s: %s" % (media, scheme, browser.value(colour)))
    check(browser.value("getComputedStyle(document.querySelector('nav')).display") == "none", "no links on paper")
    browser.call("Emulation.setEmulatedMedia", {"media": "", "features": []})
    pdf = base64.b64decode(browser.call("Page.printToPDF", {"preferCSSPageSize": True, "printBackground": True})["data"])
    check(pdf.startswith(b"%PDF") and b"/Type /Page\n" in pdf, "a PDF")
    check(b"594.95" in pdf or b"595" in pdf, "of A4 pages")
    check(browser.value("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the window")


def check_hostile(browser, page):
    browser.open(page)
    check_quiet(browser, page)
    check(browser.value("document.title") == "hostile.tracy - Tendril",
          "the title: %s" % browser.value("document.title"))
    check(browser.value("document.images.length + document.scripts.length") == 1, "no elements from names")
    check(browser.value("document.querySelector('#wait-table tbody td').textContent") == HOSTILE + "in full", "the name is text")
    check(browser.value(COLUMN % 0) == [HOSTILE[:OP_NAME_BYTES]], "the operation, too")


def check_without_script(browser, page):
    browser.call("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.open(page)
    check_quiet(browser, page)
    # The document is read through the protocol, which runs no script of the page.
    root = browser.call("DOM.getDocument")["root"]["nodeId"]
    html = browser.call("DOM.getOuterHTML", {"nodeId": root})["outerHTML"]
    check(html.count("<tr>") > 300 and "<title>tile 0,0" in html and "<th scope=\"col\">Operation</th>" in html,
          "tables, drawings and their titles are there without JavaScript")
    check("<label class=\"filter\" hidden" in html and "<p class=\"flame-tools\" hidden" in html, "what needs JavaScript is hidden")


def main():
    with tempfile.TemporaryDirectory() as folder:
        page, hostile = make_page(folder, "some", 120, 12), make_page(folder, "hostile", 60, 3, "hostile")
        with Browser(folder) as browser:
            browser.open(page)
            check_quiet(browser, page)
            check_table(browser)
            check_links(browser)
            check_tooltip(browser)
            check_flame(browser, page.replace(".html", ".tracy"))
            check_looks(browser)
            check_hostile(browser, hostile)
            check_without_script(browser, page)
    return 1 if failures() else 0


sys.exit(main())
