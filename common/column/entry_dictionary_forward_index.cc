#include <algorithm>

#include "common/base/bits.h"
#include "common/column/forward_index_readers.h"
#include "common/format/bit_stream.h"

namespace trellis::column {
namespace {

using format::BitStream;

// Format notes 4.5: multi-value rows of dictIds, each different row stored once. Big-endian:
//
//   0  u32 0xFFABCDEF    6  u8 bits of a dictId    8  i32 E = different rows    16 i32 O   20 i32 X
//   4  i16 version 1     7  u8 bits of a row id    12 i32 T = their values
//   24 a row id a document | O  E+1 starts among the values | X  T dictIds
constexpr size_t kHeaderSizeBytes = 24;

// A batch may not grow larger, however often a long row is referred to.
constexpr size_t kBatchValuesMax = size_t{1} << 28;

struct Layout {
  BitStream rows;    // a document's row
  BitStream starts;  // a row's first value; one more than rows
  BitStream ids;
};

struct EntryScratch : ReadScratch {
  std::vector<uint32_t> rows;  // of the batch, then their first values
};

class EntryDictionaryReader : public ForwardIndexReader {
 public:
  EntryDictionaryReader(const Layout& layout, uint32_t cardinality)
      : layout_(layout), cardinality_(cardinality) {}

  bool is_dictionary_encoded() const override { return true; }
  bool is_multi_value() const override { return true; }
  std::unique_ptr<ReadScratch> NewScratch() const override {
    return std::make_unique<EntryScratch>();
  }

  Status ReadDictIds(std::span<const uint32_t> docs, ReadScratch& scratch,
                     std::vector<uint32_t>& ids, std::vector<uint32_t>* offsets) const override {
    TRELLIS_CHECK(offsets != nullptr);
    TRELLIS_RETURN_IF_ERROR(CheckDocs(docs, static_cast<uint32_t>(layout_.rows.size())));
    std::vector<uint32_t>& rows = static_cast<EntryScratch&>(scratch).rows;
    ids.clear();
    offsets->assign(1, 0);
    if (docs.empty()) return {};
    rows.resize(docs.size());
    if (IsRange(docs)) {
      layout_.rows.Unpack(docs.front(), rows);
    } else {
      layout_.rows.GatherAscending(docs, rows);
    }
    offsets->reserve(docs.size() + 1);
    size_t total = 0;
    for (uint32_t& row : rows) {
      TRELLIS_ASSIGN_OR_RETURN(const Range values, RangeOf(row));
      row = values.start;
      total += values.size;
      if (total > kBatchValuesMax) {
        return Status::ResourceExhausted("a batch of more than batch_values_max, {}",
                                         kBatchValuesMax);
      }
      offsets->push_back(static_cast<uint32_t>(total));
    }
    ids.resize(total);
    uint32_t highest = 0;
    for (size_t i = 0; i < docs.size(); ++i) {
      const size_t before = (*offsets)[i];
      const std::span<uint32_t> to = std::span(ids).subspan(before, (*offsets)[i + 1] - before);
      highest = std::max(highest, layout_.ids.Unpack(rows[i], to));
    }
    if (ids.empty() || highest < cardinality_) return {};
    return Status::Corrupt("entry dictionary holds dictId {}, the dictionary {} values", highest,
                           cardinality_);
  }

 private:
  struct Range {
    uint32_t start;
    uint32_t size;
  };

  Result<Range> RangeOf(uint32_t row) const {
    if (uint64_t{row} + 1 >= layout_.starts.size()) {
      return Status::Corrupt("row {} in an entry dictionary of {}", row, layout_.starts.size() - 1);
    }
    const uint32_t start = layout_.starts.At(row), end = layout_.starts.At(row + 1);
    if (start > end || end > layout_.ids.size()) {
      return Status::Corrupt("row {} of an entry dictionary lies at [{}, {}) of {} values", row,
                             start, end, layout_.ids.size());
    }
    return Range{start, end - start};
  }

  Layout layout_;
  uint32_t cardinality_;
};

}  // namespace

bool IsEntryDictionary(ByteView payload) {
  constexpr uint32_t kMagic = 0xFFABCDEF;
  return payload.size() >= 4 && LoadBigEndian<uint32_t>(payload.data()) == kMagic;
}

Result<std::unique_ptr<ForwardIndexReader>> OpenEntryDictionary(ByteView payload,
                                                                const ForwardIndexShape& shape) {
  if (!IsEntryDictionary(payload) || payload.size() < kHeaderSizeBytes) {
    return Status::Corrupt("entry dictionary of {} bytes has no header", payload.size());
  }
  const auto version = LoadBigEndian<int16_t>(payload.data() + 4);
  const int id_bits = payload[6], row_bits = payload[7];
  const auto field = [&](size_t at) { return LoadBigEndian<int32_t>(payload.data() + at); };
  const int32_t rows = field(8), values = field(12);
  const int64_t starts_at = field(16), ids_at = field(20);
  const auto size = static_cast<int64_t>(payload.size());
  if (version != 1 || id_bits != shape.bits_per_element) {
    return Status::Corrupt(
        "entry dictionary of version {} with ids of {} bits, the metadata says {}", version,
        id_bits, shape.bits_per_element);
  }
  if (rows < 0 || values < 0 || static_cast<uint32_t>(rows) > shape.document_count ||
      (rows == 0 && shape.document_count > 0) ||
      row_bits != BitsFor(rows == 0 ? 0 : static_cast<uint64_t>(rows) - 1)) {
    return Status::Corrupt("entry dictionary of {} rows ({} bits) of {} values for {} documents",
                           rows, row_bits, values, shape.document_count);
  }
  if (starts_at < static_cast<int64_t>(kHeaderSizeBytes) || starts_at > ids_at || ids_at > size) {
    return Status::Corrupt("entry dictionary of {} bytes has its starts at {}, its values at {}",
                           size, starts_at, ids_at);
  }
  Layout layout;
  const auto part = [&](int64_t from, int64_t to) {
    return payload.subspan(static_cast<size_t>(from), static_cast<size_t>(to - from));
  };
  TRELLIS_ASSIGN_OR_RETURN(layout.rows, BitStream::Open(part(kHeaderSizeBytes, starts_at),
                                                        shape.document_count, row_bits));
  TRELLIS_ASSIGN_OR_RETURN(layout.starts,
                           BitStream::Open(part(starts_at, ids_at), uint64_t(rows) + 1,
                                           BitsFor(static_cast<uint64_t>(values))));
  TRELLIS_ASSIGN_OR_RETURN(
      layout.ids, BitStream::Open(part(ids_at, size), static_cast<uint64_t>(values), id_bits));
  return std::unique_ptr<ForwardIndexReader>(
      std::make_unique<EntryDictionaryReader>(layout, shape.cardinality));
}

}  // namespace trellis::column
