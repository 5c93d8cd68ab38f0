#include "common/format/var_length_values.h"

namespace trellis::format {
namespace {

constexpr std::string_view kMagic = ".vl;";
constexpr size_t kHeaderSizeBytes = 16;

}  // namespace

bool VarLengthValues::Recognizes(ByteView bytes) {
  return bytes.size() >= kHeaderSizeBytes + 4 && AsText(bytes.first(4)) == kMagic &&
         LoadBigEndian<int32_t>(bytes.data() + 4) == 1;
}

Result<VarLengthValues> VarLengthValues::Open(ByteView bytes) {
  if (!Recognizes(bytes)) {
    return Status::Corrupt("{} bytes do not begin as .vl; values of version 1", bytes.size());
  }
  VarLengthValues values;
  values.bytes_ = bytes;
  values.size_ = LoadBigEndian<uint32_t>(bytes.data() + 8);
  values.offsets_start_ = LoadBigEndian<uint32_t>(bytes.data() + 12);
  const uint64_t values_start = values.offsets_start_ + 4 * (uint64_t{values.size_} + 1);
  if (values.offsets_start_ < kHeaderSizeBytes || values_start > bytes.size()) {
    return Status::Corrupt("offsets [{}, {}) of {} values lie outside {} bytes",
                           values.offsets_start_, values_start, values.size_, bytes.size());
  }
  const uint8_t* offsets = bytes.data() + values.offsets_start_;
  uint64_t start = LoadBigEndian<uint32_t>(offsets);
  if (start < values_start) {
    return Status::Corrupt("values start at {}, within their offsets up to {}", start,
                           values_start);
  }
  for (uint32_t i = 0; i < values.size_; ++i) {
    const uint64_t end = LoadBigEndian<uint32_t>(offsets + 4 * (size_t{i} + 1));
    if (start > end || end > bytes.size()) {
      return Status::Corrupt("value {} lies at [{}, {}) of {} bytes", i, start, end, bytes.size());
    }
    start = end;
  }
  if (start != bytes.size()) {
    return Status::Corrupt("values end at {} of {} bytes", start, bytes.size());
  }
  return values;
}

}  // namespace trellis::format
