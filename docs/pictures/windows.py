"""Takes the pictures of windows that show no finished trace, in the folder of panels.sh and in a network of its own:
windows.py BUILD DOCS NAMES"""
import os
import subprocess
import sys
import time

BUILD, DOCS, NAMES = sys.argv[1], sys.argv[2], sys.argv[3].split()
TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests")
os.environ["TD_BINARY_DIR"] = BUILD
sys.path.insert(0, os.path.join(TESTS, "viewer"))
from driven import start  # noqa: E402


def program():
    """The game, for minutes; it waits for nobody."""
    return subprocess.Popen(["./game", "200", "3000", "40000"], env={**os.environ, "TRACY_NO_SYSTEM_TRACING": "1"})


def view(name, seconds, commands, *arguments):
    """A picture of a viewer that has run for some seconds."""
    viewer, client = start(os.path.abspath("socket"), *arguments)
    time.sleep(seconds)
    for command in commands:
        assert client.ask(command)["ok"], command
    if name:
        assert client.ask("screenshot", os.path.join(DOCS, name + ".png"))["ok"], name
    client.ask("quit discard")
    viewer.wait(60)


subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
if not NAMES or "viewer-connection" in NAMES:
    GAME = program()
    view("viewer-connection", 8, ["open connection"], "--size", "1100x600", "127.0.0.1:8086")
    GAME.kill()
    GAME.wait()
if not NAMES or "viewer-welcome" in NAMES:
    for trace in ("demo.tracy", "sorter.tracy", "game.tracy"):
        view(None, 1, [], trace)
    GAMES = [program() for _ in range(2)]
    view("viewer-welcome", 5, [], "--size", "1100x360")
    for game in GAMES:
        game.kill()
