"""A board that the vendor's driver offers: only windows, no BAR. The driver is our module (tests/guest/module), which
answers the calls that the vendor's header documents, and fails on demand."""
import tempfile

from kit import GRID, SHORT, THOROUGH, TINY, Way, reference, zones_by_name
from machine import Board, expect, skip

PARAMETERS = "/sys/module/tendril_kmd/parameters"


def parameter(m, name):
    return int(m.run(f"read -r value <{PARAMETERS}/{name}; echo $value").out)


def set_parameter(m, name, value):
    m.run(f"echo {value} >{PARAMETERS}/{name}")


def works(m, way, expected):
    way.record(SHORT)
    found = zones_by_name(way.trace())
    for name, count in expected.items():
        expect(found.get(name) == count, f"{found.get(name)} zones {name}, through shared memory {count}")
    expect(parameter(m, "configures") > 0, "windows were used")
    print(f"  {sum(expected.values())} zones as through shared memory", flush=True)


def power_is_on_while_it_is_used(m, way, board):
    """Full clock, DRAM and tiles while a recording runs; as before after its end, after a kill, and without a recording."""
    expect(parameter(m, "power") == 0, f"nothing is on when nothing has opened the card, not 0x{parameter(m, 'power'):x}")
    running = way.start_long(board)
    expect(parameter(m, "power") & 0xf == 0xf, f"all is on while it is recorded, not 0x{parameter(m, 'power'):x}")
    way.signal("INT", running)
    running.wait()
    expect(parameter(m, "power") == 0, "nothing is on after the end of a recording")
    expect(parameter(m, "power_calls") > 0, "power was asked for")
    running = way.start_long(board)
    way.signal("KILL", running)
    running.wait()
    expect(parameter(m, "power") & 4, "the program that goes on keeps the tiles on")
    m.run("kill -9 $(pidof matmul); while pidof matmul tendril >/dev/null; do usleep 50000; done")
    expect(parameter(m, "power") == 0, "nothing is on after a recorder was killed")
    program = " ".join(["tendril record --at tenstorrent:0 -b tensix_sim", *GRID, "-o /tmp/power.tracy --", *SHORT])
    clock = [line for line in m.run(f"TENDRIL_DEBUG=card {program} 2>&1").out.splitlines() if "MHz by" in line]
    expect(clock and " 1000 MHz" in clock[0], f"the frequency is that of the full clock: {clock}")
    set_parameter(m, "no_power", 1)
    way.record(TINY)
    set_parameter(m, "no_power", 0)
    print("  power: on while a program or a recorder has the card open", flush=True)


def windows_run_out(m, way):
    """With two windows a program works and points them anew for each access; with none it gets an error with the reason."""
    before = parameter(m, "configures")
    program = " ".join(["TENDRIL_BOARD=tenstorrent:0 TENDRIL_BOARD_NAME=tensix_sim TENDRIL_BOARD_GRID=2x1", *SHORT])
    set_parameter(m, "windows", 2)
    expect("verified" in m.run(program, timeout=120).out, "a program works with two windows")
    print(f"  two windows were pointed {parameter(m, 'configures') - before} times", flush=True)
    set_parameter(m, "windows", 0)
    way.ends_with_a_line(way.start(TINY), "full window table", zones=False)
    set_parameter(m, "windows", 64)


def driver_fails(m, way):
    set_parameter(m, "fail_configure", -1)
    way.ends_with_a_line(way.start(TINY), "error of the driver", zones=False)
    set_parameter(m, "fail_configure", 0)
    way.record(TINY)


def cards_go(m, way, board):
    running = way.start_long(board)
    set_parameter(m, "link_down", 1)
    way.ends_with_a_line(running, "link down, memory reads as ones")
    m.run("rmmod tendril_kmd && modprobe tendril_kmd")
    way.record(SHORT)
    running = way.start_long(board)
    m.run(f"echo 1 >/sys/bus/pci/devices/{m.bdf()}/remove")
    way.ends_with_a_line(running, "removed")
    m.run("echo 1 >/sys/bus/pci/rescan")
    way.record(SHORT)


def main(m):
    if m.run("modprobe tendril_kmd", check=False).code:
        skip("the module was not built (package linux-headers-amd64)")
    expected = zones_by_name(reference())
    with tempfile.TemporaryDirectory() as folder:
        board = Board(folder, *GRID)
        try:
            m.plug(board)
            way = Way(m, "vendor", "tenstorrent:0", "-b", "tensix_sim", *GRID)
            works(m, way, expected)
            power_is_on_while_it_is_used(m, way, board)
            windows_run_out(m, way)
            driver_fails(m, way)
            if THOROUGH:
                way.refuses_a_second(board)
            before = parameter(m, "cleanups")
            way.kill_blocked(board)
            expect(parameter(m, "cleanups") > before, "it was the driver's clean-up write")
            way.record(SHORT)
            cards_go(m, way, board)
            m.run("rmmod tendril_kmd")
            m.unplug()
        finally:
            board.end()
