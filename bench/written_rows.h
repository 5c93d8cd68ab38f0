#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "common/vector/column_vector.h"

namespace trellis::bench {

// The rows that forward_index_write_bench writes. `distribution` is of their lengths in bytes:
//   uniform_1000_10000  evenly between these
//   exp_0.001           exponential with a mean of 1000
//   incompressible      lengths as the first, random bytes
// The others are text: words of a vocabulary with a few numbers among them, which LZ4 makes about
// half as long. The same rows in every run, for a count and a distribution.
class WrittenRows {
 public:
  // Errors: InvalidArgument for another distribution.
  static Result<WrittenRows> Make(std::string_view distribution, uint32_t count);

  uint32_t count() const { return static_cast<uint32_t>(lengths_.size()); }
  const std::vector<uint32_t>& lengths() const { return lengths_; }
  uint64_t bytes() const { return text_.size(); }
  // Views of the rows, as columns of at most `batch` rows.
  std::vector<ColumnVector> Batches(uint32_t batch) const;
  // For other programs to write the same: a row is its length as i32 BE, then its bytes.
  Status Dump(const std::string& path) const;

 private:
  std::string text_;  // all rows, one behind the other
  std::vector<uint32_t> lengths_;
};

}  // namespace trellis::bench
