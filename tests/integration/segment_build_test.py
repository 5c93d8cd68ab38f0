"""`trellis segment build` as a person runs it: rows in, a segment out that answers SQL, and every refusal."""
import gzip
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import time

import trellis_case
from trellis_case import BUILD_DIR, SOURCE, cluster

TRELLIS = str(cluster.find_binary(BUILD_DIR, "trellis"))
SCHEMA = {
    "schemaName": "trips",
    "dimensionFieldSpecs": [
        {"name": "id", "dataType": "LONG"},
        {"name": "city", "dataType": "STRING"},
        {"name": "tags", "dataType": "STRING", "singleValueField": False},
        {"name": "note", "dataType": "JSON"}],
    "metricFieldSpecs": [{"name": "fare", "dataType": "DOUBLE"}],
    "dateTimeFieldSpecs": [{"name": "ts", "dataType": "TIMESTAMP", "format": "TIMESTAMP",
                            "granularity": "1:MILLISECONDS"}]}
TABLE = {
    "tableName": "trips", "tableType": "OFFLINE", "segmentsConfig": {"timeColumnName": "ts"},
    "tableIndexConfig": {"nullHandlingEnabled": True, "invertedIndexColumns": ["city", "tags"],
                         "noDictionaryColumns": ["fare"], "rangeIndexColumns": ["fare"],
                         "bloomFilterColumns": ["id"]}}
ROWS = [
    {"id": 9007199254740993, "city": "Oslo", "tags": ["a", "b"], "note": {"k": [1, 2.5]}, "fare": 12.5,
     "ts": 1704067200000},
    {"id": 2, "city": "Żory", "tags": ["b"], "note": None, "fare": 7.25, "ts": 1704067260000},
    {"id": 3, "city": None, "tags": None, "note": "text", "fare": None, "ts": 1704067320000},
    {"id": 4, "city": "Oslo", "tags": ["c", "a"], "note": [], "fare": 0.5, "ts": 1704067380000}]
CSV = ("id,city,tags,note,fare,ts\n"
       '9007199254740993,Oslo,a;b,"{""k"": [1, 2.5]}",12.5,2024-01-01 00:00:00\n'
       "2,Żory,b,,7.25,1704067260000\n"
       "3,,,text,,2024-01-01T00:02:00Z\n"
       '4,Oslo,c;a,[],0.5,"2024-01-01 00:03:00.000"\n')


def run(*arguments, seconds=120, **more):
    return subprocess.run([TRELLIS, "segment", *map(str, arguments)], capture_output=True, text=True,
                          timeout=seconds, check=False, **more)


