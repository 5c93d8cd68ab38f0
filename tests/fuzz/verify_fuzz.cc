// The checks of `segment verify` over any bytes as any kind of index. What they find does not
// matter; what they must not do is crash, hang or take memory without bound.
#include "common/verify/dictionary_check.h"
#include "common/verify/id_forward_check.h"
#include "common/verify/inverted_check.h"
#include "common/verify/json_index_check.h"
#include "common/verify/range_check.h"
#include "common/verify/raw_forward_check.h"

namespace trellis::verify {
namespace {

// Types of columns by the low bits of a byte.
DataType TypeOf(uint8_t byte) {
  constexpr DataType kTypes[] = {DataType::kInt,    DataType::kLong,       DataType::kFloat,
                                 DataType::kDouble, DataType::kBigDecimal, DataType::kString,
                                 DataType::kUuid,   DataType::kMap};
  return kTypes[byte % 8];
}

void CheckAsForward(ByteView bytes, uint8_t kind, uint32_t documents, FaultLog& log) {
  column::ForwardIndexShape shape;
  shape.type = DataType::kInt;
  shape.multi_value = (kind & 1) != 0;
  shape.sorted = (kind & 2) != 0;
  shape.dictionary_encoded = true;
  shape.document_count = documents;
  shape.cardinality = 5;
  shape.bits_per_element = 1 + kind / 8;
  shape.total_entries = documents + kind;
  CheckIdForward(bytes, shape, log);
}

// Opens the range index and, when it is whole, hands it a row of each id.
void CheckAsRange(ByteView bytes, uint8_t kind, uint32_t documents, const FaultLog& log) {
  const RangeShape shape{TypeOf(kind), true, (kind & 64) != 0, documents};
  const auto check = OpenRangeCheck(bytes, shape, log);
  if (!check || shape.multi_value) return;
  const std::vector<uint32_t> ids(documents, 1);
  check->Take({0, documents, {}, ids, nullptr});
  check->Finish();
}

}  // namespace
}  // namespace trellis::verify

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trellis;
  using namespace trellis::verify;
  if (size < 3) return 0;
  const uint8_t kind = data[1];
  const uint32_t documents = data[2];
  const ByteView bytes(data + 3, size - 3);
  FaultList faults("fuzz", 5);
  FaultLog log(faults, "c", "i", "f");
  switch (data[0] % 6) {
    case 0:
      CheckDictionary(bytes, {TypeOf(kind), documents, kind / 8U, "%"}, log);
      break;
    case 1:
      CheckAsForward(bytes, kind, documents, log);
      break;
    case 2:
      CheckRawForward(bytes, TypeOf(kind), (kind & 8) != 0 && TypeOf(kind) != DataType::kMap,
                      documents, log);
      break;
    case 3:
      CheckInverted(bytes, kind, documents, nullptr, log);
      OpenLegacyInverted(bytes, TypeOf(kind), log);
      break;
    case 4:
      CheckAsRange(bytes, kind, documents, log);
      break;
    default:
      CheckJsonIndex(bytes, documents, log);
  }
  for (const Fault& fault : faults.Take()) (void)FaultText(fault);
  return 0;
}
