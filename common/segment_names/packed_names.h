#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/segment_names/name_store.h"

namespace trellis::segment_names {

// What unpacked names may cost: a few packed bytes can stand for many names.
struct UnpackLimits {
  size_t names_max = size_t{4} << 20;
  size_t text_bytes_max = size_t{256} << 20;
};

struct NameList {
  std::shared_ptr<const void> owner;  // of the names' text
  std::vector<std::string_view> names;
};

// Appends the packed form of `indexes` (distinct, in natural order) to `out`: names that share a
// template as columns of their values (constants, offsets to the column before, bit-packed
// differences), the others front-coded, whichever is smaller. See README.md for the bytes.
void Pack(const NameView& names, std::span<const uint32_t> indexes, std::string& out);

// Reads untrusted bytes; names come in the order they were packed in. Errors: InvalidArgument with
// the offset, also for a name that occurs twice; ResourceExhausted over the limits.
Result<NameList> Unpack(ByteView bytes, const UnpackLimits& limits);

// Front coding: each name as the length of the prefix it shares with the one before, and the rest.
// Keeps the order given, any order; small for sorted names.
void FrontCode(std::span<const std::string_view> names, std::string& out);
// Errors as Unpack (a prefix longer than the name before included), but equal names are allowed.
Result<NameList> ReadFrontCoded(ByteView bytes, const UnpackLimits& limits);

}  // namespace trellis::segment_names
