#!/usr/bin/env python3
"""Damages every segment of the fixtures and of the examples in a seeded slice of all ways.

usage: damage_test.py SEGMENT_DAMAGE_BINARY SECONDS [FLAG...]

SECONDS bounds the whole; each segment gets an equal part. Flags go to the binary: see
segment_damage.cc. $TRELLIS_DAMAGE_SEED picks the slice (default 1), which is printed. Fixtures come
from $TRELLIS_FIXTURES, by default ../shared/fixtures beside the source tree; without them the
project's own segments are damaged, and that is said.
Exit codes: 0 all as wanted, 1 something was wrong.
"""
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
OWN = (SOURCE / "examples" / "data", SOURCE / "tests" / "data")


def segments_below(root):
    found = set()
    for path in root.rglob("metadata.properties"):
        found.add(path.parent.parent if path.parent.name == "v3" else path.parent)
    return sorted(found)


def main():
    binary, seconds, flags = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
    fixtures = pathlib.Path(os.environ.get("TRELLIS_FIXTURES", SOURCE.parent / "shared" / "fixtures"))
    segments = segments_below(fixtures / "segments")
    if not segments:
        print(f"no fixtures at {fixtures} (set TRELLIS_FIXTURES): only the project's own segments")
    for folder in OWN:
        segments += segments_below(folder)
    seed = os.environ.get("TRELLIS_DAMAGE_SEED", "1")
    each = max(0.2, seconds / len(segments))
    print(f"seed {seed}, {len(segments)} segments, {each:.1f} s each", flush=True)
    # An allocation past the limit of one inflated chunk is a fault too.
    environment = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")
                   + ":max_allocation_size_mb=1200:allocator_may_return_null=0"}
    run = subprocess.run([binary, "--seed", seed, "--milliseconds", str(int(each * 1000)), *flags,
                          *map(str, segments)], env=environment)
    return 0 if run.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
