"""Compiles firmware and kernels of a tree of tt-metal, with the commands of its own build at run time (tt_metal/jit_build)."""
import os
import re
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
PROCESSORS = ["brisc", "ncrisc", "trisc0", "trisc1", "trisc2"]
PARTS = {"trisc0": ("unpack", "UNPACK"), "trisc1": ("math", "MATH"), "trisc2": ("pack", "PACK")}
CHIPS = {  # banks of DRAM, of L1; where a kernel of each processor is put
    "wormhole": {"dram": 12, "l1": 64, "cbs": 32, "alias": "wormhole_b0", "cpu": "wh"},
    "blackhole": {"dram": 8, "l1": 140, "cbs": 64, "alias": "blackhole", "cpu": "bh"},
}
CODE = 0x50000  # a place for each processor's kernel from here on, in steps of
CODE_STEP = 0x8000
FORMAT = 5  # Float16_b
TILE_BYTES = 2048


class Failed(Exception):
    pass


def run(words, folder):
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise Failed(" ".join(words) + "\n" + done.stdout[-3000:])
    return done.stdout


def bank_defines(chip):
    words = []
    for kind in ("dram", "l1"):
        count = CHIPS[chip][kind]
        words.append(f"-DNUM_{kind.upper()}_BANKS={count}")
        if count & (count - 1):
            words.append(f"-DIS_NOT_POW2_NUM_{kind.upper()}_BANKS=1")
        else:
            words.append(f"-DLOG_BASE_2_OF_NUM_{kind.upper()}_BANKS={count.bit_length() - 1}")
    return words


