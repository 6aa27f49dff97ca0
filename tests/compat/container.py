"""The container of trace files, read with only the compression libraries. It shares no code with host/file, so it is an
independent check."""
import ctypes
import ctypes.util
import struct

BLOCK = 65536
LARGEST = 65824  # the largest compressed block that the libraries' bounds allow


class Bad(Exception):
    """The file breaks a rule of the format."""


class _Buffer(ctypes.Structure):
    _fields_ = [("at", ctypes.c_void_p), ("size", ctypes.c_size_t), ("pos", ctypes.c_size_t)]


def _library(name, version):
    return ctypes.CDLL(ctypes.util.find_library(name) or f"lib{name}.so.{version}")


class _Lz4:
    def __init__(self):
        self.lib = _library("lz4", 1)
        self.before = b""

    def block(self, data):
        out = ctypes.create_string_buffer(BLOCK)
        n = self.lib.LZ4_decompress_safe_usingDict(data, out, len(data), BLOCK, self.before, len(self.before))
        if n < 0:
            raise Bad("a block is no LZ4")
        self.before = out.raw[:n]
        return self.before


class _Zstd:
    def __init__(self):
        self.lib = _library("zstd", 1)
        self.lib.ZSTD_createDStream.restype = ctypes.c_void_p
        self.lib.ZSTD_decompressStream.restype = ctypes.c_size_t
        self.lib.ZSTD_isError.argtypes = [ctypes.c_size_t]
        self.stream = ctypes.c_void_p(self.lib.ZSTD_createDStream())

    def __del__(self):
        self.lib.ZSTD_freeDStream(self.stream)

    def block(self, data):
        source = ctypes.create_string_buffer(data, len(data))
        target = ctypes.create_string_buffer(BLOCK + 1)
        to = _Buffer(ctypes.addressof(target), BLOCK + 1, 0)
        of = _Buffer(ctypes.addressof(source), len(data), 0)
        while of.pos < of.size and to.pos < to.size:
            rest = self.lib.ZSTD_decompressStream(self.stream, ctypes.byref(to), ctypes.byref(of))
            if self.lib.ZSTD_isError(rest):
                raise Bad("a block is no Zstd")
        return target.raw[:to.pos]


class Container:
    """`form`: "classic" or "parallel", `packing`: "lz4" or "zstd", `streams`, `blocks`, `payload`."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        head, at = self.data[:4], 4
        kinds = {b"tlZ\x04": "lz4", b"tZst": "zstd"}
        if head in kinds:
            self.form, self.packing, self.streams = "classic", kinds[head], 1
        elif head == b"tr\xfdP":
            self.form, self.streams, at = "parallel", self.data[5], 6
            self.packing = "lz4" if self.data[4] == 0 else "zstd"
            if self.data[4] > 1 or not self.streams:
                raise Bad("no such container")
        else:
            raise Bad("not a trace")
        self._decode(at)
        self._check_page_end()

    def _decode(self, at):
        decoders = [_Lz4() if self.packing == "lz4" else _Zstd() for _ in range(self.streams)]
        blocks = []
        while at < len(self.data):
            (size,) = struct.unpack_from("<I", self.data, at)
            at += 4
            if size == 0 and at == len(self.data):
                break
            if size > LARGEST or at + size > len(self.data):
                raise Bad(f"block {len(blocks)} has a size of {size}")
            blocks.append(decoders[len(blocks) % self.streams].block(self.data[at:at + size]))
            at += size
        short = [i for i, b in enumerate(blocks[:-1]) if len(b) != BLOCK]
        if short or not blocks or not 0 < len(blocks[-1]) <= BLOCK:
            raise Bad("a block that is not the last is not 64 KiB")
        self.blocks = len(blocks)
        self.payload = b"".join(blocks)

    def _check_page_end(self):
        """Readers of the classic form look four bytes beyond a first or a full block."""
        looks = self.form == "classic" and (self.blocks == 1 or len(self.payload) % BLOCK == 0)
        ends_empty = self.data[-4:] == b"\0\0\0\0"
        self.page_end = looks and len(self.data) % 4096 in (0, 4093, 4094, 4095) and not ends_empty
