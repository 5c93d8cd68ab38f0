"""Starts two servers and a broker, asks six questions through `trellis query`, stops everything cleanly.

Usage: demo_queries.py BUILD_DIR DATA_DIR [--keep]    exit 1 when a query fails or a process does not end with 0
"""
import json
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "testing"))
import cluster  # noqa: E402

QUERIES = (
    ("filters on an inverted index, a raw column and a boolean",
     "SELECT trip_id, station, minutes, fare FROM rides "
     "WHERE station = 'Mill Lane' AND minutes > 40 AND member = false ORDER BY minutes DESC, trip_id LIMIT 5"),
    ("group by: the busiest stations",
     "SELECT station, COUNT(*), AVG(minutes), SUM(fare) FROM rides GROUP BY station ORDER BY COUNT(*) DESC LIMIT 5"),
    ("order by: the largest stations", "SELECT name, district, docks FROM stations ORDER BY docks DESC LIMIT 5"),
    ("MAP keys: what rides in a storm look like",
     "SELECT weather['sky'], COUNT(*), AVG(minutes) FROM rides WHERE weather['wind'] = 'storm' "
     "GROUP BY weather['sky'] ORDER BY COUNT(*) DESC"),
    ("a multi-value column: a ride counts once for each of its tags",
     "SELECT tags, COUNT(*) FROM rides WHERE tags IN ('night', 'cargo') GROUP BY tags ORDER BY COUNT(*) DESC, tags "
     "LIMIT 8"),
    ("nulls: rides that nobody rated are a group of their own",
     "SET enableNullHandling=true; SELECT rating, COUNT(*) FROM rides GROUP BY rating ORDER BY rating NULLS LAST"),
)


def say(text):
    print(text, flush=True)


def ask(processes, build_dir, title, sql):
    """Prints one question, its answer and what was sent to the servers; returns whether it worked."""
    say(f"\n-- {title}\n{sql}")
    command = [cluster.find_binary(build_dir, "trellis"), "query", "--broker", processes.broker.url(),
               "--format", "table", sql]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    say(answer.stdout.rstrip())
    if answer.returncode != 0:
        say(f"exit {answer.returncode}: {answer.stderr.rstrip()}")
        return False
    full = processes.query(sql)
    say(f"{full['numDocsScanned']} of {full['totalDocs']} rows scanned in {full['numSegmentsQueried']} segments on "
        f"{full['numServersQueried']} servers, {full['timeUsedMs']} ms")
    say(f"dispatched: {json.dumps(full.get('dispatchStats'), ensure_ascii=False)}")
    return not full["exceptions"]


def main(build_dir, data_dir, *flags):
    started = time.monotonic()
    with cluster.Cluster(build_dir, [data_dir, data_dir]) as processes:
        for server in processes.servers:
            say(f"server: pid {server.pid}, gRPC {server.address('grpc')}, admin http://{server.address('http')}")
        say(f"broker: pid {processes.broker.pid}, {processes.broker.url()}  "
            f"(ready after {time.monotonic() - started:.1f} s)")
        processes.wait_for_segments({table: len(names) for table, names in cluster.segments_of(data_dir).items()})
        failed = sum(not ask(processes, build_dir, title, sql) for title, sql in QUERIES)
        if "--keep" in flags:
            input(f"\nbroker at {processes.broker.url()}; Enter stops everything ")
        say("\nstopping with SIGTERM: each process finishes what runs and exits 0")
        codes = processes.stop()
    say(f"exit codes: broker {codes[0]}, servers {codes[1:]}")
    if failed:
        say(f"{failed} of {len(QUERIES)} queries failed")
    return 1 if failed or any(codes) else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
