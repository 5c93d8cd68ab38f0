#include "common/segment_names/column_group.h"

#include <algorithm>
#include <memory>

namespace trellis::segment_names {

Status ColumnGroup::ReadHead(NameReader& reader) {
  const size_t offset = reader.offset();
  uint64_t key_size;
  std::string_view key;
  if (!reader.ReadVarint(key_size) || key_size > kTemplateKeyBytesMax ||
      !reader.ReadBytes(key_size, key) || !ParseTemplate(key, template_)) {
    return Status::InvalidArgument("packed names: no template of at most {} bytes at offset {}",
                                   kTemplateKeyBytesMax, offset);
  }
  for (size_t i = 0; i < template_.columns.size(); ++i) {
    const NameTemplate::Column& column = template_.columns[i];
    column_of_lane_[column.lane] = static_cast<uint8_t>(i);
    if (column.kind == ValueKind::kUuid)
      column_of_lane_[column.lane + 1u] = static_cast<uint8_t>(i);
  }
  for (size_t lane = 0; lane < template_.lane_count; ++lane) values_[lane][0] = 0;
  prefixes_[0] = template_.literals.data();
  prefix_sizes_[0] = template_.columns[0].literal_size;
  return {};
}

bool ColumnGroup::InRange(size_t index, size_t count) const {
  const NameTemplate::Column& column = template_.columns[index];
  const auto least = static_cast<uint64_t>(column.value_min);
  const uint64_t span = static_cast<uint64_t>(column.value_max) - least;
  const int64_t* values = values_[column.lane].data() + 1;
  bool outside = false;
  for (size_t i = 0; i < count; ++i) {
    outside |= static_cast<uint64_t>(values[i]) - least > span;
  }
  return !outside;
}

void ColumnGroup::NoteChanges(size_t lane, size_t count) {
  const int64_t* values = values_[lane].data();
  bool disordered = false;
  for (size_t i = 0; i < count; ++i) {
    const bool fresh = changed_[i] == kUnchanged;
    disordered |= fresh & (values[i + 1] < values[i]);
    const bool changes = fresh & (values[i + 1] != values[i]);
    changed_[i] = changes ? static_cast<uint8_t>(lane) : changed_[i];
  }
  disordered_ |= disordered;
}

bool ColumnGroup::ReadBits(NameReader& reader, size_t width, size_t count) {
  std::string_view bits;
  if (!reader.ReadBytes(PackedBytes(count, width), bits)) return false;
  if (reader.remaining() >= 8) {
    UnpackBits(AsBytes(bits).data(), count, width, differences_.data());
  } else {
    std::array<uint8_t, kBlockRows * 8 + 8> padded{};
    std::copy(bits.begin(), bits.end(), padded.begin());
    UnpackBits(padded.data(), count, width, differences_.data());
  }
  return true;
}

Status ColumnGroup::ReadDifferences(NameReader& reader, size_t index, size_t row, size_t count) {
  const size_t offset = reader.offset();
  const size_t lane = template_.columns[index].lane;
  int64_t* values = values_[lane].data();
  uint8_t head;
  int64_t base = 0;
  if (!reader.ReadByte(head) || (head != kFollowingBlock && (head & ~kZigZagBlock) > 64)) {
    return Status::InvalidArgument("packed names: no block of at most 64 bits at offset {}",
                                   offset);
  }
  if (head == kFollowingBlock) {
    if (index == 0 || template_.columns[index - 1].kind == ValueKind::kUuid) {
      return Status::InvalidArgument("packed names: column {} follows no number at offset {}",
                                     index, offset);
    }
    if (!reader.ReadSigned(base)) {
      return Status::InvalidArgument("packed names: block without a base at offset {}", offset);
    }
    const int64_t* before = values_[lane - 1].data();
    for (size_t i = 1; i <= count; ++i) {
      values[i] =
          static_cast<int64_t>(static_cast<uint64_t>(before[i]) + static_cast<uint64_t>(base));
    }
    NoteChanges(lane, 1);  // the others are the column's before
    return {};
  }
  const bool zigzag = head & kZigZagBlock;
  const bool has_base = zigzag ? row == 0
                               : std::any_of(changed_.begin(), changed_.begin() + count,
                                             [](uint8_t changed) { return changed != kUnchanged; });
  if (has_base && !reader.ReadSigned(base)) {
    return Status::InvalidArgument("packed names: block without a base at offset {}", offset);
  }
  const size_t width = head & ~kZigZagBlock;
  if (!ReadBits(reader, width, count)) {
    return Status::InvalidArgument("packed names: block of {} bytes at offset {}, {} left",
                                   PackedBytes(count, width), offset, reader.remaining());
  }
  auto before = static_cast<uint64_t>(zigzag && has_base ? base : values[0]);
  if (zigzag) {
    for (size_t i = 0; i < count; ++i) {
      before += static_cast<uint64_t>(UnZigZag(differences_[i]));
      values[i + 1] = static_cast<int64_t>(before);
    }
  } else {
    for (size_t i = 0; i < count; ++i) {
      before = (changed_[i] == kUnchanged ? before : static_cast<uint64_t>(base)) + differences_[i];
      values[i + 1] = static_cast<int64_t>(before);
    }
  }
  NoteChanges(lane, count);
  return {};
}

Status ColumnGroup::ReadUuids(NameReader& reader, size_t index, size_t count) {
  std::string_view bytes;
  if (!reader.ReadBytes(count * kUuidPackedBytes, bytes)) {
    return Status::InvalidArgument("packed names: {} UUIDs at offset {}, {} bytes left", count,
                                   reader.offset(), reader.remaining());
  }
  const size_t lane = template_.columns[index].lane;
  const uint8_t* from = AsBytes(bytes).data();
  for (size_t i = 0; i < count; ++i, from += kUuidPackedBytes) {
    values_[lane][i + 1] = static_cast<int64_t>(LoadBigEndian<uint64_t>(from) ^ kUuidBias);
    values_[lane + 1][i + 1] = static_cast<int64_t>(LoadBigEndian<uint64_t>(from + 8) ^ kUuidBias);
  }
  NoteChanges(lane, count);
  NoteChanges(lane + 1, count);
  return {};
}

Status ColumnGroup::ReadBlock(NameReader& reader, size_t row, size_t count) {
  const size_t offset = reader.offset();
  changed_.fill(kUnchanged);
  if (row == 0) changed_[0] = 0;
  for (size_t i = 0; i < template_.columns.size(); ++i) {
    const NameTemplate::Column& column = template_.columns[i];
    if (column.kind == ValueKind::kUuid) {
      TRELLIS_RETURN_IF_ERROR(ReadUuids(reader, i, count));
      continue;
    }
    TRELLIS_RETURN_IF_ERROR(ReadDifferences(reader, i, row, count));
    if (!InRange(i, count)) {
      return Status::InvalidArgument(
          "packed names: column {} has a value that its template cannot have, in rows {} to {} at "
          "offset {}",
          i, row, row + count - 1, offset);
    }
  }
  if (disordered_ || std::find(changed_.begin(), changed_.begin() + count, kUnchanged) !=
                         changed_.begin() + count) {
    return Status::InvalidArgument(
        "packed names: a name twice or out of order in rows {} to {} at offset {}", row,
        row + count - 1, offset);
  }
  return {};
}

void ColumnGroup::Write(size_t count, size_t names_left, TextArena& texts,
                        std::vector<std::string_view>& names) {
  const NameTemplate::Column* const columns = template_.columns.data();
  const char* const literals = template_.literals.data();
  const size_t last = template_.columns.size() - 1;
  const size_t size_max = template_.name_bytes_max;
  for (size_t i = 0; i < count; ++i) {
    char* const begin = texts.Reserve(size_max, names_left - i);
    // All up to the first value that changed is in an earlier row already.
    size_t at = column_of_lane_[changed_[i]];
    CopyText(begin, prefixes_[at], prefix_sizes_[at]);
    char* to = begin + prefix_sizes_[at];
    const int64_t* row = values_[0].data() + i + 1;
    for (;; ++at) {
      to = PutValue(columns[at], row, kBlockRows + 1, to);
      if (at == last) break;
      const NameTemplate::Column& next = columns[at + 1];
      CopyText(to, literals + next.literal_begin, next.literal_size);
      to += next.literal_size;
      prefixes_[at + 1] = begin;
      prefix_sizes_[at + 1] = static_cast<uint32_t>(to - begin);
    }
    CopyText(to, literals + template_.tail_begin, template_.tail_size);
    to += template_.tail_size;
    names.push_back(texts.Keep(static_cast<size_t>(to - begin)));
  }
}

// No two templates may stand for one name: each name must be cut into the one that wrote it.
Status ColumnGroup::CheckCut(size_t row, std::span<const std::string_view> written,
                             size_t offset) const {
  const bool each = !template_.any_value_fits || template_.name_bytes_max > kTemplatedNameBytesMax;
  if (!each && row > 0) return {};
  TokenizedName cut;
  for (const std::string_view name : each ? written : written.first(1)) {
    if (!Tokenize(name, cut) || cut.key() != template_.key) {
      return Status::InvalidArgument(
          "packed names: a name whose template is another in the rows from {} at offset {}", row,
          offset);
    }
  }
  return {};
}

Status ColumnGroup::Read(NameReader& reader, size_t rows, size_t names_left, TextArena& texts,
                         std::vector<std::string_view>& names) {
  TRELLIS_RETURN_IF_ERROR(ReadHead(reader));
  disordered_ = false;
  for (size_t row = 0; row < rows; row += kBlockRows) {
    const size_t offset = reader.offset();
    const size_t count = std::min(kBlockRows, rows - row);
    TRELLIS_RETURN_IF_ERROR(ReadBlock(reader, row, count));
    const size_t written = names.size();
    Write(count, names_left - row, texts, names);
    TRELLIS_RETURN_IF_ERROR(CheckCut(row, std::span(names).subspan(written), offset));
    TRELLIS_RETURN_IF_ERROR(texts.Check(offset));
    for (size_t lane = 0; lane < template_.lane_count; ++lane) {
      if (row == 0) first_row_[lane] = values_[lane][1];
      values_[lane][0] = last_row_[lane] = values_[lane][count];
    }
  }
  return {};
}

}  // namespace trellis::segment_names
