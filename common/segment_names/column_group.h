#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "common/segment_names/bit_packing.h"
#include "common/segment_names/column_coding.h"
#include "common/segment_names/name_template.h"
#include "common/segment_names/text_arena.h"
#include "common/segment_names/varint.h"

namespace trellis::segment_names {

// Reads one untrusted group of names that are columns of a template, a block of rows at a time.
class ColumnGroup {
 public:
  // Appends the text of `rows` names. `names_left`, these included, are a hint for allocating.
  // REQUIRES: rows > 0. After an error the names appended mean nothing.
  Status Read(NameReader& reader, size_t rows, size_t names_left, TextArena& texts,
              std::vector<std::string_view>& names);

  // Of the group read last.
  const NameTemplate& name_template() const { return template_; }
  const std::array<int64_t, kLanesMax>& first_row() const { return first_row_; }
  const std::array<int64_t, kLanesMax>& last_row() const { return last_row_; }

 private:
  static constexpr uint8_t kUnchanged = UINT8_MAX;
  Status ReadHead(NameReader& reader);
  Status ReadBlock(NameReader& reader, size_t row, size_t count);
  bool ReadBits(NameReader& reader, size_t width, size_t count);
  Status ReadDifferences(NameReader& reader, size_t column, size_t row, size_t count);
  Status ReadUuids(NameReader& reader, size_t column, size_t count);
  bool InRange(size_t column, size_t count) const;
  void NoteChanges(size_t lane, size_t count);
  void Write(size_t count, size_t names_left, TextArena& texts,
             std::vector<std::string_view>& names);
  Status CheckCut(size_t row, std::span<const std::string_view> written, size_t offset) const;

  NameTemplate template_;
  std::array<uint8_t, kLanesMax> column_of_lane_;
  std::array<int64_t, kLanesMax> first_row_;
  std::array<int64_t, kLanesMax> last_row_;
  // A block's values lane by lane, each behind that of the row before the block.
  std::array<std::array<int64_t, kBlockRows + 1>, kLanesMax> values_;
  std::array<uint64_t, kBlockRows> differences_;
  // The first lane in which a row differs from the one before.
  std::array<uint8_t, kBlockRows> changed_;
  bool disordered_ = false;  // a row was smaller than the one before
  // A row with the text of the latest rows up to a column's value, and that text's size.
  std::array<const char*, kLanesMax> prefixes_;
  std::array<uint32_t, kLanesMax> prefix_sizes_;
};

}  // namespace trellis::segment_names
