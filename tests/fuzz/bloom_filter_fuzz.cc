#include <string>
#include <vector>

#include "common/index/bloom_filter.h"

// Opens arbitrary bytes as a bloom filter and asks it for values of every type.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trellis;
  const std::vector<uint8_t> payload(data, data + size);
  const auto bloom = index::BloomFilter::Open(payload);
  if (!bloom.ok()) return 0;
  const std::string text(AsText(payload).substr(payload.size() - 8));
  for (const Value& value :
       {Value::Int(42), Value::Long(-1), Value::Double(0.5), Value::Float(0), Value::String(text),
        Value::Bytes(DataType::kBytes, text), Value::Bytes(DataType::kBigDecimal, text),
        Value::Boolean(true), Value::Null(DataType::kInt)})
    (void)(*bloom)->MayContain(value);
  return 0;
}
