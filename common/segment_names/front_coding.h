#pragma once

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>

#include "common/base/bytes.h"
#include "common/segment_names/text_arena.h"
#include "common/segment_names/varint.h"

namespace trellis::segment_names {

inline size_t SharedPrefix(std::string_view a, std::string_view b) {
  const size_t size = std::min(a.size(), b.size());
  size_t at = 0;
  for (; at + 8 <= size; at += 8) {
    uint64_t one, other;
    std::memcpy(&one, a.data() + at, 8);
    std::memcpy(&other, b.data() + at, 8);
    if (one != other) return at + static_cast<size_t>(std::countr_zero(one ^ other)) / 8;
  }
  while (at < size && a[at] == b[at]) ++at;
  return at;
}

// Appends `name` as what it shares with `previous`, and its rest.
inline void AppendFrontCoded(std::string_view previous, std::string_view name, std::string& out) {
  const size_t shared = SharedPrefix(previous, name);
  AppendVarint(shared, out);
  AppendVarint(name.size() - shared, out);
  out.append(name.substr(shared));
}
inline size_t FrontCodedSize(std::string_view previous, std::string_view name) {
  const size_t shared = SharedPrefix(previous, name);
  const size_t rest = name.size() - shared;
  return VarintSize(shared) + VarintSize(rest) + rest;
}

// Reads one untrusted front-coded name into `texts`. `names_left`, itself included, are a hint for
// allocating.
Status ReadFrontCodedName(NameReader& reader, std::string_view previous, size_t names_left,
                          TextArena& texts, std::string_view& name);

}  // namespace trellis::segment_names
