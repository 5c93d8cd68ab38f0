"""Plants one fault per rule and checks that exactly that rule reports it, and that a clean tree passes."""
import types
import unittest

import house_rules as rules
import rooms_test

ROOMS = {"proto": set(), "common/base": set(), "common/format": {"common/base"},
         "common/wire": {"common/base", "proto"}, "broker/front": {"common/wire"},
         "server/store": {"common/format"}}
GOOD = {
    "common/base/status.h": "#pragma once\n",
    "common/base/status.cc": '#include "common/base/status.h"\n',
    "common/format/layout.h": '#pragma once\n#include "common/base/status.h"\n',
    "common/format/layout.cc": '#include "common/format/layout.h"\n#include <vector>\n',
    "common/wire/codec.cc": '#include "trellis/v1/leaf.pb.h"\n',
    "broker/front/door.cc": "#include <grpcpp/server.h>\n#include <nlohmann/json.hpp>\n",
}


def no_exemptions(**tables):
    empty = dict(UNMIRRORED={}, LONG_FILES={}, LONG_HEADERS={}, JSON={"broker/front": "door"})
    return types.SimpleNamespace(**{**empty, **tables})


def faults(changed, rooms=None, exemptions=None, without=()):
    """Returns the faults of the good tree after `changed` files were put in and `without` taken out."""
    rooms = ROOMS if rooms is None else rooms
    texts = {**GOOD, **changed}
    texts = {**{rules.test_path(path): "" for path in texts if path.endswith(".cc")}, **texts}
    texts = {path: text for path, text in texts.items() if path not in without}
    files = set(texts) | {f"{room}/README.md" for room in rooms}
    return rooms_test.check_tree(files - set(without), texts, rooms, exemptions or no_exemptions())


