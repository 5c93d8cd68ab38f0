"""Segments, tables and files come, go and change under running servers; queries go on as if nothing happened."""
import json
import random
import shutil
import threading
import time

import trellis_case
from trellis_case import EXAMPLES, RIDES_ROWS, RIDES_SEGMENTS, cluster

RESCAN = ("--rescan-ms", 50)
COUNT = "SELECT COUNT(*) FROM rides"


class Rescan(trellis_case.ScratchCase):
    def count(self, processes, table="rides"):
        answer = processes.query(f"SELECT COUNT(*) FROM {table}")
        return answer["resultTable"]["rows"][0][0] if not answer["exceptions"] else answer["exceptions"]

    def wait_count(self, processes, rows, table="rides"):
        """Waits until the table answers with so many rows."""
        deadline = time.monotonic() + 30
        while self.count(processes, table) != rows:
            self.assertLess(time.monotonic(), deadline, self.count(processes, table))
            time.sleep(0.02)

    def test_segments_come_go_and_change_without_a_restart(self):
        data = self.copy_of_examples()
        away = self.scratch / "away"
        away.mkdir()
        processes = self.cluster_over(data, server_flags=RESCAN)
        processes.wait_for_segments({"rides": len(RIDES_SEGMENTS)})
        first = data / "rides" / RIDES_SEGMENTS[0]
        first.rename(away / "first")
        self.wait_count(processes, RIDES_ROWS - 1000)
        (away / "first").rename(first)
        self.wait_count(processes, RIDES_ROWS)
        # Cut short it is broken, and said to be; whole again it is back.
        columns = first / "v3" / "columns.psf"
        whole = columns.read_bytes()
        columns.unlink()  # a mapped file is never cut: a new one takes its place
        columns.write_bytes(whole[:100])
        deadline = time.monotonic() + 30
        while "broken" not in json.dumps(self.segments(processes)):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        columns.write_bytes(whole)
        self.wait_count(processes, RIDES_ROWS)
        self.assertEqual(len(self.segments(processes)), len(RIDES_SEGMENTS))

    def segments(self, processes):
        return json.loads(cluster.fetch(processes.servers[0].url("/segments/rides"))[1])["segments"]

    def test_tables_come_and_go_without_a_restart(self):
        data = self.copy_of_examples()
        processes = self.cluster_over(data, server_flags=RESCAN)
        processes.wait_for_segments({"rides": len(RIDES_SEGMENTS)})
        shutil.copytree(EXAMPLES / "rides", self.scratch / "copy")
        (self.scratch / "copy").rename(data / "trips")
        self.wait_count(processes, RIDES_ROWS, "trips")
        (data / "trips").rename(self.scratch / "gone")
        deadline = time.monotonic() + 30
        while not processes.query("SELECT COUNT(*) FROM trips")["exceptions"]:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        self.assertEqual(self.count(processes), RIDES_ROWS)

    def test_every_row_counts_once_while_one_replica_loses_and_finds_segments(self):
        data = self.copy_of_examples()
        away = self.scratch / "away"
        away.mkdir()
        processes = self.cluster_over(data, EXAMPLES, server_flags=("--rescan-ms", 5))
        processes.wait_for_segments({"rides": len(RIDES_SEGMENTS)})
        seed = random.randrange(1 << 30)
        chance = random.Random(seed)
        stop = threading.Event()

        def churn():
            while not stop.is_set():
                name = chance.choice(RIDES_SEGMENTS)
                here, there = data / "rides" / name, away / name
                here.rename(there) if here.exists() else there.rename(here)
                time.sleep(chance.random() * 0.02)

        churner = threading.Thread(target=churn)
        churner.start()
        try:
            until = time.monotonic() + 5
            queries = 0
            while time.monotonic() < until:
                answer = processes.query(COUNT)
                self.assertEqual(answer["exceptions"], [], f"seed {seed}, query {queries}")
                self.assertEqual(answer["resultTable"]["rows"], [[RIDES_ROWS]], f"seed {seed}: {answer}")
                self.assertFalse(answer["partialResult"], f"seed {seed}")
                queries += 1
        finally:
            stop.set()
            churner.join()
        self.assertGreater(queries, 100)
        self.assertIn("trellis_server_segments_dropped_total", cluster.fetch(processes.servers[0].url("/metrics"))[1])


if __name__ == "__main__":
    trellis_case.main()