class Tree:
    """A tree of tt-metal for one chip. compiler: the words before its options."""

    def __init__(self, root, chip, out, compiler):
        self.root, self.chip, self.out, self.compiler = root, chip, out, compiler
        self.metal = os.path.join(root, "tt_metal")
        os.makedirs(out, exist_ok=True)

    def includes(self):
        alias, chip = CHIPS[self.chip]["alias"], self.chip
        metal = ["", "hw/inc", "third_party/tt_llk/common", "hostdevcommon/api", "api", f"hw/ckernels/{alias}/metal/common",
                 f"hw/ckernels/{alias}/metal/llk_io", "hw/inc/internal/tt-1xx", f"hw/inc/internal/tt-1xx/{chip}",
                 f"hw/inc/internal/tt-1xx/{chip}/{alias}_defines", f"hw/inc/internal/tt-1xx/{chip}/noc",
                 f"third_party/tt_llk/tt_llk_{alias}/common/inc", f"third_party/tt_llk/tt_llk_{alias}/llk_lib",
                 f"hw/ckernels/{alias}/metal/llk_api", f"hw/ckernels/{alias}/metal/llk_api/llk_sfpu", "hw/firmware/src/tt-1xx"]
        return ["-I.", "-I..", "-I" + self.root] + ["-I" + os.path.join(self.metal, folder) for folder in metal]

    def flags(self, processor):
        index = PROCESSORS.index(processor)
        words = [f"-mcpu=tt-{CHIPS[self.chip]['cpu']}" + ("-tensix" if index > 1 else ""), "-std=c++17", "-flto=auto",
                 "-ffast-math", "-fno-exceptions", "-fno-use-cxa-atexit", "-Wall", "-Werror"]
        words.append("-O3" if index > 1 else "-Os")
        return words + ([] if index > 1 else ["-fno-tree-loop-distribute-patterns"])

    def defines(self, processor, kind):
        index = PROCESSORS.index(processor)
        words = [f"-DARCH_{self.chip.upper()}", "-DTENSIX_FIRMWARE", "-DLOCAL_MEM_EN=0", "-DDISPATCH_MESSAGE_ADDR=0xFFB70438",
                 "-DPCIE_NOC_X=0", "-DPCIE_NOC_Y=3", f"-DPROCESSOR_INDEX={index}", f"-D{kind}_BUILD", *bank_defines(self.chip)]
        if index < 2:
            return words + [f"-DCOMPILE_FOR_{processor.upper()}"]
        part = PARTS[processor]
        return words + [f"-DCOMPILE_FOR_TRISC={index - 2}", f"-DUCK_CHLKC_{part[1]}", f"-DNAMESPACE=chlkc_{part[0]}"]

    def compile(self, processor, kind, source, folder, more=()):
        target = os.path.join(folder, os.path.splitext(os.path.basename(source))[0] + ".o")
        run([*self.compiler, *self.flags(processor), *self.includes(), "-c", "-o", target, source, *self.defines(processor, kind), *more],
            folder)
        return target

    def link(self, processor, kind, objects, folder, more=()):
        script = os.path.join(folder, f"{'firmware' if kind == 'FW' else 'kernel'}_{processor}.ld")
        name = f"TRISC={processor[-1]}" if processor.startswith("trisc") else processor.upper()
        run(["cpp", f"-DTYPE_{'FIRMWARE' if kind == 'FW' else 'KERNEL'}", f"-DCOMPILE_FOR_{name}", f"-DARCH_{self.chip.upper()}",
             f"-I{self.metal}/hw/inc/internal/tt-1xx/{self.chip}", "-P", "-o", script, f"{self.metal}/hw/toolchain/main.ld"], folder)
        target = os.path.join(folder, processor + ".elf")
        run([*self.compiler, *self.flags(processor), "-Wl,-z,max-page-size=16", "-Wl,-z,common-page-size=16", "-nostartfiles",
             *more, f"-T{script}", *(["-Wl,--emit-relocs"] if kind == "KERNEL" else []), *objects, "-o", target], folder)
        return target

    def support(self, processor, kind, folder):
        """Objects that tt-metal's build compiles once for each chip."""
        hw, wormhole = self.metal + "/hw/", self.chip == "wormhole"
        sources = [hw + "toolchain/substitutes.cpp"]
        if kind == "FW":
            sources.append(hw + "toolchain/tmu-crt0.S")
        if processor == "brisc":
            sources.append(f"{hw}firmware/src/tt-1xx/{self.chip}/noc.c")
        if processor == "ncrisc" and wormhole:
            sources += [hw + "toolchain/wh-iram-trampoline.S", hw + "firmware/src/tt-1xx/tdma_xmov.c"] if kind == "FW" else \
                [hw + "toolchain/wh-iram-start.S"]
        objects = []
        for source in sources:
            objects.append(os.path.join(folder, os.path.splitext(os.path.basename(source))[0] + ".o"))
            run([self.compiler[-1], *self.flags(processor), *self.includes(), f"-DARCH_{self.chip.upper()}", "-DTENSIX_FIRMWARE", "-c",
                 "-o", objects[-1], source], folder)
        return objects

    def firmware(self):
        """Paths of the five ELFs."""
        elfs = {}
        for processor in PROCESSORS:
            folder = os.path.join(self.out, "firmware", processor)
            elfs[processor] = os.path.join(folder, processor + ".elf")
            if os.path.exists(elfs[processor]):
                continue
            os.makedirs(folder, exist_ok=True)
            source = f"{self.metal}/hw/firmware/src/tt-1xx/{processor.rstrip('012')}.cc"
            objects = [self.compile(processor, "FW", source, folder), *self.support(processor, "FW", folder)]
            self.link(processor, "FW", objects, folder, [f"-Wl,--defsym=__fw_data_lma={self.facts()[processor + ' data']}"])
            run(["riscv64-unknown-elf-objcopy", "--weaken", elfs[processor], elfs[processor][:-4] + "_weakened.elf"], folder)
        return elfs

    def kernel(self, processor, source, name, args=(), defines=()):
        """The ELF of a kernel: a file of the tree, or any other. A name is compiled once."""
        folder = os.path.join(self.out, "kernels", name, processor)
        if os.path.exists(os.path.join(folder, processor + ".elf")):
            return os.path.join(folder, processor + ".elf")
        os.makedirs(folder, exist_ok=True)
        with open(source, encoding="utf-8") as f:
            text = f.read()
        lines = f'#line 1 "{source}"\n'
        if processor in PARTS:
            part, define = PARTS[processor]
            begin = re.search(r"void kernel_main\(\)", text).start()
            text = text[:begin] + f"namespace chlkc_{part} {{\n" + text[begin:].replace("kernel_main", part + "_main", 1) + "\n}\n"
            write(folder, f"chlkc_{part}.cpp", f"#define TRISC_{define}\n#include \"defines_generated.h\"\n{lines}{text}")
            write(folder, "defines_generated.h", "")
        else:
            write(folder, "kernel_includes.hpp", lines + text)
        write(folder, "chlkc_descriptors.h", descriptors(self.chip))
        more = ["-DNOC_INDEX=%d" % (processor == "ncrisc"), "-DNOC_MODE=0", f"-I{os.path.dirname(source)}", *defines]
        if args:
            more.append("-DKERNEL_COMPILE_TIME_ARGS=" + ",".join(map(str, args)))
        main = f"{self.metal}/hw/firmware/src/tt-1xx/{processor.rstrip('012')}k.cc"
        objects = [self.compile(processor, "KERNEL", main, folder, more), *self.support(processor, "KERNEL", folder)]
        place = CODE + CODE_STEP * PROCESSORS.index(processor)
        weakened = os.path.join(self.out, "firmware", processor, processor + "_weakened.elf")
        return self.link(processor, "KERNEL", objects, folder, [f"-Wl,--just-symbols={weakened}",
                                                                f"-Wl,--defsym=__fw_export_text_end={place}"])

    def facts(self):
        """Addresses and offsets by name."""
        if not hasattr(self, "known"):
            run([*self.compiler, *self.flags("brisc"), "-fno-lto", *self.includes(), "-c", "-o", "facts.o", os.path.join(HERE, "facts.cpp"),
                 *self.defines("brisc", "FW")], self.out)
            run(["riscv64-unknown-elf-objcopy", "-O", "binary", "-j", ".rodata", "facts.o", "facts.bin"], self.out)
            with open(os.path.join(self.out, "facts.bin"), "rb") as f:
                data = f.read()
            words = [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]
            self.known = dict(zip(FACTS, words))
        return self.known


