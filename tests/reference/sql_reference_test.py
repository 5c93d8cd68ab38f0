"""Asks Trellis every question whose answer the real Pinot gave, in three topologies, and compares.

Usage: sql_reference_test.py BUILD_DIR [FIXTURES_DIR] [--update] [--file NAME] [--topology NAME] [--match TEXT]

A wrong answer is always a failure. An error where Pinot has an answer is a gap: it must be listed in known_gaps.txt
(file, SQL, options, reason; tab-separated), and a listed gap that is closed must be taken out; --update rewrites the
list and keeps the reasons. FIXTURES_DIR: else $TRELLIS_FIXTURES, else ../shared/fixtures beside the source.
Exit: 0 as expected, 1 not, 77 the fixtures are absent.
"""
import argparse
import collections
import json
import os
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "testing"))
import answers  # noqa: E402
import cluster  # noqa: E402

FILES = ("baseline", "baseballStats", "airlineStats", "maps", "semantics")
TOPOLOGIES = {"one server": (1, 1), "three servers": (3, 1), "three servers, two replicas": (3, 2)}
GAPS = HERE / "known_gaps.txt"
EXIT_SKIPPED = 77


def key_of(file, record):
    return file, record["sql"].replace("\t", " ").replace("\n", " "), record.get("queryOptions") or ""


def read_gaps():
    """Returns ({key: reason}, the comment lines at the head)."""
    gaps, head = {}, []
    for line in GAPS.read_text().splitlines() if GAPS.exists() else []:
        if line.startswith("#") or not line.strip():
            head.append(line)
            continue
        file, sql, options, reason = line.split("\t", 3)
        gaps[file, sql, options] = reason
    return gaps, head


def write_gaps(gaps, head):
    lines = head + ["\t".join((*key, reason)) for key, reason in sorted(gaps.items())]
    GAPS.write_text("\n".join(lines) + "\n")


def read_records(fixtures, only_file, only_text):
    for file in FILES:
        if only_file and file != only_file:
            continue
        for record in json.loads((fixtures / "reference" / f"{file}.json").read_text()):
            if record.get("stable", True) and (only_text or "") in record["sql"]:
                yield file, record


def ask(broker, record):
    """Returns (outcome, why, milliseconds) of one record."""
    options = record.get("queryOptions") or ""

    def ask_all(sql):
        return broker.query(sql, options)["resultTable"]["rows"]

    started = time.perf_counter()
    try:
        answer = broker.query(record["sql"], options)
        spent_ms = (time.perf_counter() - started) * 1000
        return (*answers.judge(record, answer, ask_all), spent_ms)
    except Exception as error:  # no answer, or not in the agreed form: never a gap
        return answers.WRONG, f"no usable answer: {error!r}", (time.perf_counter() - started) * 1000


def run_topology(build_dir, fixtures, name, records):
    """Returns {key: (outcome, why)} of one topology and prints its counts."""
    servers, replicas = TOPOLOGIES[name]
    outcomes = {}
    data = fixtures / "data"
    counts = {table: len(names) for table, names in cluster.segments_of(data).items()}
    with tempfile.TemporaryDirectory(prefix="trellis_reference_") as scratch:
        folders = [data] if servers == 1 else cluster.spread(data, scratch, servers, replicas)
        with cluster.Cluster(build_dir, folders) as processes:
            processes.wait_for_segments(counts)
            tally, spent = collections.Counter(), collections.defaultdict(list)
            for file, record in records:
                if processes.broker.poll() is not None:
                    print(f"the broker died: {processes.broker.error_text()[-2000:]}")
                    break
                outcome, why, spent_ms = ask(processes, record)
                outcomes[key_of(file, record)] = (outcome, why)
                tally[file, outcome] += 1
                spent[file].append(spent_ms)
            died = [p for p in processes.processes() if p.poll() is not None]
            codes = processes.stop()
    for file in spent:
        times = sorted(spent[file])
        print(f"{name:28} {file:14} equal {tally[file, answers.EQUAL]:4}  gap {tally[file, answers.GAP]:4}  "
              f"wrong {tally[file, answers.WRONG]:4}  median {times[len(times) // 2]:7.1f} ms  "
              f"max {times[-1]:8.1f} ms", flush=True)
    if died or any(codes):
        print(f"{name}: exit codes {codes} (broker first), none may differ from 0")
        for process in died:
            print(process.error_text()[-3000:])
        outcomes["process", name, ""] = (answers.WRONG, "a process died or did not drain")
    missing = len(records) - sum(key[0] != "process" for key in outcomes)
    if missing > 0:
        print(f"{name}: {missing} records were not asked (or are listed twice)")
    return outcomes


def worst(results):
    """Returns {key: (outcome, topology, why)}: wrong before gap before equal."""
    order = {answers.EQUAL: 0, answers.GAP: 1, answers.WRONG: 2}
    found = {}
    for topology, outcomes in results.items():
        for key, (outcome, why) in outcomes.items():
            if key not in found or order[outcome] > order[found[key][0]]:
                found[key] = (outcome, topology, why)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build_dir", type=pathlib.Path)
    parser.add_argument("fixtures_dir", type=pathlib.Path, nargs="?", default=pathlib.Path(
        os.environ.get("TRELLIS_FIXTURES", HERE.parents[1].parent / "shared" / "fixtures")))
    parser.add_argument("--update", action="store_true", help="rewrite known_gaps.txt")
    parser.add_argument("--file", choices=FILES)
    parser.add_argument("--topology", choices=TOPOLOGIES)
    parser.add_argument("--match", help="only queries that contain this text")
    options = parser.parse_args()
    if not (options.fixtures_dir / "reference").is_dir():
        print(f"SKIPPED: no fixtures at {options.fixtures_dir} (set TRELLIS_FIXTURES)")
        return EXIT_SKIPPED
    records = list({key_of(file, record): (file, record) for file, record in
                    read_records(options.fixtures_dir, options.file, options.match)}.values())
    names = [options.topology] if options.topology else list(TOPOLOGIES)
    found = worst({name: run_topology(options.build_dir, options.fixtures_dir, name, records)
                   for name in names})
    return report(found, options)


def report(found, options):
    gaps, head = read_gaps()
    wrong = [key for key in found if found[key][0] == answers.WRONG]
    unlisted = [key for key in found if found[key][0] == answers.GAP and key not in gaps]
    closed = [key for key in gaps if key in found and found[key][0] == answers.EQUAL]
    partial = options.file or options.topology or options.match
    stale = [] if partial else [key for key in gaps if key not in found]
    if options.update:
        for key in closed + stale:
            del gaps[key]
        for key in unlisted:
            gaps[key] = " ".join(found[key][2].split())[:160]
        write_gaps(gaps, head)
        unlisted, closed, stale = [], [], []
    for title, keys in (("WRONG", wrong), ("GAP, not listed", unlisted)):
        for key in keys:
            outcome, topology, why = found[key]
            print(f"{title} [{topology}] {key[0]}: {key[1]} {key[2]}\n    {why[:600]}")
    for title, keys in (("CLOSED, take it out of known_gaps.txt", closed), ("listed but never asked", stale)):
        for key in keys:
            print(f"{title}: {key[0]}: {key[1]} {key[2]}")
    counts = collections.Counter(outcome for outcome, _, _ in found.values())
    print(f"{len(found)} queries: {counts[answers.EQUAL]} equal, {counts[answers.GAP]} gaps, "
          f"{counts[answers.WRONG]} wrong; {len(gaps)} gaps listed")
    return 1 if wrong or unlisted or closed or stale or not found else 0


if __name__ == "__main__":
    sys.exit(main())
