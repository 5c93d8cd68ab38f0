#include "common/verify/metadata_check.h"

#include <algorithm>

#include "common/verify/checksums.h"

namespace trellis::verify {
namespace {

bool IsParent(const ColumnView& view) {
  return view.metadata().field.type == DataType::kOpenStruct;
}

void CheckV1Name(const ColumnView& view) {
  if (view.segment().segment().directory().is_v3()) return;
  const auto place = view.segment().PlaceOf(view.name(), "forward_index");
  const std::string expected = view.name() + std::string(ForwardExtension(view.metadata()));
  if (place.count > 1) {
    view.Log("forward_index").Fault(std::nullopt, "one file", std::to_string(place.count));
  } else if (place.file != expected) {
    view.Log("forward_index").Fault(std::nullopt, "a file named " + expected, place.file);
  }
}

}  // namespace

bool CheckPresence(const ColumnView& view) {
  const segment::ColumnMetadata& metadata = view.metadata();
  if (IsParent(view)) return false;  // its children are columns of their own
  if (view.Has("dictionary") && !metadata.has_dictionary)
    view.Log("dictionary").Note(std::nullopt, "none: hasDictionary is false", "one");
  if (!view.Has("dictionary") && metadata.has_dictionary && view.document_count() > 0)
    view.MetadataLog().Fault(std::nullopt, "a dictionary: hasDictionary is true", "none");
  if (metadata.dictionary_encoded && !view.Has("dictionary")) return false;
  if (view.IsTrue("isNonNull") && view.Has("nullvalue_vector"))
    view.MetadataLog().Fault(std::nullopt, "no null vector: isNonNull is true", "one");
  if (!view.Has("forward_index")) {
    const bool rebuildable = view.Has("dictionary") && view.Has("inverted_index");
    if (rebuildable) {
      view.MetadataLog().Note(std::nullopt, "a forward index", "none: it is disabled");
    } else if (view.document_count() > 0) {
      view.MetadataLog().Fault(std::nullopt, "a forward index",
                               "none, and no dictionary and inverted index to rebuild it from");
    }
    return view.document_count() > 0;
  }
  CheckV1Name(view);
  return true;
}

void CheckCounts(const ColumnView& view, uint64_t value_count, uint64_t longest_row) {
  const segment::ColumnMetadata& metadata = view.metadata();
  FaultLog log = view.MetadataLog();
  const bool packed =
      metadata.dictionary_encoded && (metadata.field.multi_value || !metadata.sorted);
  if (packed && metadata.bits_per_element != BitsFor(std::max(metadata.cardinality, 1U) - 1))
    log.Fault(std::nullopt,
              fmt::format("bitsPerElement {}", BitsFor(std::max(metadata.cardinality, 1U) - 1)),
              std::to_string(metadata.bits_per_element));
  if (!metadata.field.multi_value) return;
  const auto put = [&](bool fault, std::string expected, int64_t found) {
    if (fault) {
      log.Fault(std::nullopt, std::move(expected), std::to_string(found));
    } else {
      log.Note(std::nullopt, std::move(expected), std::to_string(found));
    }
  };
  if (metadata.total_entries >= 0 && static_cast<uint64_t>(metadata.total_entries) != value_count)
    put(metadata.dictionary_encoded, fmt::format("totalNumberOfEntries {}", value_count),
        metadata.total_entries);
  // Pinot takes memory for a row by it: too small is a fault, too large only waste.
  const auto longest = view.Number("maxNumberOfMultiValues");
  if (longest && *longest >= 0 && static_cast<uint64_t>(*longest) != longest_row)
    put(static_cast<uint64_t>(*longest) < longest_row,
        fmt::format("maxNumberOfMultiValues {}", longest_row), *longest);
}

void CheckUse(const ColumnView& view, const IdFacts& facts) {
  const uint64_t unused =
      static_cast<uint64_t>(std::count(facts.used.begin(), facts.used.end(), false));
  if (unused == 0) return;
  const auto first = std::find(facts.used.begin(), facts.used.end(), false);
  view.Log("dictionary")
      .Note(std::nullopt, "entries that some row holds",
            fmt::format("{} that none does, the first dictId {}", unused,
                        first - facts.used.begin()));
}

}  // namespace trellis::verify
