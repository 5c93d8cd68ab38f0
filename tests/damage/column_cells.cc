#include "tests/damage/column_cells.h"

#include <functional>
#include <numeric>

namespace trellis::damage {
namespace {

constexpr uint32_t kBatchRows = 1000;

uint64_t Mix(uint64_t hash, uint64_t with) {
  return (hash ^ with) * 0x9E3779B97F4A7C15ULL + (hash >> 29);
}

template <class T>
uint64_t HashOf(const T& value) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return std::hash<std::string_view>()(value);
  } else {
    return std::hash<std::string_view>()({reinterpret_cast<const char*>(&value), sizeof value});
  }
}

void AppendRows(const ColumnVector& vector, std::vector<uint64_t>& rows) {
  WithPhysical(vector.physical(), [&](auto tag) {
    const auto& flat = vector.values<decltype(tag)>();
    for (size_t row = 0; row < vector.size(); ++row) {
      uint64_t hash = vector.is_null(row) ? 1 : 2;
      if (!vector.is_multi_value()) {
        hash = Mix(hash, HashOf(flat[vector.is_constant() ? 0 : row]));
      } else {
        TRELLIS_CHECK(vector.offsets()[row] <= vector.offsets()[row + 1]);
        for (uint32_t i = vector.offsets()[row]; i < vector.offsets()[row + 1]; ++i)
          hash = Mix(hash, HashOf(flat[i]));
      }
      rows.push_back(hash);
    }
  });
}

}  // namespace

Result<ByteView> ExactCopies::Buffer(std::string_view column, std::string_view index) const {
  TRELLIS_ASSIGN_OR_RETURN(const ByteView bytes, directory_.Buffer(column, index));
  auto& copy = copies_[{std::string(column), std::string(index)}];
  if (copy == nullptr) {
    copy = std::make_unique_for_overwrite<uint8_t[]>(bytes.size());
    std::copy(bytes.begin(), bytes.end(), copy.get());
  }
  return ByteView(copy.get(), bytes.size());
}

Result<segment::SegmentDirectory::HeldBuffer> ExactCopies::Hold(std::string_view column,
                                                                std::string_view index) const {
  TRELLIS_ASSIGN_OR_RETURN(const ByteView bytes, Buffer(column, index));
  return HeldBuffer{bytes, nullptr};
}

Cells ReadCells(const segment::Column& column, uint32_t document_count) {
  Cells cells;
  const auto scratch = column.forward().NewScratch();
  std::vector<uint32_t> docs;
  ColumnVector vector;
  for (uint32_t first = 0; first < document_count;) {
    docs.resize(std::min(kBatchRows, document_count - first));
    std::iota(docs.begin(), docs.end(), first);
    first += static_cast<uint32_t>(docs.size());
    cells.status = column.Read(docs, *scratch, vector);
    if (!cells.status.ok()) return cells;
    TRELLIS_CHECK(vector.size() == docs.size());
    AppendRows(vector, cells.rows);
  }
  return cells;
}

Cells ReadCells(const segment::SegmentMetadata& segment, const segment::ColumnMetadata& column,
                const segment::SegmentDirectory& directory) {
  const auto opened = segment::OpenColumnOf(segment, column, directory);
  if (opened.ok()) return ReadCells(**opened, segment.document_count);
  Cells cells;
  cells.status = opened.status();
  return cells;
}

}  // namespace trellis::damage
