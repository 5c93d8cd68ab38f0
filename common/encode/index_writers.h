#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "common/output/output_file.h"
#include "common/types/value.h"
#include "common/vector/column_vector.h"

namespace trellis::encode {

// The null value vector (format notes 7.1): one Roaring bitmap of documents, ascending. Runs as
// Pinot's writer leaves them. Errors: those of the file.
Status WriteNullVector(std::span<const uint32_t> null_documents, output::OutputFile& file);

// The inverted index (format notes 7.2), offsets from the buffer's start. Rows in docId order as in
// forward_writers.h; for single values `offsets` is empty. Memory: 4 bytes a value.
class InvertedIndexWriter {
 public:
  explicit InvertedIndexWriter(uint32_t cardinality);
  Status Append(std::span<const uint32_t> ids, std::span<const uint32_t> offsets);
  Status Finish(output::OutputFile& file);

 private:
  uint32_t cardinality_;
  uint32_t documents_ = 0;
  std::vector<uint32_t> ids_;
  std::vector<uint32_t> starts_;
};

// The range index version 2 (format notes 7.3), single values. `max` is the largest number that
// will be appended. Memory: one block of 65,536 rows.
class RangeIndexWriter {
 public:
  virtual ~RangeIndexWriter() = default;
  // dictIds, or value - min of INT and LONG, or the ordinals of floating numbers (OrderedBits).
  virtual Status Append(std::span<const uint64_t> numbers) = 0;
  virtual Status Finish() = 0;
};
std::unique_ptr<RangeIndexWriter> NewRangeIndexWriter(int64_t min, uint64_t max, uint32_t documents,
                                                      output::OutputFile& file);
// `ord` of format notes 7.3.
uint64_t OrderedBits(double value);
uint32_t OrderedBits(float value);

// The range index version 1 (format notes 7.3): `bucketed`, for multi-value columns or where it is
// configured. Memory: the column's values.
Status WriteBucketedRangeIndex(const ColumnVector& values, output::OutputFile& file);
Status WriteBucketedRangeIndex(std::span<const uint32_t> ids, std::span<const uint32_t> offsets,
                               uint32_t cardinality, output::OutputFile& file);

// The bloom filter (format notes 7.4) of a column's distinct values.
Status WriteBloomFilter(const ColumnVector& distinct, double false_positive_rate,
                        output::OutputFile& file);

}  // namespace trellis::encode
