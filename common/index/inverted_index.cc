#include "common/index/inverted_index.h"

namespace trellis::index {
namespace {

constexpr int32_t kLegacyVersion = 1;
constexpr size_t kLegacyHeaderSizeBytes = 44;

uint64_t TableSize(uint32_t cardinality) { return 4 * (uint64_t{cardinality} + 1); }

}  // namespace

Result<std::unique_ptr<InvertedIndex>> InvertedIndex::Open(ByteView payload, uint32_t cardinality,
                                                           uint32_t document_count) {
  const uint64_t table_size = TableSize(cardinality);
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
  const uint64_t table_size = TableSize(cardinality_);
  if (start < table_size || start > end || end > payload_.size()) {
    return Status::Corrupt("bitmap of dictId {} lies at [{}, {}) of {} bytes", dict_id, start, end,
                           payload_.size());
  }
  Result<Roaring> documents =
      bitmap::ReadRoaring(payload_.subspan(start, end - start), document_count_);
  if (!documents.ok()) {
    return documents.status().WithContext(
        fmt::format("bitmap of dictId {} at offset {}", dict_id, start));
  }
  return documents;
}

Status InvertedIndex::Check(bool single_value) const {
  Roaring seen;
  for (uint32_t id = 0; id < cardinality_; ++id) {
    TRELLIS_ASSIGN_OR_RETURN(const Roaring documents, Documents(id));
    if (single_value && seen.intersect(documents)) {
      return Status::Corrupt("bitmap of dictId {} holds document {}, which has a lower dictId too",
                             id, (seen & documents).minimum());
    }
    seen |= documents;
  }
  const uint64_t end = base_ + LoadBigEndian<uint32_t>(payload_.data() + size_t{cardinality_} * 4);
  if (end != payload_.size()) {
    return Status::Corrupt("the last bitmap ends at offset {}, the index at {}", end,
                           payload_.size());
  }
  if (single_value && seen.cardinality() != document_count_) {
    return Status::Corrupt("{} documents have a dictId, the segment has {}", seen.cardinality(),
                           document_count_);
  }
  return {};
}

bool LegacyRawInvertedIndex::Recognizes(ByteView payload) {
  return payload.size() >= kLegacyHeaderSizeBytes &&
         LoadBigEndian<int32_t>(payload.data()) == kLegacyVersion;
}

// i32 version, i32 cardinality, i32 longest entry, i64 offset and i64 length of the dictionary,
// then of the bitmaps, whose offsets count from the start of all.
Result<std::unique_ptr<LegacyRawInvertedIndex>> LegacyRawInvertedIndex::Open(
    ByteView payload, DataType type, uint32_t document_count) {
  if (!Recognizes(payload)) {
    return Status::Corrupt("{} bytes are no inverted index with a dictionary of its own",
                           payload.size());
  }
  const auto cardinality = LoadBigEndian<int32_t>(payload.data() + 4);
  const auto width = LoadBigEndian<int32_t>(payload.data() + 8);
  const auto dictionary_offset = LoadBigEndian<uint64_t>(payload.data() + 12);
  const auto dictionary_size = LoadBigEndian<uint64_t>(payload.data() + 20);
  const auto bitmaps_offset = LoadBigEndian<uint64_t>(payload.data() + 28);
  const auto bitmaps_size = LoadBigEndian<uint64_t>(payload.data() + 36);
  const uint64_t left = payload.size() - kLegacyHeaderSizeBytes;
  if (cardinality < 0 || width < 0 || dictionary_offset != kLegacyHeaderSizeBytes ||
      dictionary_size > left || bitmaps_offset != kLegacyHeaderSizeBytes + dictionary_size ||
      bitmaps_size != left - dictionary_size) {
    return Status::Corrupt(
        "inverted index of {} bytes says {} values, a dictionary of {} bytes at {} and {} bytes of "
        "bitmaps at {}",
        payload.size(), cardinality, dictionary_size, dictionary_offset, bitmaps_size,
        bitmaps_offset);
  }
  const auto count = static_cast<uint32_t>(cardinality);
  std::unique_ptr<LegacyRawInvertedIndex> index(new LegacyRawInvertedIndex());
  TRELLIS_ASSIGN_OR_RETURN(
      index->dictionary_,
      column::OpenDictionary(payload.subspan(dictionary_offset, dictionary_size), type, count,
                             static_cast<uint32_t>(width)));
  if (index->dictionary_->size() != count) {
    return Status::Corrupt("the dictionary holds {} values, the header says {}",
                           index->dictionary_->size(), cardinality);
  }
  const ByteView bitmaps = payload.subspan(bitmaps_offset);
  const uint64_t table_size = TableSize(count);
  if (bitmaps.size() < table_size)
    return Status::Corrupt("{} bytes of bitmaps for {} values", bitmaps.size(), cardinality);
  const uint64_t first = LoadBigEndian<uint32_t>(bitmaps.data());
  if (first != bitmaps_offset + table_size) {
    return Status::Corrupt("the first bitmap lies at {}, expected {}", first,
                           bitmaps_offset + table_size);
  }
  index->bitmaps_.reset(new InvertedIndex(bitmaps, count, document_count, 0 - bitmaps_offset));
  return index;
}

}  // namespace trellis::index
