#!/usr/bin/env python3
"""Trellis writes dictionaries, their forward indexes, null vectors, inverted, range and bloom indexes as Pinot does.

usage: rewrite_test.py REWRITE_INDEXES own|given [PART_OF_A_NAME]
Every such index of the project's own fixtures (own: tests/data/segments) or of the shared ones (given) is written again from the rows
that Trellis reads, and must have the same bytes. The shared ones are found by TRELLIS_FIXTURES, else at ../shared/fixtures beside
the project (exit code 77: absent).

Exceptions, by which no fixture is affected:
- Equal BIG_DECIMALs of several scales (a schema with allowTrailingZeros) are two entries of Pinot's dictionary, in no
  certain order; Trellis writes one.
- BYTES of one length whose first 20 bytes look like a `.vl;` header: Pinot writes slots that its own reader takes for
  offsets; Trellis writes offsets.
- Bloom filters of FLOAT and DOUBLE written under a JDK before 19, which had longer texts for some values.
Not written again: the raw forward indexes (tests/unit/common/raw_writer), the inverted index that 1.5 gave raw columns, and kinds of
index that Trellis only reads or ignores.
"""
import collections
import os
import pathlib
import subprocess
import sys

DATA = pathlib.Path(__file__).resolve().parents[1] / "data" / "segments"
# Fewer equal ones, of a kind: some were lost, or are no longer compared.
OWN_AT_LEAST = {"dictionary": 200, "forward_index": 200, "nullvalue_vector": 100, "inverted_index": 40,
                "range_index": 35, "bloom_filter": 40}
SHARED_AT_LEAST = {"dictionary": 100, "forward_index": 100, "nullvalue_vector": 100, "inverted_index": 5,
                   "range_index": 3, "bloom_filter": 3}


def shared_fixtures():
    root = pathlib.Path(os.environ.get("TRELLIS_FIXTURES",
                                       pathlib.Path(__file__).resolve().parents[3] / "shared" / "fixtures"))
    return root / "segments"


def segments_below(root):
    metadata = sorted(root.rglob("metadata.properties"))
    return sorted({path.parent.parent if path.parent.name == "v3" else path.parent for path in metadata})


def compare(program, segments, at_least):
    """The number of faults; prints each."""
    faults, equal, skipped = 0, collections.Counter(), collections.Counter()
    for segment in segments:
        run = subprocess.run([program, segment], capture_output=True, timeout=300)
        if run.returncode != 0:
            print(f"{segment}: exit code {run.returncode}: {run.stderr.decode(errors='replace')[:500]}")
            faults += 1
        for line in run.stdout.decode("utf-8").splitlines():
            verdict, _, column, index, size, detail = line.split("\t")
            if verdict == "equal":
                equal[index] += 1
            elif verdict == "skipped":
                skipped[f"{index} ({detail})"] += 1
            else:
                print(f"{segment}: {index} of {column}, {size} bytes: {detail}")
                faults += 1
    for index, count in at_least.items():
        if equal[index] < count:
            print(f"{index}: {equal[index]} are equal, {count} at least were expected")
            faults += 1
    print("equal:", ", ".join(f"{count} {index}" for index, count in sorted(equal.items())))
    print("not written again:", ", ".join(f"{count} {what}" for what, count in sorted(skipped.items())))
    return faults


def main(program, which, part=""):
    root, at_least = (DATA, OWN_AT_LEAST) if which == "own" else (shared_fixtures(), SHARED_AT_LEAST)
    if not root.is_dir():
        print(f"SKIPPED, nothing was compared: the shared fixtures are not at {root}")
        return 77
    segments = [path for path in segments_below(root) if part in str(path)]
    faults = compare(program, segments, {} if part else at_least)
    print(f"{len(segments)} segments, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
