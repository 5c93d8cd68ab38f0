#include <algorithm>
#include <bit>

#include "common/base/bits.h"
#include "common/column/forward_index_readers.h"
#include "common/format/bit_stream.h"

namespace trellis::column {
namespace {

using format::BitStream;

class NoScratch : public ReadScratch {};

// `highest` of some ids of a forward index.
Status CheckId(uint32_t highest, uint32_t cardinality, bool any) {
  if (!any || highest < cardinality) return {};
  return Status::Corrupt("forward index holds dictId {}, the dictionary {} values", highest,
                         cardinality);
}

class BitPackedReader : public ForwardIndexReader {
 public:
  BitPackedReader(BitStream ids, uint32_t cardinality) : ids_(ids), cardinality_(cardinality) {}

  bool is_dictionary_encoded() const override { return true; }
  bool is_multi_value() const override { return false; }
  std::unique_ptr<ReadScratch> NewScratch() const override { return std::make_unique<NoScratch>(); }

  Status ReadDictIds(std::span<const uint32_t> docs, ReadScratch& scratch,
                     std::vector<uint32_t>& ids, std::vector<uint32_t>*) const override {
    if (docs.empty()) {
      ids.clear();
      return {};
    }
    const auto document_count = static_cast<uint32_t>(ids_.size());
    if (!IsRange(docs) && IsSparse(docs, kDenseSpan)) {
      ids.resize(docs.size());
      const std::optional<uint32_t> highest = ids_.GatherAscending(docs, ids);
      return highest ? CheckId(*highest, cardinality_, true) : NotAscending(document_count);
    }
    TRELLIS_RETURN_IF_ERROR(CheckPieces(docs, document_count));
    ids.resize(docs.size());
    AdviseIfScan(docs, ids_.BytesFrom(docs.front()), scratch);
    uint32_t highest = 0;
    for (size_t i = 0; i < docs.size();) {
      const std::span<const uint32_t> piece = PieceAt(docs, i);
      highest = std::max(highest, ReadPiece(docs.subspan(i), piece.size(), ids.data() + i));
      i += piece.size();
    }
    return CheckId(highest, cardinality_, true);
  }

 private:
  // Up to this many values of the stream are unpacked for one that is wanted, rather than looking
  // for each: unpacking is that much cheaper.
  static constexpr uint32_t kDenseSpan = 8;

  // Reads the first `count` of `rest`, which are one piece; returns the highest id.
  uint32_t ReadPiece(std::span<const uint32_t> rest, size_t count, uint32_t* to) const {
    const std::span<const uint32_t> docs = rest.first(count);
    const std::span<uint32_t> ids(to, count);
    if (IsRange(docs)) return ids_.Unpack(docs.front(), ids);
    const size_t span = size_t{docs.back() - docs.front()} + 1;
    if (span > count * kDenseSpan) return *ids_.GatherAscending(rest, ids);  // checked
    uint32_t unpacked[kPieceDocs * kDenseSpan];
    ids_.Unpack(docs.front(), std::span(unpacked).first(span));
    uint32_t highest = 0;
    for (size_t i = 0; i < count; ++i) {
      highest = std::max(highest, ids[i] = unpacked[docs[i] - docs.front()]);
    }
    return highest;
  }

  BitStream ids_;
  uint32_t cardinality_;
};

// A pair a dictId: first and last document, both inclusive, tiling the documents (format
// notes 4.3). Pairs are checked where they are used: opening a segment must not cost a walk over
// every dictionary.
class SortedReader : public ForwardIndexReader {
 public:
  SortedReader(ByteView pairs, uint32_t cardinality, uint32_t document_count)
      : pairs_(pairs.data()), cardinality_(cardinality), document_count_(document_count) {}

  bool is_dictionary_encoded() const override { return true; }
  bool is_multi_value() const override { return false; }
  bool is_sorted() const override { return true; }
  std::unique_ptr<ReadScratch> NewScratch() const override { return std::make_unique<NoScratch>(); }

