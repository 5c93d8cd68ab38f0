#include "common/verify/column_check.h"

#include <algorithm>

#include "common/segment/open_struct.h"
#include "common/verify/dictionary_check.h"
#include "common/verify/inverted_check.h"
#include "common/verify/json_index_check.h"
#include "common/verify/metadata_check.h"
#include "common/verify/range_check.h"
#include "common/verify/raw_forward_check.h"
#include "common/verify/value_checks.h"

namespace trellis::verify {
namespace {

// One column's checks, bytes first, then what its reader makes of them.
class ColumnCheck {
 public:
  explicit ColumnCheck(const ColumnView& view) : view_(view), metadata_(view.metadata()) {}

  void Run() {
    if (view_.document_count() == 0 || !CheckPresence(view_)) return;
    const uint64_t before = FaultCount();
    const bool whole = CheckDictionaryBytes() && CheckForwardBytes();
    if (whole && forward_ != nullptr) {
      CheckRows();
    } else if (whole) {
      CheckInvertedAlone();
    }
    CheckJson();
    if (FaultCount() == before) CheckOpens();
  }

 private:
  uint64_t FaultCount() const { return view_.segment().faults().fault_count(); }
  bool CheckDictionaryBytes();
  bool CheckForwardBytes();
  bool CheckRawBytes(ByteView bytes, FaultLog& log);
  void CheckJson();
  void CheckOpens();
  void CheckRows();
  void CheckInvertedAlone();
  void OpenNulls(std::optional<NullRows>& nulls);
  void OpenBloom(std::optional<BloomRows>& bloom);
  void OpenRange();
  // The bytes of an index, nullopt when it is not there.
  std::optional<ByteView> BytesOf(const std::string& index) const {
    return view_.Has(index) ? view_.Buffer(index) : std::nullopt;
  }

