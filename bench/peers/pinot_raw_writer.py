#!/usr/bin/env python3
"""Pinot's writer of raw forward indexes beside ours, over the same rows: container 4, 1 MiB chunks.

usage: pinot_raw_writer.py FORWARD_INDEX_WRITE_BENCH [--work FOLDER] [--files FOLDER]

Pinot 1.5.1's VarByteChunkForwardIndexWriterV4 out of its published jars writes the rows that
forward_index_write_bench writes; the two take turns, medians of 9 in each of 3 rounds. Both write
into FILES (by default /dev/shm: no disk is measured). Ours also plans the chunks, which Pinot's
caller does beforehand. One thread: CPU time of the thread that writes; two threads: wall clock.
"""
import os
import pathlib
import subprocess
import tempfile

import peer_bench

CODECS = ("LZ4", "ZSTANDARD")
DISTRIBUTIONS = ("uniform_1000_10000", "exp_0.001")


def measure(peer, options, scratch):
    """(codec, distribution): lists of nanoseconds a file by what was measured."""
    files = scratch / "files"
    files.mkdir()
    environment = {**os.environ, "TRELLIS_WRITE_DIR": str(files)}
    subprocess.run([options.binary.resolve()], check=True,
                   env={**environment, "TRELLIS_WRITE_DUMP": str(scratch)})
    found = {}
    for _ in range(options.rounds):
        for distribution in DISTRIBUTIONS:
            rows = scratch / f"{distribution}.rows"
            theirs = peer_bench.java(
                peer, "RawWriteBench", peer_bench.TIMES, files / "theirs",
                *(word for codec in CODECS for word in (codec, rows)), heap="2g")
            (files / "theirs").unlink()
            for codec in CODECS:
                cell = found.setdefault((codec, distribution), {})
                result = theirs[f"{codec}/{rows.name}"]
                cell.setdefault("Pinot", []).append(result["cpu_ns"])
                cell.setdefault("Pinot, wall", []).append(result["wall_ns"])
                name = f"ForwardIndexWrite/V4/{codec}/{distribution}/heap"
                ours = peer_bench.google(options.binary.resolve(), f"^{name}/[12]$", environment)
                for threads, clock in (("1", "cpu_time"), ("2", "real_time")):
                    cell.setdefault(threads, []).append(peer_bench.median(
                        peer_bench.nanoseconds(row, clock) for row in ours[f"{name}/{threads}"]))
    return found


def main():
    options = peer_bench.parsed(__doc__, "binary", files=pathlib.Path("/dev/shm"))
    with tempfile.TemporaryDirectory() as compiled, \
            tempfile.TemporaryDirectory(dir=options.files) as scratch:
        peer = peer_bench.start_pinot(options.work or compiled)
        found = measure(peer, options, pathlib.Path(scratch))
    rows = []
    for (codec, distribution), cell in found.items():
        theirs, wall, one, two = (peer_bench.median(cell[key]) / 1e6
                                  for key in ("Pinot", "Pinot, wall", "1", "2"))
        rows.append([f"{codec} {distribution}", f"{theirs:,.0f}", f"{one:,.0f}",
                     f"{theirs / one:.2f}", f"{wall:,.0f}", f"{two:,.0f}", f"{wall / two:.2f}"])
    peer_bench.print_table(
        ["rows", "Pinot, CPU ms", "ours, CPU ms", "ratio", "Pinot, wall ms",
         "ours, 2 threads, wall ms", "ratio"], rows)


if __name__ == "__main__":
    main()
