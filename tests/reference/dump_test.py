#!/usr/bin/env python3
"""Compares the rows Trellis reads from segments with the rows the real Pinot wrote into them.

usage: dump_test.py DUMP_ROWS_BINARY [SUBSTRING]   (SUBSTRING: only segments whose path holds it)

Segments come from $TRELLIS_FIXTURES, by default ../shared/fixtures beside the source tree. Rows are
compared as parsed JSON in docId order: objects as sets of entries, BIG_DECIMAL as numbers, true is
not 1. A segment of REQUIRED must be equal; any other may be refused as not implemented, by name.
Where no rows are given (two tables of data/) every line must be JSON and their number right.
Exit codes: 0 all as wanted, 1 a difference, 77 the fixtures are absent.
"""
import decimal
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys

NOT_IMPLEMENTED = 3  # dump_rows' exit code
DIFFERENCES_SHOWN = 3

REQUIRED = re.compile(
    r"segments/(baseline|baseline_v1layout|dict|map|huge)/"
    r"|segments/raw/raw_(v[2-7]_|default|codecspec)"
    r"|segments/special/(clp_CLP|empty|odd|odd_one)/"
    r"|data/")


def fixtures_root():
    source = pathlib.Path(__file__).resolve().parents[2]
    return pathlib.Path(os.environ.get("TRELLIS_FIXTURES", source.parent / "shared" / "fixtures"))


def metadata_path(segment):
    for path in (segment / "v3" / "metadata.properties", segment / "metadata.properties"):
        if path.is_file():
            return path
    return None


def read_metadata(segment):
    """(row count, names of BIG_DECIMAL columns) of a segment directory."""
    text = metadata_path(segment).read_text(encoding="utf-8")
    rows = int(re.search(r"^segment\.total\.docs = (\d+)", text, re.M).group(1))
    decimals = re.findall(r"^column\.(.+)\.dataType = BIG_DECIMAL$", text, re.M)
    return rows, {re.sub(r"\\(.)", r"\1", name) for name in decimals}


def expected_path(root, segment):
    """The file with the rows of a segment, or None where no rows are given."""
    relative = segment.relative_to(root)
    parts = relative.parts
    baseline = re.fullmatch(r"baseline_(?:v1_)?([01])", segment.name)
    if baseline:
        return root / "segments" / "baseline" / f"expected_{baseline.group(1)}.jsonl.gz"
    folders = [segment.parent, segment.parent.parent]
    if parts[:2] == ("data", "maps"):
        folders = [root / "segments" / "map"]
    for folder in folders:
        for name in ("expected.jsonl.gz", "expected.jsonl"):
            if (folder / name).is_file():
                return folder / name
    return None


def read_rows(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def equal(got, want):
    if isinstance(got, bool) or isinstance(want, bool) or got is None or want is None:
        return got is want
    if isinstance(got, dict) and isinstance(want, dict):
        return got.keys() == want.keys() and all(equal(got[key], want[key]) for key in got)
    if isinstance(got, list) and isinstance(want, list):
        return len(got) == len(want) and all(map(equal, got, want))
    if isinstance(got, str) or isinstance(want, str):
        return got == want
    return isinstance(got, (int, float)) and isinstance(want, (int, float)) and got == want


def equal_decimal(got, want):
    if got is None or want is None:
        return got is want
    if isinstance(got, list):
        return len(got) == len(want) and all(map(equal_decimal, got, want))
    return "e" not in got.lower() and decimal.Decimal(got) == decimal.Decimal(want)


def differences(got_rows, want_rows, decimals):
    if len(got_rows) != len(want_rows):
        yield f"{len(got_rows)} rows, expected {len(want_rows)}"
    for number, (got, want) in enumerate(zip(got_rows, want_rows)):
        for column in sorted(got.keys() | want.keys()):
            if column not in got or column not in want:
                where = "the dump" if column in got else "the expected row"
                yield f"row {number}: column {column!r} only in {where}"
                continue
            same = equal_decimal if column in decimals else equal
            if not same(got[column], want[column]):
                texts = [repr(str(row[column])[:200]) for row in (got, want)]
                yield f"row {number}, column {column!r}: {texts[0]}, expected {texts[1]}"


def segments_below(root):
    found = set()
    for path in root.rglob("metadata.properties"):
        found.add(path.parent.parent if path.parent.name == "v3" else path.parent)
    return sorted(found) + sorted(root.rglob("*.tar.gz"))


def check(dump_rows, root, segment):
    """("equal" | "readable" | "refused" | "different", detail) of one segment."""
    run = subprocess.run([dump_rows, segment], capture_output=True, timeout=300)
    if run.returncode == NOT_IMPLEMENTED:
        return "refused", run.stderr.decode().strip()
    if run.returncode != 0:
        message = run.stderr.decode(errors="replace").strip()[:500]
        return "different", f"exit code {run.returncode}: {message}"
    got = [json.loads(line) for line in run.stdout.decode("utf-8").split("\n")[:-1]]
    directory = segment
    if segment.name.endswith(".tar.gz"):
        directory = segment.with_name(segment.name[:-len(".tar.gz")])
    row_count, decimals = read_metadata(directory)
    expected = expected_path(root, directory)
    if expected is None:
        if len(got) != row_count:
            return "different", f"{len(got)} rows, expected {row_count}"
        return "readable", ""
    found = list(differences(got, read_rows(expected), decimals))
    if found:
        shown = "; ".join(found[:DIFFERENCES_SHOWN])
        return "different", f"{len(found)} differences, first: {shown}"
    return "equal", ""


def main():
    root = fixtures_root()
    if not (root / "segments").is_dir():
        print(f"SKIPPED: no fixtures at {root} (set TRELLIS_FIXTURES): NOTHING WAS COMPARED",
              file=sys.stderr)
        return 77
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    counts = {}
    failed = 0
    for segment in segments_below(root):
        name = str(segment.relative_to(root))
        if only not in name:
            continue
        verdict, detail = check(sys.argv[1], root, segment)
        counts[verdict] = counts.get(verdict, 0) + 1
        wrong = verdict == "different" or (verdict == "refused" and REQUIRED.match(name))
        failed += bool(wrong)
        if wrong or verdict == "refused":
            print(f"{'FAILED ' if wrong else ''}{verdict}: {name}: {detail}")
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    if not counts:
        print("no segment was compared", file=sys.stderr)
    return 1 if failed or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