class Build(trellis_case.ScratchCase):
    def setUp(self):
        super().setUp()
        self.out = self.scratch / "out"
        self.schema = self.write("schema.json", json.dumps(SCHEMA))
        self.table = self.write("table.json", json.dumps(TABLE))
        self.rows = self.write("rows.jsonl", "".join(json.dumps(row) + "\n" for row in ROWS))

    def write(self, name, content):
        path = self.scratch / name
        path.write_text(content, encoding="utf-8")
        return path

    def build(self, *inputs, name="s1", flags=(), **more):
        files = [word for path in inputs for word in ("--input", path)]
        return run("build", "--schema", self.schema, "--table", self.table, "--output", self.out,
                   "--name", name, *files, *flags, **more)

    def dump(self, name="s1"):
        done = run("dump", self.out / name)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def assert_refused(self, done, code, *words):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        for word in words:
            self.assertIn(word, done.stderr)
        left = list(self.out.glob("*")) + list(self.out.glob(".*")) if self.out.is_dir() else []
        self.assertEqual([path.name for path in left], [], "a refused build left something behind")

    def test_json_lines_and_csv_give_the_same_segment(self):
        csv = self.write("rows.csv", CSV)
        packed = self.scratch / "packed.csv.gz"
        packed.write_bytes(gzip.compress(CSV.encode()))
        crcs = set()
        for source in (self.rows, csv, packed):
            done = self.build(source, flags=("--overwrite",))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(f"{self.out / 's1'}: 4 rows, ", done.stdout)
            got = self.dump()
            self.assertEqual([row["id"] for row in got], [row["id"] for row in ROWS])
            self.assertEqual(got[0]["note"], '{"k":[1,2.5]}')
            self.assertEqual(got[2]["note"], '"text"')
            self.assertIsNone(got[2]["city"])
            self.assertEqual(got[3]["tags"], ["c", "a"])
            self.assertEqual([row["ts"] for row in got], [row["ts"] for row in ROWS])
            crcs.add(done.stdout.rsplit("crc ", 1)[1])
        self.assertEqual(len(crcs), 1, "the same rows, the same bytes")
        self.assertEqual(run("verify", self.out / "s1").returncode, 0)

    def test_what_was_built_answers_sql(self):
        table = self.scratch / "data" / "trips"
        self.out = table
        self.assertEqual(self.build(self.rows).returncode, 0)
        self.assertEqual(self.build(self.rows, name="s2", flags=("--archive",)).returncode, 0)
        shutil.copy(self.schema, table / "schema.json")
        shutil.copy(self.table, table / "tableConfig.json")
        served = cluster.Process([TRELLIS, "serve", "--data-dir", str(table.parent), "--http-port", "0"])
        self.addCleanup(served.kill)
        served.wait_ready()

        def rows(sql):
            answer = cluster.query(served.url(), sql)
            self.assertEqual(answer["exceptions"], [], sql)
            return answer["resultTable"]["rows"]

        deadline = time.monotonic() + 30
        while rows("SELECT COUNT(*) FROM trips") != [[8]] and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(rows("SELECT city, COUNT(*), SUM(fare) FROM trips WHERE city = 'Oslo' GROUP BY city"),
                         [["Oslo", 4, 26.0]])
        self.assertEqual(rows("SELECT COUNT(*) FROM trips WHERE tags = 'b'"), [[4]])
        self.assertEqual(rows("SELECT COUNT(*) FROM trips WHERE id = 9007199254740993"), [[2]])
        self.assertEqual(rows("SELECT COUNT(*) FROM trips WHERE fare BETWEEN 1 AND 10"), [[2]])
        self.assertEqual(rows("SET enableNullHandling = true; SELECT COUNT(*) FROM trips WHERE city IS NULL"),
                         [[2]])

    def test_several_inputs_and_standard_input_are_one_segment(self):
        csv = self.write("rows.csv", CSV)
        self.assertEqual(self.build(self.rows, csv).returncode, 0)
        self.assertEqual(len(self.dump()), 8)
        done = self.build("-", name="s2", input=self.rows.read_text())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.dump("s2")), 4)

    def test_a_row_that_does_not_fit_ends_the_build_with_its_place(self):
        bad = self.write("bad.jsonl", '{"id":1}\n{"id":"one"}\n')
        self.assert_refused(self.build(bad), 1, "bad.jsonl:2:", "column 'id'", "'one'", "is no LONG")
        wide = self.write("bad.csv", "id,city\n1,x,y\n")
        self.assert_refused(self.build(wide), 1, "bad.csv:2:", "has 3 fields, the header 2")
        self.assert_refused(self.build(self.write("cut.jsonl", '{"id":1')), 1, "cut.jsonl:1:")

    def test_rows_that_do_not_fit_can_be_left_out(self):
        lines = "".join(f'{{"id":{i}}}\n{{"id":"x{i}"}}\n' for i in range(30))
        done = self.build(self.write("bad.jsonl", lines), flags=("--on-error=skip",))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("30 rows, ", done.stdout)
        self.assertIn("30 rows left out", done.stdout)
        self.assertEqual(done.stderr.count("is no LONG"), 20)
        self.assertIn("and 10 more rows", done.stderr)
        self.assertEqual([row["id"] for row in self.dump()], list(range(30)))

    def test_unknown_columns_and_keys_are_warnings(self):
        self.table.write_text(json.dumps({"tableName": "trips", "tableIndexConfig": {
            "invertedIndexColumn": ["city"], "jsonIndexColumns": ["note"]}}))
        done = self.build(self.write("more.jsonl", '{"id":1,"citi":"x"}\n{"id":2,"citi":"y"}\n'))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("'citi' is not in the schema"), 1)
        self.assertIn("did you mean 'city'?", done.stderr)
        self.assertIn("invertedIndexColumn: unknown key (did you mean 'invertedIndexColumns'?)", done.stderr)
        self.assertIn("jsonIndexColumns: is not written", done.stderr)

    def test_what_stands_there_is_replaced_only_when_asked(self):
        self.assertEqual(self.build(self.rows).returncode, 0)
        before = self.dump()
        other = self.write("other.jsonl", '{"id":77}\n')
        done = self.build(other)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("is there already", done.stderr)
        self.assertEqual(self.dump(), before)
        self.assertEqual(self.build(other, flags=("--overwrite",)).returncode, 0)
        self.assertEqual([row["id"] for row in self.dump()], [77])
        self.assertEqual([path.name for path in self.out.iterdir()], ["s1"])

    def test_wrong_calls_are_refused_before_anything_is_made(self):
        good = ("--schema", self.schema, "--input", self.rows, "--output", self.out)
        self.assert_refused(run("build", *good), 2, "--name is missing")
        for name in ("part_v3", "a/b", "..", ""):
            self.assert_refused(self.build(self.rows, name=name), 2, "--name")
        self.assert_refused(self.build(self.scratch / "none.jsonl"), 2, "none.jsonl")
        self.assert_refused(self.build(self.scratch), 2, "is a folder")
        for flag in ("--format=xml", "--on-error=stop", "--csv-delimiter=ab", "--threads=-1"):
            self.assert_refused(self.build(self.rows, flags=(flag,)), 2, flag[:flag.index("=")])
        self.table.write_text('{"tableIndexConfig": {"invertedIndexColumns": "city"}}')
        self.assert_refused(self.build(self.rows), 2, "table.json", "tableIndexConfig.invertedIndexColumns")
        self.table.write_text('{"tableIndexConfig": {"noDictionaryColumns": ["ctiy"]}}')
        self.assert_refused(self.build(self.rows), 2, "ctiy")
        self.table.write_text(json.dumps(TABLE))
        self.schema.write_text('{"dimensionFieldSpecs": [{"name": "id", "dataType": "LNG"}]}')
        self.assert_refused(self.build(self.rows), 2, "schema.json", "LNG")

    def test_damaged_gzip_is_an_error_not_an_end(self):
        packed = gzip.compress(self.rows.read_bytes() * 5000)
        cut = self.scratch / "cut.jsonl.gz"
        cut.write_bytes(packed[:len(packed) // 2])
        self.assert_refused(self.build(cut), 2, "cut.jsonl.gz", "damaged gzip")

    def test_an_interrupt_leaves_nothing_behind(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number.name):
                process = subprocess.Popen(
                    [TRELLIS, "segment", "build", "--schema", str(self.schema), "--input", "-",
                     "--output", str(self.out), "--name", "s1"], stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                process.stdin.write('{"id":1}\n' * 200_000)
                process.stdin.flush()
                process.send_signal(number)
                out, errors = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 2, errors)
                self.assertEqual(out, "")
                self.assertIn("interrupted", errors)
                self.assertEqual(list(self.out.glob("*")) + list(self.out.glob(".*")), [])

    def test_a_file_past_the_users_limit_is_a_clean_error(self):
        big = self.write("big.jsonl", "".join(
            f'{{"id":{i},"city":"{os.urandom(40).hex()}"}}\n' for i in range(20_000)))
        done = subprocess.run(
            ["sh", "-c", 'ulimit -f 64; exec "$@"', "sh", TRELLIS, "segment", "build", "--schema",
             str(self.schema), "--input", str(big), "--output", str(self.out), "--name", "s1"],
            capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertEqual(list(self.out.glob("*")) + list(self.out.glob(".*")), [])

    def test_only_a_segment_is_replaced(self):
        rows = self.write("one.jsonl", '{"id":1}\n')
        (self.out / "s1").mkdir(parents=True)
        (self.out / "s1" / "file").write_text("keep")
        (self.out / "s1.tar.gz").write_text("keep")
        for more in ([], ["--archive"]):
            done = self.build(rows, flags=("--overwrite", *more))
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn("is no segment", done.stderr)
        self.assertEqual((self.out / "s1" / "file").read_text(), "keep")
        self.assertEqual((self.out / "s1.tar.gz").read_text(), "keep")

    def test_a_tsv_file_is_split_at_tabs(self):
        rows = self.write("rows.tsv", "id\tcity\n7\tx,y\n")
        done = self.build(rows)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("warning", done.stderr)

    def test_a_full_disk_is_a_clean_error(self):
        if os.geteuid() != 0 or shutil.which("mount") is None:
            print("SKIPPED: a small tmpfs needs root: NO DISK WAS FILLED", file=sys.stderr)
            self.skipTest("a small tmpfs needs root")
        self.out.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(self.out)],
                                 capture_output=True, check=False)
        if mounted.returncode != 0:
            print("SKIPPED: no tmpfs can be mounted here: NO DISK WAS FILLED", file=sys.stderr)
            self.skipTest("no tmpfs can be mounted")
        self.addCleanup(subprocess.run, ["umount", str(self.out)], check=False)
        big = self.write("big.jsonl", "".join(
            f'{{"id":{i},"city":"{os.urandom(40).hex()}"}}\n' for i in range(20_000)))
        done = self.build(big)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn("No space left", done.stderr)
        self.assertEqual(list(self.out.glob("*")) + list(self.out.glob(".*")), [])

    def test_a_terminal_sees_a_bar_and_others_do_not(self):
        many = self.write("many.jsonl", '{"id":1,"city":"Oslo"}\n' * 300_000)
        self.assertEqual(self.build(many).stderr, "")
        parent, child = pty.openpty()
        process = subprocess.Popen(
            [TRELLIS, "segment", "build", "--schema", str(self.schema), "--input", str(many), "--output",
             str(self.out), "--name", "s2"], stdout=subprocess.DEVNULL, stderr=child)
        os.close(child)
        seen = b""
        try:
            while chunk := os.read(parent, 65536):
                seen += chunk
        except OSError:  # the terminal is gone with the process
            pass
        os.close(parent)
        self.assertEqual(process.wait(60), 0)
        self.assertRegex(seen.decode(), r"writing +\d+% \[")

    def test_the_examples_rows_make_the_same_table_again(self):
        for table in ("rides", "stations"):
            source = SOURCE / "examples" / "data" / table
            done = run("build", "--schema", source / "schema.json", "--input",
                       source / "expected.jsonl.gz", "--output", self.out, "--name", table)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(self.dump(table)), len(trellis_case.expected_rows(table)))


if __name__ == "__main__":
    trellis_case.main()
