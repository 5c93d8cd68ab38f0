#include "common/segment/segment.h"

#include "common/index/null_vector.h"
#include "common/segment/segment_archive.h"

namespace trellis::segment {
namespace {

constexpr std::string_view kDictionary = "dictionary";
constexpr std::string_view kForward = "forward_index";
constexpr std::string_view kNulls = "nullvalue_vector";
constexpr std::string_view kInverted = "inverted_index";
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

// Gives the flat values that `out` holds the rows that `offsets` describe.
void MakeMultiValue(std::vector<uint32_t> offsets, ColumnVector& out) {
  ColumnVector flat = std::move(out);
  out = ColumnVector(ValueType{flat.type(), true});
  WithPhysical(flat.physical(), [&](auto tag) {
    using T = decltype(tag);
    out.values<T>() = std::move(flat.values<T>());
  });
  const size_t rows = offsets.size() - 1;
  out.offsets() = std::move(offsets);
  out.SetSize(rows);
  out.KeepAllOf(flat);
}

}  // namespace

Status Column::Read(std::span<const uint32_t> docs, column::ReadScratch& scratch,
                    ColumnVector& out) const {
  if (!forward_->is_dictionary_encoded()) {
    TRELLIS_RETURN_IF_ERROR(forward_->ReadValues(docs, scratch, out));
    MarkNulls(docs, out);
    return {};
  }
  thread_local std::vector<uint32_t> ids;  // capacity kept between batches
  ids.clear();
  if (!forward_->is_multi_value()) {
    TRELLIS_RETURN_IF_ERROR(forward_->ReadDictIds(docs, scratch, ids, nullptr));
    TRELLIS_RETURN_IF_ERROR(dictionary_->Gather(ids, out));
  } else {
    std::vector<uint32_t> offsets;
    TRELLIS_RETURN_IF_ERROR(forward_->ReadDictIds(docs, scratch, ids, &offsets));
    TRELLIS_CHECK(offsets.size() == docs.size() + 1 && offsets.back() == ids.size());
    TRELLIS_RETURN_IF_ERROR(dictionary_->Gather(ids, out));
    MakeMultiValue(std::move(offsets), out);
  }
  MarkNulls(docs, out);
  return {};
}

void Column::MarkNulls(std::span<const uint32_t> docs, ColumnVector& out) const {
  if (!nulls_ || docs.empty()) return;
  auto null = nulls_->begin();
  const auto end = nulls_->end();
  for (size_t row = 0; row < docs.size() && null != end; ++row) {
    if (*null < docs[row]) null.equalorlarger(docs[row]);
    if (null != end && *null == docs[row]) out.SetNull(row);
  }
}

Result<std::shared_ptr<Segment>> Segment::Open(const std::filesystem::path& path,
                                               const std::filesystem::path& scratch_dir) {
  std::shared_ptr<Segment> segment(new Segment());
  std::filesystem::path folder = path;
  std::error_code missing;
  if (!std::filesystem::is_directory(path, missing)) {
    TRELLIS_ASSIGN_OR_RETURN(std::shared_ptr<TemporaryFolder> unpacked,
                             TemporaryFolder::Make(scratch_dir));
    TRELLIS_ASSIGN_OR_RETURN(folder, UnpackSegment(path, unpacked->path()));
    segment->unpacked_ = std::move(unpacked);
  }
  const std::string where = "segment " + path.string();
  auto directory = SegmentDirectory::Open(folder);
  if (!directory.ok()) return directory.status().WithContext(where);
  segment->directory_ = std::move(directory).value();
  auto properties = segment->directory_->ReadMetadata();
  if (!properties.ok()) return properties.status().WithContext(where);
  auto creation_meta = segment->directory_->ReadCreationMeta();
  if (!creation_meta.ok()) return creation_meta.status().WithContext(where);
  auto metadata = ParseSegmentMetadata(*properties, *creation_meta);
  if (!metadata.ok()) return metadata.status().WithContext(where);
  segment->metadata_ = std::move(metadata).value();
  segment->slots_.resize(segment->metadata_.columns.size());
  for (auto& slot : segment->slots_) slot = std::make_unique<Slot>();
  return segment;
}

Result<const Column*> Segment::OpenColumn(std::string_view name) const {
  const ColumnMetadata* metadata = metadata_.Find(name);
  if (metadata == nullptr)
    return Status::NotFound("segment '{}' has no column '{}'", metadata_.name, name);
  Slot& slot = *slots_[static_cast<size_t>(metadata - metadata_.columns.data())];
  std::call_once(slot.once, [&] {
    slot.status = OpenSlot(*metadata, slot.column)
                      .WithContext(fmt::format("segment '{}', column '{}'", metadata_.name, name));
  });
  if (!slot.status.ok()) return slot.status;
  return &slot.column;
}

Status Segment::OpenSlot(const ColumnMetadata& metadata, Column& column) const {
  const std::string& name = metadata.field.name;
  column.metadata_ = &metadata;
  if (metadata.field.type == DataType::kOpenStruct)
    return Status::Unimplemented("OPEN_STRUCT is not read yet");
  if (metadata_.document_count == 0) {
    column.forward_ = std::make_unique<NoRows>(metadata.field.value_type());
    return {};
  }
  if (!directory_->Has(name, kForward)) {
    return Status::Unimplemented(
        "there is no forward index (disabled by the table's config, or stored elsewhere)");
  }
  const auto in_file = [&](const Status& status, std::string_view index) {
    return status.WithContext(fmt::format("{} ({})", index, directory_->FileOf(name, index)));
  };

  if (directory_->Has(name, kDictionary)) {
    TRELLIS_ASSIGN_OR_RETURN(const ByteView bytes, directory_->Buffer(name, kDictionary));
    auto dictionary = column::OpenDictionary(bytes, metadata.field.type, metadata.cardinality,
                                             metadata.dictionary_entry_bytes);
    if (!dictionary.ok()) return in_file(dictionary.status(), kDictionary);
    column.dictionary_ = std::move(dictionary).value();
    if (column.dictionary_->size() != metadata.cardinality) {
      return in_file(Status::Corrupt("{} values, the metadata says {}", column.dictionary_->size(),
                                     metadata.cardinality),
                     kDictionary);
    }
  } else if (metadata.dictionary_encoded) {
    return Status::Corrupt("encoded with a dictionary that is not there");
  }

  column::ForwardIndexShape shape;
  shape.type = metadata.field.type;
  shape.multi_value = metadata.field.multi_value;
  shape.dictionary_encoded = metadata.dictionary_encoded;
  shape.sorted = metadata.dictionary_encoded && metadata.sorted && !metadata.field.multi_value;
  shape.document_count = metadata_.document_count;
  shape.cardinality = metadata.cardinality;
  shape.bits_per_element = metadata.bits_per_element;
  shape.total_entries = metadata.total_entries;
  TRELLIS_ASSIGN_OR_RETURN(const ByteView bytes, directory_->Buffer(name, kForward));
  auto forward = column::OpenForwardIndex(bytes, shape);
  if (!forward.ok()) return in_file(forward.status(), kForward);
  column.forward_ = std::move(forward).value();
  return OpenIndexes(metadata, column);
}

Status Segment::OpenIndexes(const ColumnMetadata& metadata, Column& column) const {
  const std::string& name = metadata.field.name;
  const auto open = [&](std::string_view index, auto&& read) -> Status {
    if (!directory_->Has(name, index)) return {};
    TRELLIS_ASSIGN_OR_RETURN(const ByteView bytes, directory_->Buffer(name, index));
    return read(bytes).WithContext(fmt::format("{} ({})", index, directory_->FileOf(name, index)));
  };
  TRELLIS_RETURN_IF_ERROR(open(kNulls, [&](ByteView bytes) -> Status {
    TRELLIS_ASSIGN_OR_RETURN(Roaring nulls, index::ReadNullVector(bytes, metadata_.document_count));
    if (!nulls.isEmpty()) column.nulls_ = std::make_unique<Roaring>(std::move(nulls));
    return {};
  }));
  // Without a dictionary the buffer has another layout, of releases 1.5.0 and 1.5.1, which Pinot
  // drops too.
  if (column.dictionary_) {
    TRELLIS_RETURN_IF_ERROR(open(kInverted, [&](ByteView bytes) -> Status {
      TRELLIS_ASSIGN_OR_RETURN(
          column.inverted_,
          index::InvertedIndex::Open(bytes, metadata.cardinality, metadata_.document_count));
      return {};
    }));
  }
  return open(kBloom, [&](ByteView bytes) -> Status {
    auto bloom = index::BloomFilter::Open(bytes);
    if (bloom.ok()) column.bloom_ = std::move(bloom).value();
    // A filter of a kind we do not know is not used; nothing else depends on it.
    return bloom.status().code() == StatusCode::kUnimplemented ? Status() : bloom.status();
  });
}

}  // namespace trellis::segment
