"""What the comparisons with Pinot share: arguments, both sides in turns, medians, tables."""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "peer"
sys.path.insert(0, str(TESTS))
import pinot  # noqa: E402

ROUNDS = 3  # the sides take turns: what disturbs the machine disturbs both
TIMES = 9  # of each, in each round


def parsed(description, ours, files=None):
    """The arguments of a comparison; `ours` names the one that says where our benchmark is."""
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(ours, type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, help="keep what is compiled here")
    parser.add_argument("--files", type=pathlib.Path, default=files,
                        help="where what is measured goes for the while")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    return parser.parse_args()


def java(peer, program, *arguments, heap="1g"):
    """The results a program of tests/peer prints on its last line: name to object."""
    run = peer.run(program, *arguments, heap=heap)
    if run.returncode != 0:
        sys.exit(f"{program}: exit code {run.returncode}:\n{run.stdout[-3000:]}")
    lines = [line for line in run.stdout.splitlines() if line.startswith("[{")]
    return {result["name"]: result for result in json.loads(lines[-1])}


def google(binary, pattern, environment=None):
    """Repetitions of a benchmark binary's benchmarks: name to a list of its rows."""
    run = subprocess.run(
        [binary, f"--benchmark_filter={pattern}", f"--benchmark_repetitions={TIMES}",
         "--benchmark_min_time=0.02", "--benchmark_format=json"],
        stdout=subprocess.PIPE, text=True, check=True, env=environment)
    rows = {}
    for row in json.loads(run.stdout)["benchmarks"]:
        if row["run_type"] == "iteration":
            rows.setdefault(row["run_name"], []).append(row)
    return rows


def nanoseconds(row, clock):
    return row[clock] * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[row["time_unit"]]


def median(numbers):
    return statistics.median(numbers)


def start_pinot(work):
    try:
        return pinot.Pinot(work)
    except pinot.Unavailable as reason:
        sys.exit(f"Pinot cannot be run: {reason}")


def print_table(head, rows):
    for cells in (head, ["---"] + ["---:"] * (len(head) - 1), *rows):
        print("| " + " | ".join(str(cell) for cell in cells) + " |")
