#include "common/segment_writer/map_keys.h"

#include "common/base/bytes.h"

namespace trellis::segment_writer {
namespace {

Result<std::string_view> ReadText(ByteReader& reader, const char* what) {
  TRELLIS_ASSIGN_OR_RETURN(const auto length, reader.ReadBigEndian<int32_t>());
  if (length < 0 || static_cast<size_t>(length) > reader.remaining()) {
    return Status::Corrupt("a map's {} of {} bytes at offset {}, {} left", what, length,
                           reader.position(), reader.remaining());
  }
  TRELLIS_ASSIGN_OR_RETURN(const ByteView bytes, reader.ReadBytes(static_cast<size_t>(length)));
  return AsText(bytes);
}

}  // namespace

Status AddMapKeys(std::string_view frame, std::set<std::string, std::less<>>& keys) {
  ByteReader reader(AsBytes(frame));
  TRELLIS_ASSIGN_OR_RETURN(const auto count, reader.ReadBigEndian<int32_t>());
  for (int32_t i = 0; i < count; ++i) {
    TRELLIS_ASSIGN_OR_RETURN(const std::string_view key, ReadText(reader, "key"));
    TRELLIS_RETURN_IF_ERROR(ReadText(reader, "value").status());
    const auto place = keys.lower_bound(key);
    if (place == keys.end() || *place != key) keys.emplace_hint(place, key);
  }
  if (count < 0 || !reader.at_end()) {
    return Status::Corrupt("a map of {} entries with {} bytes behind them", count,
                           reader.remaining());
  }
  return {};
}

}  // namespace trellis::segment_writer
