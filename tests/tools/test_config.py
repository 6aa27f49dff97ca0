#!/usr/bin/env python3
"""tendril.conf: who overrides whom, what is refused and how, what --print-config prints. What the working folder's file may
choose: test_config_local.py."""
import os
import subprocess
import tempfile

from common import BINARY, TRACE, check, exit_status
from config_place import Place


def order(place):
    place.write()
    check("default", place.value("port") == ("8086", "default"), place.value("port"))
    place.write(user="[all]\nquiet = yes\n[capture]\nport = 1001\n")
    check("the user's file", place.value("port") == ("1001", place.user + ":4"), place.value("port"))
    check("[all]", place.value("quiet") == ("yes", place.user + ":2"))
    place.write(user="[capture]\nport = 1001\n[all]\nport = 1002\n")
    check("a command's section is before [all]", place.value("port")[0] == "1001")
    place.write(user="[info]\njson = no\nop = 7\n", local="[all]\njson = yes\n")
    value = place.value("json", command="info")
    check("the working folder's file", value == ("yes", "tendril.conf:2"), value)
    check("what it does not name stays", place.value("op", command="info")[0] == "7")
    place.write(user="[capture]\nport = 1001\n")
    check("the command line", place.value("port", "-p", "1004") == ("1004", "command line"))
    check("none", place.value("port", TENDRIL_CONFIG="none") == ("8086", "default"))
    check("one file", place.value("port", TENDRIL_CONFIG=place.user) == ("1001", place.user + ":2"))
    place.write(user="[capture]\nquiet = yes\nset = a=1\nset = b=2\n")
    check("a flag is taken back", place.value("quiet", "--quiet=no") == ("no", "command line"))
    listed = place.run("capture", "--print-config").stdout
    check("a list", "set = a=1 " in listed and "set = b=2 " in listed, listed)
    listed = place.run("capture", "--print-config", "--set", "c=3").stdout
    check("a list is replaced", "set = c=3 " in listed and "a=1" not in listed, listed)
    place.write(local="[info]\njson = yes\n")
    r = place.run("info", TRACE)
    check("the values are used", r.returncode == 0 and r.stdout.startswith("{"), r.stdout[:80] + r.stderr)
    with open(os.path.join(place.work, "printed"), "w", encoding="utf-8") as f:
        f.write(place.run("capture", "--print-config", "-p", "1005", "-q").stdout)
    check("what --print-config prints is a configuration",
          place.value("port", TENDRIL_CONFIG="printed") == ("1005", "printed:4"),
          place.run("capture", "--print-config", TENDRIL_CONFIG="printed"))


def refused(place):
    cases = [("[capture]\nprot = 1\n", "tendril.conf:2: tendril capture has no option prot"),
             ("[capure]\nport = 1\n", "tendril.conf:2: there is no command capure"),
             ("[all]\nnothing-has-this = 1\n", "tendril.conf:2: no command has an option nothing-has-this"),
             ("[capture]\n\nport = x\n", "tendril.conf:3: --port: 'x' is not a number from 1 to 65535"),
             ("[capture]\nquiet = 7\n", "tendril.conf:2: option --quiet takes no value other than yes and no"),
             ("[capture]\nport =\n", "tendril.conf:2: port has no value"),
             ("[capture]\nformat\n", "tendril.conf:2: neither [section] nor name = value nor comment"),
             ("port = 1\n", "tendril.conf:1: port is not in a section")]
    for text, says in cases:
        place.write(user=text)
        r = place.run("capture")
        check(f"refused: {text!r}", r.returncode == 2 and r.stderr.count("\n") == 1 and says in r.stderr, r.stderr)
        check(f"help works with {text!r}", place.run("capture", "--help").returncode == 0)
    place.write(user="[record]\nno-such = 1\n")
    r = place.run("info", TRACE)
    check("names of other commands are checked too", r.returncode == 2 and ":2: tendril record has no option" in r.stderr)
    place.write()
    r = place.run("capture", TENDRIL_CONFIG="nothing.conf")
    check("TENDRIL_CONFIG names a file", r.returncode == 1 and "there is no file nothing.conf" in r.stderr, r.stderr)


def simulator(place):
    if not os.path.exists(os.path.join(BINARY, "bin", "tensix_sim")):
        return
    place.write(user="[sim]\ngrid = 1x1\n")
    r = place.run("sim", "--print-config")
    check("[sim]", f"; {place.user}:2" in r.stdout, r.stdout + r.stderr)
    r = subprocess.run([os.path.join(BINARY, "bin", "tensix_sim"), "--print-config"], cwd=place.work, capture_output=True,
                       text=True, timeout=100, env={**os.environ, "XDG_CONFIG_HOME": place.home, "TENDRIL_CONFIG": ""})
    check("the simulator that a recording starts has no section", place.user not in r.stdout, r.stdout)


def viewer(place):
    if not os.path.exists(os.path.join(BINARY, "bin", "tendril-view")):
        return
    place.write(user="[view]\nno-such = 1\n[all]\nscreenshot = x.png\n")
    r = place.run("view", "--settings")
    check("the viewer checks its section", r.returncode == 2 and ":2: tendril view has no option no-such" in r.stderr,
          r.stderr)
    check("which other commands do not", place.run("info", TRACE).returncode == 0)
    place.write(user="[all]\nscreenshto = x.png\n")
    for command in "view", "info":
        r = place.run(command, TRACE)
        check(f"{command}: [all] with an option of no command", "no command has an option screenshto" in r.stderr, r.stderr)


def main():
    check("tests have no configuration", os.environ.get("TENDRIL_CONFIG") == "none")
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder)
        order(place)
        refused(place)
        simulator(place)
        viewer(place)
    return exit_status()


if __name__ == "__main__":
    raise SystemExit(main())
