"""A host of tt-metal's firmware on the vendor's simulator: loads its library as tt-umd does, boots the firmware that jit.py has
compiled, and launches kernels by launch messages."""
import ctypes
import struct

import jit

WINDOW = 0x200000
WINDOW_REGISTERS = 0x1FC00000
MOST_CLOCKS = 100_000_000
CONFIG = 0x40000  # of launches: semaphores, circular buffers, arguments; kernels follow
SEMAPHORES, CBS, ARGS, ARG_BYTES = 0x0, 0x100, 0x800, 0x100
BUFFERS = 0x80000  # of circular buffers
SOFT_RESET, ALL_IN_RESET, BRISC_RUNS = 0xFFB121B0, 0x47800, 0x47000
CHIPS = {
    "wormhole": {"device": 0x401E, "bar": 0x9C00000, "first": 156, "bytes": 8, "fields": (15, 21), "ordering": 41, "tile": (18, 18),
                 "dram": [(x, y, offset) for offset in (0, 0x40000000)
                          for x, y in ((0, 0), (0, 5), (5, 0), (5, 2), (5, 3), (5, 5))]},
    "blackhole": {"device": 0xB140, "bar": 0, "first": 0, "bytes": 12, "fields": (43, 49), "ordering": 70, "tile": (1, 2),
                  "dram": [(x, y, 0) for x in (17, 18) for y in (12, 15, 18, 21)]},
}


class Chip:
    def __init__(self, library, name):
        self.kind, self.name = CHIPS[name], name
        self.lib = ctypes.CDLL(library)
        self.lib.libttsim_pci_config_rd32.restype = ctypes.c_uint32
        for function in (self.lib.libttsim_pci_mem_rd_bytes, self.lib.libttsim_pci_mem_wr_bytes):
            function.argtypes = [ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint32]
        self.lib.libttsim_init()
        config = self.lib.libttsim_pci_config_rd32
        if config(0, 0) >> 16 != self.kind["device"]:
            raise SystemExit(f"{library} is no {name}")
        self.bar0 = config(0, 0x14) << 32 | config(0, 0x10) & ~0xF
        self.tile = self.kind["tile"]

    def end(self):
        self.lib.libttsim_exit()

    def clock(self, count=64):
        self.lib.libttsim_clock(count)

    def point(self, tile, address):
        """Where a window shows the address."""
        x, y = self.kind["fields"]
        word = address // WINDOW | tile[0] << x | tile[1] << y | 1 << self.kind["ordering"]
        register = self.bar0 + WINDOW_REGISTERS + self.kind["first"] * self.kind["bytes"]
        for i in range(0, self.kind["bytes"], 4):
            self.lib.libttsim_pci_mem_wr_bytes(register + i, (word >> 8 * i & 0xFFFFFFFF).to_bytes(4, "little"), 4)
        return self.bar0 + self.kind["bar"] + address % WINDOW

    def write(self, address, data, tile=None):
        for i in range(0, len(data), 4096):
            part = bytes(data[i:i + 4096])
            self.lib.libttsim_pci_mem_wr_bytes(self.point(tile or self.tile, address + i), part, len(part))

    def read(self, address, count, tile=None):
        data = b""
        for i in range(0, count, 4096):
            part = ctypes.create_string_buffer(min(4096, count - i))
            self.lib.libttsim_pci_mem_rd_bytes(self.point(tile or self.tile, address + i), part, len(part))
            data += part.raw
        return data

    def word(self, address, value):
        self.write(address, value.to_bytes(4, "little"))

    def page(self, number, address, page_bytes):
        """Tile and address of a page of an interleaved buffer in DRAM."""
        banks = self.kind["dram"]
        x, y, offset = banks[number % len(banks)]
        return (x, y), offset + address + number // len(banks) * page_bytes

    def write_pages(self, address, pages):
        for number, data in enumerate(pages):
            tile, at = self.page(number, address, len(data))
            self.write(at, data, tile)

    def read_pages(self, address, count, page_bytes):
        places = [self.page(number, address, page_bytes) for number in range(count)]
        return [self.read(at, page_bytes, tile) for tile, at in places]


