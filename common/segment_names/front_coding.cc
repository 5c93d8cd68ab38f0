#include "common/segment_names/front_coding.h"

#include "common/segment_names/name_store.h"
#include "common/segment_names/packed_names.h"

namespace trellis::segment_names {

Status ReadFrontCodedName(NameReader& reader, std::string_view previous, size_t names_left,
                          TextArena& texts, std::string_view& name) {
  const size_t offset = reader.offset();
  uint64_t shared, rest_size;
  if (!reader.ReadVarint(shared) || !reader.ReadVarint(rest_size)) {
    return Status::InvalidArgument("front-coded name at offset {}: no lengths", offset);
  }
  if (shared > previous.size()) {
    return Status::InvalidArgument(
        "front-coded name at offset {}: shares {} bytes with a name of {} bytes", offset, shared,
        previous.size());
  }
  std::string_view rest;
  if (!reader.ReadBytes(rest_size, rest)) {
    return Status::InvalidArgument("front-coded name at offset {}: {} bytes wanted, {} left",
                                   offset, rest_size, reader.remaining());
  }
  const size_t size = shared + rest.size();
  if (size > kNameBytesMax) {
    return Status::InvalidArgument("front-coded name at offset {}: {} bytes, at most {}", offset,
                                   size, kNameBytesMax);
  }
  char* to = texts.Reserve(size + 1, names_left);
  std::copy_n(previous.data(), shared, to);
  std::copy(rest.begin(), rest.end(), to + shared);
  name = texts.Keep(size);
  return texts.Check(offset);
}

void FrontCode(std::span<const std::string_view> names, std::string& out) {
  AppendVarint(names.size(), out);
  std::string_view previous;
  for (const std::string_view name : names) {
    AppendFrontCoded(previous, name, out);
    previous = name;
  }
}

Result<NameList> ReadFrontCoded(ByteView bytes, const UnpackLimits& limits) {
  NameReader reader(bytes);
  uint64_t count;
  if (!reader.ReadVarint(count)) {
    return Status::InvalidArgument("front-coded names: no count at offset 0");
  }
  // Each takes two lengths at least.
  if (count > reader.remaining() / 2) {
    return Status::InvalidArgument("front-coded names: {} names in {} bytes at offset {}", count,
                                   reader.remaining(), reader.offset());
  }
  if (count > limits.names_max) {
    return Status::ResourceExhausted("front-coded names: {} names, at most {}", count,
                                     limits.names_max);
  }
  TextArena texts(limits.text_bytes_max);
  NameList list;
  list.names.reserve(count);
  std::string_view name;
  for (size_t left = count; left > 0; --left) {
    TRELLIS_RETURN_IF_ERROR(ReadFrontCodedName(reader, name, left, texts, name));
    list.names.push_back(name);
  }
  if (!reader.at_end()) {
    return Status::InvalidArgument("front-coded names: {} bytes too many at offset {}",
                                   reader.remaining(), reader.offset());
  }
  list.owner = texts.owner();
  return list;
}

}  // namespace trellis::segment_names
