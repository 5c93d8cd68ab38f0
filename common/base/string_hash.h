#pragma once

#include <absl/hash/hash.h>

#include <string_view>

namespace trellis {

// Hash and equality for string keys that are looked up by std::string_view without a copy. Debian's
// abseil has a string_view of its own, so absl's default hash of string keys does not take std's.
// A user links absl::hash, as every absl container does.
struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const {
    return absl::HashOf(absl::string_view(text.data(), text.size()));
  }
};
struct StringEqual {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return a == b; }
};

}  // namespace trellis
