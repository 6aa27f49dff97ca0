"""Reads files of Parquet, as the format's specification describes them: flat columns, pages of version 1, zstd. It has
nothing in common with the writer."""
import ctypes
import ctypes.util
import struct

_ZSTD = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
_ZSTD.ZSTD_decompress.restype = ctypes.c_size_t
_ZSTD.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
INT64, DOUBLE, BYTE_ARRAY = 2, 5, 6
PLAIN, DELTA, DICTIONARY = 0, 5, 8


class Bytes:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, count):
        self.at += count
        assert self.at <= len(self.data), "the data breaks off"
        return self.data[self.at - count:self.at]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def zigzag(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)


def thrift(b, kind=12):
    """A value of the compact protocol; a struct is a dictionary by the numbers of its fields."""
    if kind in (1, 2):
        return kind == 1
    if kind == 3:
        return struct.unpack("b", b.take(1))[0]
    if kind in (4, 5, 6):
        return b.zigzag()
    if kind == 8:
        return b.take(b.varint())
    if kind == 9:
        head = b.take(1)[0]
        count = head >> 4 if head < 0xf0 else b.varint()
        return [thrift(b, head & 15) for _ in range(count)]
    assert kind == 12, kind
    fields, last = {}, 0
    while True:
        head = b.take(1)[0]
        if not head:
            return fields
        number = last + (head >> 4) if head >> 4 else b.zigzag()
        assert number > last, "fields rise"
        fields[number] = thrift(b, head & 15)
        last = number


def unpack(data, width, count):
    values, mask, shifts = [], (1 << width) - 1, range(0, 8 * width, width) if width else [0] * 8
    for at in range(0, count // 8 * width or 1, width or 1):
        bits = int.from_bytes(data[at:at + width], "little")
        values += [bits >> shift & mask for shift in shifts]
    return values if width else [0] * count


def hybrid(b, width, count):
    values = []
    while len(values) < count:
        head = b.varint()
        if head & 1:
            values += unpack(b.take((head >> 1) * width), width, (head >> 1) * 8)
        else:
            values += [int.from_bytes(b.take((width + 7) // 8), "little")] * (head >> 1)
    return values[:count]


def deltas(b, count):
    block, miniblocks, total, value = b.varint(), b.varint(), b.varint(), b.zigzag()
    assert total == count and block % 128 == 0 and block // miniblocks % 32 == 0
    values = [value]
    while len(values) < count:
        least, widths = b.zigzag(), b.take(miniblocks)
        for width in widths:
            if len(values) >= count:
                break
            for more in unpack(b.take(width * (block // miniblocks) // 8), width, block // miniblocks):
                value = (value + least + more + (1 << 63)) % (1 << 64) - (1 << 63)
                values.append(value)
    return values[:count]


def plain(b, kind, count):
    if kind == BYTE_ARRAY:
        return [b.take(struct.unpack("<I", b.take(4))[0]).decode("utf-8") for _ in range(count)]
    return list(struct.unpack(f"<{count}{'q' if kind == INT64 else 'd'}", b.take(8 * count)))


def page_of(b):
    """The header of a page, and what it contains."""
    header = thrift(b)
    packed = b.take(header[3])
    room = ctypes.create_string_buffer(header[2] + 1)
    assert _ZSTD.ZSTD_decompress(room, header[2], packed, len(packed)) == header[2], "a page is not as long as it says"
    return header, Bytes(room.raw[:header[2]])


def chunk_values(data, meta):
    b = Bytes(data, meta.get(11, meta[9]))
    begin, texts, values, encodings = b.at, None, [], set()
    if 11 in meta:
        header, page = page_of(b)
        assert header[1] == 2 and header[7][2] == PLAIN
        texts = plain(page, meta[1], header[7][1])
        encodings.add(PLAIN)
        assert len({repr(t) for t in texts}) == len(texts), "a dictionary has no value twice"
    assert b.at == meta[9]
    while len(values) < meta[5]:
        header, page = page_of(b)
        assert header[1] == 0 and header[5][3] == header[5][4] == 3
        encodings |= {3, header[5][2]}
        levels = Bytes(page.take(struct.unpack("<I", page.take(4))[0]))
        present = hybrid(levels, 1, header[5][1])
        count = sum(present)
        if header[5][2] == DICTIONARY:
            found = [texts[n] for n in hybrid(page, page.take(1)[0], count)]
        else:
            found = deltas(page, count) if header[5][2] == DELTA else plain(page, meta[1], count)
        assert page.at == len(page.data), "nothing follows the values"
        found.reverse()
        values += [found.pop() if is_there else None for is_there in present]
    assert len(values) == meta[5] and b.at - begin == meta[7] and encodings == set(meta[2]), (meta, encodings)
    return values


def check_statistics(kind, statistics, values):
    known = [v for v in values if v is not None]
    assert statistics[3] == len(values) - len(known)
    if not known or 5 not in statistics:
        assert 5 not in statistics and (not known or kind == BYTE_ARRAY)
        return
    least, most = (plain(Bytes((struct.pack("<I", len(statistics[f])) if kind == BYTE_ARRAY else b"") + statistics[f]), kind, 1)[0]
                   for f in (6, 5))

    def order(v):
        return v.encode("utf-8") if kind == BYTE_ARRAY else v
    assert (order(least), order(most)) == (min(map(order, known)), max(map(order, known))), (least, most)


def read(path):
    """The columns, {name: (type, values)}; the groups' numbers of rows; the keys."""
    with open(path, "rb") as f:
        data = f.read()
    assert data[:4] == data[-4:] == b"PAR1"
    bytes_of_end = struct.unpack("<I", data[-8:-4])[0]
    b = Bytes(data[:-8], len(data) - 8 - bytes_of_end)
    file = thrift(b)
    assert b.at == len(b.data)
    root, *schema = file[2]
    assert root[5] == len(schema) == len(file[7]) and all(s[3] == 1 for s in schema)
    columns = {s[4].decode(): (s[1], []) for s in schema}
    for group in file[4]:
        for s, chunk in zip(schema, group[1]):
            meta = chunk[3]
            assert meta[3] == [s[4]] and meta[1] == s[1] and meta[5] == group[3]
            values = chunk_values(data, meta)
            check_statistics(meta[1], meta[12], values)
            columns[s[4].decode()][1].extend(values)
        assert group[2] == sum(c[3][6] for c in group[1]) and group[6] == sum(c[3][7] for c in group[1])
    assert file[3] == sum(g[3] for g in file[4]) and all(len(v) == file[3] for _, v in columns.values())
    return columns, [g[3] for g in file[4]], {k[1].decode(): k[2].decode() for k in file.get(5, [])}
