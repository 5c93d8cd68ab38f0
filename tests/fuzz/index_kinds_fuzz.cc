#include <vector>

#include "common/base/check.h"
#include "common/index/index_kinds.h"

// Describes arbitrary bytes as every kind of index.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trellis;
  const std::vector<uint8_t> payload(data, data + size);
  for (const char* id :
       {"range_index", "inverted_index", "bloom_filter", "json_index", "h3_index", "text_index",
        "fst_index", "ifst_index", "vector_index", "open_struct_index", "nullvalue_vector", "x"})
    TRELLIS_CHECK(!index::DescribeIndex(id, payload).kind.empty());
  return 0;
}
