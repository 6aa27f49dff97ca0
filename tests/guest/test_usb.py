"""Probes on USB: gadgets on the kernel's dummy controllers, the real libusb and the real FunctionFS in one machine."""
import contextlib
import os
import tempfile
import time

from kit import THOROUGH, Way, reference
from machine import BUILD, Board, example, expect

# Of tests/usb/test_usb_live.c.
DRAINS = ("every_slot_arrives_in_order_over_usb", "lanes_go_on_when_the_probe_is_plugged_in_again",
          "no_core_waits_for_an_unplugged_host_and_the_next_session_works",
          *(["lanes_whose_cores_ran_meanwhile_join_when_these_have_stopped"] if THOROUGH else []))

# gadget N SERIAL, plug N, unplug N; FunctionFS of gadget N at /dev/ffsN.
SHELL = r"""
CONFIG=/sys/kernel/config/usb_gadget
gadget() {
  mkdir $CONFIG/g$1 && cd $CONFIG/g$1
  echo 0x1209 >idVendor
  echo 0x0001 >idProduct
  mkdir strings/0x409 configs/c.1 functions/ffs.probe$1
  echo $2 >strings/0x409/serialnumber
  ln -s functions/ffs.probe$1 configs/c.1/
  mkdir -p /dev/ffs$1
  mount -t functionfs probe$1 /dev/ffs$1
  cd /tmp
}
plug() { echo dummy_udc.$1 >$CONFIG/g$1/UDC; }
unplug() { echo >$CONFIG/g$1/UDC; }
"""


@contextlib.contextmanager
def board_in_slot(m, *options):
    """A new board as a PCI device of the machine, for the probe. Its simulator runs outside, where it is fast."""
    with tempfile.TemporaryDirectory() as folder:
        board = Board(folder, *options)
        try:
            yield m.plug(board)
            m.unplug()
        finally:
            board.end()


class Usb:
    def __init__(self, machine):
        self.m = machine
        with open(os.path.join(machine.share, "usb.sh"), "w") as f:
            f.write(SHELL)
        machine.run("modprobe dummy_hcd num=2 && modprobe usb_f_fs && mount -t configfs none /sys/kernel/config")

    def sh(self, command, **more):
        return self.m.run(". /share/usb.sh; " + command, **more)

    def talk(self, serial, what, **more):
        return self.m.run([os.path.join(BUILD, "tests", "usb_talk"), serial, what], **more)

    def echo(self, n):
        """Plugs in gadget n and starts the link's test partner on it."""
        probe = self.m.start([os.path.join(BUILD, "tests", "usb_echo_probe"), f"/dev/ffs{n}"])
        self.sh(f"for i in $(seq 600); do [ -e /dev/ffs{n}/ep3 ] && break; usleep 50000; done; plug {n}")
        return probe

    def says(self, command, text):
        for _ in range(2000):
            if os.path.exists(command.file("out")) and text in command.read("out"):
                return
            self.m.check()
            time.sleep(0.05)
        expect(False, f"'{command.text}' does not say '{text}': {command.read('out')}{command.read('err')}")


def check_link(u):
    """Messages of all lengths, both ways, in order. The next host gets nothing that a killed host left."""
    u.sh("gadget 0 AAA; gadget 1 BBB")
    first = u.echo(0)
    expect("messages echoed" in u.talk("", "echo").out, "no echo")
    print(u.talk("AAA", "stream").out.strip())
    hanging = u.m.start([os.path.join(BUILD, "tests", "usb_talk"), "AAA", "hang"])
    u.says(hanging, "hanging")
    busy = u.talk("AAA", "echo", check=False)
    expect("talk: the USB probe AAA is in use by another program\n" == busy.err, busy)
    u.m.run("kill -9 $(pidof usb_talk)")
    u.talk("AAA", "echo")
    return first


def check_plugging(u):
    """Unplugging gives one line of error; after plugging in again the link works."""
    waiting = u.m.start([os.path.join(BUILD, "tests", "usb_talk"), "AAA", "gone"])
    u.says(waiting, "waiting to be unplugged")
    u.sh("unplug 0")
    u.says(waiting, "the USB probe AAA was unplugged")
    u.sh("plug 0")
    answer = waiting.wait()
    expect(answer.code == 0 and "messages echoed" in answer.out, answer)


def check_two(u, first):
    """Two probes are selected by their serial numbers."""
    second = u.echo(1)
    u.talk("BBB", "echo")
    said = u.talk("", "open", check=False).err
    expect("2 probes are on USB: " in said and "AAA" in said and "BBB" in said and said.count("\n") == 1,
           f"not told apart: {said}")
    for serial, probe in (("AAA", first), ("BBB", second)):
        u.talk(serial, "end")
        answer = probe.wait()
        expect(answer.code == 0, answer)
    u.sh("unplug 0; unplug 1; true")


def check_drain(u):
    """Cores behind `tendril probe` on USB: every slot arrives; then unplugging during a drain."""
    for name in DRAINS:
        with board_in_slot(u.m, "--grid", "2x2") as bdf:  # that of tests/device/live_board.h
            answer = u.m.run(f"TD_USB_FFS=/dev/ffs0 TD_USB_UDC=/sys/kernel/config/usb_gadget/g0/UDC "
                             f"TD_USB_CONTROLLER=dummy_udc.0 TD_USB_SERIAL=AAA TD_USB_BOARD=pci:{bdf} "
                             f"{BUILD}/tests/test_usb_live {name}", timeout=600, check=False)
            print(answer.out.strip())
            expect(answer.code == 0 and f"OK ] {name}" in answer.out, answer)
            u.sh("unplug 0; true")


def check_recording(u):
    """The same program gives the same trace over shared memory and over USB."""
    grid, program = ("--grid", "1x1"), [example("hello")]
    with board_in_slot(u.m, *grid, "--clock", "insn") as bdf:
        probe = u.m.start(f"exec tendril probe --wait 30000 --board pci:{bdf} --serve usb:ffs=/dev/ffs0")
        u.says(probe, "probe of")
        u.sh("plug 0")
        usb = Way(u.m, "usb", "usb:AAA")
        print(usb.record(program).out)
        usb.same_as(reference(grid, program))
        u.m.run("kill $(pidof tendril)")
        expect(probe.wait().code == 0, probe)
        u.sh("unplug 0; true")


def main(m):
    u = Usb(m)
    first = check_link(u)
    check_plugging(u)
    check_two(u, first)
    check_drain(u)
    check_recording(u)
