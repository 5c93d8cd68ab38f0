#pragma once

#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "common/segment/row_dump.h"
#include "common/segment/segment.h"
#include "common/segment_writer/segment_builder.h"
#include "common/table_config/schema_json.h"
#include "common/verify/verify_segment.h"

// What the tests of the segment builder share: a folder, segments built of rows, and the segments
// that Pinot 1.5.1 wrote (tests/peer/README.md).
namespace trellis::segment_writer {

class TestFolder {
 public:
  TestFolder()
      : path_(
            std::filesystem::temp_directory_path() /
            ("segment_writer_test." + std::to_string(::getpid()) + "." + std::to_string(next_++))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }
  std::vector<std::string> entries() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  inline static std::atomic<int> next_ = 0;
  std::filesystem::path path_;
};

inline FieldSpec Field(std::string name, DataType type, bool multi_value = false,
                       FieldRole role = FieldRole::kDimension) {
  FieldSpec field;
  field.name = std::move(name);
  field.type = type;
  field.multi_value = multi_value;
  field.role = type == DataType::kMap ? FieldRole::kComplex : role;
  field.default_null = DefaultNullValue(type, role == FieldRole::kMetric);
  return field;
}

inline BuildSettings Settings(const TestFolder& folder, std::vector<FieldSpec> fields) {
  BuildSettings settings;
  settings.schema = Schema("t", std::move(fields));
  settings.segment_name = "built";
  settings.table_name = "t";
  settings.output = folder.path() / "built";
  settings.creation_time_ms = 1764504000000;
  return settings;
}

using Batch = std::vector<ColumnVector>;

inline Result<BuildReport> Build(const BuildSettings& settings, const std::vector<Batch>& batches) {
  TRELLIS_ASSIGN_OR_RETURN(const auto builder, SegmentBuilder::Create(settings));
  for (const Batch& batch : batches) TRELLIS_RETURN_IF_ERROR(builder->Append(batch));
  return builder->Finish(nullptr);
}

// Each regular file below `folder`, by its path within.
inline std::map<std::string, std::string> FilesIn(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files[entry.path().lexically_relative(folder).string()] =
        std::string(std::istreambuf_iterator<char>(file), {});
  }
  return files;
}

inline std::vector<std::string> RowsOf(const std::filesystem::path& path) {
  std::vector<std::string> rows;
  const auto segment = segment::Segment::Open(path);
  INFO(segment.status().message());
  REQUIRE(segment.ok());
  const Status status = segment::DumpRows(**segment, {}, [&](std::string_view row) {
    rows.emplace_back(row);
    return true;
  });
  INFO(status.message());
  REQUIRE(status.ok());
  return rows;
}

// Nothing is wrong with it, and nothing is worth a note.
inline void CheckVerifies(const std::filesystem::path& path) {
  const auto faults = verify::VerifySegment(path);
  REQUIRE(faults.ok());
  for (const verify::Fault& fault : *faults) UNSCOPED_INFO(verify::FaultText(fault));
  CHECK(faults->empty());
}

// All rows of a segment in batches, columns in the order of `schema`.
inline std::vector<Batch> ReadRows(const segment::Segment& segment, const Schema& schema,
                                   uint32_t rows_a_batch) {
  std::vector<Batch> batches;
  for (uint32_t from = 0; from < segment.document_count(); from += rows_a_batch) {
    std::vector<uint32_t> docs;
    for (uint32_t i = from; i < std::min(from + rows_a_batch, segment.document_count()); ++i)
      docs.push_back(i);
    Batch batch;
    for (const FieldSpec& field : schema.fields()) {
      const auto column = segment.OpenColumn(field.name);
      INFO(column.status().message());
      REQUIRE(column.ok());
      ColumnVector read, owned(field.value_type());
      const auto scratch = (*column)->forward().NewScratch();
      REQUIRE((*column)->Read(docs, *scratch, read).ok());
      owned.AppendAll(read);
      batch.push_back(std::move(owned));
    }
    batches.push_back(std::move(batch));
  }
  return batches;
}

}  // namespace trellis::segment_writer
