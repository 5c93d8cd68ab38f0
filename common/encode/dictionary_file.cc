#include <algorithm>
#include <array>

#include "common/base/bytes.h"
#include "common/encode/dictionary_builder.h"
#include "common/format/byte_swap.h"
#include "common/format/var_length_values.h"

// What is written (format notes 3.2 to 3.4), all big-endian: numbers of 4 or 8 bytes; or slots of
// one width, text filled up with NULs; or `.vl;` with offsets (common/format/var_length_values.h).

namespace trellis::encode {
namespace {

constexpr size_t kPieceSizeBytes = 16 * 1024;
constexpr std::string_view kVariableMagic = ".vl;";
constexpr int32_t kVariableVersion = 1;
constexpr int32_t kVariableHeaderSizeBytes = 16;

const std::vector<std::string_view>& BytesOf(const ColumnVector& values) {
  return values.values<std::string_view>();
}

bool HaveOneLength(const std::vector<std::string_view>& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](std::string_view value) { return value.size() == values.front().size(); });
}

// Whether slots would begin like `.vl;` of version 1, by which readers tell the two forms apart.
bool LookVariable(const std::vector<std::string_view>& values) {
  std::string start;
  for (const std::string_view value : values) {
    start += value.substr(0, kVariableHeaderSizeBytes + 4);
    if (start.size() >= kVariableHeaderSizeBytes + 4) break;
  }
  return format::VarLengthValues::Recognizes(AsBytes(start));
}

Status CheckSize(uint64_t size_bytes, size_t values, const DictionaryLimits& limits) {
  if (values <= limits.values_max && size_bytes <= limits.size_bytes_max) return {};
  return Status::ResourceExhausted(
      "a dictionary file of {} values and {} bytes, it may have {} and {} at most", values,
      size_bytes, limits.values_max, limits.size_bytes_max);
}

template <class T>
Status WriteNumbers(const std::vector<T>& values, const DictionaryLimits& limits,
                    output::OutputFile& file) {
  TRELLIS_RETURN_IF_ERROR(CheckSize(values.size() * sizeof(T), values.size(), limits));
  constexpr size_t kPieceValues = kPieceSizeBytes / sizeof(T);
  std::array<T, kPieceValues> piece;
  for (size_t i = 0; i < values.size(); i += kPieceValues) {
    const size_t count = std::min(kPieceValues, values.size() - i);
    format::LoadBigEndianValues(reinterpret_cast<const uint8_t*>(values.data() + i),
                                std::span(piece).first(count));
    TRELLIS_RETURN_IF_ERROR(
        file.Append({reinterpret_cast<const uint8_t*>(piece.data()), count * sizeof(T)}));
  }
  return {};
}

Status WriteSlots(const ColumnVector& sorted, const DictionaryLimits& limits,
                  output::OutputFile& file) {
  const std::vector<std::string_view>& values = BytesOf(sorted);
  const uint64_t width = EntryWidthBytes(sorted);
  TRELLIS_RETURN_IF_ERROR(CheckSize(width * values.size(), values.size(), limits));
  const bool text = IsText(sorted.type());
  if (!text && !HaveOneLength(values))
    return Status::InvalidArgument("bytes of several lengths in slots of {}", width);
  static constexpr std::array<uint8_t, 1024> kNuls = {};
  for (size_t id = 0; id < values.size(); ++id) {
    const std::string_view value = values[id];
    if (text && value.find('\0') != std::string_view::npos)
      return Status::InvalidArgument("the text of dictId {} has a NUL, which would end it", id);
    TRELLIS_RETURN_IF_ERROR(file.Append(AsBytes(value)));
    for (size_t left = width - value.size(); left > 0;) {
      const size_t count = std::min(left, kNuls.size());
      TRELLIS_RETURN_IF_ERROR(file.Append(ByteView(kNuls).first(count)));
      left -= count;
    }
  }
  return {};
}

Status WriteVariable(const std::vector<std::string_view>& values, const DictionaryLimits& limits,
                     output::OutputFile& file) {
  uint64_t offset = kVariableHeaderSizeBytes + 4 * (uint64_t{values.size()} + 1);
  uint64_t size = offset;
  for (const std::string_view value : values) size += value.size();
  TRELLIS_RETURN_IF_ERROR(CheckSize(size, values.size(), limits));
  uint8_t word[4];
  const auto append = [&](uint64_t number) {
    StoreBigEndian<uint32_t>(static_cast<uint32_t>(number), word);
    return file.Append(word);
  };
  TRELLIS_RETURN_IF_ERROR(file.Append(AsBytes(kVariableMagic)));
  TRELLIS_RETURN_IF_ERROR(append(kVariableVersion));
  TRELLIS_RETURN_IF_ERROR(append(values.size()));
  TRELLIS_RETURN_IF_ERROR(append(kVariableHeaderSizeBytes));
  for (const std::string_view value : values) {
    TRELLIS_RETURN_IF_ERROR(append(offset));
    offset += value.size();
  }
  TRELLIS_RETURN_IF_ERROR(append(offset));
  for (const std::string_view value : values) TRELLIS_RETURN_IF_ERROR(file.Append(AsBytes(value)));
  return {};
}

}  // namespace

DictionaryForm ChooseDictionaryForm(const ColumnVector& sorted, bool configured_variable,
                                    bool optimize_type) {
  if (sorted.physical() != Physical::kBytes) return DictionaryForm::kFixedWidth;
  if (configured_variable) return DictionaryForm::kVariableLength;
  const std::vector<std::string_view>& values = BytesOf(sorted);
  const bool text = IsText(sorted.type());
  if (text ? optimize_type : !HaveOneLength(values)) return DictionaryForm::kVariableLength;
  if (!text && LookVariable(values)) return DictionaryForm::kVariableLength;
  return DictionaryForm::kFixedWidth;
}

uint32_t EntryWidthBytes(const ColumnVector& sorted) {
  return WithPhysical(sorted.physical(), [&](auto tag) -> uint32_t {
    if constexpr (std::is_same_v<decltype(tag), std::string_view>) {
      size_t longest = 0;
      for (const std::string_view value : BytesOf(sorted))
        longest = std::max(longest, value.size());
      return static_cast<uint32_t>(longest);
    } else {
      return sizeof(tag);
    }
  });
}

Status WriteDictionary(const ColumnVector& sorted, DictionaryForm form, output::OutputFile& file,
                       const DictionaryLimits& limits) {
  return WithPhysical(sorted.physical(), [&](auto tag) -> Status {
    using T = decltype(tag);
    if constexpr (!std::is_same_v<T, std::string_view>) {
      return WriteNumbers(sorted.values<T>(), limits, file);
    } else {
      return form == DictionaryForm::kVariableLength ? WriteVariable(BytesOf(sorted), limits, file)
                                                     : WriteSlots(sorted, limits, file);
    }
  });
}

}  // namespace trellis::encode
