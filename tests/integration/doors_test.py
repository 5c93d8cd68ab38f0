"""Knocks at every HTTP door of broker and server."""
import json
import urllib.parse

import trellis_case
from trellis_case import RIDES_ROWS, RIDES_SEGMENTS, cluster


class BrokerDoors(trellis_case.ClusterCase):
    def get(self, path, body=None, headers=None):
        return cluster.fetch(self.broker.url(path), body, headers=headers)

    def test_health_says_ok(self):
        status, text = self.get("/health")
        self.assertEqual(status, 200)
        self.assertIn("OK", text)

    def test_tables_lists_every_table(self):
        status, text = self.get("/tables")
        self.assertEqual(status, 200)
        for table in ("rides", "stations"):
            self.assertIn(table, text)

    def test_the_schema_of_a_table_is_in_pinots_form(self):
        status, text = self.get("/tables/rides/schema")
        self.assertEqual(status, 200)
        schema = json.loads(text)
        self.assertEqual(schema["schemaName"], "rides")
        self.assertIn("fare", [field["name"] for field in schema["metricFieldSpecs"]])

    def test_the_schema_of_an_unknown_table_is_not_found(self):
        self.assertEqual(self.get("/tables/nosuch/schema")[0], 404)

    def test_metrics_are_in_prometheus_text_and_count_queries(self):
        self.rows("SELECT COUNT(*) FROM rides")
        status, text = self.get("/metrics")
        self.assertEqual(status, 200)
        self.assertIn("# TYPE trellis_", text)

    def test_get_and_post_give_the_same_rows(self):
        sql = "SELECT station, COUNT(*) FROM rides GROUP BY station ORDER BY station LIMIT 3"
        status, text = self.get(f"/query/sql?{urllib.parse.urlencode({'sql': sql})}")
        self.assertEqual(status, 200)
        answer = json.loads(text)
        self.assertEqual(answer["exceptions"], [])
        self.assertEqual(answer["resultTable"]["rows"], self.rows(sql))
        status, text = self.get("/query", {"sql": sql, "queryOptions": "useMultistageEngine=false"})
        self.assertEqual(json.loads(text)["resultTable"]["rows"], self.rows(sql))

    def test_the_door_that_means_the_multi_stage_engine_in_pinot_says_so_or_gives_the_same_rows(self):
        sql = "SELECT COUNT(*) FROM rides"
        answer = json.loads(self.get("/query", {"sql": sql})[1])
        if answer["exceptions"]:
            self.assert_fault(answer, None, "useMultistageEngine")
        else:
            self.assertEqual(answer["resultTable"]["rows"], [[RIDES_ROWS]])

    def test_an_answer_has_the_fields_that_clients_read(self):
        answer = self.processes.query("SELECT COUNT(*) FROM rides")
        for field in ("resultTable", "exceptions", "partialResult", "numServersQueried", "numServersResponded",
                      "numSegmentsQueried", "numSegmentsProcessed", "numSegmentsMatched", "numDocsScanned", "totalDocs",
                      "numGroupsLimitReached", "timeUsedMs", "requestId", "numEntriesScannedInFilter",
                      "numEntriesScannedPostFilter", "numConsumingSegmentsQueried", "minConsumingFreshnessTimeMs",
                      "brokerId", "dispatchStats"):
            self.assertIn(field, answer)
        self.assertEqual(answer["totalDocs"], RIDES_ROWS)
        self.assertEqual(answer["numSegmentsQueried"], len(RIDES_SEGMENTS))
        self.assertEqual(answer["numServersQueried"], answer["numServersResponded"])
        self.assertFalse(answer["partialResult"])

    def test_a_body_that_is_not_json_or_has_no_sql_is_refused(self):
        self.assertEqual(self.get("/query/sql", {"query": "SELECT 1"})[0], 400)
        self.assertEqual(self.get("/query/sql", ["sql"])[0], 400)

    def test_an_unknown_path_is_not_found_whatever_the_method(self):
        self.assertEqual(self.get("/no/such/door")[0], 404)
        for path in ("/v2/segments", "/schemas", "/query/timeseries", "/responseStore", "/debug/routing/rides"):
            self.assertEqual(self.get(path, {"a": 1})[0], 404, path)
        self.assertEqual(self.get("/tables", {"a": 1})[0], 405)

    def test_the_cluster_door_lists_every_server(self):
        servers = json.loads(self.get("/cluster")[1])["servers"]
        self.assertEqual({(server["server"], server["alive"], server["segments"]) for server in servers},
                         {(server.address("grpc"), True, len(RIDES_SEGMENTS) + 1)
                          for server in self.processes.servers})

    def test_an_error_comes_with_status_200_unless_the_client_asks_otherwise(self):
        status, text = self.get("/query/sql", {"sql": "SELEC"})
        self.assertEqual(status, 200)
        self.assertEqual(json.loads(text)["exceptions"][0]["errorCode"], 150)
        status, _ = self.get("/query/sql", {"sql": "SELEC"}, {"Pinot-Use-Http-Status-For-Errors": "true"})
        self.assertEqual(status, 400)

    def test_a_mistyped_name_is_answered_with_the_nearest_known_one(self):
        for sql, code, name in (("SELECT statoin FROM rides", 710, "station"), ("SELECT * FROM ridess", 190, "rides"),
                                ("SELECT uper(station) FROM rides", 700, "upper"),
                                ("SET timeuotMs=10; SELECT station FROM rides", None, "timeoutMs")):
            with self.subTest(sql):
                self.assert_fault(self.processes.query(sql), code, name)

    def test_explain_gives_a_plan_without_touching_a_row(self):
        answer = self.processes.query("EXPLAIN PLAN FOR SELECT COUNT(*) FROM rides WHERE minutes > 10")
        self.assertEqual(answer["exceptions"], [])
        self.assertEqual(answer["resultTable"]["dataSchema"]["columnNames"], ["Operator", "Operator_Id", "Parent_Id"])


class ServerDoors(trellis_case.ClusterCase):
    def get(self, path):
        return cluster.fetch(self.processes.servers[0].url(path))

    def test_liveness_and_readiness(self):
        for path in ("/health/liveness", "/health/readiness"):
            self.assertEqual(self.get(path)[0], 200, path)

    def test_tables_and_segments_list_what_is_loaded(self):
        self.assertIn("rides", self.get("/tables")[1])
        status, text = self.get("/segments/rides")
        self.assertEqual(status, 200)
        for name in RIDES_SEGMENTS:
            self.assertIn(name, text)
        self.assertNotIn("stations_0", text)
        self.assertEqual(self.get("/segments/nosuch")[0], 404)

    def test_metrics_are_in_prometheus_text(self):
        status, text = self.get("/metrics")
        self.assertEqual(status, 200)
        self.assertIn("# TYPE trellis_", text)


if __name__ == "__main__":
    trellis_case.main()
