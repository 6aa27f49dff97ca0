"""The viewer's page in a real browser, with input as a person gives it."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.environ["TD_SOURCE_DIR"], "tests/tools"))
from common import check  # noqa: E402

# The share of pixels that differ visibly from those of an image, and the mean difference of all.
COMPARE = """(async () => {
  const image = new Image();
  image.src = "data:image/png;base64,%s";
  await image.decode();
  const read = source => { const c = new OffscreenCanvas(%d, %d).getContext("2d"); c.drawImage(source, 0, 0);
    return c.getImageData(0, 0, %d, %d).data; };
  const a = read(image), b = read(page.screen.canvas);
  let sum = 0, far = 0;
  for (let i = 0; i < a.length; i++) { const d = Math.abs(a[i] - b[i]); sum += d; far += d > 24; }
  return [far / a.length, sum / a.length, image.width, image.height];
})()"""


class Page:
    def __init__(self, browser):
        self.browser = browser

    def value(self, expression):
        got = self.browser.call("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in got:
            raise RuntimeError("%s: %s" % (expression, got["exceptionDetails"]))
        return got["result"].get("value")

    def open(self, url):
        self.browser.call("Page.navigate", {"url": "about:blank"})
        self.browser.call("Page.navigate", {"url": url})
        self.wait("window.page && page.drawn > 0", "a picture")

    def wait(self, expression, what, seconds=30):
        end = time.monotonic() + seconds
        while not self.value(f"!!({expression})"):
            if time.monotonic() > end:
                check(what, False, self.value("document.getElementById('text')?.textContent"))
                return
            time.sleep(0.02)

    def state(self):
        return self.value("page.run('state')")

    def run(self, *words):
        answer = self.value("page.run(%s)" % ",".join(map(repr, words)))
        check(" ".join(words), answer["ok"], answer)
        return answer

    def settle(self):
        """Until no picture comes any more."""
        self.value("""new Promise(done => { let last = -1, same = 0; const look = () => {
            same = page.drawn === last ? same + 1 : 0; last = page.drawn; same > 8 ? done() : setTimeout(look, 30); }; look(); })""")

    def mouse(self, kind, x, y, **more):
        self.browser.call("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})

    def click(self, x, y, button="left"):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button=button, clickCount=1)
        self.mouse("mouseReleased", x, y, button=button, clickCount=1)

    def press(self, key, text="", modifiers=0):
        both = {"key": key, "modifiers": modifiers, "windowsVirtualKeyCode": ord(key.upper()) if len(key) == 1 else 0}
        self.browser.call("Input.dispatchKeyEvent", {"type": "keyDown", "text": text, **both})
        self.browser.call("Input.dispatchKeyEvent", {"type": "keyUp", **both})

    def type(self, text):
        for letter in text:
            self.press(letter, letter)
