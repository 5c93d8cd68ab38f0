"""Calls the broker's gRPC door with stubs made from proto/ by grpcio-tools. Exit 77: grpcio is not installed."""
import importlib
import pathlib
import shutil
import sys
import tempfile

try:
    import grpc
    from grpc_health.v1 import health_pb2, health_pb2_grpc
    from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
    from grpc_tools import protoc
except ImportError as error:
    print(f"SKIPPED: {error} (tests/integration/make_venv.py)")
    sys.exit(77)

import trellis_case
from trellis_case import RIDES_ROWS, SOURCE, expected_rows

PROTOCOL_VERSION = 1


def make_stubs(folder):
    """Generates the Python stubs of every .proto into `folder` and imports those of query.proto."""
    proto = SOURCE / "proto"
    files = [str(file) for file in sorted(proto.rglob("*.proto"))]
    code = protoc.main(["protoc", f"-I{proto}", f"--python_out={folder}", f"--grpc_python_out={folder}", *files])
    if code != 0:
        raise RuntimeError(f"protoc ended with {code}")
    sys.path.insert(0, str(folder))
    return importlib.import_module("trellis.v1.query_pb2"), importlib.import_module("trellis.v1.query_pb2_grpc")


FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="trellis_stubs_"))
QUERY, QUERY_GRPC = make_stubs(FOLDER)


def tearDownModule():
    shutil.rmtree(FOLDER)


def plain(value):
    """Returns a Value message as a Python value."""
    kind = value.WhichOneof("payload")
    if kind is None:
        return None
    content = getattr(value, kind)
    if kind == "array":
        return [plain(item) for item in content.values]
    return content.decode() if kind == "raw" else content


class GrpcClient(trellis_case.ClusterCase):
    def setUp(self):
        self.channel = grpc.insecure_channel(self.broker.address("grpc"))
        self.addCleanup(self.channel.close)
        self.stub = QUERY_GRPC.QueryServiceStub(self.channel)

    def execute(self, sql, **options):
        """Returns (schema, rows, done) and checks the order of the stream's parts."""
        request = QUERY.QueryRequest(protocol_version=PROTOCOL_VERSION, sql=sql, options=options)
        parts = list(self.stub.Execute(request, timeout=30))
        kinds = [part.WhichOneof("part") for part in parts]
        self.assertEqual(kinds[-1], "done", kinds)
        done = parts[-1].done
        if done.exceptions:
            return None, [], done
        self.assertEqual(kinds[0], "schema", kinds)
        self.assertEqual(set(kinds[1:-1]) - {"rows"}, set())
        rows = [[plain(value) for value in row.values] for part in parts[1:-1] for row in part.rows.rows]
        return parts[0].schema, rows, done

    def test_execute_streams_schema_rows_and_statistics(self):
        schema, rows, done = self.execute("SELECT station_id, name FROM stations ORDER BY station_id LIMIT 100")
        self.assertEqual(list(schema.names), ["station_id", "name"])
        self.assertEqual(rows, [[row["station_id"], row["name"]] for row in expected_rows("stations")])
        self.assertEqual(done.servers_queried, done.servers_responded)
        self.assertFalse(done.partial_result)

    def test_a_large_answer_comes_whole(self):
        _, rows, done = self.execute("SELECT trip_id, tags FROM rides LIMIT 100000")
        self.assertEqual(len(rows), RIDES_ROWS)
        self.assertEqual({row[0]: row[1] for row in rows},
                         {row["trip_id"]: row["tags"] for row in expected_rows("rides")})
        self.assertEqual(done.statistics.documents_total, RIDES_ROWS)

    def test_options_are_heeded_and_null_is_an_absent_value(self):
        sql = "SELECT rating, COUNT(*) FROM rides GROUP BY rating ORDER BY COUNT(*) DESC LIMIT 1"
        _, rows, _ = self.execute(sql, enableNullHandling="true")
        self.assertEqual(rows, [[None, sum(row["rating"] is None for row in expected_rows("rides"))]])

    def test_an_error_carries_pinots_code(self):
        _, _, done = self.execute("SELECT statoin FROM rides")
        self.assertEqual(done.exceptions[0].error_code, 710)
        self.assertIn("station", done.exceptions[0].message)

    def test_explain_gives_a_tree_of_operators(self):
        request = QUERY.ExplainRequest(protocol_version=PROTOCOL_VERSION,
                                       sql="SELECT COUNT(*) FROM rides WHERE minutes > 10")
        answer = self.stub.Explain(request, timeout=30)
        self.assertEqual(list(answer.exceptions), [])
        known = {row.id for row in answer.rows}
        self.assertGreater(len(known), 1)
        for row in answer.rows[1:]:
            self.assertTrue(row.parent_id in known or row.parent_id < 0, row)

    def test_cancel_of_a_query_that_does_not_run_finds_nothing(self):
        answer = self.stub.Cancel(QUERY.CancelQueryRequest(query_id="no such query"), timeout=30)
        self.assertFalse(answer.found)

    def test_health_and_reflection_are_served_by_broker_and_server(self):
        for process in (self.broker, self.processes.servers[0]):
            with grpc.insecure_channel(process.address("grpc")) as channel:
                health = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=30)
                self.assertEqual(health.status, health_pb2.HealthCheckResponse.SERVING)
                request = reflection_pb2.ServerReflectionRequest(list_services="")
                reply = next(iter(reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(
                    iter([request]), timeout=30)))
                names = [service.name for service in reply.list_services_response.service]
                self.assertTrue(any(name.startswith("trellis.v1.") for name in names), names)


if __name__ == "__main__":
    trellis_case.main()