class PlantedFaults(unittest.TestCase):
    def assert_one(self, found, start, words):
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(start), found)
        self.assertIn(words, found[0])

    def test_a_clean_tree_has_no_faults(self):
        self.assertEqual(faults({}), [])

    def test_an_include_of_a_room_outside_deps_is_named_with_its_line(self):
        self.assert_one(faults({"common/base/up.cc": '\n#include "common/format/layout.h"\n'}),
                        "common/base/up.cc:2:", "may not include common/format")

    def test_a_relative_include_is_resolved_before_it_is_judged(self):
        self.assert_one(faults({"common/base/up.cc": '#include "../format/layout.h"\n'}),
                        "common/base/up.cc:1:", "may not include common/format")

    def test_a_file_outside_every_room_is_refused(self):
        self.assert_one(faults({"common/stray.cc": ""}), "common/stray.cc:1:", "no room")

    def test_a_generated_message_outside_the_codec_rooms_is_refused(self):
        self.assert_one(faults({"common/format/x.cc": '#include "trellis/v1/plan.pb.h"\n'}),
                        "common/format/x.cc:1:", "plan.pb.h")

    def test_a_generated_message_in_a_header_is_refused_even_in_a_codec_room(self):
        text = '#pragma once\n#include "trellis/v1/plan.pb.h"\n'
        self.assert_one(faults({"common/wire/x.h": text}), "common/wire/x.h:2:", "header")

    def test_grpc_outside_the_doors_is_refused(self):
        for name in ("grpcpp/channel.h", "grpc/slice.h"):
            self.assert_one(faults({"common/wire/x.cc": f"#include <{name}>\n"}),
                            "common/wire/x.cc:1:", name)

    def test_json_on_a_rows_path_is_refused(self):
        self.assert_one(faults({"common/format/x.cc": "#include <nlohmann/json.hpp>\n"}),
                        "common/format/x.cc:1:", "nlohmann")

    def test_one_file_of_a_room_can_be_allowed_json(self):
        allowed = no_exemptions(JSON={"broker/front": "door", "common/format/x.cc": "why"})
        change = {"common/format/x.cc": "#include <nlohmann/json.hpp>\n"}
        self.assertEqual(faults(change, exemptions=allowed), [])
        change = {"common/format/y.cc": "#include <nlohmann/json.hpp>\n"}
        self.assert_one(faults(change, exemptions=allowed), "common/format/y.cc:1:", "nlohmann")

    def test_a_file_is_refused_from_501_lines_on(self):
        self.assertEqual(faults({"common/base/long.cc": "\n" * 500}), [])
        self.assert_one(faults({"common/base/long.cc": "\n" * 501}), "common/base/long.cc:501:",
                        "over 500")

    def test_a_header_is_refused_from_201_lines_on(self):
        text = "#pragma once\n"
        self.assertEqual(faults({"common/base/long.h": text + "\n" * 199}), [])
        self.assert_one(faults({"common/base/long.h": text + "\n" * 200}),
                        "common/base/long.h:201:", "header")

    def test_a_line_of_101_columns_is_refused(self):
        self.assertEqual(list(rules.check_columns("common/base/wide.cc", "x" * 100)), [])
        self.assert_one(list(rules.check_columns("common/base/wide.cc", "x" * 101)), "common/base/wide.cc:1:", "101")

    def test_an_upper_bound_on_a_clock_is_refused_in_tests(self):
        bound = "CHECK(std::chrono::steady_clock::now() - start < 1s);"
        self.assert_one(list(rules.check_asserted_time("tests/unit/a_test.cc", bound)), "tests/unit/a_test.cc:1:", "took")
        self.assertEqual(list(rules.check_asserted_time("bench/a.cc", bound)), [])
        waited = "CHECK(std::chrono::steady_clock::now() - start >= 300ms);"
        self.assertEqual(list(rules.check_asserted_time("tests/unit/a_test.cc", waited)), [])

    def test_names_that_say_nothing_are_refused(self):
        for stem in ("utils", "string_util", "test_helpers", "misc", "io_common"):
            self.assert_one(faults({f"common/base/{stem}.cc": ""}), f"common/base/{stem}.cc:1:",
                            "name it")
        self.assertEqual(faults({"common/base/utility_meter.cc": ""}), [])

    def test_a_header_without_a_guard_is_refused(self):
        self.assert_one(faults({"common/base/x.h": "\n"}), "common/base/x.h:1:", "pragma once")

    def test_a_source_file_without_its_mirrored_test_is_refused(self):
        gone = ["tests/unit/common/base/status_test.cc"]
        self.assert_one(faults({}, without=gone), "common/base/status.cc:1:", gone[0])
        allowed = no_exemptions(UNMIRRORED={"common/base/status.cc": "covered elsewhere"})
        self.assertEqual(faults({}, without=gone, exemptions=allowed), [])

    def test_a_test_beside_that_includes_the_header_covers_the_source_file(self):
        gone = ["tests/unit/common/base/status_test.cc"]
        beside = "tests/unit/common/base/errors_test.cc"
        includes = '#include "common/base/status.h"\n'
        self.assertEqual(faults({beside: includes}, without=gone), [])
        self.assertEqual(len(faults({beside: ""}, without=gone)), 1)
        self.assertEqual(len(faults({beside.replace("base", "format"): includes}, without=gone)), 1)

    def test_a_file_that_only_its_own_room_includes_is_covered_by_any_test_of_the_room(self):
        beside = {"tests/unit/common/format/reading_test.cc": ""}
        gone = ["tests/unit/common/format/layout_test.cc"]
        self.assertEqual(faults(beside, without=gone), [])
        self.assert_one(faults({}, without=gone), "common/format/layout.cc:1:", gone[0])
        outside = {"server/store/store.cc": '#include "common/format/layout.h"\n'}
        self.assert_one(faults({**beside, **outside}, without=gone), "common/format/layout.cc:1:", gone[0])

    def test_an_exemption_that_no_longer_applies_is_refused(self):
        allowed = no_exemptions(UNMIRRORED={"common/format/layout.cc": "old reason"})
        self.assert_one(faults({}, exemptions=allowed), "exemptions.py:1:", "has its test")
        allowed = no_exemptions(LONG_FILES={"common/gone.cc": "old reason"})
        self.assert_one(faults({}, exemptions=allowed), "exemptions.py:1:", "not there")
        allowed = no_exemptions(LONG_FILES={"common/base/status.cc": "old reason"})
        self.assert_one(faults({}, exemptions=allowed), "exemptions.py:1:", "short enough")

    def test_an_exemption_without_a_reason_is_refused(self):
        allowed = no_exemptions(JSON={"broker/front": " "})
        self.assert_one(faults({}, exemptions=allowed), "exemptions.py:1:", "no reason")

    def test_a_room_without_a_readme_is_refused(self):
        self.assert_one(faults({}, without=["common/base/README.md"]), "common/base/README.md:1:",
                        "no README")

    def test_a_cycle_is_named_with_its_rooms(self):
        rooms = {**ROOMS, "common/base": {"common/format"}}
        found = list(rules.check_cycles(rooms))
        self.assertEqual(len(found), 1, found)
        self.assertIn("common/base -> common/format -> common/base", found[0])

    def test_an_edge_between_broker_and_server_is_refused(self):
        rooms = {**ROOMS, "server/store": {"broker/front"}}
        self.assert_one(faults({}, rooms=rooms), "rooms.txt:1:", "may not depend on broker/front")

    def test_an_edge_from_the_street_into_a_house_is_refused(self):
        rooms = {**ROOMS, "common/wire": {"common/base", "proto", "broker/front"},
                 "broker/front": set()}
        self.assert_one(list(rules.check_sides(rooms)), "rooms.txt:1:",
                        "common/wire may not depend on broker/front")


if __name__ == "__main__":
    unittest.main()
