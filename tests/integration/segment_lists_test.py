"""How segment lists travel between real processes: encodings, mixed versions, long lists, inventories that change."""
import json
import os
import shutil
import threading
import time

import trellis_case
from trellis_case import BUILD_DIR, EXAMPLES, RIDES_ROWS, RIDES_SEGMENTS, SOURCE, cluster

COUNT = "SELECT COUNT(*) FROM rides"
ENCODINGS = ("known", "packed", "names", "legacy_json")
# One segment of 16 rows, over and over under other names.
STATION = EXAMPLES / "stations" / "stations_0"
STATION_ROWS = 16
STATION_DOCKS = sum(row["docks"] for row in trellis_case.expected_rows("stations"))
SUMS = "SELECT COUNT(*), SUM(docks) FROM stations"


def bill(answer):
    """Returns {server: its entry of the dispatch bill}."""
    return {entry["server"]: entry for entry in answer["dispatchStats"]["servers"]}


class ListCase(trellis_case.ScratchCase):
    def stations(self, name, names):
        """Makes a data directory with table `stations` of these segments."""
        table = self.scratch / name / "stations"
        cluster.clone_segment(STATION, table, names)
        shutil.copy(EXAMPLES / "stations" / "schema.json", table)
        return self.scratch / name

    def assert_sums(self, answer, segments):
        self.assertEqual(answer["exceptions"], [])
        self.assertFalse(answer["partialResult"])
        self.assertEqual(answer["resultTable"]["rows"], [[segments * STATION_ROWS, segments * STATION_DOCKS]])

    def until(self, holds, seconds_max=30):
        deadline = time.monotonic() + seconds_max
        while not holds():
            self.assertLess(time.monotonic(), deadline, "waited too long")
            time.sleep(0.05)


class Encodings(ListCase):
    def test_every_encoding_can_be_forced_and_answers_the_same(self):
        processes = self.cluster_over(EXAMPLES, EXAMPLES)
        processes.wait_for_segments({"rides": len(RIDES_SEGMENTS)})
        for encoding in ENCODINGS:
            answer = processes.query(COUNT, f"segmentListEncoding={encoding}")
            self.assertEqual(answer["resultTable"]["rows"], [[RIDES_ROWS]])
            entries = bill(answer).values()
            self.assertEqual({entry["encoding"] for entry in entries}, {encoding})
            self.assertEqual(sum(entry["segments"] for entry in entries), len(RIDES_SEGMENTS))
            names_sent = 0 if encoding == "known" else len(RIDES_SEGMENTS)
            self.assertEqual(sum(entry["namesSent"] for entry in entries), names_sent)
        self.assert_fault(processes.query(COUNT, "segmentListEncoding=morse"), 700, "morse", "known")

    def test_the_broker_can_force_one_too(self):
        processes = self.cluster_over(EXAMPLES, broker_flags=("--segment-list-encoding", "packed"))
        processes.wait_for_segments({"rides": len(RIDES_SEGMENTS)})
        self.assertEqual({entry["encoding"] for entry in bill(processes.query(COUNT)).values()}, {"packed"})

    def test_each_server_gets_the_best_it_reads_and_a_replaced_one_switches_by_itself(self):
        dirs = cluster.spread(EXAMPLES, self.scratch / "spread", 3, 1)
        flags = [("--segment-list-encodings", "legacy_json"), ("--segment-list-encodings", "names"), ()]
        processes = self.cluster_over(*dirs, flags_by_server=flags)
        processes.wait_for_segments({"rides": len(RIDES_SEGMENTS)})
        targets = [server.address("grpc") for server in processes.servers]

        def encodings():
            answer = processes.query(COUNT)
            self.assertEqual(answer["exceptions"], [])
            self.assertEqual(answer["resultTable"]["rows"], [[RIDES_ROWS]])
            return [bill(answer)[target]["encoding"] for target in targets]

        self.assertEqual(encodings(), ["legacy_json", "names", "known"])
        self.assertEqual(processes.servers[0].stop(), 0)
        processes.restart_server(0, "--segment-list-encodings", "known,packed,names,legacy_json")
        processes.wait_for_segments({"rides": len(RIDES_SEGMENTS)})
        self.assertEqual(encodings(), ["known", "names", "known"])

    def test_an_encoding_nobody_knows_ends_a_server_with_2(self):
        process = cluster.Process([cluster.find_binary(BUILD_DIR, "trellis-server"), "--data-dir", EXAMPLES,
                                   "--segment-list-encodings", "morse", "--grpc-port", 0, "--http-port", 0])
        self.addCleanup(process.kill)
        self.assertEqual(process.wait(), 2)
        self.assertIn("morse", process.error_text())

    def test_explain_sends_no_name(self):
        processes = self.cluster_over(EXAMPLES)
        processes.wait_for_segments({"rides": len(RIDES_SEGMENTS)})
        answer = processes.query("EXPLAIN PLAN FOR " + COUNT)
        self.assertEqual(answer["exceptions"], [])
        self.assertEqual([entry["namesSent"] for entry in answer["dispatchStats"]["servers"]], [0])


