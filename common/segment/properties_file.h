#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace trellis::segment {

// A properties file as Pinot reads and writes it: Apache commons-configuration2 with the legacy
// list handler (format notes 2.1). Keys and values are unescaped and UTF-8. Immutable after Parse.
// Owns every text: for files that are looked at, not for the thousands that are loaded
// (properties_reader.h).
//
//   a = 1,2          one key, two values: a ',' splits unless escaped
//   a = 3            the same key again appends: {1, 2, 3}
//   sp\ ace : x\     blanks and separators in keys are escaped; a trailing '\' continues the line
//     y
//   # and ! comment; `include` is a directive of that library and never a property
class PropertiesFile {
 public:
  struct Property {
    std::string key;
    std::vector<std::string> values;  // at least one
    size_t line = 0;                  // of its first appearance, from 1
  };

  // Errors: Corrupt naming the line (a broken \u escape, a file that ends in a continuation).
  static Result<PropertiesFile> Parse(std::string_view text);

  // In the order of first appearance.
  const std::vector<Property>& properties() const { return properties_; }
  const Property* Find(std::string_view key) const;
  // The first value: what a scalar read gives.
  std::optional<std::string_view> First(std::string_view key) const;
  // All values with ',' between them: undoes the list split of a scalar that holds commas.
  std::optional<std::string> Joined(std::string_view key) const;

 private:
  std::vector<Property> properties_;
  std::map<std::string, size_t, std::less<>> by_key_;
};

std::string JoinValues(const PropertiesFile::Property& property);

}  // namespace trellis::segment
