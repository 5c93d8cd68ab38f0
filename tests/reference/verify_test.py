#!/usr/bin/env python3
"""Every segment of the real Pinot passes `segment verify`, and no bit of it that the data crc covers turns unseen.

usage: verify_test.py VERIFY_SEGMENTS [PART_OF_A_NAME]
The fixtures are found by TRELLIS_FIXTURES, else at ../shared/fixtures beside the project (exit code 77: absent).
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import dump_test

FLIPS_A_SEGMENT = 12
FLIPPED = ("segments/dict/", "segments/raw/raw_v4_LZ4", "segments/raw/raw_v3_ZSTANDARD", "segments/special/",
           "segments/map/map_v6_ZSTANDARD", "segments/baseline_v1layout/", "segments/huge/huge_v5_LZ4")


def verify(program, paths):
    """(exit code, faults and notes as JSON objects) of one run."""
    run = subprocess.run([program, "--json", *map(str, paths)], capture_output=True, timeout=300)
    if run.stderr:
        sys.exit(f"verify wrote to standard error: {run.stderr.decode(errors='replace')[:2000]}")
    return run.returncode, [json.loads(line) for line in run.stdout.decode("utf-8").splitlines()]


def has_data_crc(segment):
    path = next(segment.rglob("creation.meta"), None)
    return path is not None and path.stat().st_size >= 24


def covered_ranges(segment):
    """[(file, offset, size)] of the bytes of dictionaries and forward indexes."""
    v3 = segment / "v3"
    if not v3.is_dir():
        return [(path, 0, path.stat().st_size) for path in sorted(segment.iterdir())
                if path.suffix in (".dict", ".fwd") and path.stat().st_size]
    if not (v3 / "index_map").is_file():
        return []
    places = {}
    for line in (v3 / "index_map").read_text(encoding="ascii").splitlines():
        key, separator, value = line.rpartition(" = ")
        column_index, _, kind = key.rpartition(".")
        if separator and column_index.rpartition(".")[2] in ("dictionary", "forward_index"):
            places.setdefault(column_index, {})[kind] = int(value)
    return [(v3 / "columns.psf", place["startOffset"] + 8, place["size"] - 8)
            for _, place in sorted(places.items()) if place["size"] > 8]


def check_flips(program, segment, scratch, seed):
    """Messages about flips that were not found in a copy of the segment."""
    copy = pathlib.Path(scratch) / segment.name
    shutil.copytree(segment, copy)
    chosen = random.Random(seed)
    ranges = covered_ranges(copy)
    for _ in range(FLIPS_A_SEGMENT if ranges else 0):
        file, start, size = chosen.choice(ranges)
        at, bit = start + chosen.randrange(size), 1 << chosen.randrange(8)
        flip(file, at, bit)
        code, faults = verify(program, [copy])
        found = [fault for fault in faults if not fault["note"] and fault["index"] == "data_crc"]
        flip(file, at, bit)
        if code != 1 or not found:
            yield f"{segment}: bit {bit} at {at} of {file.name} turned: exit code {code}, {len(found)} data_crc faults"
    shutil.rmtree(copy)


def flip(file, at, bit):
    with open(file, "r+b") as opened:
        opened.seek(at)
        byte = opened.read(1)[0]
        opened.seek(at)
        opened.write(bytes([byte ^ bit]))


def main():
    root = dump_test.fixtures_root()
    if not (root / "segments").is_dir():
        print(f"SKIPPED: no fixtures at {root} (set TRELLIS_FIXTURES): NOTHING WAS VERIFIED", file=sys.stderr)
        return 77
    program, only = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    segments = [path for path in dump_test.segments_below(root) if only in str(path.relative_to(root))]
    code, found = verify(program, segments)
    faults = [fault for fault in found if not fault["note"]]
    for fault in faults:
        print(f"FAILED {json.dumps(fault)}")
    if (code != 0) != bool(faults):
        faults.append(f"exit code {code}")
        print(faults[-1])
    flipped = [path for path in segments if path.is_dir() and str(path.relative_to(root)).startswith(FLIPPED)
               and has_data_crc(path)]
    missed = []
    with tempfile.TemporaryDirectory() as scratch:
        for seed, segment in enumerate(flipped):
            missed.extend(check_flips(program, segment, scratch, seed))
    for message in missed:
        print(f"FAILED {message}")
    print(f"{len(segments)} segments, {len(faults)} faults, {len(found) - len(faults)} notes; "
          f"{len(flipped)} segments with turned bits, {len(missed)} not found")
    return 1 if faults or missed or not segments or (not flipped and not only) else 0


if __name__ == "__main__":
    sys.exit(main())