def segments(elf):
    """(address in memory, address where it is loaded, bytes) of an ELF of 32 bits."""
    with open(elf, "rb") as f:
        data = f.read()
    first, = struct.unpack_from("<I", data, 28)
    size, count = struct.unpack_from("<HH", data, 42)
    for i in range(count):
        kind, offset, virtual, physical, in_file = struct.unpack_from("<5I", data, first + i * size)
        if kind == 1 and in_file:
            yield virtual, physical, data[offset:offset + in_file]


class Firmware:
    """tt-metal's firmware on the first tile of a chip."""

    def __init__(self, chip, tree):
        self.chip, self.facts = chip, tree.facts()

    def boot(self, elfs):
        chip, facts = self.chip, self.facts
        chip.word(SOFT_RESET, ALL_IN_RESET)
        chip.write(0, bytes(facts["end"]))
        for processor, elf in elfs.items():
            for virtual, _, data in segments(elf):
                chip.write(facts[processor + " data"] if virtual >= 0xFFB00000 else virtual, data)
        offset = facts["brisc base"]  # a jump there, at address 0
        chip.word(0, 0x6F | (offset & 0xFF000) | (offset >> 11 & 1) << 20 | (offset >> 1 & 0x3FF) << 21 | (offset >> 20 & 1) << 31)
        chip.write(facts["banks"], self.bank_table())
        chip.write(facts["go"], bytes([facts["INIT"]]))
        chip.word(SOFT_RESET, BRISC_RUNS)
        self.wait()

    def bank_table(self):
        banks, shift, bits = self.chip.kind["dram"], self.facts["noc shift"], self.facts["noc bits"]
        l1 = jit.CHIPS[self.chip.name]["l1"]
        table = []
        for noc in range(2):
            for x, y, _ in banks:
                if noc and self.chip.name == "wormhole":  # its DRAM is called by the NoC's own numbers
                    x, y = 9 - x, 11 - y
                table.append((y << bits | x) << shift)
        data = struct.pack(f"<{len(table)}H", *table) + bytes(2 * 2 * l1)
        return data + struct.pack(f"<{len(banks)}i", *(offset for _, _, offset in banks)) + bytes(4 * l1)

    def wait(self):
        for clocks in range(0, MOST_CLOCKS, 64):
            if self.chip.read(self.facts["go"], 1)[0] == self.facts["DONE"]:
                return clocks
            self.chip.clock()
        raise SystemExit("the firmware does not answer")

    def launch(self, kernels, cbs, host_id):
        """kernels: {processor: (elf, arguments)}; cbs: {number: pages}."""
        chip, facts = self.chip, self.facts
        message = bytearray(facts["launch bytes"])

        def put(field, layout, *values):
            struct.pack_into("<" + layout, message, facts[field], *values)

        put("config base", "I", CONFIG)
        put("semaphores", "H", SEMAPHORES)
        put("local cbs", "H", CBS)
        put("mode", "B", facts["HOST"])
        put("cb mask", "Q", sum(1 << cb for cb in cbs))
        put("min remote cb", "B", jit.CHIPS[chip.name]["cbs"])
        put("host id", "I", host_id)
        put("enables", "I", sum(1 << jit.PROCESSORS.index(processor) for processor in kernels))
        at = BUFFERS
        for cb, pages in cbs.items():
            chip.write(CONFIG + CBS + 16 * cb, struct.pack("<4I", at, pages * jit.TILE_BYTES, pages, jit.TILE_BYTES))
            at += pages * jit.TILE_BYTES
        for processor, (elf, args) in kernels.items():
            index = jit.PROCESSORS.index(processor)
            place = jit.CODE + jit.CODE_STEP * index
            parts = list(segments(elf))
            base = parts[0][1]  # where the linker has put it: on Wormhole, NCRISC's is copied into its instruction memory
            for _, physical, data in parts:
                chip.write(place + physical - base, data)
            end = max(physical - base + len(data) for _, physical, data in parts)
            if processor == "ncrisc":
                put("ncrisc size16", "H", (end + 15) // 16)
            struct.pack_into("<I", message, facts["text"] + 4 * index, place - CONFIG)
            struct.pack_into("<HH", message, facts["args"] + 4 * index, ARGS + ARG_BYTES * index, ARGS + ARG_BYTES * index)
            chip.write(CONFIG + ARGS + ARG_BYTES * index, struct.pack(f"<{len(args)}I", *args))
        chip.write(facts["launch"], message)
        chip.write(facts["go"], bytes([facts["GO"]]))
        return self.wait()
