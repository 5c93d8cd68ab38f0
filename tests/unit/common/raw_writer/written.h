#pragma once

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "common/column/forward_index.h"
#include "common/raw_writer/raw_writer.h"
#include "tests/unit/common/output/work_folder.h"

// Writes indexes to files of their own and gives back the bytes; reads them with our readers.
namespace trellis::raw_writer {

inline uint32_t LongestRow(const ColumnVector& values) {
  uint64_t longest = 0;
  if (values.is_multi_value() || values.physical() == Physical::kBytes) {
    for (size_t row = 0; row < values.size(); ++row)
      longest = std::max(longest, StoredRowBytes(values, row, true));
  }
  return static_cast<uint32_t>(longest);
}

inline Result<RawLayout> LayoutOf(const RawSettings& settings, const ColumnVector& values) {
  return PlanRawLayout(settings, {.type = values.value_type(),
                                  .document_count = static_cast<uint32_t>(values.size()),
                                  .longest_row_bytes = LongestRow(values)});
}

// The chunks that `values` make, as a caller who sees all lengths first counts them.
inline uint32_t ChunksOf(const RawLayout& layout, const ColumnVector& values) {
  ChunkCounter counter(layout.chunk_size_bytes);
  for (size_t row = 0; row < values.size(); ++row)
    counter.Add(StoredRowBytes(values, row, layout.rows_carry_count));
  return counter.count();
}

inline Result<std::string> Write(const RawLayout& layout, const ColumnVector& values,
                                 const RawWriterOptions& options = {}) {
  const WorkFolder folder;
  TRELLIS_ASSIGN_OR_RETURN(auto file, output::OutputFile::Create(folder.path / "index"));
  {
    TRELLIS_ASSIGN_OR_RETURN(const auto writer,
                             NewRawForwardIndexWriter(layout, values.value_type(), options, file));
    TRELLIS_RETURN_IF_ERROR(writer->Append(values));
    TRELLIS_RETURN_IF_ERROR(writer->Finish());
  }
  TRELLIS_RETURN_IF_ERROR(file.Close());
  std::string bytes = ContentOf(folder.path / "index");
  // Nothing is left beside it.
  std::filesystem::remove(folder.path / "index");
  if (!std::filesystem::is_empty(folder.path)) return Status::Internal("something was left");
  return bytes;
}

inline std::string Written(const RawSettings& settings, const ColumnVector& values,
                           const RawWriterOptions& options = {}) {
  const auto layout = LayoutOf(settings, values);
  REQUIRE(layout.ok());
  const auto bytes = Write(*layout, values, options);
  CAPTURE(bytes.status().message());
  REQUIRE(bytes.ok());
  return *bytes;
}

// Views into `bytes` among them.
inline ColumnVector ReadAll(const std::string& bytes, const ColumnVector& like) {
  const auto reader = column::OpenForwardIndex(
      AsBytes(bytes), {.type = like.type(),
                       .multi_value = like.is_multi_value(),
                       .document_count = static_cast<uint32_t>(like.size())});
  CAPTURE(reader.status().message());
  REQUIRE(reader.ok());
  std::vector<uint32_t> docs(like.size());
  for (uint32_t doc = 0; doc < docs.size(); ++doc) docs[doc] = doc;
  ColumnVector out;
  const Status status = (*reader)->ReadValues(docs, *(*reader)->NewScratch(), out);
  CAPTURE(status.message());
  REQUIRE(status.ok());
  return out;
}

inline bool SameRows(const ColumnVector& a, const ColumnVector& b) {
  if (a.size() != b.size()) return false;
  for (size_t row = 0; row < a.size(); ++row)
    if (!(a.Get(row) == b.Get(row))) return false;
  return true;
}

inline ColumnVector Strings(const std::vector<std::string>& rows,
                            DataType type = DataType::kString) {
  ColumnVector values(type);
  for (const std::string& row : rows) values.Append(Value::Bytes(type, row));
  return values;
}

inline uint32_t BigEndianAt(const std::string& bytes, size_t at) {
  return LoadBigEndian<uint32_t>(AsBytes(bytes).data() + at);
}
inline uint32_t LittleEndianAt(const std::string& bytes, size_t at) {
  return LoadLittleEndian<uint32_t>(AsBytes(bytes).data() + at);
}

}  // namespace trellis::raw_writer