class ManySegments(ListCase):
    def test_lists_of_many_segments_are_encoded_once_and_cost_bits(self):
        # pinot#19568, #10331
        count = int(os.environ.get("TRELLIS_MANY_SEGMENTS", "4000"))
        dirs = [self.stations(f"server_{i}", [f"stations_2026-06-01_2026-06-02_{k}" for k in range(i, count, 4)])
                for i in range(4)]
        processes = self.cluster_over(*dirs, server_flags=("--threads", 4))
        processes.wait_for_segments({"stations": count})
        for _ in range(20):
            answer = processes.query("SELECT COUNT(*) FROM stations")
            self.assertEqual(answer["resultTable"]["rows"], [[count * STATION_ROWS]])
            self.assertEqual(len(bill(answer)), 4)
            for entry in bill(answer).values():
                self.assertEqual((entry["encoding"], entry["namesSent"], entry["attempts"]), ("known", 0, 1))
                self.assertTrue(entry["cacheHit"])
                self.assertLess(entry["wireBytes"], 8 * 1024)

    def test_long_lists_travel_in_chunks_of_any_size(self):
        # StarRocks#74674: a batch in another layout lost rows
        count = 1003
        data = self.stations("chunked", [f"stations_{k}" for k in range(count)])
        server = cluster.start_server(BUILD_DIR, data).wait_ready()
        self.addCleanup(server.kill)
        for chunk_bytes in (1, 7, 100, 1003, 4096, 1 << 20):
            broker = cluster.start_broker(BUILD_DIR, [server], "--list-chunk-bytes", chunk_bytes).wait_ready()
            try:
                for encoding in ENCODINGS:
                    with self.subTest(chunk_bytes=chunk_bytes, encoding=encoding):
                        options = f"segmentListEncoding={encoding};timeoutMs=60000"
                        self.assert_sums(cluster.query(broker.url(), SUMS, options), count)
            finally:
                broker.kill()

    def test_a_wide_table_does_not_travel_with_every_segment(self):
        # trino#16354, doris#21771
        count, columns = 200, 4000
        data = self.stations("wide", [f"stations_{k}" for k in range(count)])

        def widen(schema):
            schema["dimensionFieldSpecs"] += [{"name": f"c{k}", "dataType": "INT"} for k in range(columns)]

        trellis_case.edit_json(data / "stations" / "schema.json", widen)
        processes = self.cluster_over(data)
        processes.wait_for_segments({"stations": count})
        answer = processes.query("SELECT c1 FROM stations LIMIT 1")
        self.assertEqual(answer["exceptions"], [])
        self.assertEqual(len(answer["resultTable"]["rows"]), 1)
        for encoding in ENCODINGS:
            answer = processes.query("SELECT c1 FROM stations LIMIT 1", f"segmentListEncoding={encoding}")
            self.assertLess(bill(answer)[processes.servers[0].address("grpc")]["wireBytes"], 200_000)

        def memory_bytes():
            with open(f"/proc/{processes.broker.pid}/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        before, most = memory_bytes(), 0
        askers = [threading.Thread(target=lambda: [processes.query("SELECT c1 FROM stations LIMIT 1") for _ in range(4)])
                  for _ in range(32)]
        for asker in askers:
            asker.start()
        while any(asker.is_alive() for asker in askers):
            most = max(most, memory_bytes())
        self.assertLess(most - before, 50_000_000)


class Messages(ListCase):
    def test_an_in_list_of_22_megabytes_is_answered_and_one_over_the_limit_is_refused_with_both_numbers(self):
        # ballista#2173, #2165: a cap raised on one end only
        processes = self.cluster_over(EXAMPLES, EXAMPLES)
        processes.wait_for_segments({"rides": len(RIDES_SEGMENTS)})
        filler = "x" * 1_000_000

        def ask(megabytes):
            values = ["'harbour'"] + [f"'{k}{filler}'" for k in range(megabytes)]
            return processes.query(f"SELECT COUNT(*) FROM stations WHERE district IN ({','.join(values)})")

        expected = sum(row["district"] == "harbour" for row in trellis_case.expected_rows("stations"))
        answer = ask(22)
        self.assertEqual(answer["exceptions"], [])
        self.assertEqual(answer["resultTable"]["rows"], [[expected]])
        self.assert_fault(ask(60), None, "bytes", "at most")
        self.assertEqual(processes.query(COUNT)["resultTable"]["rows"], [[RIDES_ROWS]])

    def test_a_value_of_20_megabytes_arrives_and_one_that_no_message_holds_is_refused_with_both_numbers(self):
        # pinot#11919, #9143: the error was lost, the client saw a timeout
        processes = self.cluster_over(EXAMPLES)
        processes.wait_for_segments({"stations": 1})

        def ask(megabytes):
            value = "name"
            for _ in range(megabytes):
                value = f"CONCAT({value}, REPEAT(SUBSTR(name, 0, 1), 1000000))"
            return processes.query(f"SELECT {value} FROM stations WHERE station_id = 0", "timeoutMs=60000")

        answer = ask(20)
        self.assertEqual(answer["exceptions"], [])
        self.assertEqual(answer["resultTable"]["rows"], [["Harbour Gate" + "H" * 20_000_000]])
        self.assert_fault(ask(68), None, "68000012 bytes", "at most 67108864")

    def test_columns_keep_their_places_whatever_their_names(self):
        # presto#27902
        processes = self.cluster_over(*cluster.spread(EXAMPLES, self.scratch / "spread", 3, 2))
        processes.wait_for_segments({"stations": 1})
        rows = trellis_case.expected_rows("stations")
        answer = processes.query("SELECT MAX(station_id), SUM(docks), MIN(latitude), COUNT(*) FROM stations")
        self.assertEqual(answer["resultTable"]["rows"], [[
            max(row["station_id"] for row in rows), STATION_DOCKS, min(row["latitude"] for row in rows), len(rows)]])

    def test_servers_with_other_defaults_give_one_row_a_group(self):
        # ClickHouse#112131: an option left out of the plan
        dirs = cluster.spread(EXAMPLES, self.scratch / "spread", 2, 1)
        processes = self.cluster_over(*dirs, flags_by_server=[("--threads", 1), ("--threads", 4, "--groups-max", 50)])
        processes.wait_for_segments({"rides": len(RIDES_SEGMENTS)})
        answer = processes.query("SELECT station, COUNT(*) FROM rides GROUP BY station LIMIT 1000")
        self.assertEqual(answer["exceptions"], [])
        keys = [row[0] for row in answer["resultTable"]["rows"]]
        self.assertEqual(len(keys), len(set(keys)))
        self.assertEqual(sum(row[1] for row in answer["resultTable"]["rows"]), RIDES_ROWS)


class ChangingInventories(ListCase):
    def test_segments_come_and_go_while_queries_run(self):
        # pinot#19081, #9371, #15171
        count = 20
        data = self.stations("live", [f"stations_{k}" for k in range(count)])
        processes = self.cluster_over(data, server_flags=("--rescan-ms", 50))
        processes.wait_for_segments({"stations": count})
        answers, stop = [], threading.Event()

        def ask():
            while not stop.is_set():
                answers.append(processes.query(SUMS))

        askers = [threading.Thread(target=ask) for _ in range(4)]
        for asker in askers:
            asker.start()
        for step in range(6):
            time.sleep(0.2)
            shutil.rmtree(data / "stations" / f"stations_{step}")
            cluster.clone_segment(STATION, self.scratch / "new", [f"more_{step}"])
            (self.scratch / "new" / f"more_{step}").rename(data / "stations" / f"more_{step}")
        self.until(lambda: processes.query(SUMS)["numSegmentsQueried"] == count
                   and "more_5" in cluster.fetch(processes.servers[0].url("/segments/stations"))[1])
        stop.set()
        for asker in askers:
            asker.join()
        self.assertGreater(len(answers), 20)
        for answer in answers:
            self.assertEqual(answer["exceptions"], [], answer)
            rows, docks = answer["resultTable"]["rows"][0]
            self.assertEqual(rows % STATION_ROWS, 0)
            self.assertIn(rows // STATION_ROWS, range(count - 2, count + 3))
            self.assertEqual(docks, rows // STATION_ROWS * STATION_DOCKS)

    def test_a_table_that_appears_is_answered_without_a_restart(self):
        data = self.stations("first", ["stations_0"])
        processes = self.cluster_over(data, server_flags=("--rescan-ms", 50))
        processes.wait_for_segments({"stations": 1})
        shutil.copytree(EXAMPLES / "rides", self.scratch / "rides_new")
        (self.scratch / "rides_new").rename(data / "rides")
        self.until(lambda: not processes.query(COUNT)["exceptions"])
        self.assertEqual(processes.query(COUNT)["resultTable"]["rows"], [[RIDES_ROWS]])
        shutil.rmtree(data / "rides")
        self.until(lambda: processes.query(COUNT)["exceptions"])
        self.assert_fault(processes.query(COUNT), 190, "rides")

    def test_two_brokers_that_came_at_different_times_agree(self):
        data = self.stations("shared", [f"stations_{k}" for k in range(5)])
        server = cluster.start_server(BUILD_DIR, data, "--rescan-ms", 50).wait_ready()
        self.addCleanup(server.kill)
        brokers = [cluster.start_broker(BUILD_DIR, [server]).wait_ready()]
        self.addCleanup(brokers[0].kill)
        self.assert_sums(cluster.query(brokers[0].url(), SUMS), 5)
        cluster.clone_segment(STATION, data / "stations", [f"later_{k}" for k in range(3)])
        shutil.rmtree(data / "stations" / "stations_1")
        brokers.append(cluster.start_broker(BUILD_DIR, [server]).wait_ready())
        self.addCleanup(brokers[1].kill)
        for broker in brokers:
            self.until(lambda: cluster.query(broker.url(), SUMS)["numSegmentsQueried"] == 7)
        for _ in range(5):
            for broker in brokers:
                self.assert_sums(cluster.query(broker.url(), SUMS), 7)

    def test_a_server_that_restarts_with_other_segments_is_asked_for_those(self):
        before = self.stations("before", [f"stations_{k}" for k in range(6)])
        after = self.stations("after", [f"stations_{k}" for k in range(3, 12)])
        processes = self.cluster_over(before)
        processes.wait_for_segments({"stations": 6})
        processes.servers[0].kill()
        processes.restart_server(0, data_dir=after)
        self.until(lambda: processes.query(SUMS)["numSegmentsQueried"] == 9)
        self.assert_sums(processes.query(SUMS), 9)

    def test_names_of_every_kind_travel_in_every_encoding(self):
        names = ["with blank", "per%cent", "comma,comma", 'quote"quote', "apostrophe'", "ünïcödé_段", "x" * 250,
                 "2026-06-01", "12345678901234567890", "007", "back\\slash", "a__1__2__20260105T0613Z"]
        processes = self.cluster_over(self.stations("nasty", names))
        processes.wait_for_segments({"stations": len(names)})
        for encoding in ENCODINGS:
            self.assert_sums(processes.query(SUMS, f"segmentListEncoding={encoding}"), len(names))


class Metrics(ListCase):
    def test_the_bill_is_in_the_metrics_too(self):
        processes = self.cluster_over(EXAMPLES)
        processes.wait_for_segments({"rides": len(RIDES_SEGMENTS)})
        processes.query(COUNT, "segmentListEncoding=names")
        text = cluster.fetch(processes.broker.url("/metrics"))[1]
        for word in ("names_sent_total 5", "attempts_total", "cache_hits_total", "dispatch_bytes_total", "lists_names_total 1"):
            self.assertIn(word, text)


if __name__ == "__main__":
    trellis_case.main()
