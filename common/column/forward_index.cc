#include "common/column/forward_index.h"

#include "common/column/forward_index_readers.h"
#include "common/format/clp.h"

namespace trellis::column {
namespace {

Result<std::unique_ptr<ForwardIndexReader>> OpenDictionaryEncoded(ByteView payload,
                                                                  const ForwardIndexShape& shape) {
  if (!shape.multi_value) {
    return shape.sorted ? OpenSorted(payload, shape) : OpenBitPacked(payload, shape);
  }
  return IsEntryDictionary(payload) ? OpenEntryDictionary(payload, shape)
                                    : OpenMultiValueIds(payload, shape);
}

Result<std::unique_ptr<ForwardIndexReader>> OpenRaw(ByteView payload,
                                                    const ForwardIndexShape& shape) {
  if (format::ClpFile::Recognizes(payload)) return OpenClp(payload, shape);
  const bool fixed_width = PhysicalOf(shape.type) != Physical::kBytes;
  return fixed_width && !shape.multi_value ? OpenRawFixed(payload, shape)
                                           : OpenRawRows(payload, shape);
}

}  // namespace

Status ForwardIndexReader::ReadDictIds(std::span<const uint32_t>, ReadScratch&,
                                       std::vector<uint32_t>&, std::vector<uint32_t>*) const {
  return Status::Internal("a raw forward index has no dictIds");
}

Status ForwardIndexReader::ReadValues(std::span<const uint32_t>, ReadScratch&,
                                      ColumnVector&) const {
  return Status::Internal("a dictionary-encoded forward index has no values");
}

Result<std::pair<uint32_t, uint32_t>> ForwardIndexReader::DocRange(uint32_t) const {
  return Status::Internal("only a sorted forward index has document ranges");
}

Result<std::unique_ptr<ForwardIndexReader>> OpenForwardIndex(ByteView payload,
                                                             const ForwardIndexShape& shape) {
  return shape.dictionary_encoded ? OpenDictionaryEncoded(payload, shape) : OpenRaw(payload, shape);
}

}  // namespace trellis::column
