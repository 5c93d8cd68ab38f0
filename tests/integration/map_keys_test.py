"""Keys of MAP columns wherever SQL has an expression, over segments that Pinot wrote, against the rows that went in.

The rules (pinot-sql 3.3): a key that a map lacks, whose value is JSON null or no JSON is the default of the map's value
type; under enableNullHandling a key is NULL where the whole map is, and nowhere else.
"""
import collections
import gzip
import json
import shutil

import trellis_case
from trellis_case import cluster

SEGMENTS = ("maps_c3_snappy", "maps_c4_lz4", "maps_c4_pass_through", "maps_c4_zstandard", "maps_default")
DATA = trellis_case.SOURCE / "tests" / "data"
DEFAULTS = {"words": "null", "mixed": "null", "nested": "null", "ints": -2**31, "longs": -2**63,
            "doubles": float("-inf")}
NULLS_ON = "enableNullHandling=true"


def java_text(value):
    """What a JSON value of a map is where it is read as STRING; no exponents."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(java_text, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}={java_text(value[key])}' for key in sorted(value))}}}"
    return str(value)


def cell(value):
    return {"-Infinity": float("-inf")}.get(value, value) if isinstance(value, str) else value


class MapKeys(trellis_case.ScratchCase):
    @classmethod
    def setUpClass(cls):
        with gzip.open(DATA / "rows" / "maps.jsonl.gz", "rt", encoding="utf-8") as lines:
            cls.rows_in = [json.loads(line) for line in lines if line.strip()]

    def setUp(self):
        super().setUp()
        table = self.scratch / "data" / "maps"
        for name in SEGMENTS:
            shutil.copytree(DATA / "segments" / "maps" / name, table / name)
        shutil.copy(DATA / "segments" / "maps" / "schema.json", table)
        self.processes = self.cluster_over(self.scratch / "data")
        self.processes.wait_for_segments({"maps": len(SEGMENTS)})

    def ask(self, sql, options=""):
        answer = self.processes.query(sql, options)
        self.assertEqual(answer["exceptions"], [], sql)
        return [[cell(value) for value in row] for row in answer["resultTable"]["rows"]]

    def key_of(self, row, column, key, nulls=False):
        if row[column] is None:
            return None if nulls else DEFAULTS[column]
        value = row[column].get(key)
        if value is None:
            return DEFAULTS[column]
        return java_text(value) if isinstance(DEFAULTS[column], str) else value

    def test_every_key_of_every_map_is_what_went_in(self):
        for column in DEFAULTS:
            keys = sorted({key for row in self.rows_in for key in row[column] or {}})
            # No key of any row; the empty one; longer and shorter than one that is there.
            keys += [key for key in ("", f"{keys[-1]}0", keys[-1][:1], "nope") if key not in keys]
            select = ", ".join(f"{column}['{key}']" for key in keys)
            for options in ("", NULLS_ON):
                got = self.ask(f"SELECT id, {select} FROM maps ORDER BY id LIMIT 1000", options)
                expected = [[row["id"], *(self.key_of(row, column, key, bool(options)) for key in keys)]
                            for row in self.rows_in for _ in SEGMENTS]
                self.assertEqual(got, expected, column)

    def test_81_keys_and_the_whole_map_are_as_one_key_and_the_map_alone(self):
        keys = [f"k{number}" for number in range(81)]
        select = ", ".join(f"words['{key}']" for key in keys)
        got = self.ask(f"SELECT {select}, words, id FROM maps ORDER BY id LIMIT 1000")
        one = self.ask("SELECT words['k1'], words, id FROM maps ORDER BY id LIMIT 1000")
        self.assertEqual([[row[1], *row[81:]] for row in got], one)
        self.assertEqual([row[81] for row in got][::len(SEGMENTS)], [row["words"] or {} for row in self.rows_in])

    def expected_count(self, column, key, test, nulls):
        values = [self.key_of(row, column, key, nulls) for row in self.rows_in]
        return len(SEGMENTS) * sum(value is not None and test(value) for value in values)

    def test_every_predicate_takes_a_key(self):
        tests = [("words", "k1", "= 'few'", lambda v: v == "few"),
                 ("words", "k1", "<> 'few'", lambda v: v != "few"),
                 ("words", "k1", "IN ('few', 'hail', 'nope')", lambda v: v in ("few", "hail")),
                 ("words", "k1", "NOT IN ('few', 'hail')", lambda v: v not in ("few", "hail")),
                 ("words", "k1", "LIKE '%a%'", lambda v: "a" in v),
                 ("words", "k1", "NOT LIKE '%a%'", lambda v: "a" not in v),
                 ("words", "k1", "> 'clear'", lambda v: v > "clear"),
                 ("words", "nope", "= 'null'", lambda v: v == "null"),
                 ("nested", "ключ.a b", ">= '3'", lambda v: v >= "3"),
                 ("nested", "", "= 'no name'", lambda v: v == "no name"),
                 ("mixed", "x6", "= 'true'", lambda v: v == "true"),
                 ("ints", "n1", "> 0", lambda v: v > 0),
                 ("ints", "n1", "BETWEEN -1000000000 AND 1000000000", lambda v: -10**9 <= v <= 10**9),
                 ("ints", "n1", "NOT BETWEEN -1000000000 AND 1000000000", lambda v: not -10**9 <= v <= 10**9),
                 ("longs", "n1", "< 0", lambda v: v < 0),
                 ("doubles", "d0", "<= 0.5", lambda v: v <= 0.5)]
        for column, key, test, holds in tests:
            for options in ("", NULLS_ON):
                with self.subTest(f"{column}['{key}'] {test}", options=options):
                    got = self.ask(f"SELECT COUNT(*) FROM maps WHERE {column}['{key}'] {test}", options)
                    self.assertEqual(got, [[self.expected_count(column, key, holds, bool(options))]])

    def test_a_null_test_of_a_key_looks_at_the_whole_map(self):
        nulls = len(SEGMENTS) * sum(row["words"] is None for row in self.rows_in)
        self.assertGreater(nulls, 0)
        for options in ("", NULLS_ON):
            for subject in ("words", "words['k1']", "words['nope']"):
                self.assertEqual(self.ask(f"SELECT COUNT(*) FROM maps WHERE {subject} IS NULL", options), [[nulls]])
                self.assertEqual(self.ask(f"SELECT COUNT(*) FROM maps WHERE {subject} IS NOT NULL", options),
                                 [[len(SEGMENTS) * len(self.rows_in) - nulls]])

    def test_keys_in_one_filter_agree_with_the_rows_whatever_joins_them(self):
        def clear(row):
            return self.key_of(row, "words", "k8") == "clear"

        def positive(row, key):
            return self.key_of(row, "ints", key) > 0
        filters = [("words['k8'] <> 'clear' AND words['k0'] <> 'null' AND ints['n1'] < 0",
                    lambda r: not clear(r) and self.key_of(r, "words", "k0") != "null" and not positive(r, "n1")),
                   ("words['k8'] = 'clear' OR ints['n1'] > 0 OR ints['n2'] > 0 OR words['k1'] = 'few'",
                    lambda r: clear(r) or positive(r, "n1") or positive(r, "n2")
                    or self.key_of(r, "words", "k1") == "few"),
                   ("NOT (ints['n1'] > 0 OR ints['n2'] > 0) AND (ints['n3'] > 0 OR words['k8'] = 'clear')",
                    lambda r: not (positive(r, "n1") or positive(r, "n2")) and (positive(r, "n3") or clear(r))),
                   ("id < 60 AND ints['n4'] > -2000000000 AND ints['n4'] < 1000000000 AND ints['n9'] < 0",
                    lambda r: r["id"] < 60 and -2 * 10**9 < self.key_of(r, "ints", "n4") < 10**9
                    and not positive(r, "n9")),
                   ("concat(words['k1'], words['k2']) = 'nullnull' AND words['k3'] = 'null'",
                    lambda r: all(self.key_of(r, "words", key) == "null" for key in ("k1", "k2", "k3")))]
        for sql, holds in filters:
            with self.subTest(sql):
                got = self.ask(f"SELECT id FROM maps WHERE {sql} ORDER BY id LIMIT 1000")
                expected = [[row["id"]] for row in self.rows_in if holds(row) for _ in SEGMENTS]
                self.assertTrue(expected)
                self.assertEqual(got, expected)

    def test_keys_group_order_and_aggregate(self):
        for options in ("", NULLS_ON):
            nulls = bool(options)
            counts = collections.Counter(self.key_of(row, "words", "k1", nulls) for row in self.rows_in)
            got = self.ask("SELECT words['k1'], COUNT(*) FROM maps GROUP BY words['k1'] LIMIT 100", options)
            self.assertEqual(dict(got), {key: count * len(SEGMENTS) for key, count in counts.items()})
            got = self.ask("SELECT DISTINCT words['k1'] FROM maps LIMIT 100", options)
            self.assertEqual({row[0] for row in got}, set(counts))
            got = self.ask("SELECT words['k1'] AS word, COUNT(*) FROM maps WHERE words['k1'] <> 'null' "
                           "GROUP BY word HAVING COUNT(*) > 10 ORDER BY COUNT(*) DESC, word LIMIT 100", options)
            often = [[word, count * len(SEGMENTS)] for word, count in counts.items()
                     if word not in ("null", None) and count * len(SEGMENTS) > 10]
            self.assertEqual(got, sorted(often, key=lambda row: (-row[1], row[0])))
        numbers = [self.key_of(row, "ints", "n1") for row in self.rows_in]
        got = self.ask("SELECT SUM(ints['n1']), MIN(ints['n1']), MAX(ints['n1'] + 1), COUNT(*), "
                       "SUM(ints['n2']) FILTER (WHERE ints['n3'] > 0) FROM maps")
        filtered = sum(self.key_of(row, "ints", "n2") for row in self.rows_in if self.key_of(row, "ints", "n3") > 0)
        self.assertEqual(got, [[sum(numbers) * len(SEGMENTS), min(numbers), max(numbers) + 1,
                                len(SEGMENTS) * len(numbers), filtered * len(SEGMENTS)]])
        got = self.ask("SELECT id, ints['n1'] FROM maps ORDER BY ints['n1'] DESC, id LIMIT 5")
        best = sorted(zip(numbers, range(len(numbers))), key=lambda pair: (-pair[0], pair[1]))[0]
        self.assertEqual(got, [[best[1], best[0]]] * len(SEGMENTS))

    def test_item_is_the_same_expression_and_functions_take_keys(self):
        got = self.ask("SELECT id, item(words, 'k1'), upper(words['k1']), ints['n1'] + ints['n2'], "
                       "CASE WHEN words['k1'] = 'few' THEN 1 ELSE 0 END FROM maps ORDER BY id LIMIT 1000")
        for row, values in zip((row for row in self.rows_in for _ in SEGMENTS), got):
            word = self.key_of(row, "words", "k1")
            total = float(self.key_of(row, "ints", "n1") + self.key_of(row, "ints", "n2"))
            self.assertEqual(values, [row["id"], word, word.upper(), total, int(word == "few")])

    def test_what_pinot_has_no_function_for_is_refused_by_name(self):
        for call in ("mapKeys(words)", "map_keys(words)", "mapValues(words)", "mapSize(words)", "size(words)",
                     "mapContainsKey(words, 'k1')", "cardinality(words)", "arrayLength(words)", "words = words",
                     "mapValue(words, 'k1')", "DISTINCTCOUNT(words)", "ANY_VALUE(words)", "MAX(words)",
                     "upper(words)", "CAST(words AS STRING)"):
            name = call.split("(")[0].split(" ")[0].replace("_", "")
            with self.subTest(call):
                self.assert_fault(self.processes.query(f"SELECT {call} FROM maps"), 700,
                                  "equals" if "=" in call else name)
        for sql in ("SELECT words['k1']['x'] FROM maps", "SELECT id['x'] FROM maps", "SELECT words[id] FROM maps",
                    "SELECT COUNT(*) FROM maps GROUP BY words", "SELECT DISTINCT words FROM maps",
                    "SELECT id FROM maps ORDER BY words", "SELECT id FROM maps WHERE words = 'x'"):
            with self.subTest(sql):
                self.assert_fault(self.processes.query(sql), 700, "MAP")


if __name__ == "__main__":
    trellis_case.main()
