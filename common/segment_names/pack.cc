#include <algorithm>
#include <array>
#include <memory>

#include "common/segment_names/bit_packing.h"
#include "common/segment_names/column_coding.h"
#include "common/segment_names/front_coding.h"
#include "common/segment_names/name_view_rep.h"
#include "common/segment_names/packed_names.h"
#include "common/segment_names/varint.h"

namespace trellis::segment_names {

namespace {

// Fewer names do not pay for their template.
constexpr size_t kColumnRowsMin = 4;
// A front-coded name takes two lengths and a byte; columns of less than this always win.
constexpr size_t kFrontCodedBytesMin = 3;

// Names of one template, as columns: a block of rows at a time, nothing is kept of earlier ones but
// the last row.
class ColumnPacker {
 public:
  explicit ColumnPacker(const NameView::Rep& names) : names_(names) {}

  // Appends the group's bytes behind its count. REQUIRES: all of the names have `name_template`.
  void Append(const NameTemplate& name_template, std::span<const uint32_t> indexes,
              std::string& out) {
    template_ = &name_template;
    // Most columns differ by a few bits a row; what takes more makes the string grow.
    size_t row_bytes = 1;
    for (const NameTemplate::Column& column : template_->columns) {
      row_bytes += column.kind == ValueKind::kUuid ? kUuidPackedBytes : 1;
    }
    out.reserve(template_->key.size() + kLanesMax * 16 + indexes.size() * row_bytes);
    AppendVarint(template_->key.size(), out);
    out.append(template_->key);
    for (size_t begin = 0; begin < indexes.size(); begin += kBlockRows) {
      const size_t count = std::min(kBlockRows, indexes.size() - begin);
      AppendBlock(indexes.subspan(begin, count), begin == 0, out);
    }
  }

 private:
  void AppendBlock(std::span<const uint32_t> indexes, bool first, std::string& out) {
    const size_t count = indexes.size();
    for (size_t i = 0; i < count; ++i) {
      slots_[i] = names_.chunk(indexes[i]).slots(names_.record(indexes[i]));
    }
    for (size_t lane = 0; lane < template_->lane_count; ++lane) {
      Load(lane, count);
      if (first) values_[lane][0] = values_[lane][1];
    }
    fresh_.fill(1);
    if (first) fresh_[0] = 0;
    for (size_t i = 0; i < template_->columns.size(); ++i) {
      const size_t lane = template_->columns[i].lane;
      if (template_->columns[i].kind == ValueKind::kUuid) {
        AppendUuids(lane, count, out);
        NoteChanges(lane, count);
        NoteChanges(lane + 1, count);
      } else if (i > 0 && template_->columns[i - 1].kind != ValueKind::kUuid &&
                 Follows(lane, count)) {
        out.push_back(static_cast<char>(kFollowingBlock));
        AppendVarint(ZigZag(values_[lane][1] - values_[lane - 1][1]), out);
        NoteChanges(lane, 1);  // the others are the column's before
      } else {
        AppendDifferences(lane, count, first, out);
        NoteChanges(lane, count);
      }
    }
    for (size_t lane = 0; lane < template_->lane_count; ++lane) {
      values_[lane][0] = values_[lane][count];
    }
  }
  void Load(size_t lane, size_t count) {
    const size_t slot = template_->slots[lane];
    int64_t* to = values_[lane].data() + 1;
    if (template_->is_narrow(lane)) {
      for (size_t i = 0; i < count; ++i) to[i] = slots_[i][slot];
    } else {
      for (size_t i = 0; i < count; ++i) to[i] = LoadLane(slots_[i], slot, false);
    }
  }
  bool Follows(size_t lane, size_t count) const {
    const int64_t* values = values_[lane].data() + 1;
    const int64_t* before = values_[lane - 1].data() + 1;
    const int64_t apart = values[0] - before[0];
    for (size_t i = 1; i < count; ++i) {
      if (values[i] - before[i] != apart) return false;
    }
    return true;
  }
  void NoteChanges(size_t lane, size_t count) {
    const auto& values = values_[lane];
    for (size_t i = 0; i < count; ++i) fresh_[i] &= values[i + 1] == values[i];
  }
  void AppendUuids(size_t lane, size_t count, std::string& out) const {
    const size_t at = out.size();
    out.resize(at + count * kUuidPackedBytes);
    auto* to = reinterpret_cast<uint8_t*>(out.data() + at);
    for (size_t i = 1; i <= count; ++i, to += kUuidPackedBytes) {
      StoreBigEndian(static_cast<uint64_t>(values_[lane][i]) ^ kUuidBias, to);
      StoreBigEndian(static_cast<uint64_t>(values_[lane + 1][i]) ^ kUuidBias, to + 8);
    }
  }
  void AppendDifferences(size_t lane, size_t count, bool first, std::string& out) {
    const int64_t* values = values_[lane].data();
    uint64_t zigzag_bits = 0;
    int64_t base = INT64_MAX;  // the least value that is not told by the row before
    for (size_t i = 0; i < count; ++i) {
      zigzag_[i] = ZigZag(values[i + 1] - values[i]);
      zigzag_bits |= zigzag_[i];
      base = std::min(base, fresh_[i] ? INT64_MAX : values[i + 1]);
    }
    uint64_t restarting_bits = 0;
    for (size_t i = 0; i < count; ++i) {
      restarting_[i] = static_cast<uint64_t>(values[i + 1] - (fresh_[i] ? values[i] : base));
      restarting_bits |= restarting_[i];
    }
    const auto restarting_width = static_cast<size_t>(std::bit_width(restarting_bits));
    const auto zigzag_width = static_cast<size_t>(std::bit_width(zigzag_bits));
    const bool has_base = base != INT64_MAX;
    const bool use_zigzag =
        PackedBytes(count, zigzag_width) + (first ? VarintSize(ZigZag(values[1])) : 0) <
        PackedBytes(count, restarting_width) + (has_base ? VarintSize(ZigZag(base)) : 0);
    if (use_zigzag) {
      out.push_back(static_cast<char>(kZigZagBlock | zigzag_width));
      if (first) AppendVarint(ZigZag(values[1]), out);
      AppendBits(zigzag_.data(), count, zigzag_width, out);
    } else {
      out.push_back(static_cast<char>(kRestartingBlock | restarting_width));
      if (has_base) AppendVarint(ZigZag(base), out);
      AppendBits(restarting_.data(), count, restarting_width, out);
    }
  }
  static void AppendBits(const uint64_t* values, size_t count, size_t width, std::string& out) {
    const size_t at = out.size();
    const size_t size = PackedBytes(count, width);
    out.resize(at + size + 8);
    PackBits(values, count, width, out.data() + at);
    out.resize(at + size);
  }

