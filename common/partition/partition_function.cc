#include "common/partition/partition_function.h"

#include <algorithm>
#include <limits>

#include "common/base/nearest_name.h"
#include "common/base/utf8.h"
#include "common/partition/partition_hash.h"
#include "common/types/java_text.h"

namespace trellis::partition {
namespace {

std::string_view SettingOf(std::span<const PartitionFunction::Setting> settings,
                           std::string_view key) {
  for (const auto& [name, value] : settings) {
    if (name == key) return value;
  }
  return {};
}

// `text` in lower case, with the four letters beyond ASCII that Java's equalsIgnoreCase holds equal
// to one of ASCII; others stay.
std::string FoldedToAscii(std::string_view text) {
  std::string folded;
  for (std::string_view rest = text; !rest.empty();) {
    const CodePoint next = DecodeUtf8(rest);
    const size_t size = std::max<size_t>(next.size_bytes, 1);
    if (next.value == 0x130 || next.value == 0x131) {  // I with a dot above, i without one
      folded += 'i';
    } else if (next.value == 0x17F) {  // the long s
      folded += 's';
    } else if (next.value == 0x212A) {  // the sign of kelvin
      folded += 'k';
    } else {
      folded += rest.substr(0, size);
    }
    rest.remove_prefix(size);
  }
  return ToLowerAscii(folded);
}

}  // namespace

Result<PartitionFunction> PartitionFunction::Create(std::string_view name, int64_t count,
                                                    std::span<const Setting> settings) {
  if (count < 1 || count > std::numeric_limits<int32_t>::max())
    return Status::InvalidArgument("{} partitions; at least 1, at most 2147483647", count);
  constexpr std::pair<std::string_view, Kind> kNames[] = {{"Murmur", Kind::kMurmur},
                                                          {"Murmur2", Kind::kMurmur},
                                                          {"Murmur3", Kind::kMurmur3},
                                                          {"Modulo", Kind::kModulo},
                                                          {"HashCode", Kind::kHashCode},
                                                          {"ByteArray", Kind::kByteArray},
                                                          {"BoundedColumnValue", Kind::kBounded}};
  const auto known = std::find_if(std::begin(kNames), std::end(kNames), [&](const auto& entry) {
    return EqualsIgnoreCase(entry.first, name);
  });
  if (known == std::end(kNames))
    return Status::Unimplemented("partition function '{}' is not known to Trellis", name);
  PartitionFunction function(known->second, static_cast<uint32_t>(count));
  if (function.kind_ == Kind::kMurmur3) TRELLIS_RETURN_IF_ERROR(function.ParseMurmur3(settings));
  if (function.kind_ == Kind::kBounded) TRELLIS_RETURN_IF_ERROR(function.ParseBounded(settings));
  return function;
}

Status PartitionFunction::ParseMurmur3(std::span<const Setting> settings) {
  const std::string_view variant = SettingOf(settings, "variant");
  if (!variant.empty() && variant != "x86_32")
    return Status::Unimplemented("variant '{}' of Murmur3 is not known to Trellis", variant);
  const std::string_view text = SettingOf(settings, "seed");
  const auto seed = ParseJavaInt(text.empty() ? "0" : text);
  if (!seed) return Status::InvalidArgument("seed '{}' of Murmur3 is no number", text);
  seed_ = static_cast<uint32_t>(*seed);
  return {};
}

Status PartitionFunction::ParseBounded(std::span<const Setting> settings) {
  const std::string_view text = SettingOf(settings, "columnValues");
  const std::string_view delimiters = SettingOf(settings, "columnValuesDelimiter");
  if (text.empty() || delimiters.empty())
    return Status::InvalidArgument("BoundedColumnValue needs columnValues and their delimiter");
  // Java folds the case of every letter of Unicode, this function of ASCII alone.
  if (!IsAscii(text))
    return Status::Unimplemented("columnValues '{}' of BoundedColumnValue are not ASCII", text);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(delimiters, at), text.size());
    if (end > at) bounded_.push_back(ToLowerAscii(text.substr(at, end - at)));
    at = end + 1;
  }
  if (bounded_.size() + 1 != count_) {
    return Status::InvalidArgument("BoundedColumnValue has {} values for {} partitions; one less",
                                   bounded_.size(), count_);
  }
  return {};
}

std::string_view PartitionFunction::name() const {
  switch (kind_) {
    case Kind::kMurmur:
      return "Murmur";
    case Kind::kMurmur3:
      return "Murmur3";
    case Kind::kModulo:
      return "Modulo";
    case Kind::kHashCode:
      return "HashCode";
    case Kind::kByteArray:
      return "ByteArray";
    case Kind::kBounded:
      break;
  }
  return "BoundedColumnValue";
}

std::optional<int32_t> PartitionFunction::JavaHash(std::string_view text) const {
  return kind_ == Kind::kHashCode ? JavaStringHash(text) : JavaBytesHash(text);
}

uint32_t PartitionFunction::BoundedPartition(std::string_view text) const {
  const auto found = std::find(bounded_.begin(), bounded_.end(), FoldedToAscii(text));
  return found == bounded_.end() ? 0 : static_cast<uint32_t>(found - bounded_.begin()) + 1;
}

Result<uint32_t> PartitionFunction::PartitionOf(std::string_view text) const {
  switch (kind_) {
    case Kind::kMurmur:
      return KafkaMurmur2Partition(text, count_);
    case Kind::kMurmur3:
      return (Murmur3(text, seed_) & 0x7FFFFFFFu) % count_;
    case Kind::kModulo: {
      const auto number = ParseJavaLong(text);
      if (!number) return Status::InvalidArgument("Modulo cannot take '{}'", text);
      const int64_t rest = *number % static_cast<int64_t>(count_);
      return static_cast<uint32_t>(rest < 0 ? rest + count_ : rest);
    }
    case Kind::kHashCode:
    case Kind::kByteArray: {
      const auto hash = JavaHash(text);
      if (!hash) return Status::InvalidArgument("HashCode cannot take text that is not UTF-8");
      // 1.5.1 takes 0 for the absolute value of the number that has none.
      if (*hash == std::numeric_limits<int32_t>::min()) return 0u;
      return static_cast<uint32_t>(*hash < 0 ? -*hash : *hash) % count_;
    }
    case Kind::kBounded:
      break;
  }
  return BoundedPartition(text);
}

std::optional<uint32_t> PartitionFunction::CertainPartitionOf(const Value& value) const {
  const bool whole = value.type() == DataType::kInt || value.type() == DataType::kLong;
  const bool text = value.type() == DataType::kString;
  if (value.is_null() || value.is_array() || (!whole && !text)) return std::nullopt;
  switch (kind_) {
    case Kind::kModulo:
      // Versions of Pinot differ on negative remainders.
      if (!whole || value.AsLong() < 0) return std::nullopt;
      return static_cast<uint32_t>(value.AsLong() % count_);
    case Kind::kHashCode:
    case Kind::kByteArray: {
      // Of numbers old versions hash the number, newer ones its text.
      if (whole) return std::nullopt;
      const auto hash = JavaHash(value.bytes());
      if (!hash || *hash == std::numeric_limits<int32_t>::min()) return std::nullopt;
      break;
    }
    case Kind::kMurmur:
    case Kind::kMurmur3:
    case Kind::kBounded:
      break;
  }
  const auto partition = PartitionOf(whole ? ValueToText(value) : value.bytes());
  return partition.ok() ? std::optional<uint32_t>(*partition) : std::nullopt;
}

}  // namespace trellis::partition