  Status ReadDictIds(std::span<const uint32_t> docs, ReadScratch&, std::vector<uint32_t>& ids,
                     std::vector<uint32_t>*) const override {
    TRELLIS_RETURN_IF_ERROR(CheckDocs(docs, document_count_));
    ids.resize(docs.size());
    for (size_t i = 0; i < docs.size();) {
      const uint32_t id = IdOf(docs[i]);
      TRELLIS_ASSIGN_OR_RETURN(const auto range, DocRange(id));
      if (docs[i] < range.first || docs[i] > range.second) {
        return Status::Corrupt("document {} lies in no document range of a sorted column", docs[i]);
      }
      for (; i < docs.size() && docs[i] <= range.second; ++i) ids[i] = id;
    }
    return {};
  }

  Result<std::pair<uint32_t, uint32_t>> DocRange(uint32_t dict_id) const override {
    if (dict_id >= cardinality_) {
      return Status::Corrupt("dictId {} of a sorted column of {} values", dict_id, cardinality_);
    }
    const uint32_t first = First(dict_id), last = Last(dict_id);
    const bool follows = dict_id == 0 ? first == 0 : uint64_t{Last(dict_id - 1)} + 1 == first;
    const bool ends = dict_id + 1 < cardinality_ || last + uint64_t{1} == document_count_;
    if (first > last || last >= document_count_ || !follows || !ends) {
      return Status::Corrupt(
          "dictId {} of a sorted column has the documents [{}, {}] of {}, out of line", dict_id,
          first, last, document_count_);
    }
    return std::pair(first, last);
  }

 private:
  uint32_t First(uint32_t id) const { return LoadBigEndian<uint32_t>(pairs_ + size_t{id} * 8); }
  uint32_t Last(uint32_t id) const { return LoadBigEndian<uint32_t>(pairs_ + size_t{id} * 8 + 4); }
  // The last id that starts at or before `doc`.
  uint32_t IdOf(uint32_t doc) const {
    uint32_t low = 0;
    for (uint32_t high = cardinality_; high - low > 1;) {
      const uint32_t middle = low + (high - low) / 2;
      (First(middle) <= doc ? low : high) = middle;
    }
    return low;
  }

  const uint8_t* pairs_;
  uint32_t cardinality_;
  uint32_t document_count_;
};

// Format notes 4.4: an offset every docs_per_chunk documents, a bitmap with a one where a row
// starts, the ids. A row is found by walking the bitmap from its chunk's offset.
class MultiValueReader : public ForwardIndexReader {
 public:
  struct Layout {
    ByteView chunk_offsets;
    ByteView starts;
    BitStream ids;
    uint32_t docs_per_chunk = 1;
    uint32_t document_count = 0;
    uint32_t cardinality = 0;
  };
  explicit MultiValueReader(Layout layout) : layout_(layout) {}

  bool is_dictionary_encoded() const override { return true; }
  bool is_multi_value() const override { return true; }
  std::unique_ptr<ReadScratch> NewScratch() const override { return std::make_unique<NoScratch>(); }

  Status ReadDictIds(std::span<const uint32_t> docs, ReadScratch& scratch,
                     std::vector<uint32_t>& ids, std::vector<uint32_t>* offsets) const override {
    TRELLIS_CHECK(offsets != nullptr);
    TRELLIS_RETURN_IF_ERROR(CheckDocs(docs, layout_.document_count));
    ids.clear();
    offsets->assign(1, 0);
    offsets->reserve(docs.size() + 1);
    if (docs.empty()) return {};
    AdviseIfScan(docs, layout_.starts, scratch);
    Cursor cursor;
    for (size_t i = 0; i < docs.size();) {
      const std::span<const uint32_t> piece = PieceAt(docs, i);
      if (IsRange(piece)) {
        TRELLIS_RETURN_IF_ERROR(ReadRows(piece.front(), piece.size(), cursor, ids, *offsets));
      } else {
        for (const uint32_t doc : piece) {
          TRELLIS_RETURN_IF_ERROR(ReadRows(doc, 1, cursor, ids, *offsets));
        }
      }
      i += piece.size();
    }
    return CheckId(HighestOf(ids), layout_.cardinality, !ids.empty());
  }

 private:
  // The values [start, end) of document `doc`; nothing read yet when end is 0.
  struct Cursor {
    uint32_t doc = 0;
    uint64_t start = 0;
    uint64_t end = 0;
  };

  uint64_t value_count() const { return layout_.ids.size(); }