  const NameView::Rep& names_;
  const NameTemplate* template_ = nullptr;
  // Of a block's rows: where their values are; lane by lane their values, each behind that of the
  // row before the block.
  std::array<const int32_t*, kBlockRows> slots_;
  std::array<std::array<int64_t, kBlockRows + 1>, kLanesMax> values_;
  // 1 where no column so far differs from the row before.
  std::array<uint8_t, kBlockRows> fresh_;
  std::array<uint64_t, kBlockRows> restarting_;
  std::array<uint64_t, kBlockRows> zigzag_;
};

class Packer {
 public:
  Packer(const NameView::Rep& names, std::span<const uint32_t> indexes, std::string& out)
      : names_(names), indexes_(indexes), out_(out), columns_(names) {}

  void Run() {
    AppendVarint(indexes_.size(), out_);
    size_t begin = 0;
    while (begin < indexes_.size()) {
      const size_t end = EndOfRun(begin);
      if (PackColumns(begin, end)) text_begin_ = end;
      begin = end;
    }
    FlushText(indexes_.size());
  }

 private:
  std::string_view name(size_t row) const { return names_.text(indexes_[row]); }

  uint32_t template_id(size_t row) const { return names_.record(indexes_[row]).template_id; }
  // The row behind those that share the template of `begin`. Rows come in the templates' order.
  size_t EndOfRun(size_t begin) const {
    const uint32_t id = template_id(begin);
    size_t end = begin + 1;
    while (end < indexes_.size() && template_id(end) == id) ++end;
    return end;
  }
  // False when there is no template or front-coding is smaller; nothing is written then.
  bool PackColumns(size_t begin, size_t end) {
    const size_t rows = end - begin;
    const uint32_t id = template_id(begin);
    if (id == kNoTemplate || rows < kColumnRowsMin) return false;
    group_.clear();
    columns_.Append(names_.name_template(id), indexes_.subspan(begin, rows), group_);
    if (group_.size() > rows * kFrontCodedBytesMin && FrontCodingIsSmaller(begin, end)) {
      return false;
    }
    FlushText(begin);
    AppendVarint(rows << 1, out_);
    out_.append(group_);
    return true;
  }
  bool FrontCodingIsSmaller(size_t begin, size_t end) const {
    size_t left = group_.size();
    std::string_view previous = begin == text_begin_ ? std::string_view() : name(begin - 1);
    for (size_t row = begin; row < end; ++row) {
      const size_t size = FrontCodedSize(previous, name(row));
      if (size >= left) return false;
      left -= size;
      previous = name(row);
    }
    return true;
  }
  // Writes the rows in front of `end` that no group has yet.
  void FlushText(size_t end) {
    if (text_begin_ == end) return;
    AppendVarint((end - text_begin_) << 1 | 1, out_);
    std::string_view previous;
    for (size_t row = text_begin_; row < end; ++row) {
      AppendFrontCoded(previous, name(row), out_);
      previous = name(row);
    }
    text_begin_ = end;
  }

  const NameView::Rep& names_;
  std::span<const uint32_t> indexes_;
  std::string& out_;
  size_t text_begin_ = 0;  // the first row that is in no group yet
  ColumnPacker columns_;
  std::string group_;
};

}  // namespace

void Pack(const NameView& names, std::span<const uint32_t> indexes, std::string& out) {
  Packer(names.rep(), indexes, out).Run();
}

}  // namespace trellis::segment_names