  const ColumnView& view_;
  const segment::ColumnMetadata& metadata_;
  std::unique_ptr<column::Dictionary> dictionary_;
  std::unique_ptr<column::ForwardIndexReader> forward_;
  std::unique_ptr<RangeCheck> range_;
  std::vector<RowConsumer*> consumers_;
  uint64_t largest_chunk_bytes_ = 0;
};

bool ColumnCheck::CheckDictionaryBytes() {
  if (!view_.Has("dictionary")) return true;
  const auto bytes = view_.Buffer("dictionary");
  if (!bytes) return false;
  FaultLog log = view_.Log("dictionary");
  const DictionaryShape shape{metadata_.field.type, metadata_.cardinality,
                              metadata_.dictionary_entry_bytes,
                              view_.segment().segment().metadata().padding_character};
  if (!CheckDictionary(*bytes, shape, log)) return false;
  auto opened = column::OpenDictionary(*bytes, shape.type, shape.cardinality, shape.width);
  if (!opened.ok()) {
    log.Fault(0, "a dictionary that can be read", opened.status().message());
    return false;
  }
  dictionary_ = std::move(opened).value();
  if (metadata_.cardinality == 0) return true;
  const auto first = dictionary_->At(0), last = dictionary_->At(metadata_.cardinality - 1);
  if (first.ok() && last.ok()) CheckBounds(view_, *first, *last, true);
  return true;
}

bool ColumnCheck::CheckRawBytes(ByteView bytes, FaultLog& log) {
  const uint64_t before = FaultCount();
  const RowFacts facts = CheckRawForward(bytes, metadata_.field.type, metadata_.field.multi_value,
                                         view_.document_count(), log);
  largest_chunk_bytes_ = facts.largest_chunk_bytes;
  if (FaultCount() != before) return false;
  CheckCounts(view_, facts.value_count, facts.longest_row);
  return true;
}

bool ColumnCheck::CheckForwardBytes() {
  const auto bytes = BytesOf("forward_index");
  if (!bytes) return !view_.Has("forward_index");
  FaultLog log = view_.Log("forward_index");
  column::ForwardIndexShape shape;
  shape.type = metadata_.field.type;
  shape.multi_value = metadata_.field.multi_value;
  shape.dictionary_encoded = metadata_.dictionary_encoded;
  shape.sorted = metadata_.dictionary_encoded && metadata_.sorted && !shape.multi_value;
  shape.document_count = view_.document_count();
  shape.cardinality = metadata_.cardinality;
  shape.bits_per_element = metadata_.bits_per_element;
  shape.total_entries = metadata_.total_entries;
  if (!metadata_.dictionary_encoded) {
    if (!CheckRawBytes(*bytes, log)) return false;
  } else {
    const auto facts = CheckIdForward(*bytes, shape, log);
    if (!facts) return false;
    CheckCounts(view_, facts->value_count, facts->longest_row);
    CheckUse(view_, *facts);
  }
  auto opened = column::OpenForwardIndex(*bytes, shape);
  // What Trellis cannot read is no fault of the segment's.
  if (opened.status().code() == StatusCode::kUnimplemented) return false;
  if (!opened.ok()) {
    log.Fault(0, "a forward index that can be read", opened.status().message());
    return false;
  }
  forward_ = std::move(opened).value();
  return true;
}

void ColumnCheck::CheckJson() {
  FaultLog log = view_.Log("json_index");
  if (const auto bytes = BytesOf("json_index")) CheckJsonIndex(*bytes, view_.document_count(), log);
}

// What queries open: nothing that the checks let pass may fail here.
void ColumnCheck::CheckOpens() {
  const auto opened = view_.segment().segment().OpenColumn(view_.name());
  if (opened.ok() || opened.status().code() == StatusCode::kUnimplemented) return;
  view_.Log("forward_index").Fault(0, "a column that can be read", opened.status().message());
}

void ColumnCheck::OpenNulls(std::optional<NullRows>& nulls) {
  const auto bytes = BytesOf("nullvalue_vector");
  if (!bytes) return;
  FaultLog log = view_.Log("nullvalue_vector");
  nulls = NullRows::Open(*bytes, view_, dictionary_.get(), log);
  if (nulls) consumers_.push_back(&*nulls);
}

void ColumnCheck::OpenBloom(std::optional<BloomRows>& bloom) {
  const auto bytes = BytesOf("bloom_filter");
  if (!bytes) return;
  FaultLog log = view_.Log("bloom_filter");
  auto filter = index::BloomFilter::Open(*bytes);
  if (filter.ok()) {
    bloom.emplace(std::move(*filter), log);
    if (dictionary_ != nullptr) {
      bloom->TakeDictionary(*dictionary_);
    } else {
      consumers_.push_back(&*bloom);
    }
  } else if (filter.status().code() != StatusCode::kUnimplemented) {
    log.Fault(0, "a bloom filter", filter.status().message());
  }
}

void ColumnCheck::OpenRange() {
  const auto bytes = BytesOf("range_index");
  if (!bytes) return;
  const RangeShape shape{metadata_.field.type, dictionary_ != nullptr, metadata_.field.multi_value,
                         view_.document_count()};
  range_ = OpenRangeCheck(*bytes, shape, view_.Log("range_index"));
  if (range_) consumers_.push_back(range_.get());
}

void ColumnCheck::CheckRows() {
  std::optional<NullRows> nulls;
  OpenNulls(nulls);
  std::optional<BloomRows> bloom;
  OpenBloom(bloom);
  OpenRange();
  std::optional<SparseRows> sparse;
  if (!metadata_.parent_column.empty() && segment::StructKeyOf(metadata_) == segment::kSparseKey &&
      IsText(metadata_.field.type))
    consumers_.push_back(&sparse.emplace(dictionary_.get(), view_.Log("forward_index")));
  ValueRange values;
  const bool bounded = !metadata_.dictionary_encoded && metadata_.field.type != DataType::kMap;
  if (bounded) consumers_.push_back(&values);

  const auto inverted = BytesOf("inverted_index");
  FaultLog log = view_.Log("inverted_index");
  IdRows rows;
  std::optional<LegacyInverted> legacy;
  std::optional<LegacyRows> legacy_rows;
  const bool ranges = forward_->is_sorted() && dictionary_ != nullptr;
  if (inverted && ranges) {
    CheckSortedInverted(*inverted, *forward_, metadata_.cardinality, view_.document_count(), log);
  } else if (inverted && dictionary_ != nullptr) {
    consumers_.push_back(&rows);
  } else if (inverted) {
    legacy = OpenLegacyInverted(*inverted, metadata_.field.type, log);
    if (legacy) consumers_.push_back(&legacy_rows.emplace(*legacy, log));
  }
  // The walk over the ranges has read them all: a few bytes may stand for very many rows.
  if (ranges && consumers_.empty()) return;
  if (!ReadRows(view_, *forward_, dictionary_.get(), largest_chunk_bytes_, consumers_)) return;

  if (range_) range_->Finish();
  if (inverted && dictionary_ != nullptr && !ranges)
    CheckInverted(*inverted, metadata_.cardinality, view_.document_count(), &rows, log);
  if (legacy_rows && legacy_rows->whole())
    CheckLegacyBitmaps(*inverted, *legacy, view_.document_count(), legacy_rows->rows(), log);
  if (values.smallest() && dictionary_ == nullptr)
    CheckBounds(view_, *values.smallest(), *values.largest(), false);
  if (values.smallest() && metadata_.sorted && !metadata_.field.multi_value && !values.ascends())
    view_.MetadataLog().Note(std::nullopt, "isSorted false, for the rows are not", "true");
}

// The forward index is disabled: bitmaps by themselves, and the bloom filter of the dictionary.
void ColumnCheck::CheckInvertedAlone() {
  std::optional<NullRows> nulls;
  OpenNulls(nulls);
  std::optional<BloomRows> bloom;
  OpenBloom(bloom);
  if (dictionary_ == nullptr) return;
  FaultLog log = view_.Log("inverted_index");
  if (const auto bytes = BytesOf("inverted_index"))
    CheckInverted(*bytes, metadata_.cardinality, view_.document_count(), nullptr, log);
}

}  // namespace

void CheckColumn(const ColumnView& view) { ColumnCheck(view).Run(); }

}  // namespace trellis::verify
