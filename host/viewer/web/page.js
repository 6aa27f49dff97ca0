// The viewer's screen: pictures come over a WebSocket, input goes back.
import { Pictures } from "./picture.js";
import { Screen } from "./draw.js";
import { Input, copy } from "./input.js";

const CURSORS = ["default", "text", "pointer", "move", "ew-resize", "ns-resize"];
const PIECE = 256 * 1024;              // of a trace that is uploaded
const MOST_EVENTS = 500;               // of a message
const FIRST_WAIT = 250, MOST_WAIT = 5000; // ms until the next try to connect

const element = id => document.getElementById(id);
const token = new URLSearchParams(location.search).get("token") || "";

// The name of this view: the same after a reload, another one in another tab.
function viewName() {
  let name = sessionStorage.getItem("view");
  if (!name) {
    name = Array.from(crypto.getRandomValues(new Uint8Array(12)), byte => byte.toString(16).padStart(2, "0")).join("");
    sessionStorage.setItem("view", name);
  }
  return name;
}

class Page {
  constructor() {
    this.screen = new Screen(element("screen"));
    this.events = [];
    this.answers = new Map();
    this.asked = 0;
    this.wait = FIRST_WAIT;
    this.pictures = new Pictures();
    this.input = new Input(element("screen"), element("keys"), event => this.send(event));
    this.addWindow();
    this.addFiles();
    this.addMenu();
    this.connect();
  }

  // ---- the connection

  async connect() {
    if (!await this.isKnown())
      return;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/screen?token=${encodeURIComponent(token)}&view=${viewName()}`, "tendril");
    socket.binaryType = "arraybuffer";
    this.queue = Promise.resolve();
    socket.onopen = () => {
      this.socket = socket;
      this.wait = FIRST_WAIT;
      this.notify("");
      this.sendSize();
      this.send(["whole"]);
    };
    socket.onmessage = ({ data }) => {
      this.queue = this.queue.then(() => typeof data === "string" ? this.takeText(JSON.parse(data)) : this.takePicture(new Uint8Array(data)))
        .catch(error => this.fail(error));
    };
    socket.onclose = () => this.lose(socket);
  }

  async isKnown() {
    try {
      const answer = await fetch(`/check?token=${encodeURIComponent(token)}`, { cache: "no-store" });
      if (answer.status !== 403)
        return true;
      this.notify("This address is not valid any more. Open the one that tendril view --web printed.");
    } catch {
      this.retry();
    }
    return false;
  }

  lose(socket) {
    if (this.socket === socket || !this.socket) {
      this.socket = null;
      this.upload = null;
      if (!this.ended)
        this.retry();
    }
  }

  retry() {
    this.notify("Not connected. Trying again ...");
    setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(this.wait * 2, MOST_WAIT);
  }

  fail(error) {
    console.error(error);
    this.pictures = new Pictures();
    this.send(["whole"]);
  }

  send(event) {
    const last = this.events[this.events.length - 1];
    if (event[0] === "move" && last && last[0] === "move")
      this.events.pop();
    this.events.push(event);
    if (this.events.length === 1)
      queueMicrotask(() => this.flush());
  }

  flush() {
    const events = this.events.splice(0);
    for (let i = 0; i < events.length && this.socket; i += MOST_EVENTS)
      this.socket.send(JSON.stringify(events.slice(i, i + MOST_EVENTS)));
  }

  // ---- what comes

  async takePicture(message) {
    const picture = await this.pictures.read(message);
    this.screen.takeTextures(picture);
    this.send(["ack", picture.number]);
    if (!this.shown)
      requestAnimationFrame(() => this.show());
    this.shown = picture;
  }

  show() {
    const picture = this.shown;
    this.shown = null;
    this.screen.draw(picture);
    this.screen.canvas.style.cursor = CURSORS[picture.cursor] || "default";
    this.drawn = picture.number;
    if (!this.placed)
      this.goToPlace();
  }

  async takeText(message) {
    if ("title" in message)
      document.title = message.title;
    if ("copied" in message)
      await copy(message.copied);
    if ("reply" in message && this.answers.has(message.reply)) {
      this.answers.get(message.reply)(message.answer);
      this.answers.delete(message.reply);
    }
    if ("uploaded" in message && this.upload)
      this.upload.go(message.uploaded);
    if ("file" in message)
      this.save(message.file, message.name);
    if ("notice" in message)
      this.notify(message.notice, "Close", () => this.notify(""));
    if ("ended" in message) {
      this.ended = true;
      sessionStorage.removeItem("view");
      this.notify(message.ended, "Open again", () => location.reload());
    }
  }

  // A command of the viewer; the answer is an object.
  run(...words) {
    const id = ++this.asked;
    return new Promise(resolve => {
      this.answers.set(id, resolve);
      this.send(["run", id, JSON.stringify({ command: words[0], arguments: words.slice(1) })]);
    });
  }

  // ---- links that hold a place

  async goToPlace() {
    this.placed = true;
    const place = new URLSearchParams(location.hash.slice(1));
    if (!place.size)
      return;
    history.replaceState(null, "", location.pathname + location.search);
    const from = parseFloat(place.get("t")), length = parseFloat(place.get("d"));
    if (length > 0 && isFinite(from))
      await this.run("zoom", `${from}ns..${from + length}ns`);
    const [track, time] = (place.get("zone") || "").split("@");
    if (time)
      await this.run("select", track, `${time}ns`);
    if (place.get("find")) {
      await this.run("find", place.get("find"));
      await this.run("next");
    }
  }

  async link() {
    const state = await this.run("state");
    const place = new URLSearchParams();
    if (state.range) {
      place.set("t", Math.round(state.range.from_ns));
      place.set("d", Math.max(1, Math.round(state.range.to_ns - state.range.from_ns)));
    }
    if (state.selected)
      place.set("zone", `${state.selected.track}@${Math.round((state.selected.from_ns + state.selected.to_ns) / 2)}`);
    return `${location.origin}${location.pathname}${location.search}#${place}`;
  }

