#include "common/verify/value_checks.h"

#include <cmath>

#include "common/bitmap/roaring_bitmap.h"
#include "common/column/json_object.h"
#include "common/column/json_value.h"
#include "common/types/value_order.h"
#include "common/types/value_payload.h"
#include "common/verify/text_check.h"

namespace trellis::verify {
namespace {

std::string Shown(const Value& value) {
  if (PhysicalOf(value.type()) == Physical::kBytes && value.type() != DataType::kBigDecimal)
    return ShownBytes(value.type(), value.bytes());
  return ValueToText(value);
}

bool IsNan(const Value& value) {
  if (value.type() == DataType::kFloat) return std::isnan(value.float32());
  return value.type() == DataType::kDouble && std::isnan(value.float64());
}

// `beyond` < 0: the bound leaves the value out; > 0: it is wider than it need be. `certain`: it
// prunes.
void CompareBound(std::string_view key, const Value& bound, bool certain, const Value& value,
                  int beyond, bool of_dictionary, FaultLog log) {
  if (beyond == 0) return;
  const std::string expected = fmt::format("{} {}", key, Shown(value));
  if (!certain || (beyond > 0 && !of_dictionary)) {
    log.Note(std::nullopt, expected, Shown(bound));
  } else {
    log.Fault(std::nullopt, expected, Shown(bound));
  }
}

template <class T>
int Compare(DataType type, const T& a, const T& b) {
  if constexpr (std::is_same_v<T, std::string_view>) return CompareStoredBytes(type, a, b);
  if constexpr (!std::is_same_v<T, std::string_view>) return CompareNumbers(a, b);
}

}  // namespace

void CheckBounds(const ColumnView& view, const Value& smallest, const Value& largest,
                 bool of_dictionary) {
  if (IsNan(smallest) || IsNan(largest)) return;
  const segment::ColumnMetadata& metadata = view.metadata();
  if (metadata.min_value)
    CompareBound("minValue", *metadata.min_value, metadata.min_certain, smallest,
                 CompareValues(smallest, *metadata.min_value), of_dictionary, view.MetadataLog());
  if (metadata.max_value)
    CompareBound("maxValue", *metadata.max_value, metadata.max_certain, largest,
                 CompareValues(*metadata.max_value, largest), of_dictionary, view.MetadataLog());
}

template <class T>
void ValueRange::TakeValues(const ColumnVector& values) {
  const std::vector<T>& flat = values.values<T>();
  if (flat.empty()) return;
  const DataType type = values.type();
  size_t low = 0, high = 0;
  if (last_ && Compare<T>(type, PayloadAs<T>(*last_), flat[0]) > 0) ascends_ = false;
  for (size_t i = 1; i < flat.size(); ++i) {
    if (Compare<T>(type, flat[i], flat[low]) < 0) low = i;
    if (Compare<T>(type, flat[i], flat[high]) > 0) high = i;
    if (ascends_ && Compare<T>(type, flat[i - 1], flat[i]) > 0) ascends_ = false;
  }
  if (!smallest_ || Compare<T>(type, flat[low], PayloadAs<T>(*smallest_)) < 0)
    smallest_ = FlatValue(values, low);
  if (!largest_ || Compare<T>(type, flat[high], PayloadAs<T>(*largest_)) > 0)
    largest_ = FlatValue(values, high);
  last_ = FlatValue(values, flat.size() - 1);
}

void ValueRange::Take(const RowBatch& batch) {
  if (batch.values == nullptr) return;
  WithPhysical(batch.values->physical(),
               [&](auto tag) { TakeValues<decltype(tag)>(*batch.values); });
}

std::optional<NullRows> NullRows::Open(ByteView bytes, const ColumnView& view,
                                       const column::Dictionary* dictionary, FaultLog& log) {
  auto nulls = bitmap::ReadRoaring(bytes, view.document_count());
  if (!nulls.ok()) {
    log.Fault(0, fmt::format("a bitmap of rows below {}", view.document_count()),
              nulls.status().message());
    return std::nullopt;
  }
  const bool encoded = view.metadata().dictionary_encoded;
  const DataType type = view.metadata().field.type;
  Value default_value = view.metadata().field.default_null;
  if (type == DataType::kMap) default_value = Value::Bytes(type, std::string(4, '\0'));
  if (view.name().ends_with("$__sparse__")) default_value = Value::Bytes(type, "");
  // Pinot keeps no default with a character beyond U+FFFF in its metadata, and puts the time of
  // ingestion in the place of a null in the time column: there any value may lie under a null.
  const bool unsaid = IsText(type) && !view.Key("defaultNullValue");
  if (unsaid || view.name() == view.segment().segment().metadata().time_column)
    default_value = Value::Null(type);
  std::optional<uint32_t> id;
  if (dictionary != nullptr && !default_value.is_null()) id = dictionary->Find(default_value);
  return NullRows(std::move(*nulls), std::move(default_value), id, encoded, log);
}

bool NullRows::HoldsDefault(const RowBatch& batch, size_t position) const {
  if (default_value_.is_null()) return true;
  if (encoded_) return default_id_ && batch.ids[position] == *default_id_;
  return WithPhysical(batch.values->physical(), [&](auto tag) {
    using T = decltype(tag);
    return Compare<T>(default_value_.type(), batch.values->values<T>()[position],
                      PayloadAs<T>(default_value_)) == 0;
  });
}

void NullRows::Take(const RowBatch& batch) {
  if (nulls_.isEmpty()) return;
  auto null = nulls_.begin();
  null.equalorlarger(batch.first_doc);
  const uint64_t end = uint64_t{batch.first_doc} + batch.rows;
  for (; null != nulls_.end() && *null < end; ++null) {
    const uint32_t row = *null - batch.first_doc;
    const size_t first = batch.begin(row), last = batch.begin(row + 1);
    if (last - first == 1 && HoldsDefault(batch, first)) continue;
    log_.Fault(std::nullopt, fmt::format("the default value in row {}, which is null", *null),
               last - first == 1 ? "another value" : fmt::format("{} values", last - first));
  }
}

void SparseRows::Take(const RowBatch& batch) {
  for (uint32_t row = 0; row < batch.rows; ++row) {
    const uint64_t doc = uint64_t{batch.first_doc} + row;
    for (size_t i = batch.begin(row); i < batch.begin(row + 1); ++i) {
      if (batch.values != nullptr) {
        TakeObject(batch.values->values<std::string_view>()[i], doc);
      } else if (const auto value = dictionary_->At(batch.ids[i]); value.ok()) {
        TakeObject(value->bytes(), doc);
      }
    }
  }
}

void SparseRows::TakeObject(std::string_view object, uint64_t doc) {
  if (object.empty()) return;
  const std::string expected = fmt::format("a JSON object in row {}", doc);
  column::JsonObjectWalk walk(object);
  column::JsonMember member;
  std::string storage;
  while (true) {
    const auto more = walk.Next(member);
    if (!more.ok()) return log_.Fault(std::nullopt, expected, more.status().message());
    if (!*more) return;
    if (!column::JsonMemberKey(member, storage))
      return log_.Fault(std::nullopt, expected,
                        fmt::format("the broken key \"{}\"", member.key.substr(0, 64)));
    if (!column::IsValidJson(member.json))
      log_.Note(std::nullopt, expected,
                fmt::format("a member that is no JSON: {}", member.json.substr(0, 64)));
  }
}

void BloomRows::Take(const RowBatch& batch) {
  if (batch.values == nullptr) return;
  for (size_t i = 0; i < batch.values->flat_size(); ++i) {
    const Value value = FlatValue(*batch.values, i);
    if (!filter_->MayContain(value))
      log_.Fault(std::nullopt, "every value to be known", Shown(value) + " is not");
  }
}

void BloomRows::TakeDictionary(const column::Dictionary& dictionary) {
  for (uint32_t id = 0; id < dictionary.size(); ++id) {
    const auto value = dictionary.At(id);
    if (value.ok() && !filter_->MayContain(*value))
      log_.Fault(std::nullopt, "every value to be known",
                 fmt::format("dictId {}, {}, is not", id, Shown(*value)));
  }
}

}  // namespace trellis::verify
