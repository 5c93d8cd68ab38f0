#include "common/segment_writer/column_spill.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace trellis::segment_writer {
namespace {

constexpr uint32_t kBlockRowsMax = 4096;
// A block is written once its values fill this much.
constexpr size_t kBlockSizeBytes = size_t{1} << 18;
constexpr uint64_t kRowsMax = std::numeric_limits<int32_t>::max();

template <class T>
ByteView BytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace

Result<std::unique_ptr<SpillFile>> SpillFile::Create(const std::filesystem::path& path) {
  TRELLIS_ASSIGN_OR_RETURN(output::OutputFile file, output::OutputFile::Create(path));
  return std::unique_ptr<SpillFile>(new SpillFile(std::move(file)));
}

SpillFile::~SpillFile() {
  std::error_code ignored;
  std::filesystem::remove(file_.path(), ignored);
}

Status SpillFile::Map() {
  TRELLIS_RETURN_IF_ERROR(file_.Close());
  TRELLIS_ASSIGN_OR_RETURN(mapped_, memory::MappedFile::Open(file_.path()));
  return {};
}

template <class T>
Status ColumnSpill::AppendTyped(const ColumnVector& values) {
  const std::vector<T>& flat = values.values<T>();
  for (size_t row = 0; row < values.size(); ++row) {
    const size_t from = type_.multi_value ? values.offsets()[row] : row;
    const size_t to = type_.multi_value ? values.offsets()[row + 1] : row + 1;
    for (size_t i = from; i < to; ++i) {
      if constexpr (std::is_same_v<T, std::string_view>) {
        const ByteView text = AsBytes(flat[i]);
        // A row that alone would overflow the 32 bits of an end: no column can hold it either.
        if (text.size() > kRowsMax || bytes_.size() + text.size() > 2 * kRowsMax)
          return Status::ResourceExhausted("row {}: its values take more than 2 GiB", rows_);
        bytes_.insert(bytes_.end(), text.begin(), text.end());
        value_ends_.push_back(static_cast<uint32_t>(bytes_.size()));
      } else {
        const auto* raw = reinterpret_cast<const uint8_t*>(&flat[i]);
        bytes_.insert(bytes_.end(), raw, raw + sizeof(T));
      }
    }
    const auto row_entries = static_cast<uint32_t>(to - from);
    block_entries_ += row_entries;
    entries_ += row_entries;
    longest_row_entries_ = std::max(longest_row_entries_, row_entries);
    if (type_.multi_value) row_ends_.push_back(block_entries_);
    ++block_rows_;
    ++rows_;
    if (block_rows_ == kBlockRowsMax || bytes_.size() >= kBlockSizeBytes)
      TRELLIS_RETURN_IF_ERROR(Flush());
  }
  return {};
}

Status ColumnSpill::Append(const ColumnVector& values) {
  if (rows_ + uint64_t{values.size()} > kRowsMax || entries_ + values.flat_size() > kRowsMax) {
    return Status::ResourceExhausted("more than {} rows or values", kRowsMax);
  }
  return WithPhysical(PhysicalOf(type_.type), [&]<class T>(T) { return AppendTyped<T>(values); });
}

Status ColumnSpill::Flush() {
  if (block_rows_ == 0) return {};
  blocks_.push_back({file_.size_bytes(), rows_ - block_rows_, block_rows_, block_entries_});
  TRELLIS_RETURN_IF_ERROR(file_.Append(BytesOf(row_ends_)));
  TRELLIS_RETURN_IF_ERROR(file_.Append(BytesOf(value_ends_)));
  TRELLIS_RETURN_IF_ERROR(file_.Append(bytes_));
  row_ends_.clear();
  value_ends_.clear();
  bytes_.clear();
  block_rows_ = block_entries_ = 0;
  return {};
}

// A block where it lies in the mapped file.
struct SpillReader::View {
  const uint8_t* row_ends = nullptr;  // null: single values
  const uint8_t* value_ends = nullptr;
  const uint8_t* bytes = nullptr;

