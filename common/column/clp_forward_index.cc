#include "common/base/bits.h"
#include "common/column/forward_index_readers.h"
#include "common/format/clp.h"
#include "common/format/clp_message.h"

namespace trellis::column {
namespace {

using format::ClpFile;

// Messages of one batch may not be longer together, whatever the variables' lengths multiply to.
constexpr size_t kBatchSizeBytesMax = size_t{512} << 20;

struct ClpScratch : ReadScratch {
  const void* reader = nullptr;
  std::unique_ptr<ReadScratch> logtypes, variables, encoded;
  std::vector<uint32_t> logtype_ids, variable_ids, variable_offsets;
  ColumnVector values;  // of the part read last
  std::string text;     // the batch's messages, one after the other
  std::vector<size_t> ends;
};

// Puts messages together again: three readers, one a part, and the dictionaries. In version 1 the
// ids are bit-packed, in version 2 raw numbers.
class ClpReader : public ForwardIndexReader {
 public:
  struct Parts {
    std::unique_ptr<ForwardIndexReader> logtype_ids, variable_ids, encoded;
  };
  ClpReader(const ClpFile& file, Parts parts, DataType type)
      : file_(file), parts_(std::move(parts)), type_(type) {}

  bool is_dictionary_encoded() const override { return false; }
  bool is_multi_value() const override { return false; }
  std::unique_ptr<ReadScratch> NewScratch() const override {
    auto scratch = std::make_unique<ClpScratch>();
    scratch->reader = this;
    scratch->logtypes = parts_.logtype_ids->NewScratch();
    scratch->variables = parts_.variable_ids->NewScratch();
    scratch->encoded = parts_.encoded->NewScratch();
    return scratch;
  }

  Status ReadValues(std::span<const uint32_t> docs, ReadScratch& scratch,
                    ColumnVector& out) const override {
    auto& held = static_cast<ClpScratch&>(scratch);
    TRELLIS_CHECK(held.reader == this);
    out.Reset({type_, false});
    TRELLIS_RETURN_IF_ERROR(
        ReadIds(*parts_.logtype_ids, docs, *held.logtypes, held.values, held.logtype_ids, nullptr)
            .WithContext("CLP logtype ids"));
    TRELLIS_RETURN_IF_ERROR(ReadIds(*parts_.variable_ids, docs, *held.variables, held.values,
                                    held.variable_ids, &held.variable_offsets)
                                .WithContext("CLP variable ids"));
    TRELLIS_RETURN_IF_ERROR(parts_.encoded->ReadValues(docs, *held.encoded, held.values)
                                .WithContext("CLP encoded variables"));
    TRELLIS_RETURN_IF_ERROR(Decode(docs, held));

    // One piece of the arena a batch.
    const std::string_view text = out.arena().Copy(held.text);
    out.Resize(docs.size());
    std::string_view* views = out.values<std::string_view>().data();
    for (size_t i = 0, start = 0; i < docs.size(); start = held.ends[i++]) {
      views[i] = text.substr(start, held.ends[i] - start);
    }
    return {};
  }

 private:
  static Status ReadIds(const ForwardIndexReader& part, std::span<const uint32_t> docs,
                        ReadScratch& scratch, ColumnVector& values, std::vector<uint32_t>& ids,
                        std::vector<uint32_t>* offsets) {
    if (part.is_dictionary_encoded()) return part.ReadDictIds(docs, scratch, ids, offsets);
    TRELLIS_RETURN_IF_ERROR(part.ReadValues(docs, scratch, values));
    const std::vector<int32_t>& numbers = values.values<int32_t>();
    ids.assign(numbers.begin(), numbers.end());  // a negative id becomes one that no dictionary has
    if (offsets != nullptr) offsets->swap(values.offsets());
    return {};
  }

