#!/usr/bin/env python3
"""Reads raw forward indexes of the real Pinot, writes their rows again, and compares the bytes.

usage: rewrite_raw_test.py REWRITE_RAW_INDEXES (own | given)

own: the project's segments (tests/data/segments). given: the fixtures in $TRELLIS_FIXTURES (by
default ../shared/fixtures beside the source tree): segments of raw, huge and map, whose layout must
also follow from their tableConfig.json, and the bare files of rawfiles.
Every byte must be equal but for the exceptions below. Exit codes: 0 as wanted, 1 a difference, 77
the fixtures are absent.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys

# What a zstd frame holds depends on the library's version; the chunks in it must be equal.
COMPRESSED_MAY_DIFFER = {"ZSTANDARD"}
# Fewer columns: some were lost.
COLUMNS_AT_LEAST = {"own": 400, "given": 600}

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def fixtures_root():
    return pathlib.Path(os.environ.get("TRELLIS_FIXTURES", SOURCE.parent / "shared" / "fixtures"))


def own_runs():
    for segment in sorted((SOURCE / "tests" / "data" / "segments").glob("*/*")):
        if segment.is_dir():
            yield segment.name, [segment]


def given_runs(segments):
    for table in ("raw", "huge", "map"):
        for folder in sorted(path for path in (segments / table).iterdir() if path.is_dir()):
            yield folder.name, [folder / folder.name, folder / "tableConfig.json"]
    values = json.loads((segments / "rawfiles" / "expected.json").read_text(encoding="utf-8"))
    for path in sorted((segments / "rawfiles").glob("*.fwd")):
        data_type = path.stem.split("_")[1]
        yield path.name, ["--file", path, data_type.upper(), str(len(values[data_type]))]


def fault_of(line):
    """What is wrong with one line of the binary, or None."""
    _, _, _, codec, verdict = line.split(" ", 4)
    if verdict == "equal" or (verdict == "chunks" and codec in COMPRESSED_MAY_DIFFER):
        return None
    return verdict


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in COLUMNS_AT_LEAST:
        print(__doc__, file=sys.stderr)
        return 2
    binary, which = sys.argv[1:]
    segments = fixtures_root() / "segments"
    if which == "given" and not segments.is_dir():
        print(f"SKIPPED: no fixtures at {segments} (set TRELLIS_FIXTURES): NOTHING WAS COMPARED",
              file=sys.stderr)
        return 77
    faults, verdicts = [], collections.Counter()
    for name, arguments in own_runs() if which == "own" else given_runs(segments):
        run = subprocess.run([binary, *arguments], capture_output=True, text=True, timeout=120)
        if run.returncode != 0:
            faults.append(f"{name}: exit code {run.returncode}: {run.stderr.strip()[:500]}")
        for line in run.stdout.splitlines():
            verdicts[" ".join(line.split(" ")[3:5])] += 1
            fault = fault_of(line)
            if fault:
                faults.append(f"{name}: {line}")
    if sum(verdicts.values()) < COLUMNS_AT_LEAST[which]:
        faults.append(f"{sum(verdicts.values())} columns, expected at least {COLUMNS_AT_LEAST[which]}")
    for fault in faults:
        print(f"FAILED: {fault}")
    print(", ".join(f"{key}: {count}" for key, count in sorted(verdicts.items())))
    print(f"{sum(verdicts.values())} columns, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
