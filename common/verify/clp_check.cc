#include <array>

#include "common/verify/dictionary_check.h"
#include "common/verify/id_forward_check.h"
#include "common/verify/raw_forward_check.h"

namespace trellis::verify {
namespace {

constexpr uint64_t kPartsStart = 42;
constexpr uint64_t kPartCount = 5;

// The five parts, whose lengths stand at `lengths_at`; they fill the file from kPartsStart.
// nullopt after a fault.
struct Parts {
  std::array<ByteView, kPartCount> bytes;
  std::array<uint64_t, kPartCount> at;
};
std::optional<Parts> ReadParts(ByteView bytes, uint64_t lengths_at, FaultLog& log) {
  Parts parts;
  uint64_t start = kPartsStart;
  for (uint64_t i = 0; i < kPartCount; ++i) {
    const int64_t size = LoadBigEndian<int32_t>(bytes.data() + lengths_at + 4 * i);
    if (size < 0 || static_cast<uint64_t>(size) > bytes.size() - start) {
      log.Fault(lengths_at + 4 * i, fmt::format("a part of at most {} bytes", bytes.size() - start),
                std::to_string(size));
      return std::nullopt;
    }
    parts.at[i] = start;
    parts.bytes[i] = bytes.subspan(start, static_cast<size_t>(size));
    start += static_cast<uint64_t>(size);
  }
  if (start != bytes.size()) {
    log.Fault(start, "the end of the last part and of the index",
              fmt::format("{} more bytes", bytes.size() - start));
    return std::nullopt;
  }
  return parts;
}

std::optional<uint32_t> CheckPartDictionary(const Parts& parts, size_t part,
                                            std::optional<uint32_t> count, FaultLog& log) {
  FaultLog part_log = log.At(parts.at[part]);
  // Logtypes hold the bytes that stand for variables: bytes, not text.
  return CheckOffsetDictionary(parts.bytes[part], DataType::kBytes, count, false, part_log);
}

uint64_t Largest(uint32_t count) { return count == 0 ? 0 : count - 1; }

void CheckClpV1(ByteView bytes, uint32_t document_count, FaultLog& log) {
  const int64_t variables = LoadBigEndian<int32_t>(bytes.data() + 10);
  const auto parts = ReadParts(bytes, 22, log);
  if (!parts) return;
  const auto logtypes = CheckPartDictionary(*parts, 0, std::nullopt, log);
  const auto dictionary = CheckPartDictionary(*parts, 1, std::nullopt, log);
  if (!logtypes || !dictionary) return;
  FaultLog ids_log = log.At(parts->at[2]);
  WalkBits(parts->bytes[2], document_count, BitsFor(Largest(*logtypes)), *logtypes, "logtype id",
           ids_log, [](uint64_t, uint32_t) {});
  FaultLog variables_log = log.At(parts->at[3]);
  if (variables < 0) return log.Fault(10, "a count of variables", std::to_string(variables));
  CheckMultiValueBits(parts->bytes[3], document_count, static_cast<uint64_t>(variables),
                      BitsFor(Largest(*dictionary)), *dictionary, variables_log);
  FaultLog encoded_log = log.At(parts->at[4]);
  CheckRawContainer(parts->bytes[4], DataType::kLong, true, document_count, encoded_log);
}

void CheckClpV2(ByteView bytes, uint32_t document_count, FaultLog& log) {
  const int32_t encoded = LoadBigEndian<int32_t>(bytes.data() + 10);
  if (encoded == 0) {
    const int64_t size = LoadBigEndian<int32_t>(bytes.data() + 14);
    if (size < 0 || static_cast<uint64_t>(size) != bytes.size() - 18)
      return log.Fault(14, fmt::format("{} bytes of messages", bytes.size() - 18),
                       std::to_string(size));
    FaultLog messages_log = log.At(18);
    CheckRawContainer(bytes.subspan(18), DataType::kBytes, false, document_count, messages_log);
    return;
  }
  if (encoded != 1)
    return log.Fault(10, "0 or 1, whether messages are encoded", std::to_string(encoded));
  const auto parts = ReadParts(bytes, 22, log);
  if (!parts) return;
  CheckPartDictionary(*parts, 0, LoadBigEndian<uint32_t>(bytes.data() + 14), log);
  CheckPartDictionary(*parts, 1, LoadBigEndian<uint32_t>(bytes.data() + 18), log);
  const std::array<std::pair<DataType, bool>, 3> kinds = {
      {{DataType::kInt, false}, {DataType::kInt, true}, {DataType::kLong, true}}};
  for (size_t i = 0; i < kinds.size(); ++i) {
    FaultLog part_log = log.At(parts->at[2 + i]);
    CheckRawContainer(parts->bytes[2 + i], kinds[i].first, kinds[i].second, document_count,
                      part_log);
  }
}

}  // namespace

void CheckClp(ByteView bytes, uint32_t document_count, FaultLog& log) {
  if (bytes.size() < kPartsStart)
    return log.Fault(0, "a header of 42 bytes", fmt::format("{} bytes", bytes.size()));
  const bool v2 = AsText(bytes.first(6)) == "CLP.v2";
  const int32_t version = LoadBigEndian<int32_t>(bytes.data() + 6);
  if (version != (v2 ? 2 : 1))
    return log.Fault(6, v2 ? "version 2" : "version 1", std::to_string(version));
  if (v2) {
    CheckClpV2(bytes, document_count, log);
  } else {
    CheckClpV1(bytes, document_count, log);
  }
}

}  // namespace trellis::verify
