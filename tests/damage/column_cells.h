#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/segment/column.h"

namespace trellis::damage {

// What reading one column whole gave.
struct Cells {
  Status status;               // the first error; the rows before it are not kept
  std::vector<uint64_t> rows;  // a hash of each row's value or null
};

// Hands out every buffer as a copy of exactly its size, so that the address sanitizer sees a read
// of one byte too much, which in a mapping would find the next index.
class ExactCopies : public segment::SegmentDirectory {
 public:
  explicit ExactCopies(const segment::SegmentDirectory& directory) : directory_(directory) {}
  bool is_v3() const override { return directory_.is_v3(); }
  std::vector<Entry> entries() const override { return directory_.entries(); }
  bool Has(std::string_view column, std::string_view index) const override {
    return directory_.Has(column, index);
  }
  bool empty() const override { return directory_.empty(); }
  Result<ByteView> Buffer(std::string_view column, std::string_view index) const override;
  Result<HeldBuffer> Hold(std::string_view column, std::string_view index) const override;
  Status CheckIntact() const override { return directory_.CheckIntact(); }
  bool torn() const override { return directory_.torn(); }
  Result<std::string> ReadMetadata() const override { return directory_.ReadMetadata(); }
  Result<std::string> ReadCreationMeta() const override { return directory_.ReadCreationMeta(); }
  std::string FileOf(std::string_view column, std::string_view index) const override {
    return directory_.FileOf(column, index);
  }

 private:
  const segment::SegmentDirectory& directory_;
  mutable std::map<std::pair<std::string, std::string>, std::unique_ptr<uint8_t[]>> copies_;
};

// Reads a column in batches as queries do; every byte of every value is looked at.
Cells ReadCells(const segment::Column& column, uint32_t document_count);
// Opens it first.
Cells ReadCells(const segment::SegmentMetadata& segment, const segment::ColumnMetadata& column,
                const segment::SegmentDirectory& directory);

}  // namespace trellis::damage
