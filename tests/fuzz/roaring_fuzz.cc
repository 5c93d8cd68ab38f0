#include <vector>

#include "common/index/bloom_filter.h"
#include "common/index/inverted_index.h"

// Reads arbitrary bytes as a roaring bitmap, as an inverted index and as a bloom filter; what was
// accepted must be usable.

namespace {

void Use(const Roaring& bitmap, uint32_t limit) {
  uint64_t count = 0;
  for (const uint32_t value : bitmap) {
    TRELLIS_CHECK(value < limit);
    ++count;
  }
  TRELLIS_CHECK(count == bitmap.cardinality());
  Roaring all;
  all.addRange(0, limit);
  TRELLIS_CHECK((all & bitmap) == bitmap);
  TRELLIS_CHECK((all - bitmap).cardinality() == limit - count);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trellis;
  if (size < 4) return 0;
  const uint32_t limit = LoadLittleEndian<uint32_t>(data) % (1 << 20) + 1;
  const std::vector<uint8_t> payload(data + 4, data + size);
  const auto bitmap = bitmap::ReadRoaring(payload, limit);
  if (bitmap.ok()) Use(*bitmap, limit);
  const uint32_t cardinality = data[3] % 16;
  const auto inverted = index::InvertedIndex::Open(payload, cardinality, limit);
  for (uint32_t id = 0; inverted.ok() && id < cardinality; ++id) {
    const auto documents = (*inverted)->Documents(id);
    if (documents.ok()) Use(*documents, limit);
  }
  const auto bloom = index::BloomFilter::Open(payload);
  if (bloom.ok()) (void)(*bloom)->MayContain(Value::Int(42));
  return 0;
}
