"""Runs `trellis` as a person does: queries in three formats, segments dumped and verified."""
import csv
import io
import json
import os
import subprocess

import trellis_case
from trellis_case import BUILD_DIR, EXAMPLES, RIDES_SEGMENTS, cluster, expected_rows

SQL = "SELECT name, docks FROM stations ORDER BY station_id LIMIT 3"


def run(*arguments, text_in=None):
    command = [str(cluster.find_binary(BUILD_DIR, "trellis")), *map(str, arguments)]
    return subprocess.run(command, input=text_in, capture_output=True, text=True, timeout=120, check=False)


class QueryCommand(trellis_case.ClusterCase):
    def query(self, *arguments, **more):
        return run("query", "--broker", self.broker.url(), *arguments, **more)

    def setUp(self):
        self.wanted = [[row["name"], row["docks"]] for row in expected_rows("stations")[:3]]

    def test_json_is_the_brokers_answer(self):
        done = self.query("--format", "json", SQL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["resultTable"]["rows"], self.wanted)

    def test_csv_has_a_header_and_a_line_a_row(self):
        done = self.query("--format", "csv", SQL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(list(csv.reader(io.StringIO(done.stdout))),
                         [["name", "docks"]] + [[name, str(docks)] for name, docks in self.wanted])

    def test_a_table_shows_names_and_values(self):
        done = self.query("--format", "table", SQL)
        self.assertEqual(done.returncode, 0, done.stderr)
        for text in ("name", "docks", self.wanted[0][0], str(self.wanted[2][1])):
            self.assertIn(text, done.stdout)

    def test_sql_may_come_from_standard_input(self):
        done = self.query("--format", "csv", text_in=SQL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(self.wanted[0][0], done.stdout)

    def test_a_failed_query_ends_with_1_and_says_why(self):
        done = self.query("SELECT nosuch FROM stations")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nosuch", done.stderr + done.stdout)

    def test_a_broker_that_is_not_there_is_named(self):
        done = run("query", "--broker", "http://127.0.0.1:1", SQL)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("127.0.0.1:1", done.stderr)

    def test_cluster_status_names_every_server(self):
        done = run("cluster", "status", "--broker", self.broker.url())
        self.assertEqual(done.returncode, 0, done.stderr)
        for server in self.processes.servers:
            self.assertIn(str(server.doors["grpc"][1]), done.stdout)


class SegmentCommand(trellis_case.ScratchCase):
    def test_dump_prints_the_rows_that_went_in(self):
        rows = expected_rows("rides")
        for segment in RIDES_SEGMENTS:
            done = run("segment", "dump", EXAMPLES / "rides" / segment)
            self.assertEqual(done.returncode, 0, done.stderr)
            wanted = [{key: value for key, value in row.items() if key != "$segmentName"}
                      for row in rows if row["$segmentName"] == segment]
            self.assertEqual([json.loads(line) for line in done.stdout.splitlines()], wanted)

    def test_verify_passes_a_whole_segment_and_finds_a_changed_byte(self):
        data = self.copy_of_examples()
        segment = data / "rides" / RIDES_SEGMENTS[0]
        self.assertEqual(run("segment", "verify", segment).returncode, 0)
        file = segment / "v3" / "columns.psf"
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 0xFF
        file.write_bytes(content)
        done = run("segment", "verify", segment)
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.strip() or done.stderr.strip())

    def test_a_truncated_segment_ends_with_1_wherever_it_is_cut(self):
        data = self.copy_of_examples()
        file = data / "rides" / RIDES_SEGMENTS[0] / "v3" / "columns.psf"
        size_bytes = file.stat().st_size
        for part in (9, 5, 2, 1, 0):
            os.truncate(file, size_bytes * part // 10)
            with self.subTest(part):
                self.assertEqual(run("segment", "verify", file.parents[1]).returncode, 1)


if __name__ == "__main__":
    trellis_case.main()