  // Appends the values of the documents [first, first + count), in one go, and the end of each.
  Status ReadRows(uint32_t first, size_t count, Cursor& cursor, std::vector<uint32_t>& ids,
                  std::vector<uint32_t>& offsets) const {
    TRELLIS_RETURN_IF_ERROR(SeekTo(first, cursor));
    const uint64_t start = cursor.start;
    const size_t before = ids.size();
    offsets.push_back(static_cast<uint32_t>(before + (cursor.end - start)));
    if (count > 1) TRELLIS_RETURN_IF_ERROR(WalkRows(count - 1, before - start, cursor, offsets));
    ids.resize(before + (cursor.end - start));
    layout_.ids.Unpack(start, std::span(ids).subspan(before));
    return {};
  }

  // Moves on by `count` rows and appends the end of each plus `shift` (which may wrap).
  Status WalkRows(size_t count, uint64_t shift, Cursor& cursor,
                  std::vector<uint32_t>& offsets) const {
    const uint32_t last = cursor.doc + static_cast<uint32_t>(count);
    uint64_t base = (cursor.end + 1) & ~uint64_t{7};
    uint64_t word = StartsFrom(base) & (~uint64_t{0} >> ((cursor.end + 1) & 7));
    while (cursor.doc < last) {
      // The row of the next document starts where this one ends, and ends at the next one.
      for (; word == 0 && base < value_count(); word = StartsFrom(base)) base += 64;
      const uint64_t end = std::min<uint64_t>(base + std::countl_zero(word), value_count());
      word &= ~(uint64_t{1} << 63 >> ((end - base) & 63));
      cursor = {cursor.doc + 1, cursor.end, end};
      if (cursor.doc % layout_.docs_per_chunk == 0) {
        TRELLIS_RETURN_IF_ERROR(CheckChunkStart(cursor.doc / layout_.docs_per_chunk, cursor.start));
      }
      TRELLIS_RETURN_IF_ERROR(CheckRow(cursor));
      offsets.push_back(static_cast<uint32_t>(end + shift));
    }
    return {};
  }

  // The row starts before the end of the values and ends there if it is the last one, only then.
  Status CheckRow(const Cursor& row) const {
    const bool last = row.doc + 1 == layout_.document_count;
    if (row.start < value_count() && last == (row.end == value_count())) return {};
    return Status::Corrupt("document {} of {} has the values [{}, {}) of {}", row.doc,
                           layout_.document_count, row.start, row.end, value_count());
  }

  // `chunk` starts where the rows before it end.
  Status CheckChunkStart(uint32_t chunk, uint64_t expected) const {
    TRELLIS_ASSIGN_OR_RETURN(const uint64_t start, ChunkStart(chunk));
    if (start == expected) return {};
    return Status::Corrupt("chunk {} of a multi-value column starts at value {}, its rows at {}",
                           chunk, start, expected);
  }

  Result<uint64_t> ChunkStart(uint32_t chunk) const {
    const uint64_t start =
        LoadBigEndian<uint32_t>(layout_.chunk_offsets.data() + size_t{chunk} * 4);
    const bool marked =
        start < value_count() && (layout_.starts[start >> 3] & (0x80 >> (start & 7)));
    if (!marked || (chunk == 0 && start != 0)) {
      return Status::Corrupt(
          "chunk {} of a multi-value column starts at value {} of {}, where no row starts", chunk,
          start, value_count());
    }
    return start;
  }

  Status SeekTo(uint32_t doc, Cursor& cursor) const {
    const uint32_t chunk = doc / layout_.docs_per_chunk;
    if (cursor.end == 0 || cursor.doc / layout_.docs_per_chunk != chunk) {
      const uint32_t first = chunk * layout_.docs_per_chunk;
      if (cursor.end != 0 && cursor.doc + 1 == first) {
        TRELLIS_RETURN_IF_ERROR(CheckChunkStart(chunk, cursor.end));
      }
      TRELLIS_ASSIGN_OR_RETURN(const uint64_t start, ChunkStart(chunk));
      cursor = {first, start, 0};
    } else {
      cursor = {cursor.doc + 1, cursor.end, 0};
    }
    if (doc > cursor.doc) cursor.start = NthStart(cursor.start + 1, doc - cursor.doc);
    cursor.end = cursor.start < value_count() ? NthStart(cursor.start + 1, 1) : cursor.start;
    cursor.doc = doc;
    return CheckRow(cursor);
  }

