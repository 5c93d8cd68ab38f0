#!/usr/bin/env python3
"""Reads the project's own fixtures with the real Pinot's reader and with Trellis: all rows agree.

usage: peer_test.py DUMP_ROWS_BINARY WORK_FOLDER [SUBSTRING]   (SUBSTRING: only segments with it)

For every segment below tests/data/segments: Pinot's rows = the rows that went in = the rows of
`trellis segment dump`. Exit codes: 0 all agree, 1 a difference, 77 Java, Maven or Pinot's jars
cannot be had; with TRELLIS_PEER_TESTS=required that is 1, too.
"""
import os
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "reference")]
import dump_test  # noqa: E402
import own_segments_test  # noqa: E402
import pinot  # noqa: E402


def peer_rows(peer, work, segments):
    """Folder with NAME.jsonl of every segment, and what the peer said. It reads copies."""
    copies, out = work / "copies", work / "rows"
    for folder in (copies, out):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    for segment in segments:
        shutil.copytree(segment, copies / segment.name)
    run = peer.run("ReadSegment", out, *(copies / segment.name for segment in segments))
    return out, run


def faults_of(dump_rows, segment, out):
    if not (out / f"{segment.name}.jsonl").is_file():
        yield "Pinot: no rows"
        return
    want = own_segments_test.rows_of(segment)
    _, decimals = dump_test.read_metadata(segment)
    peer = dump_test.read_rows(out / f"{segment.name}.jsonl")
    wrong = list(dump_test.differences(peer, want, decimals))
    if wrong:
        yield f"Pinot: {len(wrong)} differences from the rows that went in: {'; '.join(wrong[:3])}"
    verdict, detail, got = own_segments_test.dump(dump_rows, segment)
    if verdict != "read":
        yield f"Trellis: {detail}"
        return
    for other, rows in (("Pinot", peer), ("the rows that went in", want)):
        wrong = list(dump_test.differences(got, rows, decimals))
        if wrong:
            yield f"Trellis: {len(wrong)} differences from {other}: {'; '.join(wrong[:3])}"


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    work = pathlib.Path(sys.argv[2]).resolve()
    try:
        peer = pinot.Pinot(work)
    except pinot.Unavailable as reason:
        required = os.environ.get("TRELLIS_PEER_TESTS") == "required"
        print(f"{'FAILED' if required else 'SKIPPED'}: {reason}\nNOTHING WAS COMPARED WITH PINOT",
              file=sys.stderr)
        return 1 if required else 77
    only = sys.argv[3] if len(sys.argv) > 3 else ""
    segments = [segment for segment in own_segments_test.segments() if only in segment.name]
    out, run = peer_rows(peer, work, segments)
    faults = 0
    if run.returncode != 0:
        print(f"FAILED: ReadSegment: exit code {run.returncode}:\n{run.stdout[-4000:]}")
        faults += 1
    for segment in segments:
        for fault in faults_of(sys.argv[1], segment, out):
            faults += 1
            print(f"FAILED: {segment.name}: {fault}")
    print(f"{len(segments)} segments, {faults} faults")
    return 1 if faults or not segments else 0


if __name__ == "__main__":
    sys.exit(main())