  // ---- the window

  sendSize() {
    const scale = devicePixelRatio || 1, box = this.screen.canvas.getBoundingClientRect();
    this.send(["size", Math.max(1, Math.round(box.width * scale)), Math.max(1, Math.round(box.height * scale)), scale]);
  }

  addWindow() {
    const canvas = this.screen.canvas;
    new ResizeObserver(() => this.sendSize()).observe(canvas);
    addEventListener("resize", () => this.sendSize());
    addEventListener("hashchange", () => this.goToPlace());
    canvas.addEventListener("webglcontextlost", event => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => {
      this.screen.start();
      this.fail(new Error("the graphics memory was lost"));
    });
  }

  notify(text, label, action) {
    element("text").textContent = text;
    element("notice").hidden = !text;
    element("progress").hidden = true;
    element("again").hidden = !label;
    element("again").textContent = label || "";
    element("again").onclick = action;
  }

  // ---- files

  save(url, name) {
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
  }

  saveBlob(blob, name) {
    const url = URL.createObjectURL(blob);
    this.save(url, name);
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  }

  savePicture() {
    this.screen.canvas.toBlob(blob => this.saveBlob(blob, "tendril.png"));
  }

  async saveTable(panel) {
    const answer = await this.run("copy", panel, "csv");
    if (answer.ok)
      this.saveBlob(new Blob([answer.text], { type: "text/csv" }), `${panel}.csv`);
    else
      this.notify(answer.error, "Close", () => this.notify(""));
  }

  addFiles() {
    element("file").addEventListener("change", event => this.uploadFile(event.target.files[0]));
    addEventListener("dragover", event => event.preventDefault());
    addEventListener("drop", event => {
      event.preventDefault();
      this.uploadFile(event.dataTransfer.files[0]);
    });
  }

  // Piece after piece, each when the one before it has arrived.
  uploadFile(file) {
    if (!file || !this.socket || this.upload)
      return;
    const progress = element("progress");
    this.notify(`Uploading ${file.name}`, "Cancel", () => this.upload && this.upload.go(-1));
    progress.hidden = false;
    progress.value = 0;
    this.upload = {
      go: async done => {
        progress.value = file.size ? done / file.size : 1;
        if (done >= 0 && done < file.size) {
          this.socket.send(await file.slice(done, done + PIECE).arrayBuffer());
          return;
        }
        if (done < 0)
          this.send(["upload", 0, ""]);
        this.upload = null;
        this.notify("");
        element("file").value = "";
      },
    };
    this.send(["upload", file.size, file.name]);
  }

  // ---- the menu

  addMenu() {
    const more = element("more"), menu = element("menu");
    more.addEventListener("click", () => menu.hidden ? this.openMenu() : this.closeMenu());
    addEventListener("pointerdown", event => {
      if (!menu.contains(event.target) && event.target !== more)
        this.closeMenu();
    });
    menu.addEventListener("keydown", event => {
      const all = [...menu.children], at = all.indexOf(document.activeElement);
      if (event.key === "Escape")
        this.closeMenu();
      else if (event.key === "ArrowDown" || event.key === "ArrowUp")
        all[(at + (event.key === "ArrowDown" ? 1 : all.length - 1)) % all.length].focus();
      else
        return;
      event.preventDefault();
    });
  }

  closeMenu() {
    element("menu").hidden = true;
    element("more").setAttribute("aria-expanded", "false");
    element("keys").focus();
  }

  async openMenu() {
    const menu = element("menu"), state = await this.run("state");
    const entries = [
      ["Save picture", () => this.savePicture()],
      ...(state.panels || []).map(panel => [`Save table of ${panel} as CSV`, () => this.saveTable(panel)]),
      ...(state.file ? ["SVG", "PDF"].map(kind => [`Save timeline as ${kind}`, () => this.send(["drawing", kind.toLowerCase()])]) : []),
      ...(state.file ? [["Save trace", () => this.send(["download"])],
        ["Copy link to this place", async () => copy(await this.link())]] : []),
      ["Upload trace", () => element("file").click()],
      [document.fullscreenElement ? "Leave full screen" : "Full screen", () => document.fullscreenElement
        ? document.exitFullscreen() : document.documentElement.requestFullscreen()],
    ];
    menu.replaceChildren(...entries.map(([text, action]) => {
      const entry = document.createElement("button");
      entry.setAttribute("role", "menuitem");
      entry.textContent = text;
      entry.addEventListener("click", () => {
        this.closeMenu();
        action();
      });
      return entry;
    }));
    menu.hidden = false;
    element("more").setAttribute("aria-expanded", "true");
    menu.firstElementChild.focus();
  }
}

try {
  window.page = new Page();
} catch (error) {
  element("text").textContent = String(error.message);
  element("notice").hidden = false;
}
