"""The viewer as a person has it: in a window of an X server, and in a browser. Both take the same mouse and keys, in pixels of
the picture, and say what they show."""
import base64
import os
import subprocess
import time

from driven import TENDRIL, Client
from web_page import COMPARE
import x11_input

WIDTH, HEIGHT = 1280, 800
SHIFT_SIGNS = '~!@#$%^&*()_+{}|:"<>?'
PAGE_KEYS = {"escape": "Escape", "enter": "Enter", "tab": "Tab", "backspace": "Backspace", "delete": "Delete", "left": "ArrowLeft",
             "right": "ArrowRight", "up": "ArrowUp", "down": "ArrowDown", "pageup": "PageUp", "pagedown": "PageDown", "home": "Home",
             "end": "End", "menu": "ContextMenu", **{"f%d" % i: "F%d" % i for i in range(1, 13)}}
PAGE_MODIFIERS = {"alt": 1, "ctrl": 2, "shift": 8}


class Screen:
    """What both have in common. A subclass has ask(), settle(), move(), button(), turn_wheel(), press() and picture()."""

    def run(self, *lines):
        """Commands, each a line."""
        for line in lines:
            words = line.split(" ", 1)
            answer = self.ask(*words)
            if not answer["ok"]:
                raise AssertionError(f"{line}: {answer}")

    def state(self):
        self.settle()
        return self.ask("state")

    def panels(self):
        return self.state()["panels"]

    def copied(self, panel, form="csv"):
        """What the panel lists."""
        answer = self.ask("copy", panel, form)
        return answer.get("text", "")

    def controls(self):
        self.settle()
        return self.ask("controls")["controls"]

    def names(self, panel):
        return [c["name"].split("##")[0] for c in self.controls() if c["panel"] == panel]

    def find(self, name, panel=None):
        """The place of a control; of several the first."""
        for control in self.controls():
            if control["name"].split("##")[0] == name and panel in (None, control["panel"]):
                return control
        raise AssertionError(f"there is no '{name}' in {panel}: {sorted({c['name'] for c in self.controls()})}")

    def at(self, name, panel=None):
        place = self.find(name, panel)
        return (place["left"] + place["right"]) / 2, (place["top"] + place["bottom"]) / 2

    def key(self, name):
        """Such as "t", "T", "ctrl+p" or "shift+f10"."""
        *modifiers, last = name.split("+") if len(name) > 1 else [name]
        self.press(last or "+", modifiers)
        self.settle()

    def type(self, text):
        for letter in text:
            self.press(letter, [])
        self.settle()

    def click(self, x, y, button="left", times=1, held=()):
        self.move(x, y)
        for i in range(times):
            self.button(button, True, i + 1, held)
            self.button(button, False, i + 1, held)
        self.settle()

    def click_on(self, name, panel=None, button="left", times=1, held=()):
        self.click(*self.at(name, panel), button, times, held)

    def menu(self, entry):
        """Chooses an entry of the open menu."""
        self.click_on(entry, "menu")

    def drag(self, x0, y0, x1, y1, button="left"):
        self.move(x0, y0)
        self.button(button, True)
        for i in range(1, 5):
            self.move(x0 + (x1 - x0) * i / 4, y0 + (y1 - y0) * i / 4, button)
        self.button(button, False)
        self.settle()

    def wheel(self, steps, held=()):
        self.turn_wheel(steps, held)
        self.settle()


