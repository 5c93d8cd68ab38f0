#include <algorithm>
#include <limits>
#include <string>

#include "common/base/bytes.h"
#include "common/encode/index_writers.h"
#include "common/encode/roaring_layout.h"

namespace trellis::encode {
namespace {

constexpr uint64_t kValuesMax = std::numeric_limits<int32_t>::max();
constexpr size_t kPieceSizeBytes = 64 * 1024;

}  // namespace

Status InvertedIndexWriter::Append(std::span<const uint32_t> ids,
                                   std::span<const uint32_t> offsets) {
  const bool multi_value = !offsets.empty();
  if (multi_value) ids = ids.subspan(offsets.front(), offsets.back() - offsets.front());
  if (ids.size() > kValuesMax - ids_.size()) {
    return Status::ResourceExhausted("{} values, an inverted index has {} at most",
                                     ids_.size() + ids.size(), kValuesMax);
  }
  const auto highest = std::max_element(ids.begin(), ids.end());
  if (highest != ids.end() && *highest >= cardinality_)
    return Status::InvalidArgument("dictId {} of a dictionary of {}", *highest, cardinality_);
  const auto before = static_cast<uint32_t>(ids_.size());
  for (size_t row = 1; row < offsets.size(); ++row)
    row_ends_.push_back(before + offsets[row] - offsets.front());
  ids_.insert(ids_.end(), ids.begin(), ids.end());
  documents_ += static_cast<uint32_t>(multi_value ? offsets.size() - 1 : ids.size());
  return {};
}

// A counting sort: the documents of each dictId, ascending, one behind the other.
void InvertedIndexWriter::SortByDictId(std::vector<uint32_t>& ends,
                                       std::vector<uint32_t>& documents) const {
  ends.assign(size_t{cardinality_} + 1, 0);
  for (const uint32_t id : ids_) ++ends[id + 1];
  for (size_t id = 1; id < ends.size(); ++id) ends[id] += ends[id - 1];
  documents.resize(ids_.size());
  // While it runs, ends[id] is where the next document of `id` goes; afterwards, where they end.
  if (row_ends_.empty()) {
    for (uint32_t i = 0; i < ids_.size(); ++i) documents[ends[ids_[i]]++] = i;
  } else {
    uint32_t value = 0;
    for (uint32_t document = 0; document < row_ends_.size(); ++document) {
      for (; value < row_ends_[document]; ++value) documents[ends[ids_[value]]++] = document;
    }
  }
  ends.pop_back();
}

Status InvertedIndexWriter::Finish(output::OutputFile& file, uint64_t size_bytes_max) {
  std::vector<uint32_t> ends, documents;
  SortByDictId(ends, documents);
  ids_ = {};
  row_ends_ = {};
  // The table is written over zeros, in place: an entry tells where its bitmap starts.
  uint64_t size = 4 * (uint64_t{cardinality_} + 1);
  const std::string zeros(std::min<uint64_t>(size, kPieceSizeBytes), '\0');
  for (uint64_t left = size; left > 0; left -= std::min<uint64_t>(left, zeros.size()))
    TRELLIS_RETURN_IF_ERROR(
        file.Append(AsBytes(zeros).first(std::min<uint64_t>(left, zeros.size()))));
  RoaringLayout layout;
  std::string piece;
  uint32_t start = 0;
  for (uint32_t id = 0; id < cardinality_; ++id) {
    const uint32_t end = ends[id];
    const auto first = documents.begin() + start;
    // A row may hold an id more than once.
    const auto last = std::unique(first, documents.begin() + end);
    StoreBigEndian(static_cast<uint32_t>(size), reinterpret_cast<uint8_t*>(&ends[id]));
    const size_t before = piece.size();
    layout.Append({first, last}, RoaringLayout::Runs::kWhereSmaller, piece);
    size += piece.size() - before;
    if (size > size_bytes_max) {
      return Status::ResourceExhausted(
          "an inverted index of {} bytes after {} of {} values, it may have {} at most", size,
          id + 1, cardinality_, size_bytes_max);
    }
    if (piece.size() >= kPieceSizeBytes) {
      TRELLIS_RETURN_IF_ERROR(file.Append(AsBytes(piece)));
      piece.clear();
    }
    start = end;
  }
  TRELLIS_RETURN_IF_ERROR(file.Append(AsBytes(piece)));
  uint8_t end[4];
  StoreBigEndian(static_cast<uint32_t>(size), end);
  TRELLIS_RETURN_IF_ERROR(file.WriteAt(
      0, {reinterpret_cast<const uint8_t*>(ends.data()), ends.size() * sizeof(uint32_t)}));
  return file.WriteAt(ends.size() * sizeof(uint32_t), end);
}

}  // namespace trellis::encode
