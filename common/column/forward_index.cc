#include "common/column/forward_index.h"

#include "common/column/forward_index_readers.h"

namespace trellis::column {
namespace {

constexpr uint32_t kEntryDictionaryMagic = 0xFFABCDEF;

Result<std::unique_ptr<ForwardIndexReader>> OpenDictionaryEncoded(ByteView payload,
                                                                  const ForwardIndexShape& shape) {
  if (!shape.multi_value) {
    return shape.sorted ? OpenSorted(payload, shape) : OpenBitPacked(payload, shape);
  }
  if (payload.size() >= 4 && LoadBigEndian<uint32_t>(payload.data()) == kEntryDictionaryMagic) {
    return Status::Unimplemented("forward index MV_ENTRY_DICT is not supported yet");
  }
  return OpenMultiValueIds(payload, shape);
}

Result<std::unique_ptr<ForwardIndexReader>> OpenRaw(ByteView payload,
                                                    const ForwardIndexShape& shape) {
  if (payload.size() >= 6 && AsText(payload.first(5)) == "CLP.v") {
    return Status::Unimplemented("forward index {} is not supported yet", AsText(payload.first(6)));
  }
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