  View(const ColumnSpill& spill, const ColumnSpill::Block& block) {
    const uint8_t* at = spill.file_.data() + block.offset;
    if (spill.type_.multi_value) {
      row_ends = at;
      at += size_t{block.rows} * sizeof(uint32_t);
    }
    value_ends = at;
    if (PhysicalOf(spill.type_.type) == Physical::kBytes)
      at += size_t{block.entries} * sizeof(uint32_t);
    bytes = at;
  }
  static uint32_t End(const uint8_t* ends, uint32_t index) {  // 0 before the first
    return index == 0 ? 0 : LoadLittleEndian<uint32_t>(ends + size_t{index - 1} * 4);
  }
  std::pair<uint32_t, uint32_t> Entries(uint32_t row, uint32_t count) const {
    if (row_ends == nullptr) return {row, row + count};
    return {End(row_ends, row), End(row_ends, row + count)};
  }
};

template <class T>
void SpillReader::AppendRows(const View& view, uint32_t from, uint32_t count,
                             ColumnVector& out) const {
  std::vector<T>& flat = out.values<T>();
  const auto [first, last] = view.Entries(from, count);
  if (view.row_ends != nullptr) {
    const auto base = static_cast<uint32_t>(flat.size());
    for (uint32_t row = from; row < from + count; ++row)
      out.offsets().push_back(base + View::End(view.row_ends, row + 1) - first);
  }
  if constexpr (std::is_same_v<T, std::string_view>) {
    const char* text = reinterpret_cast<const char*>(view.bytes);
    uint32_t begin = View::End(view.value_ends, first);
    for (uint32_t i = first; i < last; ++i) {
      const uint32_t end = View::End(view.value_ends, i + 1);
      flat.emplace_back(text + begin, end - begin);
      begin = end;
    }
  } else {
    const size_t at = flat.size();
    flat.resize(at + last - first);
    if (last > first)
      std::memcpy(flat.data() + at, view.bytes + size_t{first} * sizeof(T),
                  size_t{last - first} * sizeof(T));
  }
}

const ColumnSpill::Block& SpillReader::BlockOf(uint32_t row) {
  const auto& blocks = spill_.blocks_;
  const auto holds = [&](size_t i) {
    return row >= blocks[i].first_row && row - blocks[i].first_row < blocks[i].rows;
  };
  if (!holds(last_block_)) {
    const auto next =
        std::upper_bound(blocks.begin(), blocks.end(), row,
                         [](uint32_t r, const auto& block) { return r < block.first_row; });
    last_block_ = static_cast<size_t>(next - blocks.begin()) - 1;
  }
  return blocks[last_block_];
}

template <class T>
void SpillReader::NextTyped(ColumnVector& out) {
  out.values<T>().clear();
  if (order_.empty()) {
    const auto& block = spill_.blocks_[next_++];
    AppendRows<T>(View(spill_, block), 0, block.rows, out);
    out.SetSize(block.rows);
    return;
  }
  const auto count = static_cast<uint32_t>(std::min<size_t>(kBlockRowsMax, order_.size() - next_));
  for (const uint32_t row : order_.subspan(next_, count)) {
    const auto& block = BlockOf(row);
    AppendRows<T>(View(spill_, block), row - block.first_row, 1, out);
  }
  out.SetSize(count);
  next_ += count;
}

bool SpillReader::Next(ColumnVector& out) {
  out.Reset(spill_.type_);
  const size_t end = order_.empty() ? spill_.blocks_.size() : order_.size();
  if (next_ >= end) return false;
  out.offsets().clear();
  if (spill_.type_.multi_value) out.offsets().push_back(0);
  WithPhysical(out.physical(), [&]<class T>(T) { NextTyped<T>(out); });
  return true;
}

}  // namespace trellis::segment_writer
