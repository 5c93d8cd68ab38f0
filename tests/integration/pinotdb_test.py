"""Reads the example tables through pinotdb, Pinot's Python client, as it comes from PyPI. Exit 77: not installed."""
import sys

try:
    import pinotdb
except ImportError:
    print("SKIPPED: pinotdb is not installed (tests/integration/make_venv.py)")
    sys.exit(77)

import trellis_case
from trellis_case import RIDES_ROWS, expected_rows


class PinotDb(trellis_case.ClusterCase):
    def connect(self):
        host, port = self.broker.address("http").rsplit(":", 1)
        connection = pinotdb.connect(host=host, port=int(port), path="/query/sql", scheme="http")
        self.addCleanup(connection.close)
        return connection.cursor()

    def test_a_cursor_gives_rows_and_a_description(self):
        cursor = self.connect()
        cursor.execute("SELECT station_id, name, latitude FROM stations ORDER BY station_id LIMIT 100")
        self.assertEqual([column[0] for column in cursor.description], ["station_id", "name", "latitude"])
        self.assertEqual([list(row) for row in cursor], [[row["station_id"], row["name"], row["latitude"]]
                                                         for row in expected_rows("stations")])

    def test_parameters_are_put_into_the_query(self):
        cursor = self.connect()
        cursor.execute("SELECT COUNT(*) FROM rides WHERE station = %(name)s", {"name": "Mill Lane"})
        wanted = sum(row["station"] == "Mill Lane" for row in expected_rows("rides"))
        self.assertEqual(cursor.fetchone()[0], wanted)

    def test_query_options_reach_the_broker(self):
        cursor = self.connect()
        cursor.execute("SELECT COUNT(*) FROM rides WHERE rating IS NULL", queryOptions="enableNullHandling=true")
        self.assertEqual(cursor.fetchone()[0], sum(row["rating"] is None for row in expected_rows("rides")))

    def test_an_error_raises_the_clients_exception(self):
        cursor = self.connect()
        with self.assertRaises(pinotdb.exceptions.DatabaseError) as caught:
            cursor.execute("SELECT nosuch FROM rides")
        self.assertIn("nosuch", str(caught.exception))
        cursor.execute("SELECT COUNT(*) FROM rides")
        self.assertEqual(cursor.fetchone()[0], RIDES_ROWS)


if __name__ == "__main__":
    trellis_case.main()
