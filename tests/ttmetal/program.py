"""program.py CHIP RESULT [runs=N] [zones=N] [wait]: a program of tt-metal as far as a recorder sees it. It compiles kernels with tt-metal's
compiler into tt-metal's cache, holds a simulated chip, boots tt-metal's firmware and launches kernels. Knows nothing of recorders; with
`wait` it launches when the file RESULT.go is there. RESULT.zones is there when the kernel with zones runs. Writes to RESULT how many
values are wrong."""
import os
import struct
import sys
import time

import chip as chips
import jit

EXAMPLES = "tt_metal/programming_examples/"
TILES = 8
SIDE = 2  # matrices of 2 x 2 tiles


def bfloat(value):
    return struct.unpack("<I", struct.pack("<f", value))[0] >> 16


def tiles_of(rows):
    """A matrix as tiles of 32 x 32, each of four faces of 16 x 16, as tt-metal lays them out."""
    pages = []
    for y in range(0, len(rows), 32):
        for x in range(0, len(rows[0]), 32):
            page = []
            for fy, fx in ((0, 0), (0, 16), (16, 0), (16, 16)):
                for row in range(16):
                    page += rows[y + fy + row][x + fx:x + fx + 16]
            pages.append(struct.pack("<1024H", *(bfloat(value) for value in page)))
    return pages


def matrix(seed, most, side=32 * SIDE):
    return [[float((x * 7 + y * seed) % most) for x in range(side)] for y in range(side)]


def product(a, b):
    columns = list(zip(*b))
    return [[sum(x * y for x, y in zip(row, column)) for column in columns] for row in a]


def wrong_words(pages, wanted):
    return sum(got != want for page, other in zip(pages, wanted)
               for got, want in zip(struct.unpack("<1024H", page), struct.unpack("<1024H", other)))


class Program:
    def __init__(self, name):
        root = os.environ.get("TT_METAL_RUNTIME_ROOT") or os.environ["TT_METAL_HOME"]
        self.tree = jit.Tree(root, name, os.environ["TT_METAL_CACHE"], jit.find_compiler(root))
        firmware = self.tree.firmware()
        self.chip = chips.Chip(os.environ["TT_METAL_SIMULATOR"], name)
        self.firmware = chips.Firmware(self.chip, self.tree)
        self.firmware.boot(firmware)
        self.host_id = 0

    def kernels(self, name, reader, compute, writer, args, words):
        """args: of the reader and the writer at compile time, of the compute kernel; words: at run time, in the same order."""
        files = {"brisc": reader, "ncrisc": writer, "trisc0": compute, "trisc1": compute, "trisc2": compute}
        which = {"brisc": 0, "ncrisc": 2, "trisc0": 1, "trisc1": 1, "trisc2": 1}
        elfs = {}
        for processor, file in files.items():
            if file:
                path = file if os.path.isabs(file) else os.path.join(self.tree.root, EXAMPLES, file)
                elfs[processor] = (self.tree.kernel(processor, path, name, args[which[processor]]), words[which[processor]])
        return elfs

    def launch(self, kernels, cbs):
        self.host_id += 1024
        self.firmware.launch(kernels, cbs, self.host_id)


def tensor(*ids):
    """Compile-time arguments of interleaved tensors in DRAM, each of two words."""
    return [word for _ in ids for word in (2, jit.TILE_BYTES)]


def main():
    name, result = sys.argv[1:3]
    options = dict(word.partition("=")[::2] for word in sys.argv[3:])
    runs, zones = int(options.get("runs", 2)), int(options.get("zones", 100))
    program = Program(name)
    here = os.path.dirname(os.path.abspath(__file__))
    add = program.kernels("add", "eltwise_binary/kernels/dataflow/read_tiles.cpp", "eltwise_binary/kernels/compute/tiles_add.cpp",
                          "eltwise_binary/kernels/dataflow/write_tile.cpp", (tensor(0, 1), [], tensor(0)),
                          ([0x100000, 0x200000, TILES], [TILES], [0x300000, TILES]))
    multiply = program.kernels("multiply", "matmul/matmul_single_core/kernels/dataflow/reader_single_core_mm.cpp",
                               "matmul/matmul_single_core/kernels/compute/mm.cpp",
                               "matmul/matmul_single_core/kernels/dataflow/writer_single_core_mm.cpp",
                               (tensor(0, 1), [SIDE] * 3, tensor(0)),
                               ([0x400000, 0x500000, SIDE, SIDE, SIDE], [], [0x600000, SIDE, SIDE]))
    copy = program.kernels("copy", "loopback/kernels/loopback_dram_copy.cpp", None, None, (tensor(0, 1), [], []),
                           ([chips.BUFFERS, 0x100000, 0x700000, TILES], [], []))
    marked = os.path.join(here, "zones.cpp")
    zoned = program.kernels("zones", marked, marked, marked, ([], [], []), ([zones],) * 3)
    left, right = matrix(3, 8, 64), matrix(5, 4, 64)
    a, b = tiles_of(left), tiles_of(right)
    sums = tiles_of([[x + y for x, y in zip(*rows)] for rows in zip(left, right)])
    for at, pages in ((0x100000, a * 2), (0x200000, b * 2), (0x400000, a), (0x500000, b)):
        program.chip.write_pages(at, pages)
    deadline = time.monotonic() + 300
    while "wait" in options and not os.path.exists(result + ".go"):
        if time.monotonic() > deadline:
            raise SystemExit("no go")
        program.chip.clock(16)
        time.sleep(0.001)
    wrong = 0
    for _ in range(runs):
        program.launch(add, {0: 2, 1: 2, 16: 2})
        wrong += wrong_words(program.chip.read_pages(0x300000, TILES, 2048), sums * 2)
        program.launch(multiply, {0: 2, 1: 2, 16: 2})
        wrong += wrong_words(program.chip.read_pages(0x600000, SIDE * SIDE, 2048), tiles_of(product(left, right)))
        program.launch(copy, {})
        wrong += wrong_words(program.chip.read_pages(0x700000, TILES, 2048), a * 2)
        with open(result + ".zones", "w", encoding="utf-8"):
            pass
        program.launch(zoned, {})
    with open(result, "w", encoding="utf-8") as f:
        f.write(str(wrong))
    program.chip.end()


main()
