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

// Names of one template, as columns.
class RunPacker {
 public:
  // Appends the group's bytes behind its count.
  void Pack(const NameView::Rep& names, std::span<const uint32_t> indexes,
            const NameTemplate& name_template, std::string& out) {
    template_ = &name_template;
    rows_ = indexes.size();
    if (capacity_ < rows_ * name_template.lane_count) {
      capacity_ = rows_ * name_template.lane_count;
      lanes_ = std::make_unique_for_overwrite<int64_t[]>(capacity_);
    }
    Gather(names, indexes);
    AppendVarint(name_template.key.size(), out);
    out.append(name_template.key);
    codings_.clear();
    for (size_t i = 0; i < name_template.columns.size(); ++i) ChooseCoding(i, out);
    for (size_t begin = 0; begin < rows_; begin += kBlockRows) AppendBlock(begin, out);
  }

 private:
  struct LaneFacts {
    int64_t least;
    bool constant;
    bool follows;  // the lane before plus a constant
  };
  struct Coding {
    ColumnCoding coding;
    int64_t base;
  };

  int64_t* lane(size_t index) const { return lanes_.get() + index * rows_; }

  void Gather(const NameView::Rep& names, std::span<const uint32_t> indexes) {
    std::array<const int32_t*, kBlockRows> slots;
    for (size_t begin = 0; begin < rows_; begin += kBlockRows) {
      const size_t count = std::min(kBlockRows, rows_ - begin);
      for (size_t i = 0; i < count; ++i) {
        const uint32_t index = indexes[begin + i];
        slots[i] = names.chunk(index).slots(names.record(index));
      }
      for (size_t l = 0; l < template_->lane_count; ++l) {
        const size_t slot = template_->slots[l];
        int64_t* to = lane(l) + begin;
        if (template_->is_narrow(l)) {
          for (size_t i = 0; i < count; ++i) to[i] = slots[i][slot];
        } else {
          for (size_t i = 0; i < count; ++i) to[i] = LoadLane(slots[i], slot, false);
        }
      }
    }
  }
  LaneFacts FactsOf(size_t l) const {
    const int64_t* values = lane(l);
    int64_t least = values[0];
    int64_t varies = 0;
    for (size_t i = 0; i < rows_; ++i) {
      least = std::min(least, values[i]);
      varies |= values[i] ^ values[0];
    }
    bool follows = l > 0;
    if (follows) {
      const int64_t* before = lane(l - 1);
      const uint64_t apart = static_cast<uint64_t>(values[0]) - static_cast<uint64_t>(before[0]);
      for (size_t i = 0; i < rows_ && follows; ++i) {
        follows = static_cast<uint64_t>(values[i]) - static_cast<uint64_t>(before[i]) == apart;
      }
    }
    return {least, varies == 0, follows};
  }
  void ChooseCoding(size_t index, std::string& out) {
    const NameTemplate::Column& column = template_->columns[index];
    Coding chosen{ColumnCoding::kBlocks, 0};
    if (column.kind != ValueKind::kUuid) {
      const LaneFacts facts = FactsOf(column.lane);
      const int64_t first = lane(column.lane)[0];
      chosen.base = facts.least;
      if (facts.constant) {
        chosen.coding = ColumnCoding::kConstant;
      } else if (facts.follows && template_->columns[index - 1].kind != ValueKind::kUuid) {
        chosen = {ColumnCoding::kPreviousPlus, first - lane(column.lane - 1)[0]};
      }
      out.push_back(static_cast<char>(chosen.coding));
      AppendVarint(ZigZag(chosen.base), out);
    }
    codings_.push_back(chosen);
  }

