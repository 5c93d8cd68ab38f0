"""What Trellis does not do yet is refused by name, never ignored."""
import json
import shutil

import trellis_case
from trellis_case import EXAMPLES, RIDES_ROWS, RIDES_SEGMENTS, cluster, edit_json

COUNT = "SELECT COUNT(*) FROM rides"


class Refusals(trellis_case.ScratchCase):
    def answer_over(self, change):
        """Returns the answer to COUNT over the examples after `change(rides folder)`."""
        data = self.copy_of_examples()
        change(data / "rides")
        return self.cluster_over(data).query(COUNT)

    def test_a_table_with_upsert_is_refused(self):
        for key in ("upsertConfig", "dedupConfig"):
            with self.subTest(key):
                shutil.rmtree(self.scratch / "data", ignore_errors=True)
                settings = {"mode": "FULL"} if key == "upsertConfig" else {"dedupEnabled": True}
                self.assert_fault(self.answer_over(lambda rides: edit_json(
                    rides / "tableConfig.json", lambda config: config.update({key: settings}))), None, key)

    def test_a_segment_with_a_snapshot_of_valid_documents_is_refused(self):
        def plant(rides):
            (rides / RIDES_SEGMENTS[0] / "v3" / "validdocids.bitmap.snapshot").write_bytes(b"\0")
        self.assert_fault(self.answer_over(plant), None, "validDocIds")

    def test_column_based_null_handling_is_refused(self):
        self.assert_fault(self.answer_over(lambda rides: edit_json(
            rides / "schema.json", lambda schema: schema.update(enableColumnBasedNullHandling=True))), None,
            "enableColumnBasedNullHandling")

    def test_a_hybrid_table_needs_its_type(self):
        data = self.copy_of_examples()
        (data / "rides").rename(data / "rides_OFFLINE")
        shutil.copytree(data / "rides_OFFLINE", data / "rides_REALTIME")
        processes = self.cluster_over(data)
        self.assert_fault(processes.query(COUNT), None, "hybrid")
        answer = processes.query("SELECT COUNT(*) FROM rides_OFFLINE")
        self.assertEqual(answer["exceptions"], [])
        self.assertEqual(answer["resultTable"]["rows"], [[RIDES_ROWS]])


class RefusedQueries(trellis_case.ClusterCase):
    def test_the_multi_stage_engine_is_refused(self):
        self.assert_fault(self.processes.query(COUNT, "useMultistageEngine=true"), None, "useMultistageEngine")
        self.assert_fault(self.processes.query(f"SET useMultistageEngine=true; {COUNT}"), None, "useMultistageEngine")
        self.assertEqual(self.rows(COUNT, "useMultistageEngine=false"), [[RIDES_ROWS]])

    def test_what_needs_the_multi_stage_engine_is_refused(self):
        for sql in ("SELECT r.station FROM rides r JOIN stations s ON r.station = s.name",
                    "SELECT rides.station FROM rides JOIN stations ON rides.station = stations.name",
                    "SELECT name FROM stations UNION SELECT station FROM rides",
                    "SELECT COUNT(*) FROM (SELECT station FROM rides)",
                    "SELECT COUNT(*) FROM rides WHERE station IN (SELECT name FROM stations)",
                    "WITH few AS (SELECT station FROM rides) SELECT * FROM few",
                    "SELECT ROW_NUMBER() OVER (PARTITION BY station) FROM rides"):
            with self.subTest(sql):
                self.assert_fault(self.processes.query(sql), 150, "multi-stage engine")

    def test_cursors_are_refused(self):
        for path in ("/query/sql?getCursor=true", "/query/sql?getCursor=true&numRows=10"):
            answer = json.loads(cluster.fetch(self.broker.url(path), {"sql": COUNT})[1])
            self.assert_fault(answer, 700, "getCursor")

    def test_functions_that_are_not_built_are_refused_by_name(self):
        for sql, name in (("SELECT LOOKUP('stations', 'name', 'station_id', 1) FROM rides", "lookup"),
                          ("SELECT GROOVY('{}', 'arg0', minutes) FROM rides", "groovy"),
                          ("SELECT FASTHLL(station) FROM rides", "fasthll"),
                          ("SELECT ST_UNION(comment) FROM rides", "stunion")):
            with self.subTest(sql):
                self.assert_fault(self.processes.query(sql), 700, name)

    def test_searches_in_indexes_of_their_own_are_refused(self):
        self.assert_fault(self.processes.query("SELECT COUNT(*) FROM rides WHERE TEXT_MATCH(comment, 'gear')"), 700,
                          "text_match")
        self.assert_fault(self.processes.query(
            "SELECT COUNT(*) FROM rides WHERE JSON_MATCH(comment, '\"$.a\" = 1')"), 700, "json_match")
        self.assert_fault(self.processes.query(
            "SELECT COUNT(*) FROM rides WHERE VECTOR_SIMILARITY(stops, ARRAY[1, 2], 3)"), None, "vector")


if __name__ == "__main__":
    trellis_case.main()
