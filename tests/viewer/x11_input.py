"""Mouse and keyboard of an X server, as if a person used them: the XTEST extension, spoken over the server's socket."""
import os
import re
import socket
import struct

KEYS = {"escape": 0xff1b, "enter": 0xff0d, "tab": 0xff09, "backspace": 0xff08, "left": 0xff51, "up": 0xff52, "right": 0xff53,
        "down": 0xff54, "pageup": 0xff55, "pagedown": 0xff56, "end": 0xff57, "home": 0xff50, "delete": 0xffff, "menu": 0xff67,
        **{"f%d" % i: 0xffbd + i for i in range(1, 13)}}
MODIFIERS = {"shift": 0xffe1, "ctrl": 0xffe3, "alt": 0xffe9}
PRESS, RELEASE, BUTTON_DOWN, BUTTON_UP, MOTION = 2, 3, 4, 5, 6
BUTTONS = {"left": 1, "middle": 2, "right": 3}


def cookie_of(path, number):
    """The MIT-MAGIC-COOKIE-1 of a display in an authority file; b"": none."""
    with open(path, "rb") as file:
        data = file.read()
    at, fields = 0, []
    while at + 2 < len(data):
        at += 2  # the family
        fields = []
        for _ in range(4):
            count, = struct.unpack_from(">H", data, at)
            fields.append(data[at + 2:at + 2 + count])
            at += 2 + count
        if fields[1] == number.encode() and fields[2] == b"MIT-MAGIC-COOKIE-1":
            return fields[3]
    return fields[3] if fields else b""


class Input:
    def __init__(self):
        number = re.match(r"[^:]*:(\d+)", os.environ["DISPLAY"])[1]
        self.link = socket.socket(socket.AF_UNIX)
        self.link.settimeout(60)
        self.link.connect("/tmp/.X11-unix/X" + number)
        name, cookie = b"MIT-MAGIC-COOKIE-1", cookie_of(os.environ["XAUTHORITY"], number)
        self.link.sendall(struct.pack("<cxHHHHxx", b"l", 11, 0, len(name), len(cookie)) + name + b"\0" * (-len(name) % 4) +
                          cookie + b"\0" * (-len(cookie) % 4))
        head = self.take(8)
        setup = self.take(4 * struct.unpack_from("<H", head, 6)[0])
        if head[0] != 1:
            raise RuntimeError(setup)
        vendor, formats = struct.unpack_from("<H", setup, 16)[0], setup[21]
        self.root, = struct.unpack_from("<I", setup, 32 + vendor + -vendor % 4 + 8 * formats)
        self.first_code, last_code = setup[26], setup[27]
        extension = self.ask(struct.pack("<BxHHxx", 98, 4, 5) + b"XTEST\0\0\0")
        if not extension[8]:
            raise RuntimeError("the X server has no XTEST")
        self.xtest = extension[9]
        self.read_keys(last_code)

    def take(self, count):
        data = b""
        while len(data) < count:
            piece = self.link.recv(count - len(data))
            if not piece:
                raise EOFError("the X server has ended")
            data += piece
        return data

    def ask(self, request):
        self.link.sendall(request)
        while True:
            answer = self.take(32)
            if answer[0] == 0:
                raise RuntimeError("error %d of the X server, request %d" % (answer[1], answer[10]))
            if answer[0] == 1:
                return answer + self.take(4 * struct.unpack_from("<I", answer, 4)[0])

    def read_keys(self, last):
        count = last - self.first_code + 1
        answer = self.ask(struct.pack("<BxHBBxx", 101, 2, self.first_code, count))
        each = answer[1]
        self.codes = {}  # of a symbol: the key, and whether with Shift
        for i in range(count):
            for shifted in (1, 0):
                symbol, = struct.unpack_from("<I", answer, 32 + 4 * (i * each + shifted)) if shifted < each else (0,)
                if symbol and (symbol not in self.codes or not shifted):
                    self.codes[symbol] = (self.first_code + i, bool(shifted))

    def windows(self, parent=None):
        """The windows on the screen: (id, x, y, width, height)."""
        answer = self.ask(struct.pack("<BxHI", 15, 2, parent or self.root))
        all_of = struct.unpack_from("<%dI" % struct.unpack_from("<H", answer, 16)[0], answer, 32)
        return [(window, *struct.unpack_from("<hhHH", self.ask(struct.pack("<BxHI", 14, 2, window)), 12)) for window in all_of]

    def focus(self, window):
        self.link.sendall(struct.pack("<BBHII", 42, 1, 3, window, 0))
        self.sync()

    def sync(self):
        """Until the server has done it all."""
        self.ask(struct.pack("<BxH", 43, 1))

    def fake(self, kind, detail=0, x=0, y=0):
        self.link.sendall(struct.pack("<BBHBBxxIIxxxxxxxxhhxxxxxxxx", self.xtest, 2, 9, kind, detail, 0, 0, x, y))

    def move(self, x, y):
        self.fake(MOTION, 0, int(x), int(y))

    def button(self, which, down):
        self.fake(BUTTON_DOWN if down else BUTTON_UP, BUTTONS.get(which, which))

    def hold(self, modifiers, down):
        for modifier in modifiers:
            self.fake(PRESS if down else RELEASE, self.codes[MODIFIERS[modifier]][0])

    def key(self, name, modifiers=()):
        code, shifted = self.codes[KEYS.get(name) or ord(name)]
        held = [*modifiers, *(["shift"] if shifted and "shift" not in modifiers else [])]
        self.hold(held, True)
        self.fake(PRESS, code)
        self.fake(RELEASE, code)
        self.hold(held, False)
