#!/usr/bin/env python3
"""Pinot's read of one MAP key beside ours, over the same frames in the same files.

usage: pinot_map_keys.py BENCH_FOLDER [--work FOLDER] [--files FOLDER]

BENCH_FOLDER has map_key_bench and map_column_file. Pinot 1.5.1 makes a map of the whole row and
looks the key up (its forward index reader's getMap, as its MAP item function does through
MapKeyIndexReader); the read of one key without the map (Pinot's change 19273) is in no published
jar. Documents are read in order. The two take turns: medians of 9 in each of 3 rounds, the last
key. `key` is MapKey/one_key over frames in memory, `column` MapKeyScan over the forward index,
chunks inflated (flat frames alone); both in batches, CPU time.
"""
import pathlib
import subprocess
import tempfile

import peer_bench

SHAPES = ("flat", "numeric", "nested")
ENTRIES = (4, 16, 64)
CODECS = ("PASS_THROUGH", "LZ4")


def write_columns(binaries, folder):
    """NAME: (file, documents, last key, its value's JSON in the last document)."""
    columns = {}
    for shape in SHAPES:
        for entries in ENTRIES:
            for codec in CODECS:
                name = f"{codec}/{shape}/{entries}"
                path = folder / name.replace("/", "_")
                run = subprocess.run(
                    [binaries / "map_column_file", shape, str(entries), codec, path],
                    stdout=subprocess.PIPE, text=True, check=True)
                columns[name] = (path, *run.stdout.rstrip("\n").split("\t"))
    return columns


def measure(peer, options, columns):
    """(theirs, their bytes, ours): NAME to a list of nanoseconds a read."""
    theirs, allocated, ours = {}, {}, {}
    binary = options.binaries.resolve() / "map_key_bench"
    for _ in range(options.rounds):
        words = [word for name, column in columns.items() for word in (name, *column)]
        for name, result in peer_bench.java(peer, "MapReadBench", peer_bench.TIMES, *words).items():
            theirs.setdefault(name, []).append(result["cpu_ns"])
            allocated.setdefault(name, []).append(result["alloc_bytes"])
        for name, rows in peer_bench.google(
                binary, "^(MapKey/one_key/.*/last|MapKeyScan/(PASS_THROUGH|LZ4)/V4/.*/1)$").items():
            units = 1
            if name.startswith("MapKeyScan"):
                codec, entries = name.split("/")[1], name.split("/")[3]
                units = int(columns[f"{codec}/flat/{entries}"][1])
            ours.setdefault(name, []).append(peer_bench.median(
                peer_bench.nanoseconds(row, "cpu_time") / units for row in rows))
    return theirs, allocated, ours


def print_ratios(theirs, allocated, ours):
    rows = []
    for name, times in theirs.items():
        codec, shape, entries = name.split("/")
        pinot_ns = peer_bench.median(times)
        cells = [f"{codec} {shape} {entries}", f"{pinot_ns:,.0f}",
                 f"{peer_bench.median(allocated[name]):,.0f}"]
        for key in (f"MapKey/one_key/{shape}/{entries}/last" if codec == "PASS_THROUGH" else "",
                    f"MapKeyScan/{codec}/V4/{entries}/1" if shape == "flat" else ""):
            if key in ours:
                ns = peer_bench.median(ours[key])
                cells += [f"{ns:,.0f}", f"{pinot_ns / ns:.1f}"]
            else:
                cells += ["", ""]
        rows.append(cells)
    peer_bench.print_table(["frames", "Pinot, ns", "its bytes", "key, ns", "ratio", "column, ns",
                            "ratio"], rows)


def main():
    options = peer_bench.parsed(__doc__, "binaries")
    with tempfile.TemporaryDirectory() as compiled, \
            tempfile.TemporaryDirectory(dir=options.files) as folder:
        peer = peer_bench.start_pinot(options.work or compiled)
        columns = write_columns(options.binaries.resolve(), pathlib.Path(folder))
        theirs, allocated, ours = measure(peer, options, columns)
    print_ratios(theirs, allocated, ours)


if __name__ == "__main__":
    main()
