#include "common/index/inverted_index.h"

namespace trellis::index {

Result<std::unique_ptr<InvertedIndex>> InvertedIndex::Open(ByteView payload, uint32_t cardinality,
                                                           uint32_t document_count) {
  const uint64_t table_size = 4 * (uint64_t{cardinality} + 1);
  if (payload.size() < table_size) {
    return Status::Corrupt("inverted index of {} bytes is too short for {} values", payload.size(),
                           cardinality);
  }
  // Offsets count from the buffer's start in most releases, from the end of the table in others;
  // the first tells which.
  const uint64_t first = LoadBigEndian<uint32_t>(payload.data());
  if (first != 0 && first != table_size) {
    return Status::Corrupt("inverted index starts its bitmaps at {}, expected {} or 0", first,
                           table_size);
  }
  return std::unique_ptr<InvertedIndex>(
      new InvertedIndex(payload, cardinality, document_count, table_size - first));
}

Result<Roaring> InvertedIndex::Documents(uint32_t dict_id) const {
  TRELLIS_CHECK(dict_id < cardinality_);
  const uint8_t* at = payload_.data() + size_t{dict_id} * 4;
  const uint64_t start = base_ + LoadBigEndian<uint32_t>(at);
  const uint64_t end = base_ + LoadBigEndian<uint32_t>(at + 4);
  const uint64_t table_size = 4 * (uint64_t{cardinality_} + 1);
  if (start < table_size || start > end || end > payload_.size()) {
    return Status::Corrupt("bitmap of dictId {} lies at [{}, {}) of {} bytes", dict_id, start, end,
                           payload_.size());
  }
  Result<Roaring> documents =
      bitmap::ReadRoaring(payload_.subspan(start, end - start), document_count_);
  if (!documents.ok())
    return documents.status().WithContext(fmt::format("bitmap of dictId {}", dict_id));
  return documents;
}

}  // namespace trellis::index
