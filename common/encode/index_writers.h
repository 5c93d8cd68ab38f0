#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/base/status.h"
#include "common/format/ordered_bits.h"
#include "common/output/output_file.h"
#include "common/types/value.h"
#include "common/vector/column_vector.h"

// Every writer here: not thread-safe; the file outlives it; its errors are also those of the file.

namespace trellis::encode {

// The null value vector (format notes 7.1): one Roaring bitmap of documents, which ascend strictly.
// Runs as Pinot's writer leaves them. Pinot writes none for a column without nulls.
Status WriteNullVector(std::span<const uint32_t> null_documents, output::OutputFile& file);

// The inverted index (format notes 7.2), offsets from the buffer's start. Rows in docId order as in
// forward_writers.h; for single values `offsets` is empty. Memory: 4 bytes a value and, of
// multi-value columns, 4 a row; another 4 bytes a value and 4 a dictId while it finishes.
class InvertedIndexWriter {
 public:
  explicit InvertedIndexWriter(uint32_t cardinality) : cardinality_(cardinality) {}
  // Errors: InvalidArgument for an id that is not below the cardinality; ResourceExhausted past
  // 2^31 - 1 values.
  Status Append(std::span<const uint32_t> ids, std::span<const uint32_t> offsets);
  // Errors: ResourceExhausted when the bitmaps pass `size_bytes_max`, which offsets can tell. The
  // file must be empty. Once, last.
  Status Finish(output::OutputFile& file, uint64_t size_bytes_max = UINT32_MAX);

 private:
  void SortByDictId(std::vector<uint32_t>& ends, std::vector<uint32_t>& documents) const;

  uint32_t cardinality_;
  uint32_t documents_ = 0;
  std::vector<uint32_t> ids_;
  std::vector<uint32_t> row_ends_;  // empty while all rows are single values
};

// The range index version 2 (format notes 7.3), single values. Memory: one block of 65,536 rows.
class RangeIndexWriter {
 public:
  virtual ~RangeIndexWriter() = default;
  // dictIds, or value - min of INT and LONG, or the ordinals of floating numbers (OrderedBits).
  // Errors: InvalidArgument for a number of more bits than `max`.
  virtual Status Append(std::span<const uint64_t> numbers) = 0;
  // Errors: InvalidArgument when the number of documents was not met; ResourceExhausted past 2 GiB.
  // Once, last.
  virtual Status Finish() = 0;
};
// `min` is written only (0 for dictIds and floating numbers); `max` is the largest number that will
// be appended, but for FLOAT and DOUBLE all 32 or 64 bits (Pinot's choice). The file must be empty.
std::unique_ptr<RangeIndexWriter> NewRangeIndexWriter(int64_t min, uint64_t max, uint32_t documents,
                                                      output::OutputFile& file);
using format::OrderedBits;

// The range index version 1 (format notes 7.3): `bucketed`, for multi-value columns or where it is
// configured. Of numbers (a raw column, all its rows; `values` may be multi-value), or of dictIds
// with the rows' offsets as in forward_writers.h. Memory: 16 bytes a value. The file must be empty.
// Errors: InvalidArgument without a value, for values that are no numbers or an id that is not
// below the cardinality.
Status WriteBucketedRangeIndex(const ColumnVector& values, output::OutputFile& file);
Status WriteBucketedRangeIndex(std::span<const uint32_t> ids, std::span<const uint32_t> offsets,
                               uint32_t cardinality, output::OutputFile& file);

// The bloom filter (format notes 7.4) of a column's distinct values, under Java's text of each.
// Errors: InvalidArgument for a rate outside (0, 1) or that needs more than 255 hashes (below
// 1e-76); ResourceExhausted past 2^31 - 1 words.
// Memory: the filter.
Status WriteBloomFilter(const ColumnVector& distinct, double false_positive_rate,
                        output::OutputFile& file);
// The rate at which a filter of `size_bytes_max` bytes answers for that many values; Pinot takes
// the larger of this and the configured one when `maxSizeInBytes` is configured.
double BloomRateOfSize(uint32_t size_bytes_max, uint32_t distinct_values);

}  // namespace trellis::encode