class Window(Screen):
    """tendril view in a window of the X server that DISPLAY names."""
    name = "window"

    def __init__(self, folder, trace):
        self.socket = os.path.join(folder, "socket")
        state = os.path.join(folder, "window")
        env = {**os.environ, "XDG_DATA_HOME": state, "XDG_CONFIG_HOME": state, "XDG_STATE_HOME": state, "XDG_CACHE_HOME": state,
               "SDL_VIDEODRIVER": "x11", "TD_VIEW_UNSEEN": "1"}
        self.child = subprocess.Popen([TENDRIL, "view", "--scale", "1", "--size", f"{WIDTH}x{HEIGHT}", "--listen", self.socket, trace],
                                      env=env, stderr=subprocess.PIPE, text=True)
        self.client = None
        while not self.client and self.child.poll() is None:
            try:
                self.client = Client(self.socket)
            except OSError:
                time.sleep(0.05)
        if not self.client:
            raise RuntimeError(self.child.stderr.read())
        self.ask("state")
        self.input = x11_input.Input()
        window = max(self.input.windows(), key=lambda w: w[3] * w[4])
        self.left, self.top = window[1:3]
        self.input.focus(window[0])
        self.folder = folder

    def ask(self, *words):
        return self.client.ask(*words)

    def settle(self):
        self.input.sync()
        for _ in range(6):  # each is answered in another frame
            self.client.ask("frames")

    def move(self, x, y, held=None):
        self.input.move(self.left + x, self.top + y)
        self.settle()

    def button(self, which, down, times=1, held=()):
        self.input.hold(held, True)
        self.input.button(which, down)
        self.input.sync()
        self.client.ask("frames")
        self.input.hold(held, False)

    def turn_wheel(self, steps, held):
        self.input.hold(held, True)
        for _ in range(abs(steps)):
            for down in (True, False):
                self.input.button(4 if steps > 0 else 5, down)
        self.settle()
        self.input.hold(held, False)

    def press(self, name, modifiers):
        self.input.key(name, modifiers)
        self.input.sync()
        self.client.ask("frames")

    def picture(self):
        """A file."""
        path = os.path.join(self.folder, "window.png")
        self.run("screenshot " + path)
        return path

    def close(self):
        self.client.ask("quit")
        self.child.wait(60)
        errors = self.child.stderr.read()
        self.child.stderr.close()
        return self.child.returncode, errors


class InBrowser(Screen):
    name = "browser"

    def __init__(self, page):
        self.page = page
        # Drawing without a graphics card takes longer than all the rest: only what is compared is drawn.
        page.value("(page.screen.drawNow = page.screen.draw.bind(page.screen), page.screen.draw = picture => { window.last = picture; }, 0)")

    def ask(self, *words):
        return self.page.value("page.run(%s)" % ",".join(map(repr, words)))

    def settle(self):
        self.page.value("page.run('frames').then(() => page.run('frames')).then(() => page.run('frames'))")

    def move(self, x, y, held=None):
        more = {"button": held, "buttons": {"left": 1, "right": 2, "middle": 4}[held]} if held else {}
        self.page.mouse("mouseMoved", x, y, **more)
        self.x, self.y = x, y
        self.settle()

    def button(self, which, down, times=1, held=()):
        self.modify(held, True)
        self.page.mouse("mousePressed" if down else "mouseReleased", self.x, self.y, button=which, clickCount=times,
                        modifiers=sum(PAGE_MODIFIERS[m] for m in held))
        self.modify(held, False)

    def modify(self, held, down):
        """Keys that are held reach the viewer as keys."""
        for name in held:
            self.page.browser.call("Input.dispatchKeyEvent", {"type": "keyDown" if down else "keyUp",
                                                              "key": {"ctrl": "Control", "shift": "Shift", "alt": "Alt"}[name],
                                                              "modifiers": PAGE_MODIFIERS[name] if down else 0})

    def turn_wheel(self, steps, held):
        self.modify(held, True)
        for _ in range(abs(steps)):
            self.page.mouse("mouseWheel", self.x, self.y, deltaX=0, deltaY=-100 if steps > 0 else 100,
                            modifiers=sum(PAGE_MODIFIERS[m] for m in held))
        self.modify(held, False)
        self.settle()

    def press(self, name, modifiers):
        typed = len(name) == 1 and not {"ctrl", "alt"} & set(modifiers)
        bits = sum(PAGE_MODIFIERS[m] for m in modifiers) | (8 if typed and (name.isupper() or name in SHIFT_SIGNS) else 0)
        self.page.press(PAGE_KEYS.get(name, name), name if typed else "", bits)

    def difference(self, path):
        """From the picture of a window: the share of pixels that differ visibly, and the mean difference."""
        self.page.settle()
        self.page.value("window.last && page.screen.drawNow(window.last)")
        with open(path, "rb") as file:
            return self.page.value(COMPARE % (base64.b64encode(file.read()).decode(), WIDTH, HEIGHT, WIDTH, HEIGHT))
