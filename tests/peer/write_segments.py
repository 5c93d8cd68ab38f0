#!/usr/bin/env python3
"""Makes tests/data anew with Pinot's writer: the project's own fixture segments and their rows.

usage: write_segments.py [--out FOLDER] [--work FOLDER] [TABLE...]

The same bytes each time, but for the Lucene files of the table `searches`, which carry random ids.
"""
import argparse
import pathlib
import sys
import tempfile

import pinot

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=DATA)
    parser.add_argument("--work", type=pathlib.Path, help="keep what is compiled here")
    parser.add_argument("tables", nargs="*", metavar="TABLE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        try:
            peer = pinot.Pinot(options.work or scratch)
        except pinot.Unavailable as reason:
            print(f"write_segments.py: {reason}", file=sys.stderr)
            return 2
        run = peer.run("WriteSegments", options.out.resolve(), *options.tables)
        print(run.stdout, end="")
        return run.returncode


if __name__ == "__main__":
    sys.exit(main())