FACTS = ["go", "go index", "read pointer", "launch", "launch bytes", "core info", "logical", "config base", "semaphores", "local cbs",
         "remote cbs", "args", "mode", "text", "cb mask", "noc", "min remote cb", "host id", "enables", "ncrisc size16", "INIT", "GO",
         "DONE", "HOST", "brisc base", "brisc data", "ncrisc data", "trisc0 data", "trisc1 data", "trisc2 data", "banks", "logical map",
         "end", "noc shift", "noc bits", "profiler", "profiler bytes"]


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        f.write(text)


def descriptors(chip):
    """What the build says of circular buffers: all have tiles of Float16_b."""
    cbs = CHIPS[chip]["cbs"]
    arrays = []
    for part in ("unpack", "pack"):
        kind = "std::int32_t" if part == "unpack" else "unsigned char"
        arrays += [(kind, f"{part}_src_format", FORMAT), (kind, f"{part}_dst_format", FORMAT)]
        for name, value in (("num_faces", 4), ("r_dim", 32), ("c_dim", 32)):
            arrays.append(("uint8_t", f"{part}_tile_{name}", value))
        arrays += [("uint8_t", f"{part}_partial_face", 0), ("uint8_t", f"{part}_tile_face_r_dim", 16),
                   ("uint8_t", f"{part}_narrow_tile", 0), ("uint16_t", f"{part}_tile_size", TILE_BYTES),
                   ("uint8_t", f"{part}_num_faces_r_dim", 2), ("uint8_t", f"{part}_num_faces_c_dim", 2)]
    lines = ["#pragma once", "#include <cstdint>"]
    lines += [f"constexpr {kind} {name}[{cbs}] = {{{', '.join([str(value)] * cbs)}}};" for kind, name, value in arrays]
    lines += ["constexpr bool DST_ACCUM_MODE = false;", "#define DST_SYNC_MODE DstSync::SyncHalf",
              "constexpr bool APPROX = false;", "#ifdef UCK_CHLKC_MATH",
              "constexpr ckernel::MathFidelity MATH_FIDELITY = ckernel::MathFidelity::HiFi4;", "#endif"]
    return "\n".join(lines) + "\n"


def find_compiler(root):
    """As tt-metal finds it."""
    for folder in (os.path.join(root, "runtime", "sfpi"), "/opt/tenstorrent/sfpi"):
        path = os.path.join(folder, "compiler", "bin", "riscv-tt-elf-g++")
        if os.path.exists(path):
            return (["ccache"] if "TT_METAL_CCACHE_KERNEL_SUPPORT" in os.environ else []) + [path]
    raise Failed(f"no compiler in {root}")


def has_debian_compiler():
    return shutil.which("riscv64-unknown-elf-g++") is not None
