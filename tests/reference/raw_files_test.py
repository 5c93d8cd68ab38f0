#!/usr/bin/env python3
"""Compares what Trellis reads from bare forward index files with the values that the real Pinot's writers put in.

usage: raw_files_test.py READ_FORWARD_INDEX_BINARY

The files are $TRELLIS_FIXTURES/segments/rawfiles/KIND_TYPE_VERSION_CODEC.fwd (by default in ../shared/fixtures
beside the source tree), the values lie in expected.json there. Every file is read whole and every
third document of it. Exit codes: 0 all equal, 1 a difference, 77 the fixtures are absent.
"""
import json
import os
import pathlib
import subprocess
import sys

STEPS = (1, 3)


def fixtures_root():
    source = pathlib.Path(__file__).resolve().parents[2]
    return pathlib.Path(os.environ.get("TRELLIS_FIXTURES", source.parent / "shared" / "fixtures"))


def read(binary, path, data_type, count, step):
    """The values of every `step`-th document, or a text that says why there are none."""
    run = subprocess.run([binary, path, data_type.upper(), str(count), str(step)],
                         capture_output=True, text=True, timeout=60)
    if run.returncode != 0:
        return f"exit code {run.returncode}: {run.stderr.strip()[:500]}"
    lines = run.stdout.split("\n")[:-1]
    if data_type == "string":
        return [bytes.fromhex(line).decode("utf-8") for line in lines]
    return [int(line) for line in lines]


def main():
    folder = fixtures_root() / "segments" / "rawfiles"
    if not folder.is_dir():
        print(f"SKIPPED: no fixtures at {folder} (set TRELLIS_FIXTURES): NOTHING WAS COMPARED",
              file=sys.stderr)
        return 77
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    files = sorted(folder.glob("*.fwd"))
    failed = 0
    for path in files:
        data_type = path.stem.split("_")[1]
        values = expected[data_type]
        for step in STEPS:
            got = read(sys.argv[1], path, data_type, len(values), step)
            if got != values[::step]:
                failed += 1
                shown = got if isinstance(got, str) else f"{len(got)} values that differ"
                print(f"FAILED {path.name}, every {step}: {shown}")
    print(f"{len(files)} files read, {failed} differences")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
