#!/usr/bin/env python3
"""`trellis segment build` judged by the real Pinot: it reads each built segment, and would have
written the same bytes.

usage: build_test.py TRELLIS_BINARY DUMP_ROWS_BINARY WORK_FOLDER [--seed N] [--verbose] [SUBSTRING]
(SUBSTRING: only segments with it in their names; --verbose: the exceptions that were met, too)

For each segment of build_cases: the rows Pinot's reader finds in what Trellis built = the rows
that went in = the rows of `trellis segment dump`; `trellis segment verify` finds no fault; Pinot's
loader has nothing to preprocess; its index readers answer as a scan does; buffers, metadata and
checksums are those of the segment Pinot's own writer makes of the same files. EXCEPTIONS lists
where they may differ. Container 6 is unknown to 1.5.1: our own reader judges it alone.
Exit codes: 0 all agree, 1 a difference, 77 Java, Maven or Pinot's jars cannot be had; with
TRELLIS_PEER_TESTS=required that is 1, too.
"""
import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "reference")]
import build_cases  # noqa: E402
import dump_test  # noqa: E402
import own_segments_test  # noqa: E402
import pinot  # noqa: E402
import segment_bytes  # noqa: E402

SEED = 20250301
CREATION_TIME_MS = 1764504000000  # as WriteSegments has it
SHOWN = 3
FIXED_WIDTH = ("INT", "LONG", "FLOAT", "DOUBLE", "BOOLEAN", "TIMESTAMP")
OTHER_ZSTD = ("frames of zstd: Pinot's zstd-jni 1.5.7 and the system's library find other matches; "
              "headers, chunks and lengths are the same")
MAP_ORDER = ("entries of a MAP: 1.5.1 writes them in the order of a Java HashMap; we by key, as "
             "Pinot does since; headers, chunks and lengths are the same")
CREATED = "time of creation: the clock's"
FOLLOWS = "checksums over, and sizes of, bytes excepted above"


class Case:
    """One segment to build: paths below the work folder."""

    def __init__(self, work, table, name, rows):
        self.work, self.table, self.name = work, table, name
        self.schema = work / "tables" / table.name / "schema.json"
        self.rows_file = work / "tables" / table.name / "rows.jsonl"
        self.config = work / "tables" / table.name / f"{name}.json"
        self.peer_rows_file, self.want = self.rows_file, rows
        self.config.write_text(json.dumps(table.segments[name], indent=1))
        sort = table.sort_columns.get(name)
        if sort:
            self.want = sorted(rows, key=lambda row: sort_key(row[sort]))
            self.peer_rows_file = self.config.with_suffix(".rows.jsonl")
            write_rows(self.peer_rows_file, self.want)
        self.ours = work / "ours" / name
        self.peer = work / "peer" / name

    def entry(self):
        return {"name": self.name, **{key: str(path.relative_to(self.work)) for key, path in (
            ("schema", self.schema), ("config", self.config), ("rows", self.peer_rows_file))}}


def sort_key(value):
    """Texts go by UTF-16 units."""
    return value.encode("utf-16-be") if isinstance(value, str) else value


def write_rows(path, rows):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows),
                    encoding="utf-8")


def make_cases(work, seed, only):
    for folder in ("tables", "ours", "copies", "peer", "rows"):
        shutil.rmtree(work / folder, ignore_errors=True)
        (work / folder).mkdir(parents=True)
    cases = []
    for table in build_cases.all_tables():
        chosen = [name for name in table.segments if only in name]
        if not chosen:
            continue
        rows = table.rows(seed)
        folder = work / "tables" / table.name
        folder.mkdir()
        (folder / "schema.json").write_text(json.dumps(table.schema(), indent=1))
        write_rows(folder / "rows.jsonl", rows)
        cases += [Case(work, table, name, rows) for name in chosen]
    (work / "cases.json").write_text(json.dumps([case.entry() for case in cases]))
    return cases


def command(arguments):
    run = subprocess.run([str(word) for word in arguments], capture_output=True, timeout=300)
    text = (run.stdout + run.stderr).decode(errors="replace").strip()
    return run.returncode, text


def build(trellis, case):
    """A fault, or None. Pinot may write into what it loads: it gets a copy."""
    code, text = command([
        trellis, "segment", "build", "--schema", case.schema, "--table", case.config,
        "--input", case.rows_file, "--name", case.name, "--output", case.ours.parent])
    if code != 0:
        return f"segment build: exit code {code}: {text[:600]}"
    shutil.copytree(case.ours, case.work / "copies" / case.name)
    code, text = command([trellis, "segment", "verify", case.ours])
    return f"segment verify: exit code {code}: {text[:600]}" if code != 0 else None


