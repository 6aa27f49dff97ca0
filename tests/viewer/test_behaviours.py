"""The list of what the viewer does (behaviours.txt): each line names the test that proves it. Those of behaviours.py are done here by
mouse and keys, in a window of an X server and in a browser; both must say the same, and show the same picture.
Usage: test_behaviours.py --list: only the list; [--window] [FUNCTION...]: without a browser; some of them."""
import inspect
import os
import re
import subprocess
import sys
import tempfile

import behaviours
from screens import InBrowser, Window
from web_client import viewer_or_skip
from web_page import Page

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests/tools"))
sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests/report"))
from browser import PROGRAM, Browser  # noqa: E402
from common import SOURCE, TENDRIL, TRACE, check, exit_status  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
PICTURES_EVERY = 1 if os.environ.get("TD_THOROUGH") else 8
LEAST = 120
FIRST = ("limit all", "mark", "find", "select", "lanes", "show", "unpin", "order", "collapse", "layout 1", "fit")


def rows_of_list():
    """(number, behaviour, source, proof) of each line."""
    with open(os.path.join(HERE, "behaviours.txt"), encoding="utf-8") as file:
        return [[field.strip() for field in line.split("|")] for line in file if line.strip() and not line.startswith("#")]


def scripts():
    """The behaviours of this test, in their order: (function, is of the trace features)."""
    known = [f for _, f in inspect.getmembers(behaviours, inspect.isfunction) if list(inspect.signature(f).parameters) == ["s"]]
    known.sort(key=lambda f: f.__code__.co_firstlineno)
    line = behaviours.FIRST_OF_FEATURES.__code__.co_firstlineno
    return [(f, f.__code__.co_firstlineno >= line) for f in known]


def check_list():
    rows, done = rows_of_list(), {f.__name__ for f, _ in scripts()}
    check("each line has four fields", all(len(row) == 4 for row in rows), [row for row in rows if len(row) != 4])
    check("numbers", [int(row[0]) for row in rows] == list(range(1, len(rows) + 1)))
    check(f"at least {LEAST}", len(rows) >= LEAST, len(rows))
    named = set()
    for number, behaviour, _, proof in rows:
        test, _, function = proof.partition(".")
        if test == "here":
            named.add(function)
        elif test != "none":
            path = os.path.join(HERE, test + (".py" if os.path.exists(os.path.join(HERE, test + ".py")) else ".c"))
            with open(path, encoding="utf-8") as file:
                check(f"{number}, {behaviour}: {proof}", re.search(r"\b%s\b" % function, file.read()))
    check("each function has a line", named == done, named ^ done)


def prepare(screen, trace_choices):
    for panel in screen.ask("state")["panels"]:
        screen.run("close " + panel)
    screen.run(*FIRST, *trace_choices)
    screen.move(5, 5)


def attempt(function, screen):
    try:
        function(screen)
        return True
    except (AssertionError, IndexError, KeyError, TypeError) as error:
        check(f"{function.__name__} in the {screen.name}", False, repr(error))
        screen.key("escape")
        screen.key("escape")
        return False


def same_of(state):
    """What both screens must say alike."""
    return {key: state[key] for key in ("range", "marked", "limit", "selected", "find", "matches", "panels", "lanes", "views")}


def run_all(functions, window, page):
    browser = InBrowser(page) if page else None
    for i, function in enumerate(functions):
        good = True
        for screen in filter(None, (window, browser)):
            prepare(screen, [])
            good &= attempt(function, screen)
        if not good or not browser:
            continue
        one, two = same_of(window.state()), same_of(browser.state())
        check(f"{function.__name__}: both say the same", one == two, {k: (one[k], two[k]) for k in one if one[k] != two[k]})
        if i % PICTURES_EVERY == 0:
            far, mean, *size = browser.difference(window.picture())
            check(f"{function.__name__}: the pictures", far < 0.003 and mean < 0.6, far, mean, size)


def check_alone(window):
    """Without the other one."""
    text = subprocess.run([TENDRIL, "view", "--help"], capture_output=True, text=True, check=True).stdout
    panels = re.sub(r"\s+", " ", re.search(r"such as statistics\s+\(([^)]*)\)", text)[1]).split(", ")
    with open(os.path.join(SOURCE, "host/viewer/drive/commands.h"), encoding="utf-8") as file:
        commands = re.findall(r"^    X\((\w+),", file.read(), re.MULTILINE)
    for function, arguments in ((behaviours.every_panel_and_command_is_reached_by_keys, (panels, commands)),
                                (behaviours.every_panel_and_menu_is_reached_by_the_mouse, (panels,))):
        prepare(window, [])
        try:
            function(window, *arguments)
        except AssertionError as error:
            check(function.__name__, False, repr(error))


def check_trace(trace, functions, alone, folder, browser):
    window = Window(folder, trace)
    viewer = viewer_or_skip(folder, trace) if browser else None
    if viewer:
        with viewer:
            page = Page(browser)
            page.open(viewer.url)
            run_all(functions, window, page)
        check("the viewer in the browser ends well", viewer.status == 0 and not viewer.errors, viewer.status, viewer.errors)
    else:
        run_all(functions, window, None)
    if alone:
        check_alone(window)
    status, errors = window.close()
    check("the window ends well", status == 0 and not errors, status, errors)


def main():
    check_list()
    if sys.argv[1:] == ["--list"]:
        return exit_status()
    wanted = [word for word in sys.argv[1:] if word != "--window"]
    browses = PROGRAM and "--window" not in sys.argv
    chosen = [(f, late) for f, late in scripts() if not wanted or f.__name__ in wanted]
    with tempfile.TemporaryDirectory() as folder:
        demo = os.path.join(folder, "demo.tracy")
        subprocess.run([os.path.join(os.environ["TD_BINARY_DIR"], "tests", "write_demo"), "demo", demo], check=True)
        for trace, late in ((demo, False), (TRACE, True)):
            functions = [f for f, is_late in chosen if is_late == late]
            inner = os.path.join(folder, str(late))
            os.mkdir(inner)
            if not functions:
                continue
            if not browses:
                check_trace(trace, functions, not late and not wanted, inner, None)
                continue
            with Browser(inner, Browser.LOCAL) as browser:
                browser.call("Emulation.setDeviceMetricsOverride", {"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": False})
                check_trace(trace, functions, not late and not wanted, inner, browser)
    return exit_status()


sys.exit(main())