  // Fills held.text and held.ends.
  Status Decode(std::span<const uint32_t> docs, ClpScratch& held) const {
    const std::span<const uint32_t> ids = held.variable_ids;
    const std::span<const int64_t> encoded = held.values.values<int64_t>();
    const std::vector<uint32_t>& encoded_offsets = held.values.offsets();
    const auto form = file_.version == 1 ? format::ClpLogtypeForm::kByteCharacters
                                         : format::ClpLogtypeForm::kBytes;
    held.text.clear();
    held.ends.resize(docs.size());
    for (size_t i = 0; i < docs.size(); ++i) {
      const uint32_t logtype = held.logtype_ids[i];
      if (logtype >= file_.logtypes.size()) {
        return Status::Corrupt("document {} has the CLP logtype {} of {}", docs[i], logtype,
                               file_.logtypes.size());
      }
      const auto row = [i](auto flat, const std::vector<uint32_t>& offsets) {
        return flat.subspan(offsets[i], offsets[i + 1] - offsets[i]);
      };
      const Status status = format::AppendClpMessage(
          file_.logtypes[logtype], form, file_.variables, row(ids, held.variable_offsets),
          row(encoded, encoded_offsets), kBatchSizeBytesMax, held.text);
      if (!status.ok()) return status.WithContext(fmt::format("document {}", docs[i]));
      held.ends[i] = held.text.size();
    }
    return {};
  }

  ClpFile file_;
  Parts parts_;
  DataType type_;
};

Status Move(Result<std::unique_ptr<ForwardIndexReader>> from, std::string_view part,
            std::unique_ptr<ForwardIndexReader>& to) {
  if (!from.ok()) return from.status().WithContext(part);
  to = std::move(from).value();
  return {};
}

}  // namespace

Result<std::unique_ptr<ForwardIndexReader>> OpenClp(ByteView payload,
                                                    const ForwardIndexShape& shape) {
  if (shape.multi_value || !IsText(shape.type)) {
    return Status::Corrupt("a CLP index holds single texts, the column is {}{}",
                           DataTypeName(shape.type), shape.multi_value ? ", multi-value" : "");
  }
  TRELLIS_ASSIGN_OR_RETURN(const ClpFile file, ClpFile::Open(payload));
  if (!file.encoded) return OpenRawRows(file.messages, shape);

  const auto ids_shape = [&](bool multi_value, uint32_t cardinality) {
    ForwardIndexShape ids;
    ids.type = DataType::kInt;
    ids.multi_value = multi_value;
    ids.dictionary_encoded = file.version == 1;
    ids.document_count = shape.document_count;
    ids.cardinality = cardinality;
    ids.bits_per_element = BitsFor(cardinality == 0 ? 0 : cardinality - 1);
    ids.total_entries = multi_value ? file.variable_total : 0;
    return ids;
  };
  ClpReader::Parts parts;
  const bool packed = file.version == 1;
  const ForwardIndexShape logtype_shape = ids_shape(false, file.logtypes.size());
  TRELLIS_RETURN_IF_ERROR(Move(packed ? OpenBitPacked(file.logtype_ids, logtype_shape)
                                      : OpenRawFixed(file.logtype_ids, logtype_shape),
                               "CLP logtype ids", parts.logtype_ids));
  const ForwardIndexShape variable_shape = ids_shape(true, file.variables.size());
  TRELLIS_RETURN_IF_ERROR(Move(packed ? OpenMultiValueIds(file.variable_ids, variable_shape)
                                      : OpenRawRows(file.variable_ids, variable_shape),
                               "CLP variable ids", parts.variable_ids));
  ForwardIndexShape encoded_shape;
  encoded_shape.type = DataType::kLong;
  encoded_shape.multi_value = true;
  encoded_shape.document_count = shape.document_count;
  TRELLIS_RETURN_IF_ERROR(Move(OpenRawRows(file.encoded_values, encoded_shape),
                               "CLP encoded variables", parts.encoded));
  return std::unique_ptr<ForwardIndexReader>(
      std::make_unique<ClpReader>(file, std::move(parts), shape.type));
}

}  // namespace trellis::column
