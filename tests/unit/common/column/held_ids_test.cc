#include "common/column/held_ids.h"

#include <catch2/catch.hpp>

namespace trellis::column {
namespace {

using Ids = std::vector<uint32_t>;

TEST_CASE("held ids of single values are read by document") {
  const auto forward = MakeHeldForwardIndex({{7, 8, 9}, {}});
  const auto scratch = forward->NewScratch();
  CHECK(forward->is_dictionary_encoded());
  CHECK_FALSE(forward->is_multi_value());
  Ids ids = {99};
  REQUIRE(forward->ReadDictIds(Ids{0, 2}, *scratch, ids, nullptr).ok());
  CHECK(ids == Ids{7, 9});
  CHECK_FALSE(forward->ReadDictIds(Ids{3}, *scratch, ids, nullptr).ok());
  CHECK_FALSE(forward->ReadDictIds(Ids{1, 1}, *scratch, ids, nullptr).ok());
}

TEST_CASE("held ids of several values are read row by row, empty rows included") {
  const auto forward = MakeHeldForwardIndex({{1, 2, 5}, {0, 2, 2, 3}});
  const auto scratch = forward->NewScratch();
  CHECK(forward->is_multi_value());
  Ids ids, offsets;
  REQUIRE(forward->ReadDictIds(Ids{0, 1, 2}, *scratch, ids, &offsets).ok());
  CHECK(ids == Ids{1, 2, 5});
  CHECK(offsets == Ids{0, 2, 2, 3});
  REQUIRE(forward->ReadDictIds(Ids{2}, *scratch, ids, &offsets).ok());
  CHECK(ids == Ids{5});
  CHECK(offsets == Ids{0, 1});
  CHECK_FALSE(forward->ReadDictIds(Ids{3}, *scratch, ids, &offsets).ok());
}

}  // namespace
}  // namespace trellis::column
