#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "common/segment/segment.h"
#include "common/types/schema.h"
#include "server/operators/segment_source.h"

namespace trellis::server {

// The example table `rides`: five segments of 1,000 rows, opened once a test binary.
struct ExampleRides {
  std::vector<std::shared_ptr<const segment::Segment>> segments;
  std::shared_ptr<const Schema> schema;

  ValueType TypeOf(const std::string& column) const { return schema->Find(column)->value_type(); }
  plan::Expression Column(const std::string& name) const {
    return plan::Expression::Column(name, TypeOf(name));
  }
};

inline std::filesystem::path ExampleDataPath() { return TRELLIS_EXAMPLE_DATA; }

inline const ExampleRides& Rides() {
  static const ExampleRides rides = [] {
    ExampleRides made;
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(ExampleDataPath() / "rides"))
      if (entry.is_directory()) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    for (const auto& path : paths) made.segments.push_back(segment::Segment::Open(path).value());
    made.schema = std::make_shared<const Schema>(
        segment::DeriveSchema("rides", made.segments.back()->metadata()));
    return made;
  }();
  return rides;
}

inline std::vector<uint32_t> AllDocuments(const segment::Segment& segment) {
  std::vector<uint32_t> docs(segment.document_count());
  std::iota(docs.begin(), docs.end(), 0);
  return docs;
}

// One expression over every row of a segment: the values as stored, and which of them are null.
struct ScannedColumn {
  std::vector<Value> values;
  std::vector<bool> nulls;
};

inline ScannedColumn Scan(const segment::Segment& segment, const Schema& schema,
                          const plan::Expression& expression) {
  SegmentSource source(segment, schema);
  const std::vector<uint32_t> docs = AllDocuments(segment);
  source.SetDocuments(docs);
  auto evaluator =
      eval::Evaluator::Create(expression, eval::Layer::kTransform, {.null_handling = true});
  REQUIRE(evaluator.status().message() == "");
  const auto vector = evaluator->Evaluate(source);
  REQUIRE(vector.status().message() == "");
  ScannedColumn scanned;
  ColumnVector stored = **vector;
  stored.ClearNulls();
  for (size_t row = 0; row < docs.size(); ++row) {
    scanned.nulls.push_back((*vector)->is_null(row));
    scanned.values.push_back(stored.Get(row));
  }
  return scanned;
}

}  // namespace trellis::server
