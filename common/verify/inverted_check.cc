#include "common/verify/inverted_check.h"

#include <algorithm>

#include "common/verify/dictionary_check.h"

namespace trellis::verify {
namespace {

constexpr uint64_t kLegacyHeaderSizeBytes = 44;

// Documents each value stands in.
std::vector<uint32_t> CountRows(const IdRows& rows, uint32_t cardinality) {
  std::vector<uint32_t> counts(cardinality);
  for (uint32_t doc = 0; doc < rows.size(); ++doc) {
    for (const uint32_t id : rows.Of(doc)) ++counts[id];
  }
  return counts;
}

void CheckAgreement(ByteView bytes, uint64_t start, uint32_t cardinality, uint32_t document_count,
                    const IdRows* rows, FaultLog& log) {
  std::vector<uint32_t> counts;
  if (rows != nullptr) counts = CountRows(*rows, cardinality);
  const auto compare = [&](uint32_t id, uint64_t at, const Roaring& bitmap) {
    if (rows == nullptr) return;
    uint32_t found = 0;
    for (const uint32_t doc : bitmap) {
      const auto values = rows->Of(doc);
      if (std::binary_search(values.begin(), values.end(), id)) {
        ++found;
      } else {
        log.Fault(at, fmt::format("rows of dictId {}", id),
                  fmt::format("row {}, which the forward index gives another value", doc));
      }
    }
    if (found < counts[id])
      log.Fault(at, fmt::format("all {} rows of dictId {}", counts[id], id),
                fmt::format("{} of them", found));
  };
  WalkBitmaps(bytes, start, cardinality, document_count, log, compare);
}

}  // namespace

void CheckInverted(ByteView bytes, uint32_t cardinality, uint32_t document_count,
                   const IdRows* rows, FaultLog& log) {
  CheckAgreement(bytes, 0, cardinality, document_count, rows, log);
}

void CheckSortedInverted(ByteView bytes, const column::ForwardIndexReader& forward,
                         uint32_t cardinality, uint32_t document_count, FaultLog& log) {
  const auto compare = [&](uint32_t id, uint64_t at, const Roaring& bitmap) {
    const auto range = forward.DocRange(id);
    if (!range.ok()) return;  // a fault of the forward index
    const uint64_t wanted = uint64_t{range->second} - range->first + 1;
    if (bitmap.cardinality() == wanted && bitmap.minimum() == range->first &&
        bitmap.maximum() == range->second)
      return;
    log.Fault(at, fmt::format("rows [{}, {}] of dictId {}", range->first, range->second, id),
              fmt::format("{} rows of [{}, {}]", bitmap.cardinality(), bitmap.minimum(),
                          bitmap.maximum()));
  };
  WalkBitmaps(bytes, 0, cardinality, document_count, log, compare);
}

std::optional<LegacyInverted> OpenLegacyInverted(ByteView bytes, DataType type, FaultLog& log) {
  const auto fail = [&](uint64_t offset, std::string expected, std::string found) {
    log.Fault(offset, std::move(expected), std::move(found));
    return std::nullopt;
  };
  if (bytes.size() < kLegacyHeaderSizeBytes)
    return fail(0, "a header of 44 bytes", fmt::format("{} bytes", bytes.size()));
  ByteReader reader(bytes);
  const int32_t version = *reader.ReadBigEndian<int32_t>();
  const int32_t cardinality = *reader.ReadBigEndian<int32_t>();
  const int32_t width = *reader.ReadBigEndian<int32_t>();
  if (version != 1) return fail(0, "version 1", std::to_string(version));
  if (cardinality < 0 || width < 0)
    return fail(4, "a cardinality and a length", fmt::format("{} and {}", cardinality, width));
  const uint64_t dictionary_at = *reader.ReadBigEndian<uint64_t>();
  const uint64_t dictionary_size = *reader.ReadBigEndian<uint64_t>();
  const uint64_t inverted_at = *reader.ReadBigEndian<uint64_t>();
  const uint64_t inverted_size = *reader.ReadBigEndian<uint64_t>();
  const uint64_t rest = bytes.size() - kLegacyHeaderSizeBytes;
  if (dictionary_at != kLegacyHeaderSizeBytes || dictionary_size > rest ||
      inverted_at != dictionary_at + dictionary_size || inverted_size != rest - dictionary_size) {
    return fail(12, fmt::format("two parts that tile [44, {})", bytes.size()),
                fmt::format("{} bytes at {}, {} bytes at {}", dictionary_size, dictionary_at,
                            inverted_size, inverted_at));
  }
  LegacyInverted index{static_cast<uint32_t>(cardinality), inverted_at, nullptr};
  const ByteView part = bytes.subspan(dictionary_at, dictionary_size);
  FaultLog part_log = log.At(dictionary_at);
  const DictionaryShape shape{type, index.cardinality, static_cast<uint32_t>(width), {}};
  if (!CheckDictionary(part, shape, part_log)) return std::nullopt;
  auto opened = column::OpenDictionary(part, type, index.cardinality, shape.width);
  if (!opened.ok()) return fail(dictionary_at, "a dictionary", opened.status().message());
  index.dictionary = std::move(opened).value();
  return index;
}

void LegacyRows::Take(const RowBatch& batch) {
  if (!whole_ || batch.values == nullptr) return;
  std::vector<uint32_t> ids;
  for (size_t i = 0; i < batch.values->flat_size(); ++i) {
    const auto id = index_.dictionary->Find(FlatValue(*batch.values, i));
    if (!id) {
      whole_ = false;
      return log_.Fault(0, fmt::format("the values of rows from {} on", batch.first_doc),
                        fmt::format("none for value {} of them", i));
    }
    ids.push_back(*id);
  }
  RowBatch with_ids = batch;
  with_ids.ids = ids;
  rows_.Take(with_ids);
}

void CheckLegacyBitmaps(ByteView bytes, const LegacyInverted& index, uint32_t document_count,
                        const IdRows& rows, FaultLog& log) {
  CheckAgreement(bytes, index.bitmaps_start, index.cardinality, document_count, &rows, log);
}

}  // namespace trellis::verify