  // 64 row starts from a value that is a multiple of 8; zeros past the end.
  uint64_t StartsFrom(uint64_t position) const {
    const size_t byte = position >> 3;
    if (byte + 8 <= layout_.starts.size())
      return LoadBigEndian<uint64_t>(layout_.starts.data() + byte);
    uint8_t tail[8] = {};
    if (byte < layout_.starts.size()) {
      std::memcpy(tail, layout_.starts.data() + byte, layout_.starts.size() - byte);
    }
    return LoadBigEndian<uint64_t>(tail);
  }

  // The `n`-th row start at or after `position`, counted from 1, or value_count().
  uint64_t NthStart(uint64_t position, uint64_t n) const {
    const uint64_t skip = position & 7;
    uint64_t base = position - skip;
    uint64_t word = StartsFrom(base) & (~uint64_t{0} >> skip);
    while (base < value_count()) {
      const auto ones = static_cast<uint64_t>(std::popcount(word));
      if (ones >= n) {
        for (; n > 1; --n) word &= ~(uint64_t{1} << (63 - std::countl_zero(word)));
        return std::min<uint64_t>(base + std::countl_zero(word), value_count());
      }
      n -= ones;
      base += 64;
      word = StartsFrom(base);
    }
    return value_count();
  }

  Layout layout_;
};

}  // namespace

Result<std::unique_ptr<ForwardIndexReader>> OpenBitPacked(ByteView payload,
                                                          const ForwardIndexShape& shape) {
  TRELLIS_ASSIGN_OR_RETURN(const BitStream ids,
                           BitStream::Open(payload, shape.document_count, shape.bits_per_element));
  return std::unique_ptr<ForwardIndexReader>(
      std::make_unique<BitPackedReader>(ids, shape.cardinality));
}

Result<std::unique_ptr<ForwardIndexReader>> OpenSorted(ByteView payload,
                                                       const ForwardIndexShape& shape) {
  if (payload.size() != uint64_t{shape.cardinality} * 8 ||
      (shape.cardinality == 0 && shape.document_count > 0)) {
    return Status::Corrupt("sorted forward index of {} bytes, expected {} pairs for {} documents",
                           payload.size(), shape.cardinality, shape.document_count);
  }
  return std::unique_ptr<ForwardIndexReader>(
      std::make_unique<SortedReader>(payload, shape.cardinality, shape.document_count));
}

Result<std::unique_ptr<ForwardIndexReader>> OpenMultiValueIds(ByteView payload,
                                                              const ForwardIndexShape& shape) {
  const int64_t entries = shape.total_entries;
  if (entries < shape.document_count || entries > INT32_MAX) {
    return Status::Corrupt("multi-value column of {} values in {} documents", entries,
                           shape.document_count);
  }
  MultiValueReader::Layout layout;
  layout.document_count = shape.document_count;
  layout.cardinality = shape.cardinality;
  uint64_t chunk_offsets_size = 0;
  if (shape.document_count > 0) {
    constexpr uint64_t kValuesPerChunk = 2048;
    const uint64_t average = static_cast<uint64_t>(entries) / shape.document_count;
    layout.docs_per_chunk = static_cast<uint32_t>(CeilDivide(kValuesPerChunk, average));
    chunk_offsets_size = 4 * CeilDivide(shape.document_count, layout.docs_per_chunk);
  }
  const uint64_t starts_size = CeilDivide(static_cast<uint64_t>(entries), 8);
  if (payload.size() < chunk_offsets_size + starts_size) {
    return Status::Corrupt(
        "multi-value forward index of {} bytes is too short for {} values in {} documents",
        payload.size(), entries, shape.document_count);
  }
  layout.chunk_offsets = payload.first(chunk_offsets_size);
  layout.starts = payload.subspan(chunk_offsets_size, starts_size);
  TRELLIS_ASSIGN_OR_RETURN(layout.ids,
                           BitStream::Open(payload.subspan(chunk_offsets_size + starts_size),
                                           static_cast<uint64_t>(entries), shape.bits_per_element));
  return std::unique_ptr<ForwardIndexReader>(std::make_unique<MultiValueReader>(layout));
}

}  // namespace trellis::column
