#pragma once

#include <memory>
#include <optional>

#include "common/verify/rows.h"

namespace trellis::verify {

// A range index against the rows (format notes 7.3), told apart by its version. Checks its
// structure when it is opened and each row as it is taken; Finish tells what is left over.
class RangeCheck : public RowConsumer {
 public:
  virtual void Finish() = 0;
};

// What the index was built over: dictIds where the column has a dictionary, else its values.
struct RangeShape {
  DataType type = DataType::kUnknown;
  bool has_dictionary = false;
  bool multi_value = false;
  uint32_t document_count = 0;
};

// Null after a fault, and for versions that are not known (a note). The result borrows `bytes` and
// holds `log`.
std::unique_ptr<RangeCheck> OpenRangeCheck(ByteView bytes, const RangeShape& shape, FaultLog log);

// The two versions. 1: ranges of sorted values and a bitmap each; every value's range must hold its
// row and no other. 2: bit slices; each row's key is put together again and compared.
std::unique_ptr<RangeCheck> OpenRangeCheckV1(ByteView bytes, const RangeShape& shape, FaultLog log);
std::unique_ptr<RangeCheck> OpenRangeCheckV2(ByteView bytes, const RangeShape& shape, FaultLog log);

}  // namespace trellis::verify
