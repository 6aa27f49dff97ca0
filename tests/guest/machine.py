"""An x86-64 machine in QEMU, and what its tests share.

The machine runs Debian's kernel with the root file system of make-image.sh. The build folder and the sources are
there at the same paths as outside, read-only. Commands run inside by run(); everything else of a test (the
simulated board, the monitor, comparing files) happens outside, in the same Python file.
"""
import functools
import json
import mmap
import os
import shlex
import socket
import struct
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("TD_SOURCE_DIR") or os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("TD_BINARY_DIR") or os.path.join(SOURCE, "build")
TENDRIL = os.path.join(BUILD, "bin", "tendril")
BOOT_SECONDS = 300  # on a loaded machine; it takes 4 to 15
SKIPPED = 77
# What these tests do not need of a kernel, and an emulated processor takes long for: guards against attacks on the
# processor, a second set of page tables, a fifth level of them, clearing of pages.
FAST_KERNEL = "mitigations=off nopti no5lvl nokaslr init_on_alloc=0 rcupdate.rcu_expedited=1 audit=0 apparmor=0 cryptomgr.notests"
# boards/tensix_sim/tensix_sim.board, proto/device/lane.h
LANE_BASE, CORES, STATE_RUNNING, POLICY_BLOCK = 0x400, 5, 1, 1


class Trouble(Exception):
    """What a test found wrong, or why it cannot continue."""


class Skipped(Exception):
    """Why a test cannot run here."""


def skip(text):
    raise Skipped(text)


def fail(text):
    raise Trouble(text)


def expect(condition, text):
    if not condition:
        fail(text)


def example(name):
    return os.path.join(BUILD, "examples", name, name)


class Answer:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __str__(self):
        return f"exit code {self.code}\n{self.out}{self.err}"


class Command:
    """A command that runs in the guest."""

    def __init__(self, machine, number, text):
        self.machine, self.number, self.text = machine, number, text

    def file(self, ending):
        return os.path.join(self.machine.share, f"{self.number}.{ending}")

    def read(self, ending):
        with open(self.file(ending), errors="replace") as f:
            return f.read()

    def ended(self):
        return os.path.exists(self.file("rc")) and self.read("rc").endswith("\n")

    def wait(self, timeout=200):
        until = time.monotonic() + timeout
        while not self.ended():
            self.machine.check()
            if time.monotonic() > until:
                so_far = self.read("out") + self.read("err") if os.path.exists(self.file("err")) else ""
                fail(f"guest: no end after {timeout} s: {self.text}\n{so_far}")
            time.sleep(0.02)
        return Answer(int(self.read("rc")), self.read("out"), self.read("err"))


class Board:
    """A simulated board outside, whose file becomes the memory of a PCI device."""

    def __init__(self, folder, *options):
        self.path = os.path.join("/dev/shm", f"tendril-guest-{os.getpid()}-{os.path.basename(folder)}.bar")
        self.errors = open(os.path.join(folder, "board.err"), "w+")
        self.process = subprocess.Popen([os.path.join(BUILD, "bin", "tensix_sim"), "--far", "--parent-death", "--bar",
                                         self.path, *options], stderr=self.errors)
        until = time.monotonic() + 100
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > until:
                self.errors.seek(0)
                text = self.errors.read()
                self.end()
                fail(f"no simulated board: {text}")
            time.sleep(0.02)
        self.bytes = os.path.getsize(self.path)

    def is_ready(self):
        try:
            with open(self.path, "rb") as f:
                return f.read(8) == b"TDRLBAR1"
        except FileNotFoundError:
            return False

    def lanes(self):
        """(policy, state, tail) of each lane in the grid (proto/sim/bar.h, proto/device/lane.h)."""
        found = []
        with open(self.path, "rb") as f:
            memory = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)
        with memory:
            tiles, = struct.unpack_from("<I", memory, 12)
            table, = struct.unpack_from("<Q", memory, 32)
            for i in range(tiles):
                kind, _, _, _, logical_x, _, _, l1 = struct.unpack_from("<I6HQ", memory, table + 56 * i)
                if kind == 0 and logical_x != 0xffff:
                    base = l1 + LANE_BASE
                    for lane in range(CORES):
                        words = struct.unpack_from("<16I", memory, base + 64 + 128 * lane)
                        found.append((words[1], words[12], words[8]))
        return found

    def running(self):
        return sum(state == STATE_RUNNING for _, state, _ in self.lanes())

    def wait_until(self, condition, what, timeout=100):
        until = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > until:
                fail(f"board: {what} is not so after {timeout} s; (policy, state, tail) of lanes: {self.lanes()}")
            time.sleep(0.02)

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.errors.close()
        if os.path.exists(self.path):
            os.unlink(self.path)