def row_faults(case, dump_rows):
    """Differences between what went in, what Pinot reads and what Trellis reads."""
    path = {whose: case.work / "rows" / whose / f"{case.name}.jsonl" for whose in ("ours", "peer")}
    decimals = {name for name in case.table.columns if case.table.kind(name) == "BIG_DECIMAL"}
    if not all(one.is_file() for one in path.values()):
        yield "Pinot: no rows"
        return
    peer = dump_test.read_rows(path["peer"])
    if len(peer) != case.table.row_count:
        yield f"Pinot: {len(peer)} rows of its own, expected {case.table.row_count}"
    want = peer if case.table.asks_pinot else case.want
    verdict, detail, dumped = own_segments_test.dump(dump_rows, case.ours)
    if verdict != "read":
        yield f"segment dump: {detail}"
    for who, rows in (("Pinot of its own segment", peer), ("segment dump", dumped),
                      ("Pinot", dump_test.read_rows(path["ours"]))):
        found = list(dump_test.differences(rows, want, decimals))
        if found:
            yield f"{who}: {len(found)} differences from the rows: {'; '.join(found[:SHOWN])}"


def exception_of(case, kind, name, ours, peer, met):
    """Why these bytes may differ, None if they may not. `met`: this segment's reasons so far."""
    if kind == "creation":
        return CREATED if name == "time" else FOLLOWS if met else None
    if kind != "buffer" or not isinstance(ours, bytes) or not isinstance(peer, bytes):
        return None
    column = name
    for ending in (".forward_index", ".sv.raw.fwd", ".mv.raw.fwd"):
        column = column.removesuffix(ending)
    if column == name or column not in case.table.columns:
        return None
    spec = case.table.columns[column][0]
    fixed = spec.get("singleValueField", True) and spec["dataType"] in FIXED_WIDTH
    codec, shape = segment_bytes.raw_shape(ours, fixed)
    if (codec, shape) != segment_bytes.raw_shape(peer, fixed):
        return None
    if case.table.kind(column) == "MAP" and case.table.many_keys:
        return MAP_ORDER
    return OTHER_ZSTD if codec == segment_bytes.ZSTANDARD else None


def byte_faults(case, met):
    here = []
    for text, reason in segment_bytes.differences(
            case.ours, case.peer,
            lambda kind, name, a, b: exception_of(case, kind, name, a, b, here)):
        if reason is None:
            yield text
            continue
        if reason != CREATED:
            here.append(reason)
        met[reason].append(f"{case.name}: {text}")


def options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trellis")
    parser.add_argument("dump_rows")
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("only", nargs="?", default="", metavar="SUBSTRING")
    return parser.parse_args()


def main():
    chosen = options()
    try:
        peer = pinot.Pinot(chosen.work)
    except pinot.Unavailable as reason:
        required = os.environ.get("TRELLIS_PEER_TESTS") == "required"
        print(f"{'FAILED' if required else 'SKIPPED'}: {reason}\nNOTHING WAS COMPARED WITH PINOT",
              file=sys.stderr)
        return 1 if required else 77
    work = chosen.work.resolve() / "build"
    print(f"seed {chosen.seed}")
    cases = make_cases(work, chosen.seed, chosen.only)
    faults, met = [], collections.defaultdict(list)
    for case in cases:
        fault = build(chosen.trellis, case)
        if fault:
            faults.append(f"{case.name}: {fault}")
    run = peer.run("JudgeCases", work)
    print(run.stdout[-6000:] if run.returncode or chosen.verbose else run.stdout.splitlines()[-1])
    if run.returncode != 0:
        faults.append(f"JudgeCases: exit code {run.returncode}")
    else:
        faults += (work / "faults.txt").read_text(encoding="utf-8").splitlines()
    for case in cases:
        if (work / "copies" / case.name).is_dir() and case.peer.is_dir():
            faults += [f"{case.name}: {fault}" for fault in
                       [*row_faults(case, chosen.dump_rows), *byte_faults(case, met)]]
    for reason, texts in met.items():
        print(f"excepted, {len(texts)} times: {reason}")
        for text in texts if chosen.verbose else ():
            print(f"  {text}")
    for fault in faults:
        print(f"FAILED: {fault}")
    print(f"{len(cases)} segments, {sum(len(case.table.columns) for case in cases)} columns, "
          f"{len(faults)} faults")
    return 1 if faults or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