  void AppendBlock(size_t begin, std::string& out) {
    const size_t count = std::min(kBlockRows, rows_ - begin);
    // 1 where no column so far differs from the row before.
    std::array<uint8_t, kBlockRows> fresh;
    fresh.fill(1);
    if (begin == 0) fresh[0] = 0;
    for (size_t i = 0; i < codings_.size(); ++i) {
      const NameTemplate::Column& column = template_->columns[i];
      if (column.kind == ValueKind::kUuid) {
        AppendUuids(column.lane, begin, count, out);
        UpdateFresh(column.lane, begin, count, fresh);
        UpdateFresh(column.lane + 1u, begin, count, fresh);
      } else if (codings_[i].coding == ColumnCoding::kBlocks) {
        AppendDifferences(lane(column.lane) + begin, begin == 0, count, codings_[i].base, fresh,
                          out);
        if (i + 1 < codings_.size()) UpdateFresh(column.lane, begin, count, fresh);
      }
    }
  }
  void UpdateFresh(size_t l, size_t begin, size_t count,
                   std::array<uint8_t, kBlockRows>& fresh) const {
    const int64_t* values = lane(l) + begin;
    for (size_t i = begin == 0 ? 1 : 0; i < count; ++i) fresh[i] &= values[i] == *(values + i - 1);
  }
  void AppendUuids(size_t l, size_t begin, size_t count, std::string& out) const {
    const size_t at = out.size();
    out.resize(at + count * kUuidPackedBytes);
    auto* to = reinterpret_cast<uint8_t*>(out.data() + at);
    for (size_t i = 0; i < count; ++i, to += kUuidPackedBytes) {
      StoreBigEndian(static_cast<uint64_t>(lane(l)[begin + i]) ^ kUuidBias, to);
      StoreBigEndian(static_cast<uint64_t>(lane(l + 1)[begin + i]) ^ kUuidBias, to + 8);
    }
  }
  static void AppendDifferences(const int64_t* values, bool first_block, size_t count, int64_t base,
                                const std::array<uint8_t, kBlockRows>& fresh, std::string& out) {
    std::array<uint64_t, kBlockRows> restarting;
    std::array<uint64_t, kBlockRows> zigzag;
    uint64_t restarting_bits = 0;
    uint64_t zigzag_bits = 0;
    int64_t before = first_block ? base : values[-1];
    for (size_t i = 0; i < count; ++i) {
      const auto value = static_cast<uint64_t>(values[i]);
      restarting[i] = value - static_cast<uint64_t>(fresh[i] ? before : base);
      zigzag[i] = ZigZag(static_cast<int64_t>(value - static_cast<uint64_t>(before)));
      restarting_bits |= restarting[i];
      zigzag_bits |= zigzag[i];
      before = values[i];
    }
    const bool use_zigzag = std::bit_width(zigzag_bits) < std::bit_width(restarting_bits);
    const auto width =
        static_cast<size_t>(std::bit_width(use_zigzag ? zigzag_bits : restarting_bits));
    out.push_back(static_cast<char>(width | (use_zigzag ? kZigZagBlock : 0)));
    const size_t at = out.size();
    const size_t size = PackedBytes(count, width);
    out.resize(at + size + 8);
    PackBits(use_zigzag ? zigzag.data() : restarting.data(), count, width, out.data() + at);
    out.resize(at + size);
  }

  const NameTemplate* template_ = nullptr;
  size_t rows_ = 0;
  std::unique_ptr<int64_t[]> lanes_;  // lane after lane
  size_t capacity_ = 0;
  std::vector<Coding> codings_;
};

class Packer {
 public:
  Packer(const NameView::Rep& names, std::span<const uint32_t> indexes, std::string& out)
      : names_(names), indexes_(indexes), out_(out) {}

  void Run() {
    AppendVarint(indexes_.size(), out_);
    size_t begin = 0;
    while (begin < indexes_.size()) {
      const uint32_t id = names_.record(indexes_[begin]).template_id;
      size_t end = begin + 1;
      while (end < indexes_.size() && names_.record(indexes_[end]).template_id == id) ++end;
      const bool in_columns =
          id != kNoTemplate && PackColumns(begin, end, names_.name_template(id));
      if (in_columns) text_begin_ = end;
      begin = end;
    }
    FlushText(indexes_.size());
  }

 private:
  std::string_view name(size_t row) const { return names_.text(indexes_[row]); }

  // False when front-coding is smaller; nothing is written then.
  bool PackColumns(size_t begin, size_t end, const NameTemplate& name_template) {
    const size_t rows = end - begin;
    if (rows < kColumnRowsMin) return false;
    group_.clear();
    packer_.Pack(names_, indexes_.subspan(begin, rows), name_template, group_);
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
  RunPacker packer_;
  std::string group_;
};

}  // namespace

void Pack(const NameView& names, std::span<const uint32_t> indexes, std::string& out) {
  Packer(names.rep(), indexes, out).Run();
}

}  // namespace trellis::segment_names