class Machine:
    """with Machine() as m: ... A machine with an empty slot for a board, and a serial line whose other end is looked for at
    m.line."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="tendril-guest-")
        self.share = os.path.join(self.folder, "share")
        os.mkdir(self.share)
        self.line = os.path.join(self.folder, "line")
        self.next, self.plugged = 1, 0
        self.log = os.path.join(self.folder, "console.log")
        self.process = self.commands = None

    def __enter__(self):
        try:
            self.boot()
        except BaseException:
            print(f"-- the guest's last words\n{self.last_words()}", flush=True)
            self.stop()
            raise
        return self

    def __exit__(self, kind, value, trace):
        if kind is not None:
            print(f"-- the guest's last words\n{self.last_words()}", flush=True)
        self.stop()

    def last_words(self):
        try:
            with open(self.log, errors="replace") as f:
                return "".join(f.readlines()[-25:])
        except FileNotFoundError:
            return "(none)"

    def arguments(self, kernel, initramfs, commands):
        def folder(tag, path, options):
            return ["-fsdev", f"local,id={tag},path={path},security_model=none{options}", "-device",
                    f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]

        argv = ["qemu-system-x86_64", "-M", "q35,kernel-irqchip=split" if accel() == "kvm" else "q35", "-accel",
                accel(), "-cpu", "host" if accel() == "kvm" else "max", "-smp", "2", "-m", "1024", "-nodefaults",
                "-display", "none", "-no-reboot", "-kernel", kernel, "-initrd", initramfs, "-append",
                "console=ttyS0 quiet panic=-1 intel_iommu=on no_timer_check nowatchdog " + FAST_KERNEL, "-serial", f"file:{self.log}",
                "-qmp", f"unix:{self.folder}/monitor,server=on,wait=off",
                "-device", "intel-iommu,intremap=on", "-device", "pcie-root-port,id=port0,chassis=1,slot=1,pref64-reserve=4G"]
        argv += folder("share", self.share, "") + folder("source", SOURCE, ",readonly=on")
        argv += folder("build", BUILD, ",readonly=on")
        argv += ["-chardev", f"socket,id=commands,fd={commands}", "-device", "virtio-serial-pci", "-device",
                 "virtserialport,chardev=commands,name=commands"]
        return argv + ["-chardev", f"socket,id=line,path={self.line},reconnect=1", "-serial", "chardev:line"]

    def boot(self):
        kernel, initramfs = image()
        with open(os.path.join(self.share, "folders"), "w") as f:
            f.write(f"TD_SOURCE_DIR={shlex.quote(SOURCE)}\nTD_BINARY_DIR={shlex.quote(BUILD)}\n")
        self.commands, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(self.arguments(kernel, initramfs, theirs.fileno()), stdin=subprocess.DEVNULL,
                                            pass_fds=[theirs.fileno()])
        until = time.monotonic() + BOOT_SECONDS
        while not os.path.exists(os.path.join(self.share, "ready")):
            self.check()
            if time.monotonic() > until:
                fail(f"the guest has not come up after {BOOT_SECONDS} s")
            time.sleep(0.05)

    def check(self):
        if self.process.poll() is not None:
            fail(f"QEMU has ended with {self.process.returncode}")

    def stop(self):
        if self.process and self.process.poll() is None:
            try:
                self.monitor("quit")
                self.process.wait(10)
            except (OSError, Trouble, subprocess.TimeoutExpired):
                self.process.kill()
                self.process.wait()
        if self.commands:
            self.commands.close()
        subprocess.run(["rm", "-rf", self.folder], check=False)

    def start(self, command):
        """Starts a shell command (or a list of arguments) inside; it can see self.share as /share."""
        text = command if isinstance(command, str) else " ".join(shlex.quote(c) for c in command)
        started = Command(self, self.next, text)
        self.next += 1
        with open(started.file("cmd"), "w") as f:
            f.write(text + "\n")
        self.commands.sendall(b"%d\n" % started.number)
        return started

    def run(self, command, timeout=200, check=True):
        started = self.start(command)
        answer = started.wait(timeout)
        if check and answer.code != 0:
            fail(f"guest: {started.text}\n{answer}")
        return answer

    def monitor(self, command, **arguments):
        """A command of QEMU's machine protocol, such as monitor("device_del", id="board0")."""
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(100)
            s.connect(f"{self.folder}/monitor")
            with s.makefile("rw") as f:
                for request in ({"execute": "qmp_capabilities"}, {"execute": command, "arguments": arguments}):
                    f.write(json.dumps(request) + "\n")
                    f.flush()
                    answer = {}
                    while not {"return", "error"} & set(answer):
                        answer = json.loads(f.readline())
                    if "error" in answer:
                        fail(f"QEMU: {command}: {answer['error'].get('desc')}")
        return answer["return"]

    def bdf(self):
        """Waits for the board and its memory to appear in the guest. Returns its PCI address."""
        return self.run("for i in $(seq 600); do for d in /sys/bus/pci/devices/*; do read -r id <$d/device; [ $id = 0x1110 ] && "
                        "[ -s $d/resource2 ] && echo ${d##*/} && exit 0; done; usleep 50000; done; exit 1").out.strip()

    def unplug(self):
        """Pulls out the board."""
        self.monitor("device_del", id=f"board{self.plugged}")
        self.run("for i in $(seq 1200); do grep -lq 0x1110 /sys/bus/pci/devices/*/device || exit 0; usleep 50000; done; exit 1")

    def plug(self, board):
        """Plugs a board into the slot: another one, or the same one again. Returns its PCI address."""
        self.plugged += 1
        n = str(self.plugged)
        self.monitor("object-add", **{"qom-type": "memory-backend-file", "id": "bar" + n, "share": True,
                                      "mem-path": board.path, "size": board.bytes})
        self.monitor("device_add", driver="ivshmem-plain", id="board" + n, memdev="bar" + n, bus="port0")
        return self.bdf()


def accel():
    return os.environ.get("TD_GUEST_ACCEL", "tcg")


@functools.lru_cache
def image():
    """(kernel, initramfs)"""
    path = os.path.join(BUILD, "guest", "image.cpio")
    made = subprocess.run([os.path.join(HERE, "make-image.sh"), BUILD, path], stdout=subprocess.PIPE, text=True)
    if made.returncode == SKIPPED:
        skip("make-image.sh says why")
    expect(made.returncode == 0, "the guest's image could not be made")
    return made.stdout.strip(), path
