#include "common/index/null_vector.h"
#include "common/segment/column.h"
#include "common/segment/open_struct.h"
#include "common/segment/rebuilt_forward.h"

namespace trellis::segment {
namespace {

constexpr std::string_view kDictionary = "dictionary";
constexpr std::string_view kForward = "forward_index";
constexpr std::string_view kNulls = "nullvalue_vector";
constexpr std::string_view kInverted = "inverted_index";
constexpr std::string_view kRange = "range_index";
constexpr std::string_view kBloom = "bloom_filter";

// The forward index of a column of an empty segment, which has no buffers: no document can be asked
// for.
class NoRows final : public column::ForwardIndexReader {
 public:
  explicit NoRows(ValueType type) : type_(type) {}
  bool is_dictionary_encoded() const override { return false; }
  bool is_multi_value() const override { return type_.multi_value; }
  std::unique_ptr<column::ReadScratch> NewScratch() const override {
    return std::make_unique<column::ReadScratch>();
  }
  Status ReadValues(std::span<const uint32_t> docs, column::ReadScratch&,
                    ColumnVector& out) const override {
    out.Reset(type_);
    if (docs.empty()) return {};
    return Status::Corrupt("document {} of an empty segment", docs.front());
  }

 private:
  ValueType type_;
};

}  // namespace

// Fills a column, a buffer at a time.
class ColumnOpener {
 public:
  ColumnOpener(const SegmentMetadata& segment, const SegmentDirectory& directory,
               const OpenOptions& options)
      : segment_(segment), directory_(directory), options_(options) {}
  Status Open(const ColumnMetadata& metadata, Column& column) const;

 private:
  Status OpenStruct(const ColumnMetadata& metadata, Column& column) const;
  Status Rebuild(const ColumnMetadata& metadata, Column& column) const;
  column::DictionaryPadding PaddingOf() const;
  Status OpenIndexes(const ColumnMetadata& metadata, Column& column) const;

