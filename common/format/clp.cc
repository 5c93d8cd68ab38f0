#include "common/format/clp.h"

#include <array>

namespace trellis::format {
namespace {

constexpr std::string_view kMagic = "CLP.v";
constexpr size_t kMagicSizeBytes = 6;
constexpr size_t kMessagesStart = 18;
constexpr size_t kLengthsStart = 22;
constexpr size_t kParts = 5;
constexpr size_t kPartsStart = kLengthsStart + 4 * kParts;

int32_t Field(ByteView bytes, size_t at) { return LoadBigEndian<int32_t>(bytes.data() + at); }

Result<std::array<ByteView, kParts>> SplitParts(ByteView bytes) {
  std::array<ByteView, kParts> parts;
  uint64_t at = kPartsStart;
  for (size_t part = 0; part < kParts; ++part) {
    const uint64_t length = LoadBigEndian<uint32_t>(bytes.data() + kLengthsStart + 4 * part);
    if (length > bytes.size() - at) {
      return Status::Corrupt("part {} of a CLP index of {} bytes has {} bytes at {}", part,
                             bytes.size(), length, at);
    }
    parts[part] = bytes.subspan(at, length);
    at += length;
  }
  if (at != bytes.size())
    return Status::Corrupt("{} bytes follow the parts of a CLP index", bytes.size() - at);
  return parts;
}

Status CheckCount(std::string_view what, uint32_t found, int32_t declared) {
  if (static_cast<int64_t>(found) == declared) return {};
  return Status::Corrupt("CLP index of {} {}, its header says {}", found, what, declared);
}

Status OpenMessages(ByteView bytes, ClpFile& file) {
  const uint32_t length = LoadBigEndian<uint32_t>(bytes.data() + 14);
  if (length != bytes.size() - kMessagesStart) {
    return Status::Corrupt("CLP index of {} bytes of messages, its header says {}",
                           bytes.size() - kMessagesStart, length);
  }
  file.messages = bytes.subspan(kMessagesStart);
  return {};
}

}  // namespace

bool ClpFile::Recognizes(ByteView bytes) {
  return bytes.size() >= kMagicSizeBytes && AsText(bytes.first(kMagic.size())) == kMagic;
}

Result<ClpFile> ClpFile::Open(ByteView bytes) {
  if (!Recognizes(bytes) || bytes.size() < kMessagesStart) {
    return Status::Corrupt("CLP index of {} bytes has no header", bytes.size());
  }
  ClpFile file;
  file.version = bytes[kMagic.size()] - '0';
  if (file.version < 1 || file.version > 2 || Field(bytes, 6) != file.version) {
    return Status::Corrupt("CLP index of version {} by its magic, {} by its header", file.version,
                           Field(bytes, 6));
  }
  file.encoded = true;
  if (file.version == 2) {
    const int32_t encoded = Field(bytes, 10);
    if (encoded != 0 && encoded != 1)
      return Status::Corrupt("CLP index has the encoded flag {}", encoded);
    file.encoded = encoded == 1;
  }
  if (!file.encoded) {
    TRELLIS_RETURN_IF_ERROR(OpenMessages(bytes, file));
    return file;
  }
  if (bytes.size() < kPartsStart)
    return Status::Corrupt("CLP index of {} bytes has no lengths of parts", bytes.size());
  TRELLIS_ASSIGN_OR_RETURN(const auto parts, SplitParts(bytes));
  const auto dictionary = [](ByteView part, std::string_view what) {
    auto values = VarLengthValues::Open(part);
    return values.ok() ? std::move(values)
                       : Result<VarLengthValues>(values.status().WithContext(what));
  };
  TRELLIS_ASSIGN_OR_RETURN(file.logtypes, dictionary(parts[0], "CLP logtypes"));
  TRELLIS_ASSIGN_OR_RETURN(file.variables, dictionary(parts[1], "CLP variables"));
  if (file.version == 2) {
    TRELLIS_RETURN_IF_ERROR(CheckCount("logtypes", file.logtypes.size(), Field(bytes, 14)));
    TRELLIS_RETURN_IF_ERROR(CheckCount("variables", file.variables.size(), Field(bytes, 18)));
  } else {
    file.variable_total = LoadBigEndian<uint32_t>(bytes.data() + 10);
  }
  file.logtype_ids = parts[2];
  file.variable_ids = parts[3];
  file.encoded_values = parts[4];
  return file;
}

}  // namespace trellis::format
