#include "cli/segment/segment_commands.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/unit/common/segment/tiny_segment.h"

namespace trellis::cli {
namespace {

using segment::ScratchFolder;
using segment::TinySegment;

TEST_CASE("dump writes a line a row") {
  const ScratchFolder folder;
  TinySegment().WriteV3(folder.path());
  std::ostringstream out;
  const std::vector<std::string> columns = {"i"};
  const auto exit_code = DumpSegment(folder.path(), columns, out);
  REQUIRE(exit_code.ok());
  CHECK(*exit_code == 0);
  CHECK(out.str() == "{\"i\":9}\n{\"i\":7}\n{\"i\":null}\n");
}

TEST_CASE("dump to a stream that takes no bytes exits with 1") {
  const ScratchFolder folder;
  TinySegment().WriteV3(folder.path());
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  CHECK(*DumpSegment(folder.path(), {}, out) == 1);
}

TEST_CASE("inspect lists every column with its encoding, sizes, bounds and nulls") {
  const ScratchFolder folder;
  TinySegment segment;
  segment.Metadata("column.i.minValue = 7\ncolumn.i.maxValue = 9\n");
  segment.Buffer("i", "brand_new_index") = "12345";
  segment.WriteV3(folder.path());
  std::ostringstream out;
  REQUIRE(*InspectSegment(folder.path(), out, true) == 0);
  const auto json = nlohmann::json::parse(out.str());
  CHECK(json["name"] == "tiny");
  CHECK(json["layout"] == "v3");
  CHECK(json["documents"] == 3);
  REQUIRE(json["columns"].size() == 2);
  const auto& i = json["columns"][0];
  CHECK(i["encoding"] == "DICTIONARY");
  CHECK(i["bits"] == 1);
  CHECK(i["min"] == "7");
  CHECK(i["nulls"] == 1);
  CHECK(i["indexes"]["dictionary"] == 8);
  CHECK(json["columns"][1]["encoding"] == "SORTED");
  CHECK(json["skipped"] ==
        nlohmann::json::parse(R"([{"column":"i","index":"brand_new_index","sizeBytes":5,
                                   "kind":"unknown index","detail":"5 bytes"}])"));

  std::ostringstream text;
  REQUIRE(*InspectSegment(folder.path(), text, false) == 0);
  CHECK(text.str().find("skipped: brand_new_index of column 'i': unknown index, 5 bytes") !=
        std::string::npos);
  CHECK(text.str().find("forward_index=16") != std::string::npos);
}

TEST_CASE("inspect lists a column that cannot be read, with the reason") {
  const ScratchFolder folder;
  TinySegment segment;
  segment.Drop("i", "forward_index");
  segment.WriteV3(folder.path());
  std::ostringstream out;
  REQUIRE(*InspectSegment(folder.path(), out, true) == 0);
  const auto json = nlohmann::json::parse(out.str());
  CHECK(json["columns"][0]["nulls"].is_null());
  CHECK(json["columns"][0]["unreadable"].get<std::string>().find("forward index") !=
        std::string::npos);
}

TEST_CASE("a path that is no segment is refused") {
  std::ostringstream out;
  CHECK(InspectSegment("/no/such/segment", out, false).status().code() == StatusCode::kNotFound);
  CHECK(DumpSegment("/no/such/segment", {}, out).status().code() == StatusCode::kNotFound);
  CHECK(out.str().empty());
}

}  // namespace
}  // namespace trellis::cli
