#include "common/base/bytes.h"
#include "common/encode/index_writers.h"
#include "common/encode/roaring_layout.h"

namespace trellis::encode {

Status WriteNullVector(std::span<const uint32_t> null_documents, output::OutputFile& file) {
  std::string bytes;
  RoaringLayout().Append(null_documents, RoaringLayout::Runs::kWhereSmaller, bytes);
  return file.Append(AsBytes(bytes));
}

}  // namespace trellis::encode
