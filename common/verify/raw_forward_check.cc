#include "common/verify/raw_forward_check.h"

#include <algorithm>

namespace trellis::verify {

RowFacts CheckRawForward(ByteView bytes, DataType type, bool multi_value, uint32_t document_count,
                         FaultLog& log) {
  const std::string_view magic = AsText(bytes.first(std::min<size_t>(bytes.size(), 6)));
  if (magic != "CLP.v1" && magic != "CLP.v2")
    return CheckRawContainer(bytes, type, multi_value, document_count, log);
  if (type != DataType::kString || multi_value) {
    log.Fault(0, "CLP for single-value STRING columns only", std::string(magic));
  } else {
    CheckClp(bytes, document_count, log);
  }
  return {document_count, 1, 0};
}

RowFacts CheckRawContainer(ByteView bytes, DataType type, bool multi_value, uint32_t document_count,
                           FaultLog& log) {
  RowFacts facts;
  RowShape shape{type, multi_value, format::RowCount::kStored};
  if (!multi_value && PhysicalOf(type) != Physical::kBytes) {
    CheckChunkFile(bytes, shape, true, document_count, facts, log);
    return {document_count, 1, 0};
  }
  const int32_t version = bytes.size() < 4 ? 0 : LoadBigEndian<int32_t>(bytes.data());
  if (version < 4) {
    CheckChunkFile(bytes, shape, false, document_count, facts, log);
  } else {
    if (version > 4) shape.count = format::RowCount::kImplied;
    CheckV4File(bytes, shape, document_count, facts, log);
  }
  return facts;
}

}  // namespace trellis::verify
