#!/usr/bin/env python3
"""Compares the rows Trellis reads from the project's own fixtures with the rows that went in, and
verifies each.

usage: own_segments_test.py DUMP_ROWS VERIFY_SEGMENTS [SUBSTRING]   (only segments with it)

tests/data/segments/TABLE/SEGMENT was written by the real Pinot 1.5.1 from the rows in
tests/data/rows/TABLE.jsonl.gz (tests/peer/README.md). Needs nothing from outside the source tree.
Exit codes: 0 all equal and without faults, 1 a difference, a refusal, a fault, or rows and segments
that do not belong together.
"""
import json
import pathlib
import subprocess
import sys

import dump_test

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
SEGMENTS_AT_LEAST = 70  # fewer: some were lost


def segments():
    return sorted(path for path in (DATA / "segments").glob("*/*") if path.is_dir())


def rows_of(segment):
    return dump_test.read_rows(DATA / "rows" / f"{segment.parent.name}.jsonl.gz")


def dump(dump_rows, segment):
    """("read" | "refused" | "failed", detail, rows)."""
    run = subprocess.run([dump_rows, segment], capture_output=True, timeout=300)
    if run.returncode != 0:
        message = run.stderr.decode(errors="replace").strip()[:500]
        refused = run.returncode == dump_test.NOT_IMPLEMENTED
        return ("refused" if refused else "failed"), f"exit code {run.returncode}: {message}", []
    return "read", "", [json.loads(line) for line in run.stdout.decode("utf-8").split("\n")[:-1]]


def fault_of(dump_rows, segment):
    verdict, detail, got = dump(dump_rows, segment)
    if verdict != "read":
        return detail
    _, decimals = dump_test.read_metadata(segment)
    found = list(dump_test.differences(got, rows_of(segment), decimals))
    return f"{len(found)} differences, first: {'; '.join(found[:3])}" if found else None


def verify_fault_of(verify_segments, segment):
    """What `segment verify` finds; a note (a crc after a reload) is no fault."""
    run = subprocess.run([verify_segments, segment], capture_output=True, timeout=300)
    if run.returncode == 0:
        return None
    return f"verify, exit code {run.returncode}: {(run.stdout + run.stderr).decode(errors='replace')[:500]}"


def stray_files():
    """Rows without segments, segments without rows."""
    tables = {path.name for path in (DATA / "segments").iterdir()}
    rows = {path.name.removesuffix(".jsonl.gz") for path in (DATA / "rows").iterdir()}
    return sorted(tables ^ rows)


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    only = sys.argv[3] if len(sys.argv) > 3 else ""
    chosen = [segment for segment in segments() if only in segment.name]
    faults = [f"{name}: rows or segments are missing" for name in stray_files()]
    if not only and len(chosen) < SEGMENTS_AT_LEAST:
        faults.append(f"{len(chosen)} segments, expected at least {SEGMENTS_AT_LEAST}")
    for segment in chosen:
        for fault in (fault_of(sys.argv[1], segment), verify_fault_of(sys.argv[2], segment)):
            if fault:
                faults.append(f"{segment.name}: {fault}")
    for fault in faults:
        print(f"FAILED: {fault}")
    print(f"{len(chosen)} segments, {len(faults)} faults")
    return 1 if faults or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
