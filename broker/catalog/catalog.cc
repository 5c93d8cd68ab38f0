#include "broker/catalog/catalog.h"

#include <set>

#include "common/base/nearest_name.h"

namespace trellis::broker {

std::vector<std::string> CatalogSnapshot::raw_names() const {
  std::set<std::string> names;
  for (const auto& [name, table] : tables) names.insert(table->raw_name);
  return {names.begin(), names.end()};
}

Result<std::shared_ptr<const Table>> CatalogSnapshot::FindTable(std::string_view name) const {
  std::vector<std::shared_ptr<const Table>> exact;
  std::vector<std::shared_ptr<const Table>> folded;
  for (const auto& [typed, table] : tables) {
    if (typed == name || table->raw_name == name)
      exact.push_back(table);
    else if (EqualsIgnoreCase(typed, name) || EqualsIgnoreCase(table->raw_name, name))
      folded.push_back(table);
  }
  const auto& found = exact.empty() ? folded : exact;
  if (found.empty()) {
    return Status::Query(PinotCode::kTableDoesNotExist, "table '{}' does not exist{}", name,
                         DidYouMean(name, raw_names()));
  }
  if (found.size() > 1 && found[0]->raw_name != found[1]->raw_name) {
    return Status::Query(PinotCode::kQueryValidation,
                         "table '{}' may be {} or {}, which differ in case only: spell it exactly",
                         name, found[0]->name, found[1]->name);
  }
  if (found.size() > 1) {
    return Status::Query(
        PinotCode::kQueryValidation,
        "table '{}' is hybrid (OFFLINE and REALTIME), which is not supported yet: name {} or {}",
        name, found[0]->name, found[1]->name);
  }
  if (!found[0]->refused.empty()) {
    return Status::Query(PinotCode::kQueryValidation, "table '{}' is refused: {}",
                         found[0]->raw_name, found[0]->refused);
  }
  return found[0];
}

}  // namespace trellis::broker
