"""What `tendril import` makes of bytes, as tests of importers compare it."""
import json
import os
import subprocess
import tempfile

from common import BINARY, TENDRIL, check

SCRATCH = tempfile.mkdtemp()
TRACE = os.path.join(SCRATCH, "out.tracy")


class Imported:
    """What `import` made of bytes, a text or a list of events; or of the folder `path`."""

    def __init__(self, content, name="in.json", form="same", path=None):
        data = content if isinstance(content, bytes) else content.encode() if isinstance(content, str) else json.dumps(content).encode()
        if not path:
            path = os.path.join(SCRATCH, name)
            with open(path, "wb") as file:
                file.write(data)
        self.done = subprocess.run([TENDRIL, "import", "-f", "--format", form, "-o", TRACE, path], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, universal_newlines=True, check=False, timeout=120)
        self.code, self.said = self.done.returncode, self.done.stderr.replace("tendril import: " + path + ": ", "")
        self.tracks, self.texts, self.plots, self.messages, self.facts, self.places = {}, {}, {}, [], [], []
        if self.code == 0:
            self.read()

    def read(self):
        out = subprocess.run([os.path.join(BINARY, "tests", "trace_dump"), TRACE], stdout=subprocess.PIPE, check=True).stdout
        dump = json.loads(out.decode("utf-8", "replace"))
        self.dump = dump
        names = {track["thread"]: track["name"] for track in dump["tracks"]}
        for track in dump["tracks"]:
            if track["zones"]:
                self.tracks[track["name"]] = [(z[0], z[2][1], z[3], z[4]) for z in track["zones"]]
            self.texts.update({z[2][1]: z[6] for z in track["zones"]})
            self.places += [tuple(z[2][2:4]) for z in track["zones"]]
        self.plots = {plot[5]: [tuple(p) for p in points] for plot, points in zip(dump["plots"], dump["POINT"])}
        self.messages = [(m[0], names[m[1]], m[2]) for m in dump["MESSAGE"]]
        self.facts = [row[0] for row in dump["APP_INFO"]]
        self.dump, self.names = dump, names


def expect(what, found, wanted):
    check(what, found == wanted, found, "instead of", wanted)


def samples_of(done, table="SAMPLE"):
    """By track: (time, stack), a stack as its functions from the innermost one on, with places where they are known."""
    lines, ends = done.dump["STACK_LINE"], [0] + [frame[2] for frame in done.dump["STACK_FRAME"]]
    frames = {frame[0]: ["%s@%s:%d" % (f, file, line) if file else f for f, file, line, _ in lines[begin:frame[2]]]
              for begin, frame in zip(ends, done.dump["STACK_FRAME"])}
    return {track["name"]: [(time, [f for frame in stack for f in frames[frame]]) for time, stack in rows]
            for track, rows in zip(done.dump["tracks"], done.dump[table]) if rows}
