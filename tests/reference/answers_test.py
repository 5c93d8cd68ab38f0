"""Tests the comparison itself: what must count as equal, and what must not."""
import unittest

import answers


def record(rows, types=("LONG",), names=("c",), **more):
    table = {"dataSchema": {"columnNames": list(names), "columnDataTypes": list(types)}, "rows": rows}
    return {"sql": "SELECT c FROM t", "resultTable": table, "exceptions": [], "ordered": True, **more}


def answer(rows, types=("LONG",), names=("c",), **more):
    return {**record(rows, types, names), "partialResult": False, **more}


def outcome(wanted, given, full=()):
    return answers.judge(wanted, given, lambda sql: list(full))[0]


class Judge(unittest.TestCase):
    def test_equal_rows_are_equal_and_any_other_value_is_wrong(self):
        self.assertEqual(outcome(record([[1]]), answer([[1]])), answers.EQUAL)
        self.assertEqual(outcome(record([[1]]), answer([[2]])), answers.WRONG)
        self.assertEqual(outcome(record([[1]]), answer([[True]])), answers.WRONG)
        self.assertEqual(outcome(record([[1]]), answer([["1"]])), answers.WRONG)
        self.assertEqual(outcome(record([[1]]), answer([[1.0]])), answers.WRONG)
        self.assertEqual(outcome(record([[None]]), answer([[0]])), answers.WRONG)

    def test_large_integers_are_compared_exactly(self):
        self.assertEqual(outcome(record([[2**62]]), answer([[2**62 + 1]])), answers.WRONG)

    def test_floating_values_are_equal_within_the_tolerance_only(self):
        wanted = record([[1.0]], ["DOUBLE"])
        self.assertEqual(outcome(wanted, answer([[1.0 + 1e-9]], ["DOUBLE"])), answers.EQUAL)
        self.assertEqual(outcome(wanted, answer([[1.0 + 1e-7]], ["DOUBLE"])), answers.WRONG)
        self.assertEqual(outcome(record([["NaN"]], ["DOUBLE"]), answer([["NaN"]], ["DOUBLE"])), answers.EQUAL)
        self.assertEqual(outcome(record([[0.0]], ["DOUBLE"]), answer([[1e-300]], ["DOUBLE"])), answers.WRONG)

    def test_names_and_types_of_columns_count(self):
        self.assertEqual(outcome(record([[1]]), answer([[1]], names=["d"])), answers.WRONG)
        self.assertEqual(outcome(record([[1]]), answer([[1]], types=["INT"])), answers.WRONG)

    def test_order_counts_only_where_the_query_fixes_it(self):
        self.assertEqual(outcome(record([[1], [2]]), answer([[2], [1]])), answers.WRONG)
        self.assertEqual(outcome(record([[1], [2]], ordered=False), answer([[2], [1]])), answers.EQUAL)
        self.assertEqual(outcome(record([[1], [1]], ordered=False), answer([[1], [2]]), [[1], [2]]), answers.WRONG)

    def test_under_limit_without_order_other_rows_of_the_full_answer_are_equal(self):
        wanted = record([[1], [2]], ordered=False, sql="SELECT c FROM t LIMIT 2")
        full = [[1], [2], [3], [4]]
        self.assertEqual(outcome(wanted, answer([[3], [4]]), full), answers.EQUAL)
        self.assertEqual(outcome(wanted, answer([[3], [9]]), full), answers.WRONG)
        self.assertEqual(outcome(wanted, answer([[3]]), full), answers.WRONG)
        self.assertEqual(outcome(wanted, answer([[3], [4]]), [[1], [3], [4]]), answers.WRONG)

    def test_the_ordered_column_must_agree_even_when_ties_are_open(self):
        wanted = record([[2, 7], [1, 8]], ["INT", "INT"], ["k", "v"], ordered=False,
                        sql="SELECT k, v FROM t ORDER BY k DESC LIMIT 2")
        full = [[2, 7], [2, 9], [1, 8], [1, 5]]
        self.assertEqual(outcome(wanted, answer([[2, 9], [1, 8]], ["INT", "INT"], ["k", "v"]), full), answers.EQUAL)
        self.assertEqual(outcome(wanted, answer([[2, 9], [2, 7]], ["INT", "INT"], ["k", "v"]), full), answers.WRONG)

    def test_a_map_is_a_set_of_entries(self):
        wanted = record([[{"a": 1, "b": 2}]], ["MAP"])
        self.assertEqual(outcome(wanted, answer([[{"b": 2, "a": 1}]], ["MAP"])), answers.EQUAL)
        self.assertEqual(outcome(wanted, answer([[{"a": 1}]], ["MAP"])), answers.WRONG)

    def test_the_answer_of_several_servers_wins_over_that_of_one(self):
        other = record([[None]])["resultTable"]
        wanted = record([[0]], resultTableIntermediate=other)
        self.assertEqual(outcome(wanted, answer([[None]])), answers.EQUAL)
        self.assertEqual(outcome(wanted, answer([[0]])), answers.WRONG)

    def test_an_error_is_a_gap_unless_pinot_gives_the_same_code(self):
        refused = {"exceptions": [{"errorCode": 150, "message": "no"}]}
        self.assertEqual(outcome(record([[1]]), refused), answers.GAP)
        failing = {"sql": "SELEC", "resultTable": None, "exceptions": [{"errorCode": 150}]}
        self.assertEqual(outcome(failing, refused), answers.EQUAL)
        self.assertEqual(outcome({**failing, "exceptions": [{"errorCode": 700}]}, refused), answers.GAP)
        self.assertEqual(outcome(failing, answer([[1]])), answers.WRONG)
        self.assertEqual(outcome(record([[1]]), {"exceptions": []}), answers.WRONG)

    def test_a_partial_answer_that_keeps_silent_is_wrong(self):
        self.assertEqual(outcome(record([[1]]), answer([[1]], partialResult=True)), answers.WRONG)

    def test_another_plan_is_a_gap(self):
        wanted = record([["A"]], ["STRING"], sql="EXPLAIN PLAN FOR SELECT c FROM t")
        self.assertEqual(outcome(wanted, answer([["B"]], ["STRING"])), answers.GAP)


if __name__ == "__main__":
    unittest.main()
