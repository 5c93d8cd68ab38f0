#!/usr/bin/env python3
"""Builds segments of the rows that went into the real Pinot's, by the same schemas and table configs.

usage: build_test.py TRELLIS_BINARY [SUBSTRING]   (SUBSTRING: only segments whose path holds it)

Each segment must be built without a word but for known warnings, must dump as the rows that went in
and must pass `segment verify`. Fixtures come from $TRELLIS_FIXTURES, by default ../shared/fixtures;
the project's own rows (tests/data/rows) are built as well, raw and by dictionary, from JSON lines.
Exit codes: 0 all as wanted, 1 a difference, 77 the fixtures are absent (the own rows were built).
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import dump_test

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
OWN_TABLES_WITH_DERIVED_COLUMNS = {"times"}  # of a timestamp index, which Trellis does not write
KNOWN_WARNINGS = ("codecSpec",)


def run(trellis, *arguments):
    return subprocess.run([trellis, "segment", *map(str, arguments)], capture_output=True, timeout=300)


def fault_of(trellis, name, schema, table, rows, folder):
    """What is wrong with the segment built of these rows, or None."""
    arguments = ["--schema", schema, "--input", rows, "--output", folder, "--name", name]
    built = run(trellis, "build", *arguments, *(["--table", table] if table else []))
    messages = [line for line in built.stderr.decode(errors="replace").splitlines()
                if not any(known in line for known in KNOWN_WARNINGS)]
    if built.returncode != 0 or messages:
        return f"build, exit code {built.returncode}: {' / '.join(messages)[:500]}"
    verified = run(trellis, "verify", folder / name)
    if verified.returncode != 0:
        return f"verify: {(verified.stdout + verified.stderr).decode(errors='replace')[:500]}"
    dumped = run(trellis, "dump", folder / name)
    if dumped.returncode != 0:
        return f"dump: {dumped.stderr.decode(errors='replace')[:500]}"
    got = [json.loads(line) for line in dumped.stdout.decode("utf-8").split("\n")[:-1]]
    _, decimals = dump_test.read_metadata(folder / name)
    found = list(dump_test.differences(got, dump_test.read_rows(rows), decimals))
    return f"{len(found)} differences, first: {'; '.join(found[:3])}" if found else None


def fixture_cases(root):
    """(name, schema, table config, rows) of every fixture that has all three."""
    for table in sorted((root / "segments").rglob("tableConfig.json")):
        folders = [table.parent, table.parent.parent]
        schema = next((path for folder in folders if (path := folder / "schema.json").is_file()), None)
        rows = dump_test.expected_path(root, table.parent / table.parent.name)
        if table.parent.name.startswith("baseline"):
            rows = root / "segments" / "baseline" / "expected_0.jsonl.gz"
        if schema and rows:
            yield table.parent.name, schema, table, rows


def own_cases(work):
    """The same of the project's own rows: every column by dictionary, then every column raw."""
    for rows in sorted((DATA / "rows").glob("*.jsonl.gz")):
        table = rows.name.removesuffix(".jsonl.gz")
        schema = DATA / "segments" / table / "schema.json"
        if table in OWN_TABLES_WITH_DERIVED_COLUMNS:
            continue
        lists = [part for part in json.loads(schema.read_text()).values() if isinstance(part, list)]
        names = [spec["name"] for part in lists for spec in part if isinstance(spec, dict)]
        for kind in ("dictionary", "raw"):
            config = work / f"{table}_{kind}.json"
            config.write_text(json.dumps({
                "tableName": table, "tableType": "OFFLINE",
                "tableIndexConfig": {"nullHandlingEnabled": True,
                                     "noDictionaryColumns": names if kind == "raw" else []}}))
            yield f"own_{table}_{kind}", schema, config, rows


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    root = dump_test.fixtures_root()
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    here = (root / "segments").is_dir()
    if not here:
        print(f"SKIPPED: no fixtures at {root} (set TRELLIS_FIXTURES): only own rows are built",
              file=sys.stderr)
    built = failed = 0
    with tempfile.TemporaryDirectory(prefix="trellis_build_") as work:
        work = pathlib.Path(work)
        for name, schema, table, rows in [*(fixture_cases(root) if here else ()), *own_cases(work)]:
            if only not in name:
                continue
            fault = fault_of(sys.argv[1], name, schema, table, rows, work / "out")
            built += 1
            failed += fault is not None
            if fault:
                print(f"FAILED: {name}: {fault}")
    print(f"{built} segments built, {failed} faults")
    if failed or not built:
        return 1
    return 0 if here else 77


if __name__ == "__main__":
    sys.exit(main())
