// Mouse, touch pad, touch, keyboard and clipboard of the browser, as events of message.h.

const NOTCH = 100;     // pixels of a wheel's step
const LINE = 16, PAGE = 400;
const PINCH = 4;       // steps for twice the distance of two fingers
const BROWSERS = new Set(["F5", "F12", "Meta", "OS"]); // keys that stay the browser's
const WITH_CONTROL = new Set(["v", "r", "t", "n", "l", "V", "R", "T", "N", "L", "I", "J"]);

export class Input {
  // send(event) takes an array; `keys` is the field that has the keyboard.
  constructor(canvas, keys, send) {
    this.canvas = canvas;
    this.keys = keys;
    this.send = send;
    this.addMouse();
    this.addKeys();
    this.addClipboard();
    keys.focus();
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect(), scale = this.canvas.width / Math.max(box.width, 1);
    return [Math.round((event.clientX - box.left) * scale), Math.round((event.clientY - box.top) * scale)];
  }

  addMouse() {
    const canvas = this.canvas, buttons = { 0: 0, 1: 2, 2: 1 };
    canvas.addEventListener("pointermove", event => {
      if (event.isPrimary)
        this.send(["move", ...this.place(event)]);
    });
    canvas.addEventListener("pointerdown", event => {
      this.keys.focus({ preventScroll: true });
      canvas.setPointerCapture(event.pointerId);
      this.send(["move", ...this.place(event)]);
    });
    this.addTouch();
    // Of mouse events, because only these count clicks.
    canvas.addEventListener("mousedown", event => {
      if (event.button in buttons)
        this.send(["down", buttons[event.button], event.detail || 1]);
      event.preventDefault();
    });
    canvas.addEventListener("mouseup", event => {
      this.send(["move", ...this.place(event)]);
      if (event.button in buttons)
        this.send(["up", buttons[event.button]]);
    });
    canvas.addEventListener("pointerleave", event => {
      if (!event.buttons)
        this.send(["leave"]);
    });
    canvas.addEventListener("contextmenu", event => event.preventDefault());
    canvas.addEventListener("wheel", event => {
      const unit = event.deltaMode === 1 ? LINE : event.deltaMode === 2 ? PAGE : 1;
      const x = -event.deltaX * unit / NOTCH, y = -event.deltaY * unit / NOTCH;
      this.send(["move", ...this.place(event)]);
      this.send(event.shiftKey && !x ? ["wheel", y, 0] : ["wheel", x, y]);
      event.preventDefault();
    }, { passive: false });
  }

  // One finger is the left button, two zoom at their middle. The viewer gets no events of a mouse for fingers.
  addTouch() {
    const canvas = this.canvas;
    let down = false, apart = 0;
    const middle = touches => ({ clientX: (touches[0].clientX + touches[1].clientX) / 2,
      clientY: (touches[0].clientY + touches[1].clientY) / 2 });
    const distance = touches => Math.hypot(touches[0].clientX - touches[1].clientX, touches[0].clientY - touches[1].clientY);
    const release = () => {
      if (down)
        this.send(["up", 0]);
      down = false;
    };
    const change = event => {
      const touches = event.touches;
      event.preventDefault();
      if (touches.length === 1 && event.type === "touchstart") {
        this.keys.focus({ preventScroll: true });
        this.send(["move", ...this.place(touches[0])]);
        this.send(["down", 0, 1]);
        down = true;
      } else if (touches.length === 2) {
        release();
        const now = distance(touches);
        this.send(["move", ...this.place(middle(touches))]);
        if (event.type === "touchmove" && apart && now)
          this.send(["wheel", 0, Math.log2(now / apart) * PINCH]);
        apart = now;
      } else if (!touches.length) {
        release();
      }
    };
    for (const type of ["touchstart", "touchmove", "touchend", "touchcancel"])
      canvas.addEventListener(type, change, { passive: false });
  }

  modifiers(event) {
    return (event.shiftKey ? "s" : "") + (event.ctrlKey || event.metaKey ? "c" : "") + (event.altKey ? "a" : "");
  }

  addKeys() {
    const keys = this.keys;
    const graph = event => event.getModifierState("AltGraph");
    keys.addEventListener("keydown", event => {
      const control = (event.ctrlKey || event.metaKey) && !graph(event);
      if (event.isComposing || event.key === "Dead" || event.key === "Process" || BROWSERS.has(event.key) ||
          (control && WITH_CONTROL.has(event.key)))
        return;
      event.preventDefault();
      this.send(["key", event.key, graph(event) ? "" : this.modifiers(event)]);
      if ([...event.key].length === 1 && !control)
        this.send(["text", event.key]);
    });
    keys.addEventListener("keyup", event => this.send(["keyup", event.key, this.modifiers(event)]));
    keys.addEventListener("compositionend", event => {
      this.send(["text", event.data]);
      keys.value = "";
    });
    keys.addEventListener("input", event => {
      if (!event.isComposing && event.data)
        this.send(["text", event.data]); // keyboards on glass, which press no keys
      if (!event.isComposing)
        keys.value = "";
    });
    addEventListener("blur", () => this.send(["blur"]));
    document.addEventListener("visibilitychange", () => {
      if (document.hidden)
        this.send(["blur"]);
    });
  }

  addClipboard() {
    this.keys.addEventListener("paste", event => {
      const text = event.clipboardData.getData("text/plain");
      event.preventDefault();
      if (text)
        this.send(["paste", text]);
    });
  }
}

// Puts a text into the clipboard; browsers that refuse it get another try with the next key or click.
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    addEventListener("pointerup", () => navigator.clipboard && navigator.clipboard.writeText(text).catch(() => {}), { once: true });
  }
}
