#include "common/segment/properties_file.h"

#include <utility>

#include "common/segment/properties_reader.h"

namespace trellis::segment {

Result<PropertiesFile> PropertiesFile::Parse(std::string_view text) {
  PropertiesFile file;
  PropertiesReader reader(text);
  PropertyLine line;
  std::vector<std::string_view> elements;
  while (true) {
    TRELLIS_ASSIGN_OR_RETURN(const bool more, reader.Next(line));
    if (!more) return file;
    const auto [found, added] =
        file.by_key_.try_emplace(std::string(line.key), file.properties_.size());
    if (added) file.properties_.push_back({found->first, {}, line.line});
    elements.clear();
    reader.Split(line.value, elements);
    auto& values = file.properties_[found->second].values;
    values.insert(values.end(), elements.begin(), elements.end());
  }
}

const PropertiesFile::Property* PropertiesFile::Find(std::string_view key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : &properties_[found->second];
}

std::optional<std::string_view> PropertiesFile::First(std::string_view key) const {
  const Property* property = Find(key);
  if (property == nullptr) return std::nullopt;
  return property->values.front();
}

std::optional<std::string> PropertiesFile::Joined(std::string_view key) const {
  const Property* property = Find(key);
  if (property == nullptr) return std::nullopt;
  return JoinValues(*property);
}

std::string JoinValues(const PropertiesFile::Property& property) {
  std::string joined = property.values.front();
  for (size_t i = 1; i < property.values.size(); ++i) joined += "," + property.values[i];
  return joined;
}

}  // namespace trellis::segment
