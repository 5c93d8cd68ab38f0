"""Asks the example tables questions whose answers are computed here, in Python, from the rows that went in."""
import collections

import trellis_case
from trellis_case import RIDES_ROWS, expected_rows

RIDES = expected_rows("rides")
STATIONS = expected_rows("stations")


class ExampleData(trellis_case.ClusterCase):
    def assert_rows(self, sql, wanted, options=""):
        rows = self.rows(sql, options)
        self.assertEqual(len(rows), len(wanted), sql)
        for mine, theirs in zip(rows, wanted):
            for a, b in zip(mine, theirs):
                if isinstance(b, float):
                    self.assertAlmostEqual(a, b, delta=abs(b) * 1e-8, msg=sql)
                else:
                    self.assertEqual(a, b, sql)

    def test_every_row_is_counted_once_although_two_servers_hold_it(self):
        self.assertEqual(len(RIDES), RIDES_ROWS)
        self.assert_rows("SELECT COUNT(*), MIN(trip_id), MAX(trip_id) FROM rides",
                         [[RIDES_ROWS, float(RIDES[0]["trip_id"]), float(RIDES[-1]["trip_id"])]])

    def test_a_filter_over_three_kinds_of_columns_selects_the_right_rows(self):
        chosen = sorted(((row["minutes"], row["trip_id"]) for row in RIDES if row["station"] == "Mill Lane"
                         and row["minutes"] > 40 and not row["member"]), key=lambda row: (-row[0], row[1]))
        self.assertGreater(len(chosen), 5)
        self.assert_rows("SELECT minutes, trip_id FROM rides WHERE station = 'Mill Lane' AND minutes > 40 "
                         "AND member = false ORDER BY minutes DESC, trip_id LIMIT 5", map_rows(chosen[:5]))

    def test_a_group_by_sums_what_the_rows_hold(self):
        sums = collections.defaultdict(lambda: [0, 0.0])
        for row in RIDES:
            sums[row["station"]][0] += 1
            sums[row["station"]][1] += row["fare"]
        wanted = [[name, *sums[name]] for name in sorted(sums, key=lambda name: (-sums[name][0], name))][:6]
        self.assert_rows("SELECT station, COUNT(*), SUM(fare) FROM rides GROUP BY station "
                         "ORDER BY COUNT(*) DESC, station LIMIT 6", wanted)

    def test_a_multi_value_row_counts_once_for_each_value(self):
        counts = collections.Counter(tag for row in RIDES if "night" in row["tags"] for tag in row["tags"])
        self.assert_rows("SELECT tags, COUNT(*) FROM rides WHERE tags = 'night' GROUP BY tags ORDER BY tags LIMIT 20",
                         [[tag, counts[tag]] for tag in sorted(counts)])

    def test_map_keys_filter_and_group(self):
        counts = collections.Counter(row["weather"]["sky"] for row in RIDES if row["weather"]["wind"] == "storm")
        self.assert_rows("SELECT weather['sky'], COUNT(*) FROM rides WHERE weather['wind'] = 'storm' "
                         "GROUP BY weather['sky'] ORDER BY weather['sky']",
                         [[sky, counts[sky]] for sky in sorted(counts)])

    def test_null_ratings_are_a_group_only_with_null_handling(self):
        counts = collections.Counter(row["rating"] for row in RIDES)
        stars = sorted(rating for rating in counts if rating is not None)
        sql = "SELECT rating, COUNT(*) FROM rides GROUP BY rating ORDER BY COUNT(*) DESC LIMIT 1"
        self.assertGreater(counts[None], max(counts[rating] for rating in stars))
        self.assert_rows(sql, [[None, counts[None]]], "enableNullHandling=true")
        self.assertNotEqual(self.rows(sql)[0][0], None)
        self.assert_rows("SELECT COUNT(*) FROM rides WHERE rating IS NULL", [[counts[None]]], "enableNullHandling=true")

    def test_text_outside_ascii_comes_back_unchanged(self):
        self.assert_rows("SELECT station_id, name FROM stations ORDER BY station_id LIMIT 100",
                         [[row["station_id"], row["name"]] for row in STATIONS])


def map_rows(rows):
    return [list(row) for row in rows]


if __name__ == "__main__":
    trellis_case.main()
