#include <string>

#include "common/column/json_object.h"
#include "common/column/map_frame.h"

// Reads arbitrary bytes as the sparse object of an OPEN_STRUCT row: each member into a frame, the
// frame as JSON, and two keys in one walk, one as every type.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trellis;
  if (size < 2) return 0;
  const std::string key(1, static_cast<char>(data[0]));
  const std::string object(reinterpret_cast<const char*>(data) + 2, size - 2);
  column::JsonObjectWalk walk(object);
  column::JsonMember member;
  column::MapFrameWriter writer;
  std::string storage;
  auto more = walk.Next(member);
  for (; more.ok() && *more; more = walk.Next(member)) {
    const auto name = column::JsonMemberKey(member, storage);
    if (name) writer.Add(*name, member.json);
  }
  const auto frame = writer.Finish();
  if (frame.ok()) TRELLIS_CHECK(column::MapFrameToJson(*frame).ok());

  ColumnVector objects(DataType::kString);
  objects.values<std::string_view>().push_back(object);
  objects.SetSize(1);
  constexpr DataType kTypes[] = {DataType::kInt,     DataType::kLong,   DataType::kFloat,
                                 DataType::kDouble,  DataType::kString, DataType::kBigDecimal,
                                 DataType::kBoolean, DataType::kBytes};
  ColumnVector out, other;
  const column::MapKeyRead reads[] = {{key, kTypes[data[1] % 8], &out},
                                      {"other", DataType::kString, &other}};
  if (column::ReadObjectKeys(objects, reads).ok()) {
    (void)out.Get(0);
    (void)other.Get(0);
  }
  return 0;
}
