"""Compares two segments of the same rows byte by byte: buffers, metadata, checksums.

Where the bytes of a codec go by its library's version, what must be the same all the same is
compared: the file's header, its chunks' documents and the length of each when inflated.
"""
import pathlib
import struct

MARKER = bytes.fromhex("deadbeefdeafbead")
PASS_THROUGH, SNAPPY, ZSTANDARD, LZ4, LZ4_PREFIXED, DELTA, DELTADELTA = 0, 1, 2, 3, 4, 6, 7
CHUNK_FILES = (1, 2, 3)


def folder_of(segment):
    return segment / "v3" if (segment / "v3").is_dir() else segment


def properties(path):
    """Lines as written, key to value: escapes are part of what is compared."""
    pairs = {}
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line and not line.startswith("#"):
            key, _, value = line.partition(" = ")
            if key in pairs:
                raise ValueError(f"{path.name}: key {key} twice")
            pairs[key] = value
    return pairs


def buffers(segment):
    """COLUMN.INDEX (packed) or the file's name: the bytes, in the order of the file."""
    folder = folder_of(segment)
    if not (folder / "index_map").is_file():
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir())
                if path.name not in ("metadata.properties", "creation.meta")}
    ranges = {}
    for key, value in properties(folder / "index_map").items():
        name, _, what = key.rpartition(".")
        ranges.setdefault(name, {})[what] = int(value)
    packed = (folder / "columns.psf").read_bytes()
    found = {}
    for name, at in ranges.items():
        whole = packed[at["startOffset"]:at["startOffset"] + at["size"]]
        if whole[:8] != MARKER:
            raise ValueError(f"{name}: no marker at {at['startOffset']}")
        found[name] = whole[8:]
    return found


def creation(segment):
    """(crc, creation time, data crc or None)."""
    data = (folder_of(segment) / "creation.meta").read_bytes()
    numbers = struct.unpack(f">{len(data) // 8}q", data)
    return (*numbers, None)[:3]


def inflated_length(codec, chunk):
    """What a compressed chunk says of its length, None where it says nothing."""
    if codec == LZ4_PREFIXED:
        return struct.unpack_from("<i", chunk)[0]
    if codec in (DELTA, DELTADELTA):
        return chunk[:9]
    if codec == LZ4:
        return None  # nothing is said
    if codec == SNAPPY:
        length, shift = 0, 0
        for byte in chunk:
            length |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return length
    if codec == ZSTANDARD:
        return zstandard_content_size(chunk)
    if codec == PASS_THROUGH:
        return len(chunk)
    return chunk[-4:]  # GZIP: the length stands behind


def zstandard_content_size(frame):
    """RFC 8878, 3.1.1.1: the field behind the descriptor and the window."""
    if frame[:4] != b"\x28\xb5\x2f\xfd":
        raise ValueError("no zstd frame")
    descriptor = frame[4]
    single, size_code = descriptor >> 5 & 1, descriptor >> 6
    start = 5 + (0 if single else 1) + (0, 1, 2, 4)[descriptor & 3]
    width = (1 if single else 0, 2, 4, 8)[size_code]
    size = int.from_bytes(frame[start:start + width], "little")
    return size + 256 if width == 2 else size if width else None


def raw_shape(data, fixed):
    """(codec, what must be the same whatever the codec's version) of a raw forward index."""
    version, = struct.unpack_from(">i", data)
    if version in CHUNK_FILES or fixed:
        _, count, docs, entry, total, codec, head = struct.unpack_from(">7i", data)
        starts = struct.unpack_from(f">{count}{'i' if version < 3 else 'q'}", data, head)
        shape = [version, count, docs, entry, total, codec, head]
    else:
        _, target, codec, head = struct.unpack_from(">4i", data)
        table = struct.unpack_from(f"<{(head - 16) // 4}I", data, 16)
        starts = [head + offset for offset in table[1::2]]
        shape = [version, target, codec, head, table[::2]]
    ends = [*starts[1:], len(data)]
    shape.append([inflated_length(codec, data[a:b]) for a, b in zip(starts, ends)])
    return codec, shape


def differences(ours, peer, excepted):
    """Text of each difference. `excepted(kind, name, ours, peer)` gives a reason, or None: then it
    is a difference. Checksums come last. Yields (text, reason or None).
    """
    for kind, left, right in (
            ("metadata", *(properties(folder_of(s) / "metadata.properties") for s in (ours, peer))),
            ("buffer", buffers(ours), buffers(peer))):
        for name in [*left, *(name for name in right if name not in left)]:
            a, b = left.get(name), right.get(name)
            if a != b:
                yield f"{kind} {name}: {told(a, b)}", excepted(kind, name, a, b)
        order = [name for name in right if name in left]
        if [name for name in left if name in right] != order:
            yield f"{kind}: another order", excepted(kind, "order", list(left), list(right))
    maps = [folder_of(segment) / "index_map" for segment in (ours, peer)]
    if maps[0].is_file() != maps[1].is_file():
        yield "index_map: one has it", None
    for name, a, b in zip(("crc", "time", "data crc"), creation(ours), creation(peer)):
        if a != b:
            yield f"creation.meta {name}: {told(a, b)}", excepted("creation", name, a, b)


def told(ours, peer):
    if ours is None or peer is None:
        return "only in Pinot's" if ours is None else "only in ours"
    if isinstance(ours, bytes):
        at = next((i for i, (a, b) in enumerate(zip(ours, peer)) if a != b),
                  min(len(ours), len(peer)))
        around = [data[max(0, at - 4):at + 12].hex() for data in (ours, peer)]
        return (f"{len(ours)} bytes, Pinot's {len(peer)}; from byte {at}: {around[0]}, "
                f"Pinot's {around[1]}")
    return f"{str(ours)[:100]!r}, Pinot's {str(peer)[:100]!r}"