  const SegmentMetadata& segment_;
  const SegmentDirectory& directory_;
  const OpenOptions& options_;
};

Status ColumnOpener::Open(const ColumnMetadata& metadata, Column& column) const {
  const std::string& name = metadata.field.name;
  column.metadata_ = &metadata;
  if (segment_.document_count == 0) {
    column.forward_ = std::make_unique<NoRows>(metadata.field.value_type());
    return {};
  }
  if (metadata.field.type == DataType::kOpenStruct) return OpenStruct(metadata, column);
  const auto in_file = [&](const Status& status, std::string_view index) {
    return status.WithContext(fmt::format("{} ({})", index, directory_.FileOf(name, index)));
  };

  if (directory_.Has(name, kDictionary)) {
    TRELLIS_ASSIGN_OR_RETURN(const ByteView bytes, directory_.Buffer(name, kDictionary));
    auto dictionary = column::OpenDictionary(bytes, metadata.field.type, metadata.cardinality,
                                             metadata.dictionary_entry_bytes, PaddingOf());
    if (!dictionary.ok()) return in_file(dictionary.status(), kDictionary);
    column.dictionary_ = std::move(dictionary).value();
    if (column.dictionary_->size() != metadata.cardinality) {
      return in_file(Status::Corrupt("{} values, the metadata says {}", column.dictionary_->size(),
                                     metadata.cardinality),
                     kDictionary);
    }
  } else if (metadata.dictionary_encoded && directory_.Has(name, kForward)) {
    return Status::Corrupt("encoded with a dictionary that is not there");
  }
  TRELLIS_RETURN_IF_ERROR(OpenIndexes(metadata, column));
  if (!directory_.Has(name, kForward)) return Rebuild(metadata, column);

  column::ForwardIndexShape shape;
  shape.type = metadata.field.type;
  shape.multi_value = metadata.field.multi_value;
  shape.dictionary_encoded = metadata.dictionary_encoded;
  shape.sorted = metadata.dictionary_encoded && metadata.sorted && !metadata.field.multi_value;
  shape.document_count = segment_.document_count;
  shape.cardinality = metadata.cardinality;
  shape.bits_per_element = metadata.bits_per_element;
  shape.total_entries = metadata.total_entries;
  TRELLIS_ASSIGN_OR_RETURN(const ByteView bytes, directory_.Buffer(name, kForward));
  auto forward = column::OpenForwardIndex(bytes, shape);
  if (!forward.ok()) return in_file(forward.status(), kForward);
  column.forward_ = std::move(forward).value();
  return {};
}

// The forward index is disabled by the table's config, or stored elsewhere.
Status ColumnOpener::Rebuild(const ColumnMetadata& metadata, Column& column) const {
  if (!column.dictionary_ || !column.inverted_) {
    return Status::Corrupt(
        "column '{}' has no forward index in {}, and no {} to rebuild it from: a file is missing, "
        "or the table's config disables it",
        metadata.field.name, directory_.FileOf(metadata.field.name, kForward),
        column.dictionary_ ? "inverted index" : "dictionary");
  }
  auto held =
      RebuildForward(*column.inverted_, segment_.document_count, metadata.field.multi_value);
  if (!held.ok()) {
    return held.status().WithContext(
        fmt::format("{} ({})", kInverted, directory_.FileOf(metadata.field.name, kInverted)));
  }
  column.forward_ = column::MakeHeldForwardIndex(std::move(held).value());
  column.forward_rebuilt_ = true;
  return {};
}

// Old segments say `%`, or nothing at all, of what fills their slots.
column::DictionaryPadding ColumnOpener::PaddingOf() const {
  const std::string& character = segment_.padding_character;
  const bool percent = options_.legacy_padding && (character.empty() || character == "%");
  return percent ? column::DictionaryPadding::kPercent : column::DictionaryPadding::kNul;
}

// The columns of the keys are opened here anew: the segment hands out the parent alone.
Status ColumnOpener::OpenStruct(const ColumnMetadata& metadata, Column& column) const {
  std::vector<OpenStructIndex::DenseKey> dense;
  ColumnPointer sparse;
  for (const ColumnMetadata& child : segment_.columns) {
    if (child.parent_column != metadata.field.name) continue;
    if (child.field.type == DataType::kOpenStruct || child.field.type == DataType::kMap) {
      return Status::Unimplemented("column '{}' of an OPEN_STRUCT is {}", child.field.name,
                                   DataTypeName(child.field.type));
    }
    const auto key = StructKeyOf(child);
    if (!key) return Status::Corrupt("'{}' is no name of a key of it", child.field.name);
    auto opened = OpenColumnOf(segment_, child, directory_, options_);
    if (!opened.ok())
      return opened.status().WithContext(fmt::format("column '{}'", child.field.name));
    if (*key != kSparseKey) {
      dense.push_back({std::string(*key), std::move(opened).value()});
    } else if (child.field.value_type() == ValueType{DataType::kString, false} ||
               child.field.value_type() == ValueType{DataType::kJson, false}) {
      sparse = std::move(opened).value();
    } else {
      return Status::Corrupt("column '{}' is {}, expected STRING", child.field.name,
                             ValueTypeName(child.field.value_type()));
    }
  }
  column.forward_ = std::make_unique<OpenStructIndex>(std::move(dense), std::move(sparse));
  return {};
}

Status ColumnOpener::OpenIndexes(const ColumnMetadata& metadata, Column& column) const {
  const std::string& name = metadata.field.name;
  const auto open = [&](std::string_view index, auto&& read) -> Status {
    if (!directory_.Has(name, index)) return {};
    TRELLIS_ASSIGN_OR_RETURN(const ByteView bytes, directory_.Buffer(name, index));
    return read(bytes).WithContext(fmt::format("{} ({})", index, directory_.FileOf(name, index)));
  };
  TRELLIS_RETURN_IF_ERROR(open(kNulls, [&](ByteView bytes) -> Status {
    TRELLIS_ASSIGN_OR_RETURN(Roaring nulls, index::ReadNullVector(bytes, segment_.document_count));
    if (!nulls.isEmpty()) column.nulls_ = std::make_unique<Roaring>(std::move(nulls));
    return {};
  }));
  // Without a dictionary the buffer has another layout, of releases 1.5.0 and 1.5.1, which Pinot
  // drops too.
  if (column.dictionary_) {
    TRELLIS_RETURN_IF_ERROR(open(kInverted, [&](ByteView bytes) -> Status {
      TRELLIS_ASSIGN_OR_RETURN(
          column.inverted_,
          index::InvertedIndex::Open(bytes, metadata.cardinality, segment_.document_count));
      return {};
    }));
  }
  TRELLIS_RETURN_IF_ERROR(open(kRange, [&](ByteView bytes) -> Status {
    auto range = index::RangeIndex::Open(
        bytes, {metadata.field.type, column.dictionary_ != nullptr, metadata.field.multi_value,
                segment_.document_count, metadata.cardinality});
    if (range.ok()) column.range_ = std::move(range).value();
    // A version we do not know is not used; nothing else depends on it.
    return range.status().code() == StatusCode::kUnimplemented ? Status() : range.status();
  }));
  return open(kBloom, [&](ByteView bytes) -> Status {
    auto bloom = index::BloomFilter::Open(bytes);
    if (bloom.ok()) column.bloom_ = std::move(bloom).value();
    // A filter of a kind we do not know is not used; nothing else depends on it.
    return bloom.status().code() == StatusCode::kUnimplemented ? Status() : bloom.status();
  });
}

Result<ColumnPointer> OpenColumnOf(const SegmentMetadata& segment, const ColumnMetadata& metadata,
                                   const SegmentDirectory& directory, const OpenOptions& options) {
  auto column = std::make_shared<Column>();
  TRELLIS_RETURN_IF_ERROR(ColumnOpener(segment, directory, options).Open(metadata, *column));
  return ColumnPointer(std::move(column));
}

}  // namespace trellis::segment
