#include "common/segment_names/name_store.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <thread>

#include "tests/unit/common/segment_names/sample_names.h"

namespace trellis::segment_names {

namespace {

std::vector<std::string> Sorted(const std::vector<std::string>& names) {
  NameStore store;
  std::vector<uint32_t> indexes;
  for (const std::string& name : names) indexes.push_back(store.Append(name));
  const NameView view = store.View();
  SortNaturally(view, indexes);
  std::vector<std::string> sorted;
  for (const uint32_t index : indexes) sorted.emplace_back(view.name(index));
  return sorted;
}

}  // namespace

TEST_CASE("names come back as they were appended", "[segment_names]") {
  std::vector<std::string> names = NastyNames();
  std::mt19937_64 random(3);
  while (names.size() < 20'000) names.push_back(RandomName(random));
  NameStore store;
  CHECK(store.View().size() == 0);
  for (size_t i = 0; i < names.size(); ++i) REQUIRE(store.Append(names[i]) == i);
  const NameView view = store.View();
  REQUIRE(store.size() == names.size());
  REQUIRE(view.size() == names.size());
  for (uint32_t i = 0; i < names.size(); ++i) REQUIRE(view.name(i) == names[i]);
  CHECK(view.memory_bytes() > names.size() * 16);
}

TEST_CASE("a view outlives its store and does not see later names", "[segment_names]") {
  NameView view;
  CHECK(view.size() == 0);
  CHECK(view.memory_bytes() == 0);
  {
    NameStore store;
    store.Append("a_1");
    view = store.View();
    store.Append("a_2");
    CHECK(store.View().size() == 2);
  }
  REQUIRE(view.size() == 1);
  CHECK(view.name(0) == "a_1");
}

TEST_CASE("the longest name is taken", "[segment_names]") {
  NameStore store;
  const std::string longest(kNameBytesMax, 'x');
  store.Append(longest);
  store.Append("a");
  CHECK(store.View().name(0) == longest);
  CHECK(store.View().name(1) == "a");
}

TEST_CASE("natural order is by template, then by values as numbers", "[segment_names]") {
  CHECK(Sorted({"a_10", "zz", "a_9", "b", "a_2020-01-10", "a_2020-01-09", "a_1000000000"}) ==
        std::vector<std::string>{"a_9", "a_10", "a_1000000000", "a_2020-01-09", "a_2020-01-10", "b",
                                 "zz"});
  CHECK(Sorted({"t_2_1", "t_10_0", "t_2_0", "t_1_5"}) ==
        std::vector<std::string>{"t_1_5", "t_2_0", "t_2_1", "t_10_0"});
  CHECK(Sorted({"u_f0000000-0000-0000-0000-000000000000", "u_10000000-0000-0000-0000-000000000001",
                "u_10000000-0000-0000-f000-000000000000"}) ==
        std::vector<std::string>{"u_10000000-0000-0000-0000-000000000001",
                                 "u_10000000-0000-0000-f000-000000000000",
                                 "u_f0000000-0000-0000-0000-000000000000"});
  CHECK(Sorted({"x_1970-01-02", "x_1969-12-31", "x_0000-01-01"}) ==
        std::vector<std::string>{"x_0000-01-01", "x_1969-12-31", "x_1970-01-02"});
}

TEST_CASE("Compare is an order, 0 for equal names only, and the same in every store",
          "[segment_names]") {
  std::vector<std::string> names = NastyNames();
  std::mt19937_64 random(5);
  while (names.size() < 300) names.push_back(RandomName(random));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const std::vector<std::string> sorted = Sorted(names);
  std::shuffle(names.begin(), names.end(), random);
  REQUIRE(Sorted(names) == sorted);
  NameStore store;
  for (const std::string& name : sorted) store.Append(name);
  for (const std::string& name : sorted) store.Append(name);
  const NameView view = store.View();
  const auto count = static_cast<uint32_t>(sorted.size());
  for (uint32_t a = 0; a < count; ++a) {
    for (uint32_t b = 0; b < count; ++b) {
      REQUIRE(view.Compare(a, b) == (a > b) - (a < b));
      REQUIRE(view.Compare(a, count + b) == (a > b) - (a < b));
    }
  }
}

TEST_CASE("a view is read while the store grows", "[segment_names]") {
  NameStore store;
  for (int i = 0; i < 3'000; ++i) store.Append(fmt::format("t_{}_{}", i % 7, i));
  const NameView view = store.View();
  size_t wrong = 0;
  std::thread reader([view, &wrong] {
    for (int round = 0; round < 20; ++round) {
      for (uint32_t i = 1; i < view.size(); ++i) {
        wrong += view.name(i) != fmt::format("t_{}_{}", i % 7, i) || view.Compare(i - 1, i) == 0;
      }
    }
  });
  for (int i = 0; i < 50'000; ++i) store.Append(fmt::format("u{}_{}", i % 100, i));
  reader.join();
  CHECK(wrong == 0);
  CHECK(store.View().size() == 53'000);
}

TEST_CASE("a million names take less than 100 bytes each, text included", "[segment_names]") {
  NameStore store;
  for (int i = 0; i < 1'000'000; ++i) store.Append(fmt::format("events__{}__{}__x", i % 64, i));
  const NameView view = store.View();
  REQUIRE(view.size() == 1'000'000);
  CHECK(view.name(999'999) == "events__63__999999__x");
  CHECK(view.memory_bytes() < 100'000'000);
}

}  // namespace trellis::segment_names
